// On the CPU stresses and plastic flow are found for several particles at a time: the same numbers as one by one.
#include <pliant/materials/registry.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/physics/return_map.hpp>
#include <pliant/physics/stress_alone.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace pliant::test {
namespace {

constexpr double spacing = 0.01;

// A lattice of 5 x 5 x 5 particles (neither 4 nor 8 divides 125), strained by 20% and shaken. A corner of it is turned
// inside out, one particle is torn and one has no neighbours that its matrix knows of.
struct Lump {
    std::vector<Vec3d> rest;
    std::vector<Index> row{0}, neighbor;
    std::vector<Vec4> offset, offset_sum;
    std::vector<Sym3f> A_inverse;
    std::vector<ElasticCoefficients> coefficients;
    std::vector<Vec4d> place;
    std::vector<Mat3f> Fp_inverse;
    std::mt19937 random{7};

    Lump() {
        for (int i = 0; i < 125; ++i) rest.push_back(spacing * Vec3d{double(i / 25), double(i / 5 % 5), double(i % 5)});
        for (Index i = 0; i < rest.size(); ++i) bond(i);
        coefficients.assign(rest.size(), {1, 1, 100});
        coefficients[60] = {0, 0, 100};
        A_inverse[83] = {};
        for (Vec3d X : rest) {
            Vec3d x{1.2 * X.x + 0.1 * X.y, X.y, 0.9 * X.z};
            if (X.x + X.y + X.z > 9.5 * spacing) x.z = -x.z;
            place.push_back(Vec4d::from(x + 0.1 * spacing * any_vector()));
            Fp_inverse.push_back(Mat3f::diagonal({1.1f, 1 / 1.1f, 1}) +
                                 cast<float>(outer(0.1 * any_vector(), any_vector())));
        }
    }

