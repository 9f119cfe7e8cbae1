// A touch: its forces balance, its product is the derivative of its force, and its conditions are Coulomb's.
#include <pliant/contact/touch.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <Eigen/Dense>
#include <numeric>
#include <vector>

namespace pliant {
namespace {

Eigen::Vector3d eigen(Vec3f a) { return {double(a.x), double(a.y), double(a.z)}; }

// Touches among a cloud of particles: every particle is in several of them, as the particle and as a target.
class Cloud {
public:
    static constexpr Index particles = 30, touch_count = 20, targets_each = 5;
    std::vector<Vec4d> place;
    std::vector<Touch> touches;
    std::vector<TouchTarget> targets;
    std::vector<Index> linked, row;
    std::vector<TouchLink> links;

    explicit Cloud(unsigned seed) : random_(seed) {
        for (Index i = 0; i < particles; ++i) place.push_back(Vec4d::from(random_.vector()));
        for (Index c = 0; c < touch_count; ++c) add(c);
        link();
    }

    TouchView view() { return {touches.data(), targets.data()}; }
    std::vector<Vec4> random_field() {
        std::vector<Vec4> field;
        for (Index i = 0; i < particles; ++i) field.push_back(Vec4::from(cast<float>(random_.vector())));
        return field;
    }
    std::vector<Vec4> gathered(std::vector<TouchPull> const& value) const {
        std::vector<Vec4> sum(particles, Vec4::zero());
        GatherTouches<> const gather{linked.data(), {row.data(), links.data(), value.data()}, sum.data()};
        for (Index k = 0; k < linked.size(); ++k) gather(k);
        return sum;
    }
    std::vector<Vec4> forces(std::vector<Vec4> const& u) {
        std::vector<TouchPull> value(touches.size());
        for (Index c = 0; c < touches.size(); ++c) TouchForce<>{view(), u.data(), tau_squared, value.data()}(c);
        return gathered(value);
    }
    std::vector<Vec4> product(std::vector<Vec4> const& p) {
        std::vector<TouchPull> value(touches.size());
        for (Index c = 0; c < touches.size(); ++c)
            TouchProduct<>{view(), p.data(), tau_squared, nullptr, value.data()}(c);
        return gathered(value);
    }
    static double dot_all(std::vector<Vec4> const& a, std::vector<Vec4> const& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += double(dot3(a[i], b[i]));
        return sum;
    }

    static constexpr float tau_squared = 0.25f;

private:
    void add(Index c) {
        Touch t;
        t.particle = c;
        t.body = 1;
        t.first = Index(targets.size());
        t.count = targets_each;
        double total = 0, weight[targets_each];
        for (double& w : weight) total += w = random_.between(0.1, 1);
        Vec3d apart = place[c].xyz();
        for (Index k = 0; k < targets_each; ++k) {
            Index const j = (c + 3 + 4 * k) % particles;
            targets.push_back({j, float(weight[k] / total)});
            apart -= weight[k] / total * place[j].xyz();
        }
        t.normal = cast<float>(normalized(apart + 0.3 * random_.vector()));  // not always along x_i - y
        let_targets_turn(t, apart);
        t.gap = float(random_.between(-0.1, 0.1));
        t.distance = 0.1f;
        t.stiffness = float(random_.between(50, 200));
        t.friction = 0.5f;
        t.active = c % 4 != 3;  // most of them
        t.push = float(random_.between(0, 10));
        t.grip = t.active ? float(random_.between(0, 1)) * t.stiffness : 0;
        t.stretch = t.tangential(0.05f * cast<float>(random_.vector()));
        touches.push_back(t);
    }

    void let_targets_turn(Touch& t, Vec3d r) {
        Sym3d moments;
        for (Index k = 0; k < targets_each; ++k) {
            TouchTarget& target = targets[t.first + k];
            Vec3d const q = (place[target.particle] - place[t.particle]).xyz() + r;
            target.lever = cast<float>(q);
            moments += double(target.weight) * (Sym3d::scaled_identity(norm_squared(q)) + -1. * Sym3d::outer(q));
        }
        Mat3d const inverted = inverse(moments).full();
        t.turning = cast<float>(Mat3d{{cross(r, inverted[0]), cross(r, inverted[1]), cross(r, inverted[2])}});
    }

