// The stages of method = "gerszewski" on a small irregular body, against the paper's formulas.
#include <pliant/neighbors/present_neighbors.hpp>
#include <pliant/physics/gerszewski_conserving.hpp>
#include <pliant/physics/gerszewski_forces.hpp>
#include <pliant/physics/gerszewski_gradient.hpp>
#include <pliant/solvers/gerszewski/method.hpp>

#include <gtest/gtest.h>
#include <solvers/particle_cloud.hpp>

#include <random>

namespace pliant::test {
namespace {

constexpr double spacing = 0.1, h = 2 * spacing, volume = spacing * spacing * spacing;

std::vector<BodyContact> contact_of(Model const& model) {
    std::vector<BodyContact> contact(model.bodies.size());
    for (std::size_t b = 0; b < contact.size(); ++b) contact[b].distance = float(0.5 * model.bodies[b].spacing);
    return contact;
}

class Cloud {
public:
    using Neighbors = PresentNeighbors<Cpu, BodyContact>;
    using View = Neighbors::View;
    explicit Cloud(Model m) : model(std::move(m)), neighbors(exec, model, contact_of(model), 2, 30) {
        Index const n = Index(model.rest.size());
        x.resize(n), v.resize(n), F.resize(n), alpha.resize(n), state.resize(n);
        moments.resize(n), stray.resize(n);
        for (Index i = 0; i < n; ++i) x[i] = Vec4::from(cast<float>(model.rest[i])), F[i] = Mat3f::identity();
        neighbors.make(x);
    }
    Index size() const { return Index(x.size()); }

    template <class Plasticity>
    GradientData<View, Corotated, Plasticity> data(float dt, Plasticity const& plasticity) {
        return {.near = neighbors.near(),
                .law = law,
                .plasticity = plasticity,
                .body = body,
                .dt = dt,
                .x = x.data(),
                .v = v.data(),
                .F = F.data(),
                .alpha = alpha.data(),
                .moments = moments.data(),
                .stray = stray.data(),
                .state = state.data()};
    }
    template <class Plasticity = NoPlasticity>
    void compose(float dt, Plasticity const& plasticity = {}) {
        ComposeGradient<View, Corotated, Plasticity> const s{data(dt, plasticity)};
        for (Index i = 0; i < size(); ++i) s(i);
    }
    template <class Plasticity = NoPlasticity>
    void add(float dt, Plasticity const& plasticity = {}) {
        AddStrain<View, Corotated, Plasticity> const s{data(dt, plasticity)};
        for (Index i = 0; i < size(); ++i) s(i);
    }
    // Moves every particle by the affine map x -> S x within a step of 1 s; F follows.
    void move(Mat3f const& S, bool additive = false) {
        for (Index i = 0; i < size(); ++i) v[i] = Vec4::from(S * x[i].xyz()) - x[i];
        compose(0);  // the moments of these positions
        additive ? add(1) : compose(1);
        for (Index i = 0; i < size(); ++i) x[i] += v[i];
    }
    template <bool alike = true>
    std::vector<Vec3f> forces(std::vector<PointConstants> const& of_body = {constants}) {
        for (Index i = 0; i < size(); ++i) state[i].x = x[i].xyz(), state[i].v = v[i].xyz();
        auto const near = neighbors.near();
        MatterForce<true, alike, View> const force{near, state.data(), of_body.data(), neighbors.body()};
        std::vector<Vec3f> f;
        for (Index i = 0; i < size(); ++i) f.push_back(force(i));
        return f;
    }

    // From here on with the conserving forces: without viscosity [N s/m] and zero-energy control [N/m] unless given.
    void conserve(float drag = 0, float stiffness = 0) {
        body.conserving = true, body.kernel = {0, -1, 0}, body.usual_sum = 15;
        body.drag = drag, body.stray_stiffness = stiffness;
        compose(0);
    }
    // Forces at the positions of the last compose().
    std::vector<Vec3f> conserving_forces() {
        for (Index i = 0; i < size(); ++i) state[i].x = x[i].xyz(), state[i].v = v[i].xyz();
        auto const near = neighbors.near();
        ConservingForce<true, View> const force{near, state.data(), &body, neighbors.body()};
        std::vector<Vec3f> f;
        for (Index i = 0; i < size(); ++i) f.push_back(force(i));
        return f;
    }

