// Eigenvectors by Jacobi rotations, one matrix at a time and eight side by side; inverse roots and lanes of wide.hpp.
#include <pliant/math/eigen3.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant::test {
namespace {

// F F^T of a random F whose stretches lie between 0.5 and 2, or near 1, or of an F with two equal stretches.
Sym3f stretched(int kind, std::mt19937& random) {
    std::uniform_real_distribution<float> any(-1, 1);
    Mat3f F = Mat3f::identity();
    float const size = kind == 0 ? 0.5f : (kind == 1 ? 1e-4f : 0.f);
    for (int k = 0; k < 9; ++k) F(k / 3, k % 3) += size * any(random);
    if (kind == 2) F = Mat3f::diagonal({1.3f, 1.3f, 0.8f});
    return Sym3f::outer(F[0]) + Sym3f::outer(F[1]) + Sym3f::outer(F[2]);
}

float distance(Mat3f const& a, Mat3f const& b) { return std::sqrt(inner(a - b, a - b)); }

void expect_decomposed(Sym3f const& a, Vec3f value, Mat3f const& U) {
    EXPECT_LT(distance(U * Mat3f::diagonal(value) * transpose(U), a.full()), 2e-6f * trace(a));  // a few roundings
    EXPECT_LT(distance(transpose(U) * U, Mat3f::identity()), 2e-6f);
    EXPECT_GT(determinant(U), 0.99f);
}

TEST(Eigen3, DecomposesSymmetricMatrices) {
    std::mt19937 random(1);
    for (int k = 0; k < 300; ++k) {
        Sym3f const a = stretched(k % 3, random);
        Eigen3<float> const e = eigen3(a);
        expect_decomposed(a, e.value, e.vector);
    }
}

TEST(Eigen3, DecomposesEightSideBySideIndependently) {
    std::mt19937 random(2);
    for (int round = 0; round < 50; ++round) {
        Sym3f one[8];
        Sym3<Wide> all{};
        for (int k = 0; k < 8; ++k) {
            one[k] = stretched(k % 3, random);
            all.xx[k] = one[k].xx, all.yy[k] = one[k].yy, all.zz[k] = one[k].zz;
            all.xy[k] = one[k].xy, all.xz[k] = one[k].xz, all.yz[k] = one[k].yz;
        }
        Eigen3<Wide> const e = eigen3(all);
        for (int k = 0; k < 8; ++k) {
            Mat3f U;
            for (int n = 0; n < 9; ++n) U(n % 3, n / 3) = e.vector[n / 3][n % 3][k];
            expect_decomposed(one[k], {e.value.x[k], e.value.y[k], e.value.z[k]}, U);
        }
    }
}

TEST(Wide, LogarithmsAndExponentialsAreRightToTwoUnitsInTheLastPlace) {
    constexpr double two_units = 2 * 1.2e-7;
    for (float a = 1e-37f; a < 1e37f; a *= 1.0007f) {
        double const expected = std::log(double(a));
        EXPECT_NEAR(logarithm(Wide{a, a, a, a, a, a, a, a})[3], expected, two_units * std::abs(expected)) << a;
    }
    for (float a = -86; a < 87; a += 0.0171f) {
        double const expected = std::exp(double(a));
        EXPECT_NEAR(exponential(Wide{a, a, a, a, a, a, a, a})[5], expected, two_units * expected) << a;
    }
    Wide const beyond = exponential(Wide{-1e30f, -100, 0, 0, 0, 0, 100, 1e30f});
    for (int k : {0, 1}) EXPECT_NEAR(beyond[k], 0, 1e-37);
    for (int k : {6, 7}) EXPECT_GT(beyond[k], 1e38f);
    EXPECT_EQ(beyond[2], 1);
}

TEST(Wide, LanesAreWrittenInOrder) {
    Wide const a{0, 1, 2, 3, 4, 5, 6, 7};
    for (unsigned bits = 0; bits < 256; ++bits) {
        float to[8];
        write_lanes(bits, a, to);
        int count = 0;
        for (int k = 0; k < 8; ++k)
            if (bits >> k & 1u) {
                EXPECT_EQ(to[count++], float(k)) << bits;
            }
    }
    EXPECT_EQ(below(a, 2.5f), 7u);
}

}  // namespace
}  // namespace pliant::test