    void link() {
        for (Index i = 0; i < particles; ++i) {
            row.push_back(Index(links.size()));
            for (Index c = 0; c < touches.size(); ++c) {
                if (touches[c].particle == i) links.push_back({c, 1});
                for (Index k = 0; k < targets_each; ++k) {
                    TouchTarget const& target = targets[touches[c].first + k];
                    if (target.particle == i) links.push_back({c, -target.weight, target.lever});
                }
            }
            if (links.size() > row.back()) linked.push_back(i);
        }
        row.push_back(Index(links.size()));
    }

    RandomMatrices random_;
};

TEST(Touches, ForcesOnParticlesAndTargetsSumToZero) {
    Cloud cloud(11);
    auto const force = cloud.forces(cloud.random_field());
    Vec4 const sum = std::accumulate(force.begin(), force.end(), Vec4::zero());
    // Twenty forces of about 10 N times tau^2: 1e-4 is their rounding.
    EXPECT_LT(norm(sum.xyz()), 1e-4);
    EXPECT_GT(Cloud::dot_all(force, force), 1);
}

TEST(Touches, HaveNoTorqueFrictionIncluded) {
    Cloud cloud(12);
    auto const force = cloud.forces(cloud.random_field());
    Vec3d torque;
    double size = 0;
    for (Index i = 0; i < Cloud::particles; ++i) {
        torque += cross(cloud.place[i].xyz(), cast<double>(force[i].xyz()));
        size += double(norm(force[i].xyz()));
    }
    EXPECT_LT(norm(torque), 1e-5 * size);  // rounding of couples, arms of a metre
    EXPECT_GT(size, 10);
}

TEST(Touches, ProductIsMinusTheDerivativeOfTheForce) {
    Cloud cloud(14);
    auto const u = cloud.random_field(), p = cloud.random_field();
    auto up = u, down = u;
    for (Index i = 0; i < Cloud::particles; ++i) up[i] += p[i], down[i] -= p[i];
    auto const above = cloud.forces(up), below = cloud.forces(down), product = cloud.product(p);
    double difference = 0;
    for (Index i = 0; i < Cloud::particles; ++i) {
        Vec4 const off = 0.5f * (above[i] - below[i]) + product[i];  // quadratic in u: any step size is exact
        difference += double(dot3(off, off));
    }
    EXPECT_LT(std::sqrt(difference / Cloud::dot_all(product, product)), 1e-6);
}

TEST(Touches, ProductIsSymmetricAndPositiveSemiDefinite) {
    Cloud cloud(15);
    for (int n = 0; n < 50; ++n) {
        auto const p = cloud.random_field(), q = cloud.random_field();
        auto const Bp = cloud.product(p), Bq = cloud.product(q);
        double const size = std::sqrt(Cloud::dot_all(Bp, Bp) * Cloud::dot_all(q, q));
        EXPECT_NEAR(Cloud::dot_all(q, Bp), Cloud::dot_all(p, Bq), 1e-6 * size);
        EXPECT_GT(Cloud::dot_all(p, Bp), 0);
    }
    std::vector<Vec4> const together(Cloud::particles, Vec4::of(1, -2, 0.5f, 0));
    std::vector<Vec4> const product = cloud.product(together);
    EXPECT_NEAR(Cloud::dot_all(product, product), 0, 1e-8);  // all moved alike: no touch presses harder
}

TEST(Touches, DoNotNoticeThatEverythingTurns) {
    Cloud cloud(19);
    std::vector<Vec4> turned;
    for (Index i = 0; i < Cloud::particles; ++i)
        turned.push_back(Vec4::from(cast<float>(cross(Vec3d{0.3, -0.5, 0.8}, cloud.place[i].xyz()))));
    for (Touch const& t : cloud.touches)
        EXPECT_LT(norm(cloud.view().relative(t, turned.data())), 1e-5f) << t.particle;  // rounding of metres
}

TEST(Touches, PreconditionerIsTheInverseOfTheDenseDiagonalBlock) {
    Cloud cloud(16);
    RandomMatrices random(17);
    std::vector<Sym3f> plain, preconditioner(Cloud::particles);
    for (std::size_t k = 0; k < cloud.linked.size(); ++k) {
        Mat3d const a = random.matrix();
        plain.push_back(cast<float>(Sym3d::from(a * transpose(a)) + Sym3d::scaled_identity(0.1)));
    }
    TouchPreconditioner<> const stage{cloud.linked.data(), cloud.row.data(), cloud.links.data(),   cloud.touches.data(),
                                      Cloud::tau_squared,  plain.data(),     preconditioner.data()};
    for (Index k = 0; k < cloud.linked.size(); ++k) {
        stage(k);
        Index const i = cloud.linked[k];
        Eigen::Matrix3d system = Eigen::Matrix3d::Zero();
        Mat3f const inverse_plain = plain[k].full();
        for (int c = 0; c < 3; ++c) system.col(c) = eigen(inverse_plain[c]);
        system = system.inverse().eval();
        for (int c = 0; c < 3; ++c) {  // columns of the diagonal block: results of unit displacements of i
            std::vector<Vec4> unit(Cloud::particles, Vec4::zero());
            unit[i] = Vec4::of(c == 0, c == 1, c == 2, 0);
            system.col(c) += eigen(cloud.product(unit)[i].xyz());
        }
        Mat3f const result = preconditioner[i].full();
        Eigen::Matrix3d const expected = system.inverse();
        for (int c = 0; c < 3; ++c)
            EXPECT_LT((eigen(result[c]) - expected.col(c)).norm(), 1e-4 * expected.norm());  // floats, condition < 1e3
    }
}

TEST(Touches, GatherAddsToWhatIsThere) {
    Cloud cloud(18);
    std::vector<TouchPull> value;
    for (Index c = 0; c < cloud.touches.size(); ++c)
        value.push_back({Vec4::of(float(c), 1, -2, 0), Vec4::of(0.5f, float(c), 3, 0)});
    std::vector<Vec4> target(Cloud::particles, Vec4::of(0, 7, 0, 0));
    GatherTouches<> const gather{
        cloud.linked.data(), {cloud.row.data(), cloud.links.data(), value.data()}, target.data()};
    for (Index k = 0; k < cloud.linked.size(); ++k) gather(k);
    Vec4 const sum = std::accumulate(target.begin(), target.end(), Vec4::zero());
    EXPECT_NEAR(sum[0], 0, 1e-4);
    EXPECT_NEAR(sum[1], 7 * Cloud::particles, 1e-4);
    EXPECT_NEAR(sum[2], 0, 1e-4);
}

// Particle 0 above particle 1, its only target. k = 1 kN/m and D = 0.1 m: a hundredth of D gives 1 N.
class Pair {
public:
    static constexpr float k = 1000, D = 0.1f, tau_squared = 0.01f;
    Touch touch;
    TouchTarget target{1, 1};
    Vec4 u[2] = {Vec4::zero(), Vec4::zero()};
    TouchPull value = TouchPull::zero();