    static constexpr double kernel = volume * 45 / (3.14159265358979323846 * h * h * h * h * h * h);
    static inline PointConstants const constants{
        float(volume), float(h), float(volume* cosine_factor(h) / h), float(kernel * 1e5), float(kernel * 3), 0.12f};
    PointConstants body = constants;
    Cpu exec{1};
    Model model;
    Neighbors neighbors;
    Corotated law{MaterialParameters{}};
    Buffer<Vec4> x, v;
    Buffer<Mat3f> F;
    Buffer<float> alpha;
    Buffer<PointMoments> moments;
    Buffer<Vec4> stray;
    Buffer<PointState> state;
};

float distance(Mat3f const& a, Mat3f const& b) { return std::sqrt(inner(a - b, a - b)); }

Mat3f turn(float angle) {
    return {{{std::cos(angle), std::sin(angle), 0}, {-std::sin(angle), std::cos(angle), 0}, {0, 0, 1}}};
}

float strain(Mat3f const& F) { return distance(transpose(rotation_of(F)) * F, Mat3f::identity()); }

TEST(Gerszewski, AnAffineMotionGivesExactlyItsGradientAtEveryParticle) {
    Cloud cloud(shaken_cube(6));
    Mat3f const S{{{1.02f, 0.01f, 0}, {-0.03f, 0.98f, 0.02f}, {0.01f, 0, 1.01f}}};
    cloud.move(S);
    for (Index i = 0; i < cloud.size(); ++i) EXPECT_LT(distance(cloud.F[i], S), 2e-6f) << i;  // rounding of a fit
    cloud.move(S);
    for (Index i = 0; i < cloud.size(); ++i) EXPECT_LT(distance(cloud.F[i], S * S), 5e-6f) << i;
}

TEST(Gerszewski, AnExactRotationLeavesNoStrainAndATangentialOneOnlyWhatTheStepAdds) {
    Cloud exact(shaken_cube(5)), tangential(shaken_cube(5));
    float const angle = 0.02f;
    for (int k = 0; k < 50; ++k) {
        exact.move(turn(angle));
        Mat3f const S{{{1, angle, 0}, {-angle, 1, 0}, {0, 0, 1}}};  // v = omega x r: a step lengthens by angle^2 / 2
        tangential.move(S);
    }
    EXPECT_LT(distance(exact.F[62], turn(1)), 1e-4f);
    EXPECT_LT(strain(exact.F[62]), 2e-5f);
    EXPECT_NEAR(strain(tangential.F[62]), std::sqrt(2.f) * 50 * angle * angle / 2, 2e-4f);
}

TEST(Gerszewski, TheForceKernelHasUnitVolumeAndTheSlopeOfItsFormula) {
    double const pi = 3.14159265358979323846, c = cosine_factor(h);
    double integral = 0;
    for (int k = 0; k < 10000; ++k) {
        double const r = (k + 0.5) * h / 10000;
        double const W = c * 2 * h / pi * (std::cos((r + h) * pi / (2 * h)) + 1);  // eq. 12
        integral += W * 4 * pi * r * r * h / 10000;
        double const q = r / h;
        if (q < 0.05) continue;  // too near to have a direction
        EXPECT_NEAR(double(cosine_gradient(float(q * q))) * q, std::cos(pi * q / 2), 2e-6);
    }
    EXPECT_NEAR(integral, 1, 1e-6);
}

// Eq. 9 to 11 written out with the decomposition, in double, pair by pair.
TEST(Gerszewski, ForcesAreThoseOfThePapersFormula) {
    Cloud cloud(shaken_cube(5));
    std::mt19937 random(3);
    std::uniform_real_distribution<float> shake(-0.1f, 0.1f);
    for (Index i = 0; i < cloud.size(); ++i)
        for (int k = 0; k < 9; ++k) cloud.F[i](k / 3, k % 3) += shake(random);
    cloud.compose(0);
    for (PointState& s : cloud.state.span()) s.pressure = 0;  // nothing moves: no viscous force
    auto const exerted = [&](Index i, Index j) {              // by i on j, with the sign of a gradient by x_i
        Svd3<double> const d = svd3(cast<double>(cloud.F[i]));
        Vec3d const strains{d.s.x - 1, d.s.y - 1, d.s.z - 1};
        double const volumetric = cloud.law.lambda * (strains.x + strains.y + strains.z);
        Vec3d sP;
        for (int k = 0; k < 3; ++k) sP[k] = d.s[k] * (2 * cloud.law.mu * strains[k] + volumetric);
        Vec3d const back = inverse(cast<double>(cloud.F[i])) * cast<double>((cloud.x[j] - cloud.x[i]).xyz());
        double const r = norm(back);
        Vec3d const gradient = r < h ? cosine_factor(h) * std::cos(1.5707963267948966 * r / h) / r * back : Vec3d{};
        return -2 * volume * volume * (d.U * (Mat3d::diagonal(sP) * (transpose(d.V) * gradient)));
    };
    std::vector<Vec3f> const forces = cloud.forces();
    auto const near = cloud.neighbors.near();
    double largest = 0, worst = 0;
    for (Index i = 0; i < cloud.size(); ++i) {
        Vec3d expected;
        for (Index k = 0; k < near.count(i); ++k) {
            Index const j = near.neighbor(near.slot(i, k));
            expected += 0.5 * (exerted(j, i) - exerted(i, j));  // the mean of f_ji and -f_ij
        }
        largest = std::max(largest, norm(expected));
        worst = std::max(worst, norm(expected - cast<double>(forces[i])));
    }
    EXPECT_GT(largest, 10);  // [N]
    EXPECT_LT(worst, 2e-5 * largest);
}

TEST(Gerszewski, ForcesConserveMomentumToRounding) {
    Cloud cloud(shaken_cube(6));
    std::mt19937 random(4);
    std::uniform_real_distribution<float> shake(-0.15f, 0.15f);
    for (Index i = 0; i < cloud.size(); ++i) {
        for (int k = 0; k < 9; ++k) cloud.F[i](k / 3, k % 3) += shake(random);
        cloud.v[i] = Vec4::of(shake(random), shake(random), shake(random), 0);
    }
    cloud.compose(1e-3f);
    Vec3d total;
    double size = 0;
    for (Vec3f const& f : cloud.forces()) total += cast<double>(f), size += norm(f);
    EXPECT_LT(norm(total), 1e-6 * size);
}

// Two bodies that weld, one with larger and more viscous particles: the general form, which reduces to the one above
// for like bodies.
TEST(Gerszewski, ForcesBetweenUnlikeBodiesThatWeldConserveMomentumToo) {
    Model model = shaken_cube(6);
    model.bodies[0].parameters.weld = true;
    BodyModel second = model.bodies[0];
    model.bodies[0].range.end = second.range.begin = 100;
    model.bodies.push_back(second);
    Cloud cloud(model);
    std::mt19937 random(5);
    std::uniform_real_distribution<float> shake(-0.15f, 0.15f);
    for (Index i = 0; i < cloud.size(); ++i) {
        for (int k = 0; k < 9; ++k) cloud.F[i](k / 3, k % 3) += shake(random);
        cloud.v[i] = Vec4::of(shake(random), shake(random), shake(random), 0);
    }
    cloud.compose(1e-3f);
    PointConstants other = Cloud::constants;
    std::vector<Vec3f> const like = cloud.forces({other, other}), general = cloud.forces<false>({other, other});
    for (Index i = 0; i < cloud.size(); ++i) EXPECT_LT(norm(like[i] - general[i]), 1e-5f * (1 + norm(like[i]))) << i;
    other.volume *= 2, other.radius *= 1.1f, other.viscosity *= 3;
    Vec3d total;
    double size = 0, changed = 0;
    std::vector<Vec3f> const unlike = cloud.forces<false>({Cloud::constants, other});
    for (Index i = 0; i < cloud.size(); ++i) {
        total += cast<double>(unlike[i]), size += norm(unlike[i]);
        changed += norm(unlike[i] - like[i]);
    }
    EXPECT_LT(norm(total), 1e-6 * size);
    EXPECT_GT(changed, 0.1 * size);
}

void shake(Cloud& cloud, float strain, float speed, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> one(-1, 1);
    for (Index i = 0; i < cloud.size(); ++i) {
        for (int k = 0; k < 9; ++k) cloud.F[i](k / 3, k % 3) += strain * one(random);
        cloud.v[i] = speed * Vec4::of(one(random), one(random), one(random), 0);
    }
}

struct Sums {
    Vec3d force, torque;
    double forces = 0, torques = 0, power = 0;
};

Sums sums_of(Cloud const& cloud, std::vector<Vec3f> const& forces) {
    Sums sums;
    for (Index i = 0; i < cloud.size(); ++i) {
        Vec3d const f = cast<double>(forces[i]), turns = cross(cast<double>(cloud.x[i].xyz()), f);
        sums.force += f, sums.torque += turns, sums.forces += norm(f), sums.torques += norm(turns);
        sums.power += dot(f, cast<double>(cloud.v[i].xyz()));
    }
    return sums;
}

TEST(Gerszewski, ConservingForcesPushAndTurnNothing) {
    Cloud cloud(shaken_cube(6));
    shake(cloud, 0.15f, 0, 4);
    for (Vec4& stray : cloud.stray.span()) stray = Vec4::of(0.01f, -0.02f, 0.03f, 0);
    cloud.conserve(0, 1e4f);
    Sums const sums = sums_of(cloud, cloud.conserving_forces()), printed = [&] {
        cloud.body.conserving = false;
        cloud.compose(0);
        return sums_of(cloud, cloud.forces());
    }();
    EXPECT_LT(norm(sums.force), 1e-6 * sums.forces);  // rounding
    EXPECT_LT(norm(sums.torque), 1e-6 * sums.torques);
    EXPECT_GT(norm(printed.torque), 1e-4 * printed.torques);
}

// f . v is what the elastic energy loses, V tau : L, with the gradients L of the fit.
TEST(Gerszewski, TheWorkOfConservingForcesIsTheChangeOfTheElasticEnergy) {
    Cloud cloud(shaken_cube(6));
    shake(cloud, 0.1f, 1, 5);
    cloud.conserve();
    double const power = sums_of(cloud, cloud.conserving_forces()).power;
    auto const energy = [&] {
        double sum = 0;
        for (Mat3f const& F : cloud.F.span()) {
            Mat3d const wide = cast<double>(F);
            sum += volume * cloud.law.energy(wide, rotation_of(wide));
        }
        return sum;
    };
    // Half the difference of a step forwards and one backwards, which leaves out the second order.
    float const dt = 1e-4f;
    std::vector<Mat3f> const start(cloud.F.span().begin(), cloud.F.span().end());
    cloud.compose(dt);
    double const after = energy();
    for (Index i = 0; i < cloud.size(); ++i) cloud.F[i] = start[i], cloud.v[i] = -1.f * cloud.v[i];
    cloud.compose(0);
    cloud.compose(dt);
    double const change = (after - energy()) / (2 * double(dt));
    EXPECT_GT(std::abs(power), 100);
    EXPECT_NEAR(change, -power, 2e-3 * std::abs(power));  // single precision of F: 1e-7 of 1, in changes of 1e-3
}

TEST(Gerszewski, ViscosityOfTheConservingForcesSlowsNoRotationAndTurnsNothing) {
    Cloud cloud(shaken_cube(6));
    for (Index i = 0; i < cloud.size(); ++i)
        cloud.v[i] = Vec4::from(cross(Vec3f{1, -2, 3}, cloud.x[i].xyz()) + Vec3f{4, 5, 6});
    cloud.conserve(10);
    Sums const rigid = sums_of(cloud, cloud.conserving_forces());
    shake(cloud, 0, 1, 6);
    cloud.compose(0);
    Sums const shaken = sums_of(cloud, cloud.conserving_forces());
    EXPECT_LT(rigid.forces, 1e-4 * shaken.forces);  // 1e-5: what keeps a row of particles from having any rotation
    EXPECT_LT(norm(shaken.force), 1e-6 * shaken.forces);
    EXPECT_LT(norm(shaken.torque), 1e-4 * shaken.torques);  // the same
    EXPECT_LT(shaken.power, 0);
}

// The fit does not see the middle of its neighbourhood move; the zero-energy control does.
TEST(Gerszewski, WhatAParticleMovesAgainstItsNeighborhoodIsHeldBackAndTurnsWithIt) {
    Cloud cloud(shaken_cube(5));
    cloud.conserve(0, 1e4f);
    cloud.v[62] = Vec4::of(0.01f, 0, 0, 0);
    cloud.compose(1);
    cloud.x[62] += cloud.v[62];
    EXPECT_LT(cloud.stray[62][0], -0.005f);
    EXPECT_LT(cloud.conserving_forces()[62].x, -10);
    float const stored = cloud.stray[62][0];
    cloud.move(turn(0.3f));
    EXPECT_NEAR(cloud.stray[62][0], std::cos(0.3f) * stored, 0.02f * std::abs(stored));
    EXPECT_NEAR(cloud.stray[62][1], std::sin(0.3f) * stored, 0.02f * std::abs(stored));
}

TEST(Gerszewski, AParticleWithoutNeighborsHasNoForce) {
    Model lone = shaken_cube(2);
    for (std::size_t k = 0; k < lone.rest.size(); ++k) lone.rest[k].x += double(k);
    Cloud cloud(lone);
    shake(cloud, 0.1f, 1, 7);
    cloud.conserve(10, 1e4f);
    cloud.compose(1e-3f);
    for (Vec3f const& f : cloud.conserving_forces()) EXPECT_EQ(norm(f), 0);
    for (Vec4 const& stray : cloud.stray.span()) EXPECT_EQ(dot3(stray, stray), 0);
}

TEST(Gerszewski, TouchesOfBodiesAreEqualAndOppositeAndFrictionNeverExceedsItsShare) {
    BodyContact const a{0.05f, 1e4f, 0.3f, 1.f}, b{0.04f, 3e4f, 0.6f, 0.5f};
    Vec3f const r{0.05f, 0.03f, 0.01f}, dv{0.4f, -0.2f, 0.7f};
    Vec3f const f = touch_force(a, b, r, dv, 1e-4f), g = touch_force(b, a, -r, -dv, 1e-4f);
    EXPECT_LT(norm(f + g), 1e-6f * norm(f));
    Vec3f const n = normalized(r);
    float const normal = -dot(f, n), tangential = norm(f + normal * n);
    EXPECT_NEAR(tangential, std::sqrt(0.18f) * normal, 1e-4f * normal);
    EXPECT_EQ(norm(touch_force(a, b, {0.0901f, 0, 0}, dv, 1e-4f)), 0);
}

TEST(Gerszewski, FewNeighborsALayerAndAnInversionLeaveTheGradientAsItIs) {
    Mat3f const S = Mat3f::diagonal({1.1f, 1.1f, 1.1f});
    Model few = shaken_cube(6);  // a particle and five others
    few.rest = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}, {0.07, 0.07, 0}, {0, 0.07, 0.07}};
    few.bodies[0].range = {0, 6};
    Cloud five(few);
    five.move(S);
    EXPECT_EQ(distance(five.F[0], Mat3f::identity()), 0);
    few.rest.push_back({0.07, 0, 0.07});
    few.bodies[0].range = {0, 7};
    Cloud six(few);
    six.move(S);
    EXPECT_LT(distance(six.F[0], S), 1e-5f);

