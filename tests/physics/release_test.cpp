// What the control of zero-energy modes releases in matter that has flowed: the derivative of an energy that is never
// more than that of the control, and all of it for bends.
#include <pliant/physics/release.hpp>

#include <physics/bonded_points.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

namespace pliant::test {
namespace {

constexpr float strength = 100;  // of the control [J/m2]

// A lattice of 7 x 7 x 7 particles, 1 m apart, of which those with x < 3 have not flowed.
struct Lattice : BondedPoints {
    std::vector<float> released;
    std::vector<Mat3f> gradient;
    std::vector<Vec4d> place;

    Lattice() {
        for (int i = 0; i < 343; ++i) rest.push_back({double(i / 49), double(i / 7 % 7), double(i % 7)});
        bond();
        for (Vec3d const& X : rest) released.push_back(X.x < 3 ? 0 : strength);
        gradient.resize(rest.size()), place.resize(rest.size());
    }

    void move(std::function<Vec3d(Vec3d)> const& map) {
        for (Index i = 0; i < size(); ++i) place[i] = Vec4d::from(map(rest[i]));
        store();
    }
    void store() {
        StoreGradient<BondView> const stage{bonds(), place.data(), A_inverse.data(), gradient.data()};
        for (Index i = 0; i < size(); ++i) stage(i);
    }
    double released_energy() const {
        double sum = 0;
        for (Index i = 0; i < size(); ++i) sum += ReleasedSums::of(bonds(), i, gradient.data(), released.data()).energy;
        return sum;
    }
    double control_energy() const {
        double sum = 0;
        for (Index i = 0; i < size(); ++i)
            for (Index slot = row[i]; slot < row[i + 1]; ++slot) {
                Index const j = neighbor[slot];
                Vec3d const r = rest[j] - rest[i], apart = (place[j] - place[i]).xyz();
                sum += 0.5 * double(strength) * double(offset[slot][3]) *
                       norm_squared(apart - cast<double>(gradient[i]) * r);
            }
        return sum;
    }
    std::vector<Vec3d> forces() const {  // of what is released
        std::vector<ThreeColumns> T(size(), ThreeColumns::zero());
        std::vector<Vec4> own(size(), Vec4::zero());
        RestShape const shape{A_inverse.data(), offset_sum.data(), nullptr};
        ReleaseBending<BondView> const stage{bonds(), shape, gradient.data(), released.data(), T.data(), own.data()};
        for (Index i = 0; i < size(); ++i) stage(i);
        Linearization const linear{nullptr, nullptr, T.data(), nullptr, own.data()};
        std::vector<Vec3d> force;
        for (Index i = 0; i < size(); ++i) force.push_back(cast<double>(force_of_stress(bonds(), i, linear).xyz()));
        return force;
    }
};

Vec3d shaken(Vec3d X) { return X + 0.2 * Vec3d{std::sin(1.3 * X.y), std::cos(1.1 * X.z + X.x), std::sin(0.9 * X.x)}; }
Vec3d bent(Vec3d X) { return X + 0.02 * Vec3d{X.y * X.y, -X.x * X.z, X.x * X.x}; }

TEST(Release, ForcesAreTheDerivativeOfItsEnergy) {
    Lattice lattice;
    lattice.move(shaken);
    std::vector<Vec3d> const force = lattice.forces();
    std::vector<Vec4d> const start = lattice.place;
    std::mt19937 random{3};
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<Vec3d> way;
    double work = 0;
    for (Index i = 0; i < lattice.size(); ++i) {
        way.push_back({any(random), any(random), any(random)});
        work += dot(force[i], way[i]);
    }
    double const h = 1e-3;
    auto const energy_at = [&](double s) {
        for (Index i = 0; i < lattice.size(); ++i) lattice.place[i] = start[i] + Vec4d::from(s * way[i]);
        lattice.store();
        return -lattice.released_energy();
    };
    EXPECT_NEAR(work, -(energy_at(h) - energy_at(-h)) / (2 * h), 1e-4 * std::abs(work));
}

TEST(Release, KeepsMomentumAndAngularMomentum) {
    Lattice lattice;
    lattice.move(shaken);
    Vec3d sum, moment;
    double size = 0;
    std::vector<Vec3d> const force = lattice.forces();
    for (Index i = 0; i < lattice.size(); ++i) {
        sum += force[i], moment += cross(lattice.place[i].xyz(), force[i]), size += norm(force[i]);
    }
    EXPECT_LT(norm(sum), 1e-6 * size);
    EXPECT_LT(norm(moment), 1e-5 * size);
}

TEST(Release, IsNeverMoreThanTheControlAndMostOfItInABend) {
    Lattice lattice;
    std::fill(lattice.released.begin(), lattice.released.end(), strength);
    lattice.move(bent);
    double const kept = 1 - lattice.released_energy() / lattice.control_energy();
    lattice.move(shaken);
    double const of_shaken = 1 - lattice.released_energy() / lattice.control_energy();
    lattice.move([](Vec3d X) {  // neighbours alternate
        double const sign = (std::lround(X.x) + std::lround(X.y) + std::lround(X.z)) % 2 == 0 ? 1 : -1;
        return X + sign * Vec3d{0.01, 0.02, -0.01};
    });
    double const of_mode = 1 - lattice.released_energy() / lattice.control_energy();
    std::printf("  kept of the control: %.3f in a bend, %.3f shaken, %.3f of a zero-energy mode\n", kept, of_shaken,
                of_mode);
    EXPECT_GE(kept, 0);
    EXPECT_GE(of_shaken, 0);
    EXPECT_LT(kept, 0.4);
    EXPECT_GT(of_mode, 0.9);
    lattice.move([](Vec3d X) { return Mat3d{{{1.2, 0.1, 0}, {0, 0.9, 0.2}, {0.3, 0, 1}}} * X; });
    EXPECT_LT(lattice.released_energy(), 1e-7);
}

}  // namespace
}  // namespace pliant::test