    BondView bonds() const { return {{row.data()}, neighbor.data(), offset.data(), nullptr, nullptr}; }
    RestShape shape() const { return {A_inverse.data(), offset_sum.data(), nullptr}; }

private:
    Vec3d any_vector() {
        std::uniform_real_distribution<double> any(-1, 1);
        return {any(random), any(random), any(random)};
    }
    void bond(Index i) {
        Sym3d A = Sym3d::scaled_identity(0);
        Vec4 sum = Vec4::zero();
        for (Index j = 0; j < rest.size(); ++j) {
            Vec3d const r = rest[j] - rest[i];
            double const w = kernel_weight(norm(r), 2.5 * spacing);
            if (j == i || !(w > 1e-3)) continue;
            neighbor.push_back(j), offset.push_back(Vec4::from(cast<float>(w * r), float(w)));
            A += w * Sym3d::outer(r), sum += offset.back();
        }
        row.push_back(Index(neighbor.size()));
        A_inverse.push_back(cast<float>(scaled_inverse(A))), offset_sum.push_back(sum);
    }
};

struct Stresses {
    std::vector<ThreeColumns> T;
    std::vector<Vec4> own;
    explicit Stresses(std::size_t n) : T(n), own(n) {}
    Linearization to() { return {nullptr, nullptr, T.data(), nullptr, own.data()}; }
};

template <class Law>
void expect_same_stresses(Lump const& lump, Law const& law, Mat3f const* Fp_inverse) {
    Index const n = Index(lump.rest.size());
    Stresses together(n), alone(n);
    Mat3d const near[2] = {Mat3d::identity(), Mat3d::diagonal({1.1, 1, 0.9})};
    std::vector<std::uint32_t> body(n, 0);
    std::fill(body.begin() + n / 2, body.end(), 1);  // n / 2 = 62 is within a group of four
    Stress<BondView, Law> stress{.bonds = lump.bonds(),
                                 .law = law,
                                 .rest = lump.shape(),
                                 .coefficients = lump.coefficients.data(),
                                 .Fp_inverse = Fp_inverse,
                                 .place = lump.place.data(),
                                 .near_rotation = near,
                                 .body = body.data(),
                                 .volume = float(spacing * spacing * spacing),
                                 .fibres = {},
                                 .linear = together.to()};
    StressAlone(stress).run(0, n);
    stress.linear = alone.to();
    for (Index i = 0; i < n; ++i) stress(i);
    float largest = 0, largest_own = 0;
    for (Index i = 0; i < n; ++i) {
        largest_own = std::max(largest_own, std::sqrt(dot3(alone.own[i], alone.own[i])));
        for (Vec4 const& c : alone.T[i].c) largest = std::max(largest, std::sqrt(dot3(c, c)));
    }
    ASSERT_GT(largest, 0);
    for (Index i = 0; i < n; ++i) {  // both are doubles, rounded to floats
        Vec4 const own = together.own[i] - alone.own[i];
        EXPECT_LE(std::sqrt(dot3(own, own)), 1e-6f * largest_own) << i;
        for (int c = 0; c < 3; ++c) {
            Vec4 const T = together.T[i].c[c] - alone.T[i].c[c];
            EXPECT_LE(std::sqrt(dot3(T, T)), 1e-6f * largest) << i;
        }
    }
}

TEST(SideBySide, StressesAreThoseOfSingleParticles) {
    Lump const lump;
    MaterialParameters rubber;
    rubber.young = 1e6, rubber.poisson = 0.45, rubber.elasticity = "neo-hookean";
    using Others = OneOf<NeoHookean, NeoHookeanLog, StVenantKirchhoff, Hencky, Corotated>;
    for (Mat3f const* Fp_inverse : {static_cast<Mat3f const*>(nullptr), lump.Fp_inverse.data()}) {
        expect_same_stresses(lump, Corotated(rubber), Fp_inverse);
        expect_same_stresses(lump, Others(rubber), Fp_inverse);
    }
}

struct Flowing {
    std::vector<Mat3f> Fp_inverse;
    std::vector<float> alpha, flowed;
    explicit Flowing(Lump const& lump)
        : Fp_inverse(lump.Fp_inverse), alpha(lump.rest.size(), 0.01f), flowed(lump.rest.size(), 0.02f) {}
};

template <class Plasticity>
void expect_same_flow(Lump const& lump, Plasticity const& plasticity) {
    Index const n = Index(lump.rest.size());
    using Law = Solid<Corotated, Plasticity>;
    auto const map = [&](Flowing& to) {
        return ReturnMap<BondView, Law>{.bonds = lump.bonds(),
                                        .law = {Corotated(4e5f, 6e5f), plasticity},
                                        .dt = 1e-3f,
                                        .place = lump.place.data(),
                                        .A_inverse = lump.A_inverse.data(),
                                        .coefficients = lump.coefficients.data(),
                                        .Fp_inverse = to.Fp_inverse.data(),
                                        .alpha = to.alpha.data(),
                                        .flowed = to.flowed.data()};
    };
    Flowing together(lump), alone(lump);
    map(together).run(0, n);
    for (Index i = 0; i < n; ++i) map(alone)(i);
    Index flowing = 0;
    for (Index i = 0; i < n; ++i) {
        flowing += alone.alpha[i] > 0.01f;
        // Floats; the single particle's stretches come from another decomposition.
        EXPECT_NEAR(together.alpha[i], alone.alpha[i], 2e-6) << i;
        EXPECT_NEAR(together.flowed[i], alone.flowed[i], 2e-6) << i;
        for (int c = 0; c < 3; ++c) EXPECT_LT(norm(together.Fp_inverse[i][c] - alone.Fp_inverse[i][c]), 5e-6f) << i;
    }
    EXPECT_GT(flowing, n / 4);
    EXPECT_LT(flowing, n);
}

TEST(SideBySide, PlasticFlowIsThatOfSingleParticles) {
    Lump const lump;
    MaterialParameters clay;
    clay.young = 1e6, clay.yield_stress = 2e5, clay.flow_rate = 200, clay.hardening = 1e4;
    expect_same_flow(lump, Flow(clay));
    expect_same_flow(lump, VonMises(clay));
}

}  // namespace
}  // namespace pliant::test