    Model layer = shaken_cube(6);  // X X^T has rank two
    for (Vec3d& X : layer.rest) X.z = 0;
    for (std::size_t i = 0; i < layer.rest.size(); ++i) layer.rest[i].y += 1e-3 * double(i % 6);
    Cloud flat(layer);
    flat.move(S);
    for (Index i = 0; i < flat.size(); ++i) EXPECT_EQ(distance(flat.F[i], Mat3f::identity()), 0) << i;

    Cloud inverted(shaken_cube(5));
    inverted.move(Mat3f::diagonal({1, -0.2f, 1}));
    EXPECT_EQ(distance(inverted.F[62], Mat3f::identity()), 0);
}

TEST(Gerszewski, StrainsAddedUpForgetThatTheBodyTurned) {
    Cloud composed(shaken_cube(5)), added(shaken_cube(5));
    for (bool additive : {false, true}) {
        Cloud& cloud = additive ? added : composed;
        for (int k = 0; k < 20; ++k) cloud.move(Mat3f::diagonal({1.01f, 1, 1}), additive);  // 22% along x
        for (int k = 0; k < 20; ++k) cloud.move(turn(1.5707963f / 20), additive);
        for (int k = 0; k < 20; ++k) cloud.move(Mat3f::diagonal({1, 1 / 1.01f, 1}), additive);  // and back, along y
    }
    EXPECT_LT(strain(composed.F[62]), 1e-4f);  // back in its old shape, and F says so
    EXPECT_NEAR(added.F[62](0, 0) - 1, 0.2f, 0.01f);
    EXPECT_NEAR(added.F[62](1, 1) - 1, -0.2f, 0.01f);
}

