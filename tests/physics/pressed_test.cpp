// Metal that presses on a collider: the layer at it is not stronger than the others.
#include <pliant/materials/registry.hpp>
#include <pliant/math/rotation.hpp>
#include <pliant/physics/stress_alone.hpp>

#include <physics/bonded_points.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace pliant::test {
namespace {

// A lattice of 11 x 6 x 11 particles, 1 m apart, squeezed along y and turned. Plastic flow has done most of it.
struct Block : BondedPoints {
    static constexpr Index across = 11, high = 6;
    std::vector<Vec4> pressed;
    std::vector<Vec4d> place;
    std::vector<Mat3f> Fp_inverse;
    Mat3d turn = rotation_about({0.2, 0.4, 0.5});
    Corotated law{1e6f, 0};  // no stress across y

    explicit Block(bool presses) {
        for (Index i = 0; i < across * high * across; ++i)
            rest.push_back({double(i % across), double(i / across % high), double(i / across / high)});
        bond();
        for (Vec3d const& X : rest) {
            place.push_back(Vec4d::from(turn * Vec3d{X.x, 0.6 * X.y, X.z}));
            Fp_inverse.push_back(Mat3f::diagonal({1, 1 / 0.603f, 1}));
            pressed.push_back(presses && X.y == 0 ? Vec4::from(cast<float>(turn * Vec3d{0, 1, 0}), 1) : Vec4::zero());
        }
    }

    // The force on the particle in the middle of a layer, along y before the turn, over that of the stress on its area.
    std::vector<double> forces_along_y() const {
        Index const n = size();
        std::vector<ThreeColumns> T(n);
        std::vector<Vec4> own(n);
        std::vector<ElasticCoefficients> const coefficients(n, {1, 0, 0});
        std::vector<std::uint32_t> const body(n, 0);
        Linearization const linear{nullptr, nullptr, T.data(), nullptr, own.data()};
        Stress<BondView, Corotated> const stress{.bonds = bonds(),
                                                 .law = law,
                                                 .rest = {A_inverse.data(), offset_sum.data(), nullptr},
                                                 .coefficients = coefficients.data(),
                                                 .Fp_inverse = Fp_inverse.data(),
                                                 .place = place.data(),
                                                 .near_rotation = &turn,
                                                 .body = body.data(),
                                                 .volume = 1,
                                                 .fibres = {},
                                                 .linear = linear,
                                                 .additive = false,
                                                 .damping = {},
                                                 .pressed = pressed.data()};
        StressAlone(stress).run(0, n);
        double const s = 0.6 / 0.603, traction = 2e6 * (1 - s) / 0.603;  // P Fp^-T
        std::vector<double> forces;
        for (Index layer = 0; layer < high; ++layer) {
            Index const middle = across / 2 + across * (layer + high * (across / 2));
            Vec3d const f = transpose(turn) * cast<double>(force_of_stress(bonds(), middle, linear).xyz());
            EXPECT_LT(std::abs(f.x) + std::abs(f.z), 1e-3 * traction);
            forces.push_back(f.y / traction);
        }
        return forces;
    }
};

TEST(Pressed, TheLayerAtAColliderIsNotStrongerThanTheOthers) {
    std::vector<double> const free = Block(false).forces_along_y(), pressed = Block(true).forces_along_y();
    for (Index k = 0; k < Block::high; ++k)
        std::printf("layer %d: %.3f free, %.3f pressed\n", int(k), free[k], pressed[k]);
    EXPECT_GT(-free[0], 1.35);  // pushes outwards 0.4 more than the stress: 1.5 volumes for one interval
    EXPECT_GT(free[1], 0.25);
    EXPECT_NEAR(-pressed[0], 1, 0.1);
    for (Index k = 1; k < 3; ++k) EXPECT_NEAR(pressed[k], 0, 0.12);
    for (Index k = 3; k < Block::high; ++k) EXPECT_NEAR(pressed[k], free[k], 1e-3);  // the upper side does not press
}

}  // namespace
}  // namespace pliant::test
