// Fibres: stress and stiffness against differences, and what the projection leaves out.
#include <pliant/materials/fibre.hpp>
#include <pliant/math/eigen3.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

namespace pliant {
namespace {

constexpr float young = 2e5f;  // [Pa]

Fibre along(Vec3d direction) { return {cast<float>(normalized(direction)), young}; }

Mat3d moved(Mat3d F, int k, double by) {
    F(k % 3, k / 3) += by;
    return F;
}

TEST(Fibre, StressIsTheDerivativeOfTheEnergy) {
    RandomMatrices random(81);
    double const step = 1e-5;  // error of central differences: 1e-10 from curvature, 1e-11 from rounding
    for (int n = 0; n < 100; ++n) {
        Fibre const fibre = along(random.vector(-1, 1));
        Mat3d const F = random.with_singular_values(random.vector(0.5, 2)), P = fibre.stress(F);
        for (int k = 0; k < 9; ++k) {
            double const expected = (fibre.energy(moved(F, k, step)) - fibre.energy(moved(F, k, -step))) / (2 * step);
            EXPECT_NEAR(P(k % 3, k / 3), expected, 1e-8 * double(young));
        }
    }
}

TEST(Fibre, StiffnessIsTheDerivativeOfTheStressWhereItIsStretched) {
    RandomMatrices random(82);
    double const step = 1e-5;
    for (int n = 0; n < 100; ++n) {
        Fibre const fibre = along(random.vector(-1, 1));
        Mat3d const F = random.with_singular_values(random.vector(1.05, 2)), H = fibre.stiffness(F).full();
        Vec3d const b = cast<double>(fibre.direction);
        for (int k = 0; k < 9; ++k) {
            Mat3d const expected = (0.5 / step) * (fibre.stress(moved(F, k, step)) - fibre.stress(moved(F, k, -step)));
            Mat3d const found = outer(H * (moved(Mat3d{}, k, 1) * b), b);
            EXPECT_LT(std::sqrt(inner(found - expected, found - expected)), 1e-7 * double(young));
        }
    }
}

TEST(Fibre, ShortenedItResistsAlongItselfAndNotAgainstTurning) {
    RandomMatrices random(83);
    for (int n = 0; n < 100; ++n) {
        Fibre const fibre = along(random.vector(-1, 1));
        Mat3d const F = random.with_singular_values(random.vector(0.3, 0.95));
        Vec3d const along_it = normalized(F * cast<double>(fibre.direction));
        Vec3d const across = normalized(cross(along_it, random.vector(-1, 1)));
        Sym3d const H = fibre.stiffness(F);
        EXPECT_NEAR(dot(along_it, H * along_it), double(young), 1e-9 * double(young));
        EXPECT_NEAR(dot(across, H * across), 0, 1e-9 * double(young));
    }
}

TEST(Fibre, StiffnessIsNeverNegative) {
    RandomMatrices random(84);
    for (int n = 0; n < 200; ++n) {
        Fibre const fibre = along(random.vector(-1, 1));
        Mat3d const F =
            random.with_singular_values({random.between(0, 2), random.between(0, 2), random.between(-1, 1)});
        Vec3d const values = eigen3(fibre.stiffness(F)).value;
        for (int k = 0; k < 3; ++k) EXPECT_GE(values[k], -1e-9 * double(young));
    }
}

TEST(Fibre, IsAtRestAtItsLengthAndDoesNotSeeRotations) {
    RandomMatrices random(85);
    for (int n = 0; n < 20; ++n) {
        Fibre const fibre = along(random.vector(-1, 1));
        Mat3d const Q = random.rotation(), F = random.with_singular_values(random.vector(0.5, 2));
        EXPECT_LT(std::sqrt(inner(fibre.stress(Q), fibre.stress(Q))), 1e-6 * double(young));  // b is of floats
        Mat3d const turned = fibre.stress(Q * F) - Q * fibre.stress(F);
        EXPECT_LT(std::sqrt(inner(turned, turned)), 1e-12 * double(young));
        EXPECT_NEAR(fibre.energy(Q * F), fibre.energy(F), 1e-12 * double(young));
    }
}

TEST(Fibre, DoesNothingWhereThereIsNoneAndStaysFiniteWhenCrushed) {
    Fibre const none{{0, 0, 0}, young};
    Mat3d const F = Mat3d::diagonal({2, 1, 1});
    EXPECT_EQ(none.energy(F), 0);
    EXPECT_EQ(none.stress(F), Mat3d{});
    EXPECT_EQ(trace(none.stiffness(F)), 0);
    Fibre const crushed = along({0, 1, 0});
    Mat3f const flat = Mat3f::diagonal({1, 0, 1});
    EXPECT_FLOAT_EQ(crushed.energy(flat), young / 2);
    EXPECT_EQ(crushed.stress(flat), Mat3f{});
}

TEST(Fibre, AddsItsModulusToATensileTestAlongIt) {
    Fibre const fibre = along({1, 0, 0});
    for (double s : {0.7, 0.99, 1.01, 1.5})
        EXPECT_NEAR(fibre.stress(Mat3d::diagonal({s, 1, 1}))(0, 0), double(young) * (s - 1), 1e-6 * double(young));
}

}  // namespace
}  // namespace pliant