TEST(Gerszewski, FlowKeepsTheVolumeUnlessItHasChangedALot) {
    MaterialParameters p;
    p.plasticity = "flow", p.yield_stress = 10, p.flow_rate = 50;
    Flow const plastic(p);
    Cloud cloud(shaken_cube(5));
    for (Index i = 0; i < cloud.size(); ++i) cloud.F[i] = Mat3f::diagonal({1.1f, 1, 1});
    cloud.F[62] = Mat3f::diagonal({0.7f, 0.7f, 0.7f});
    for (int k = 0; k < 100; ++k) cloud.compose(0.01f, plastic);
    EXPECT_NEAR(determinant(cloud.F[0]), 1.1f, 1e-4f);
    EXPECT_LT(strain(cloud.F[0]), 0.06f);  // what volume alone holds: three stretches of 1.1^(1/3)
    EXPECT_GT(cloud.alpha[0], 0.05f);
    EXPECT_NEAR(std::log(determinant(cloud.F[62])), -largest_log_volume, 1e-3f);  // from -1.07
}

TEST(Gerszewski, ThickMatterFlowsHalfAsFastUnderTwiceTheStress) {
    MaterialParameters p;
    p.plasticity = "flow", p.yield_stress = 0, p.flow_rate = 1, p.thickening_stress = 1000;
    Flow const plastic(p);
    EXPECT_EQ(plastic.rate(1000.f), 1);
    EXPECT_EQ(plastic.rate(2000.f), 0.5f);
    Corotated const law(p);
    Vec3f const little{1.001f, 1, 1}, more{1.002f, 1, 1};
    // The share of the strain that flows halves, so what flows is the same.
    EXPECT_NEAR(
        plastic.principal_flow(law, little, 0, 1e-3f).strain / plastic.principal_flow(law, more, 0, 1e-3f).strain, 1,
        0.01);
}