    explicit Pair(float gap, bool active, float push = 0) {
        touch.count = 1;
        touch.normal = {0, 1, 0};
        touch.gap = gap;
        touch.distance = D;
        touch.stiffness = k;
        touch.active = active;
        touch.push = push;
    }

    std::array<double, 3> check() {
        float const mass[2] = {1, 1};  // at 1e-3 m/s2, forces below 1 mN count as zero
        float const none = 1e-3f * tau_squared;
        return CheckTouches<>{{&touch, &target}, u, mass, &none, tau_squared, &value}(0);
    }
    TouchMemory keep(double& depth, Vec4d place, float start, std::uint32_t own_body = 0) {
        touch.body = 1;
        Vec4d const places[2] = {place, Vec4d::zero()};
        std::uint32_t const body[2] = {own_body, 1};
        float const last_force = 3;
        TouchMemory memory;
        depth = KeepTouches<>{{&touch, &target}, places, u, &start, &last_force, body, &memory}(0);
        return memory;
    }
};

TEST(CheckTouches, ReleasesATouchThatPulls) {
    Pair pair(0.01f, true);
    auto const [overlaps, failing, force] = pair.check();
    EXPECT_FALSE(pair.touch.active);
    EXPECT_EQ(overlaps, 0);
    EXPECT_NEAR(failing, 10, 1e-5);
    EXPECT_EQ(force, 0);
    EXPECT_NEAR(pair.value.force[1], 10 * Pair::tau_squared, 1e-6);  // the pull of 10 N is removed
}

TEST(CheckTouches, KeepsATouchWhosePullIsNegligible) {
    Pair pair(0.5e-6f, true);  // 0.5 mN
    EXPECT_EQ(pair.check()[1], 0);
    EXPECT_TRUE(pair.touch.active);
}

TEST(CheckTouches, ActivatesATouchThatOverlaps) {
    for (float overlap : {0.01f, 0.03f}) {  // in D: from 2% on it must be solved again
        Pair pair(-overlap * Pair::D, false);
        auto const [overlaps, failing, force] = pair.check();
        EXPECT_TRUE(pair.touch.active);
        EXPECT_EQ(overlaps, overlap > 0.02f ? 1 : 0);
        EXPECT_NEAR(force, overlap * Pair::D * Pair::k, 1e-4);
        EXPECT_NEAR(failing, force, 1e-6);
        EXPECT_NEAR(pair.value.force[1], Pair::tau_squared * force, 1e-6);
        EXPECT_EQ(pair.touch.push, 0);
    }
}

TEST(CheckTouches, ActivatesTouchesThatTheStepClosesAndNotThoseItOpens) {
    Pair closing(0.01f, false), opening(-0.01f, true);
    closing.u[0] = Vec4::of(0, -0.008f, 0, 0), closing.u[1] = Vec4::of(0, 0.007f, 0, 0);
    opening.u[1] = Vec4::of(0, -0.02f, 0, 0);
    EXPECT_NEAR(closing.check()[2], 5, 1e-3);  // 5 mm too near
    EXPECT_TRUE(closing.touch.active);
    opening.check();
    EXPECT_FALSE(opening.touch.active);
}

// The force of an overlap that was found is not yet the load that a solve will give.
TEST(CheckTouches, StartsATouchWithoutFriction) {
    Pair pair(-0.01f * Pair::D, false);
    pair.touch.friction = 0.5f;
    pair.u[0] = Vec4::of(0.02f, 0, 0, 0);
    pair.check();
    EXPECT_TRUE(pair.touch.active);
    EXPECT_EQ(pair.touch.grip, 0);
    pair.check();
    EXPECT_NEAR(pair.touch.grip, 0.5 * 1 / 0.02, 1e-3);  // mu N / slip, N = 1 N
}

TEST(CheckTouches, RaisesThePushWhereAnOverlapOfMoreThanATwentiethRemains) {
    Pair small(-0.04f * Pair::D, true, 2), large(-0.06f * Pair::D, true, 2);
    EXPECT_EQ(small.check()[1], 0);
    EXPECT_EQ(small.touch.push, 2);
    EXPECT_NEAR(small.touch.pressing({}), 6, 1e-4);
    EXPECT_EQ(large.check()[0], 1);
    EXPECT_NEAR(large.touch.push, 2 + 6, 1e-4);          // the force it pressed with is the new starting value
    EXPECT_NEAR(large.touch.pressing({}), 8 + 6, 1e-4);  // so it presses harder at the same overlap
    EXPECT_NEAR(large.value.force[1], Pair::tau_squared * 6, 1e-6);
}

TEST(CheckTouches, HoldsWhatFrictionCanHold) {
    Pair pair(0, true, 10);  // 10 N
    pair.touch.friction = 0.5f;
    pair.touch.stretch = {0.001f, 0, 0};
    pair.u[0] = Vec4::of(0.002f, 0, 0, 0);  // 3 mm give 3 N of the 5 N
    pair.check();
    EXPECT_EQ(pair.touch.grip, Pair::k);
    EXPECT_NEAR(pair.touch.force({0.002f, 0, 0}).x, -3, 1e-4);
}

TEST(CheckTouches, LimitsFrictionAtItsShareOfTheLoad) {
    Pair pair(0, true, 10);
    pair.touch.friction = 0.5f;
    pair.u[0] = Vec4::of(0.012f, 0, 0.016f, 0);  // 20 mm would give 20 N
    double const failing = pair.check()[1];
    EXPECT_GT(failing, 0);
    EXPECT_NEAR(pair.touch.grip, 250, 1e-2);
    Vec3f const friction = pair.touch.tangential(pair.touch.force(pair.u[0].xyz()));
    EXPECT_NEAR(norm(friction), 5, 1e-3);  // mu N
    EXPECT_NEAR(friction.x, -3, 1e-3);     // against the motion
    EXPECT_NEAR(friction.z, -4, 1e-3);
    EXPECT_EQ(pair.check()[1], 0);  // right after one correction
}

TEST(CheckTouches, ApplyNoFrictionWithoutLoadOrCoefficient) {
    Pair smooth(0, true, 10), released(0.01f, true);
    released.touch.friction = 0.5f;
    released.touch.grip = Pair::k;
    for (Pair* pair : {&smooth, &released}) {
        pair->u[0] = Vec4::of(0.01f, 0, 0, 0);
        pair->check();
        EXPECT_EQ(pair->touch.grip, 0);
        EXPECT_EQ(pair->touch.force(pair->u[0].xyz()).x, 0);
    }
}

TEST(TouchMemory, StartsFromTheLoadOfBothStepsOrLessIfItFalls) {
    auto const push = [](float force, float last) { return TouchMemory{0, 0, force, last, {}}.push(); };
    EXPECT_EQ(push(100, 0), 0);   // an impact
    EXPECT_EQ(push(10, 10), 10);  // at rest
    EXPECT_EQ(push(12, 10), 10);  // growing
    EXPECT_EQ(push(8, 10), 6);    // falling, and extrapolated
    EXPECT_EQ(push(3, 10), 0);    // gone before the step ends
    EXPECT_EQ(push(0, 10), 0);
}

TEST(KeepTouches, RemembersTheForceAndNoMoreStretchThanFrictionHolds) {
    for (float slide : {0.003f, 0.02f}) {  // one sticks, one slips
        Pair pair(0, true, 10);
        pair.touch.friction = 0.5f;
        pair.u[0] = Vec4::of(slide, 0, 0, 0);
        pair.check();
        double depth = 0;
        TouchMemory const memory = pair.keep(depth, Vec4d::of(0, Pair::D, 0, 0), 0);
        EXPECT_EQ(memory.particle, 0u);
        EXPECT_EQ(memory.body, 1u);
        EXPECT_EQ(memory.force, 10);
        EXPECT_EQ(memory.last_force, 3);  // of the previous step, as given
        EXPECT_NEAR(memory.held.x, std::min(slide * Pair::k, 0.5f * 10), 1e-6 * Pair::k);
        EXPECT_EQ(memory.held.y, 0);
    }
}

TEST(KeepTouches, ForgetsTheStretchOfATouchThatIsReleased) {
    Pair pair(0.01f, true);
    pair.touch.stretch = {0.001f, 0, 0};
    pair.check();
    double depth = 0;
    TouchMemory const memory = pair.keep(depth, Vec4d::of(0, Pair::D, 0, 0), 0);
    EXPECT_EQ(memory.force, 0);
    EXPECT_EQ(norm(memory.held), 0);
}

TEST(KeepTouches, ReportsHowDeepTheParticleEnded) {
    double depth = 0;
    Pair above(0, true);
    above.u[0] = Vec4::of(0, -0.03f, 0, 0);
    above.keep(depth, Vec4d::of(0, 0.11, 0, 0), 0.01f);  // ends at 0.08 of 0.1 m
    EXPECT_NEAR(depth, 0.2, 1e-6);
    above.u[0] = Vec4::of(0, 0.01f, 0, 0);
    above.keep(depth, Vec4d::of(0, 0.11, 0, 0), 0.01f);
    EXPECT_NEAR(depth, -0.2, 1e-6);  // apart
    Pair past(0, true);
    past.keep(depth, Vec4d::of(0, -0.12, 0, 0), -0.22f);  // farther from the target than D, on the wrong side
    EXPECT_NEAR(depth, 2.2, 1e-6);
    past.keep(depth, Vec4d::of(0, -0.12, 0, 0), -0.22f, 1);
    EXPECT_EQ(depth, 0);  // no depth inside its own body
}

}  // namespace
}  // namespace pliant
