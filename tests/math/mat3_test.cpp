// Small vectors and matrices, on which every formula relies.
#include <pliant/math/mat3.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>
#include <math/random_matrices.hpp>

#include <type_traits>

namespace pliant {
namespace {

constexpr double rounding = 1e-14;  // entries are of order 1: a few dozen units in the last place of a double

Eigen::Matrix3d eigen(Mat3d const& a) {
    Eigen::Matrix3d m;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) m(r, c) = a(r, c);
    return m;
}

Mat3d from_eigen(Eigen::Matrix3d const& m) {
    Mat3d a;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) a(r, c) = m(r, c);
    return a;
}

static_assert(std::is_trivially_copyable_v<Vec3f> && sizeof(Vec3f) == 12);
static_assert(std::is_trivially_copyable_v<Mat3f> && sizeof(Mat3f) == 36);
static_assert(determinant(Mat3d::diagonal({2, 3, 4})) == 24, "constant expressions work");

TEST(Vec3, CrossProductIsRightHandedAndOrthogonal) {
    EXPECT_EQ(cross(Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), (Vec3d{0, 0, 1}));
    RandomMatrices random(1);
    for (int n = 0; n < 100; ++n) {
        Vec3d const a = random.vector(), b = random.vector(), c = cross(a, b);
        EXPECT_NEAR(dot(a, c), 0, rounding);
        EXPECT_NEAR(norm_squared(c) + dot(a, b) * dot(a, b), norm_squared(a) * norm_squared(b), rounding);  // Lagrange
    }
}

TEST(Vec3, IndexAndNameAreTheSameEntry) {
    Vec3d a{1, 2, 3};
    for (int k = 0; k < 3; ++k) a[k] *= 10;
    EXPECT_EQ(a, (Vec3d{10, 20, 30}));
    EXPECT_EQ(norm(Vec3d{2, 3, 6}), 7);  // 4 + 9 + 36 = 49
    EXPECT_EQ(cast<float>(Vec3d{0.1, 0, 0}).x, 0.1f);
}

TEST(Mat3, IsStoredByColumns) {
    Mat3d const a{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
    EXPECT_EQ(a[1], (Vec3d{4, 5, 6}));
    EXPECT_EQ(a(2, 0), 3);  // row 2, column 0
    EXPECT_EQ(a * (Vec3d{0, 1, 0}), a[1]);
}

TEST(Mat3, ProductsTransposeDeterminantAndInverseAgreeWithEigen) {
    RandomMatrices random(2);
    for (int n = 0; n < 200; ++n) {
        Mat3d const a = random.matrix(), b = random.matrix();
        Vec3d const v = random.vector();
        EXPECT_LT(largest_difference(a * b, from_eigen(eigen(a) * eigen(b))), rounding);
        EXPECT_EQ(transpose(a), from_eigen(eigen(a).transpose()));
        EXPECT_NEAR(determinant(a), eigen(a).determinant(), rounding);
        EXPECT_NEAR(trace(a), eigen(a).trace(), rounding);
        EXPECT_NEAR(inner(a, b), eigen(a).cwiseProduct(eigen(b)).sum(), rounding);
        Eigen::Vector3d const w = eigen(a) * Eigen::Vector3d(v.x, v.y, v.z);
        EXPECT_LT(norm(a * v - Vec3d{w.x(), w.y(), w.z()}), rounding);
        double const condition = std::sqrt(inner(a, a)) / std::abs(determinant(a));  // bounds |a^-1|, as |a| is about 1
        EXPECT_LT(largest_difference(inverse(a) * a, Mat3d::identity()), rounding * (1 + condition));
    }
}

TEST(Mat3, CofactorIsTheDerivativeOfTheDeterminantEvenWhereItVanishes) {
    RandomMatrices random(3);
    for (Mat3d const& a : {random.matrix(), random.with_singular_values({1, 0.5, 0}), Mat3d{}}) {
        Mat3d const C = cofactor(a);
        double const step = 1e-3;  // det is linear in each entry, so central differences are exact up to rounding
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r) {
                Mat3d up = a, down = a;
                up(r, c) += step;
                down(r, c) -= step;
                EXPECT_NEAR((determinant(up) - determinant(down)) / (2 * step), C(r, c), 1e-12);
            }
    }
}

TEST(Mat3, OuterProductAndSymmetricPartDoWhatTheirNamesSay) {
    RandomMatrices random(4);
    Vec3d const a = random.vector(), b = random.vector(), v = random.vector();
    EXPECT_LT(norm(outer(a, b) * v - dot(b, v) * a), rounding);
    Mat3d const m = random.matrix(), s = symmetric_part(m);
    EXPECT_EQ(s, transpose(s));
    EXPECT_LT(largest_difference(s + (m - s), m), rounding);
    EXPECT_LT(largest_difference(m - s, -1.0 * transpose(m - s)), rounding);
}

}  // namespace
}  // namespace pliant