TEST(Gerszewski, SquaredStretchesAreAsStiffAtFirstAndStiffenLater) {
    Corotated const law(MaterialParameters{});
    SquaredStretches<Corotated> const squared{law};
    float const small = 1e-3f;
    EXPECT_NEAR(squared.principal_stress({1 + small, 1, 1}).x / law.principal_stress({1 + small, 1, 1}).x, 1, 1e-3);
    EXPECT_NEAR(squared.principal_stress({2, 1, 1}).x / law.principal_stress({2, 1, 1}).x, 1.5,
                1e-5);  // (4 + 1) / 2 - 1
    Mat3f const F = turn(0.3f) * Mat3f::diagonal({1.2f, 0.9f, 1.1f});
    Svd3<float> const d = svd3(F);
    Mat3f const expected = d.U * Mat3f::diagonal(squared.principal_stress(d.s)) * transpose(d.U);
    EXPECT_LT(distance(stress_of(squared, F).full(), expected), 1e-5f * std::sqrt(inner(expected, expected)));
}

TEST(Gerszewski, TheStableStepFollowsSpacingStiffnessAndDensity) {
    Model model = shaken_cube(4);
    GerszewskiOptions usual, settings;
    settings.forces = PointForces::printed, settings.radius = 2, settings.viscosity = 0.1;
    double const dt = gerszewski_stable_dt(model, settings);
    EXPECT_NEAR(dt, 2 / 0.99 * 0.1 / std::sqrt((1.346e5 + 8.33e4) / 1000) * 0.8,
                0.1 * dt);  // 0.99: docs/notes/gerszewski.md
    for (GerszewskiOptions options : {settings, usual}) {
        double const first = gerszewski_stable_dt(model, options);
        Model changed = model;
        changed.bodies[0].parameters.young *= 4;
        EXPECT_NEAR(gerszewski_stable_dt(changed, options), first / 2, 1e-6 * first);
        changed.bodies[0].spacing *= 2;
        EXPECT_NEAR(gerszewski_stable_dt(changed, options), first, 1e-6 * first);
        options.viscosity = 0;
        EXPECT_GT(gerszewski_stable_dt(changed, options), first);
    }
    GerszewskiOptions stiffer;
    stiffer.zero_energy = 8;
    EXPECT_LT(gerszewski_stable_dt(model, stiffer), 0.8 * gerszewski_stable_dt(model, usual));
}

}  // namespace
}  // namespace pliant::test
