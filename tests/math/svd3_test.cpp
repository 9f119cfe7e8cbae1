// The singular value decomposition and the rotation it gives, against Eigen and against their definitions.
#include <pliant/math/polar.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>
#include <math/random_matrices.hpp>

namespace pliant {
namespace {

template <class T>
struct Precision;
template <>
struct Precision<float> {
    // At most twelve Jacobi sweeps and three products: about ten roundings of 6e-8 each.
    static constexpr double svd = 1.5e-6;
    static constexpr double rotation = 2e-6;
};
template <>
struct Precision<double> {
    static constexpr double svd = 5e-15;
    static constexpr double rotation = 1e-14;
};

Eigen::Matrix3d eigen(Mat3d const& a) {
    Eigen::Matrix3d m;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) m(r, c) = a(r, c);
    return m;
}

template <class T>
void expect_rotation(Mat3<T> const& R, double tolerance) {
    EXPECT_LT(largest_difference(transpose(R) * R, Mat3<T>::identity()), tolerance);
    EXPECT_NEAR(determinant(R), 1, 3 * tolerance);
}

// Everything that the convention promises, for any matrix.
template <class T>
void expect_svd(Mat3<T> const& F) {
    Svd3<T> const d = svd3(F);
    double const tolerance = Precision<T>::svd, size = double(d.s.x);
    expect_rotation(d.U, tolerance);
    expect_rotation(d.V, tolerance);
    EXPECT_LE(largest_difference(d.U * Mat3<T>::diagonal(d.s) * transpose(d.V), F), tolerance * size);
    EXPECT_GE(double(d.s.x), double(d.s.y));
    EXPECT_GE(double(d.s.y), std::abs(double(d.s.z)) - tolerance * size);  // equal values may differ in the last digits
    EXPECT_GE(d.s.y, T(0));
    double const det = determinant(cast<double>(F));
    if (std::abs(det) > 10 * tolerance * size * size * size) {
        EXPECT_EQ(std::signbit(d.s.z), det < 0);
    }
    Eigen::Vector3d const reference = Eigen::JacobiSVD<Eigen::Matrix3d>(eigen(cast<double>(F))).singularValues();
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(std::abs(double(d.s[k])), reference[k], tolerance * size);
}

template <class T>
class Svd : public testing::Test {};
using BothPrecisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Svd, BothPrecisions);

TYPED_TEST(Svd, OfRandomMatricesReconstructsAndAgreesWithEigen) {
    RandomMatrices random(11);
    for (int n = 0; n < 2000; ++n) expect_svd(cast<TypeParam>(random.matrix()));
}

TYPED_TEST(Svd, DoesNotDependOnTheUnitOfLength) {
    RandomMatrices random(12);
    for (double scale : {1e-12, 1e-6, 1e6, 1e8})  // fourth powers leave the range of float at 1e-12 and 3e9
        for (int n = 0; n < 50; ++n) expect_svd(cast<TypeParam>(scale * random.matrix()));
}

TYPED_TEST(Svd, OfInvertedMatricesGivesTheLastValueTheSign) {
    RandomMatrices random(13);
    for (int n = 0; n < 300; ++n) {
        double const least = random.between(0.1, 0.5);
        Mat3<TypeParam> const F = cast<TypeParam>(random.with_singular_values({2, 1, -least}));
        expect_svd(F);
        EXPECT_NEAR(double(svd3(F).s.z), -least, 2 * Precision<TypeParam>::svd);
    }
    expect_svd(Mat3<TypeParam>::diagonal({-1, -1, -1}));
    EXPECT_EQ(svd3(Mat3<TypeParam>::diagonal({-1, -1, -1})).s.z, TypeParam(-1));
}

TYPED_TEST(Svd, OfSingularMatricesStaysFiniteWithRotations) {
    RandomMatrices random(14);
    for (int n = 0; n < 200; ++n) {
        expect_svd(cast<TypeParam>(random.with_singular_values({1, random.between(0.01, 1), 0})));  // a sheet
        expect_svd(cast<TypeParam>(random.with_singular_values({1, 0, 0})));                        // a line
        expect_svd(cast<TypeParam>(outer(random.vector(), random.vector())));
    }
    expect_svd(Mat3<TypeParam>::diagonal({0, 0, 3}));
    expect_svd(Mat3<TypeParam>::diagonal({0, 2, 3}));
    expect_svd(Mat3<TypeParam>::diagonal({0, -2, 0}));
}

TYPED_TEST(Svd, OfZeroIsZeroWithUnitRotations) {
    Svd3<TypeParam> const d = svd3(Mat3<TypeParam>{});
    EXPECT_EQ(d.s, Vec3<TypeParam>{});
    EXPECT_EQ(d.U, Mat3<TypeParam>::identity());
    EXPECT_EQ(d.V, Mat3<TypeParam>::identity());
}

TYPED_TEST(Svd, HandlesEqualSingularValues) {
    RandomMatrices random(15);
    for (int n = 0; n < 200; ++n) {
        expect_svd(cast<TypeParam>(random.rotation()));
        expect_svd(cast<TypeParam>(random.with_singular_values({2, 2, 1})));
        expect_svd(cast<TypeParam>(random.with_singular_values({2, 1, 1})));
        expect_svd(cast<TypeParam>(random.with_singular_values({2, 1, -1})));
        expect_svd(cast<TypeParam>(random.with_singular_values({1, 1, -1})));
    }
    expect_svd(Mat3<TypeParam>::identity());
}

TYPED_TEST(Svd, KeepsSmallSingularValuesOfScaledColumnsAccurate) {
    // F = U diag(s) with columns of very different length: one-sided Jacobi keeps relative accuracy, while the
    // eigenvalues of F^T F would lose everything below sqrt(epsilon), which is 3e-4 for float.
    RandomMatrices random(16);
    Mat3d const F = random.rotation() * Mat3d::diagonal({1, 1e-2, 1e-5});
    Svd3<TypeParam> const d = svd3(cast<TypeParam>(F));
    EXPECT_NEAR(double(d.s.y), 1e-2, 20 * Precision<TypeParam>::svd * 1e-2);
    EXPECT_NEAR(double(d.s.z), 1e-5, 20 * Precision<TypeParam>::svd * 1e-5);
}

// The rotation nearest to F through Eigen's SVD: U diag(1, 1, det(U V^T)) V^T.
Mat3d reference_rotation(Mat3d const& F) {
    Eigen::JacobiSVD<Eigen::Matrix3d> const svd(eigen(F), Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Vector3d const s(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant());
    Eigen::Matrix3d const R = svd.matrixU() * s.asDiagonal() * svd.matrixV().transpose();
    Mat3d result;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) result(r, c) = R(r, c);
    return result;
}

// Compares with Eigen. An error e of F turns R by at most e / (s1 + s2), the smallest sum of two singular values.
template <class T>
void expect_rotation_of(Mat3d const& exact, double spread) {
    Mat3<T> const F = cast<T>(exact), R = rotation_of(F);
    double const tolerance = Precision<T>::rotation;
    expect_rotation(R, tolerance);
    EXPECT_LT(largest_difference(cast<double>(R), reference_rotation(cast<double>(F))), tolerance * (1 + 1 / spread));
}

TYPED_TEST(Svd, GivesTheSameRotationAsEigenForStretchedMatrices) {
    RandomMatrices random(21);
    for (int n = 0; n < 1000; ++n) {
        Vec3d const s = random.vector(0.5, 2);
        expect_rotation_of<TypeParam>(random.with_singular_values(s), 1);
        expect_rotation_of<TypeParam>(random.with_singular_values({1, 1 + 0.01 * s.x, 1 - 0.01 * s.y}), 2);
    }
}

TYPED_TEST(Svd, GivesTheSameRotationOnBothSidesOfTheSwitchFromNewtonToTheSvd) {
    // rotation_of iterates if det F > 0.02 size^3 and decomposes otherwise; det / size^3 of diag(1, 1, s) crosses 0.02
    // at s = 0.011, which lies within this sequence.
    RandomMatrices random(22);
    for (double least = 0.02; least > 0.005; least *= 0.98)
        expect_rotation_of<TypeParam>(random.with_singular_values({1, 1, least}), 1);
}

TYPED_TEST(Svd, GivesARotationAndNeverAReflectionForInvertedMatrices) {
    RandomMatrices random(23);
    for (int n = 0; n < 500; ++n) {
        double const least = random.between(0.001, 0.5);
        // The sizes of the two smaller values, 1 and -least, differ by at least 0.5, so the nearest rotation is unique.
        expect_rotation_of<TypeParam>(random.with_singular_values({2, 1, -least}), 0.5);
    }
}

TYPED_TEST(Svd, GivesTheSameRotationAsEigenForNearlyFlatMatrices) {
    RandomMatrices random(24);
    for (double least : {1e-3, 1e-6, 1e-12, 0.0})
        for (double sign : {1.0, -1.0})
            for (int n = 0; n < 50; ++n)
                expect_rotation_of<TypeParam>(random.with_singular_values({1.5, 1, sign * least}), 1);
}

TYPED_TEST(Svd, GivesARotationEvenIfNoneIsNearest) {
    RandomMatrices random(25);
    double const tolerance = Precision<TypeParam>::rotation;
    EXPECT_EQ(rotation_of(Mat3<TypeParam>{}), Mat3<TypeParam>::identity());
    for (int n = 0; n < 100; ++n) {
        expect_rotation(rotation_of(cast<TypeParam>(random.with_singular_values({1, 0, 0}))), tolerance);
        expect_rotation(rotation_of(cast<TypeParam>(random.with_singular_values({1, 1, -1}))), tolerance);
        expect_rotation(rotation_of(cast<TypeParam>(-1.0 * random.rotation())), tolerance);
    }
}

TYPED_TEST(Svd, RotationIsExactForRotationsAndIndependentOfScale) {
    RandomMatrices random(26);
    for (int n = 0; n < 200; ++n) {
        Mat3d const Q = random.rotation();
        for (double scale : {1e-3, 1.0, 1e3}) expect_rotation_of<TypeParam>(scale * Q, 2 * scale);
        EXPECT_LT(largest_difference(cast<double>(rotation_of(cast<TypeParam>(Q))), Q), Precision<TypeParam>::rotation);
    }
}

Sym3d random_moment(RandomMatrices& random, Vec3d eigenvalues, Mat3d& axes) {
    axes = random.rotation();
    return Sym3d::from(axes * Mat3d::diagonal(eigenvalues) * transpose(axes));
}

TEST(Sym3, HoldsTheSixNumbersOfTheFullMatrix) {
    RandomMatrices random(31);
    Mat3d const m = random.matrix();
    EXPECT_EQ(Sym3d::from(m).full(), symmetric_part(m));
    Vec3d const a = random.vector(), v = random.vector();
    EXPECT_LT(largest_difference(Sym3d::outer(a).full(), outer(a, a)), 1e-16);
    Sym3d const s = Sym3d::from(m);
    EXPECT_LT(norm(s * v - s.full() * v), 1e-15);
    EXPECT_EQ((s + Sym3d::scaled_identity(2)).full(), s.full() + Mat3d::diagonal({2, 2, 2}));
    EXPECT_NEAR(trace(s), trace(m), 1e-15);
}

TEST(Sym3, InverseIsTheInverseOfTheFullMatrix) {
    RandomMatrices random(32);
    for (int n = 0; n < 500; ++n) {
        Mat3d axes;
        // Moments of bonded particles have condition numbers up to about 100: allow 100 times rounding, and more.
        Sym3d const a = random_moment(random, {1, random.between(0.1, 1), random.between(0.01, 0.1)}, axes);
        EXPECT_LT(largest_difference(inverse(a).full() * a.full(), Mat3d::identity()), 1e-12);
        EXPECT_LT(largest_difference(cast<double>(inverse(cast<float>(a)).full()) * a.full(), Mat3d::identity()), 1e-3);
    }
}

TEST(Sym3, PseudoInverseEqualsTheInverseAtFullRank) {
    RandomMatrices random(33);
    for (int n = 0; n < 200; ++n) {
        Mat3d axes;
        Sym3d const a = random_moment(random, {2, random.between(0.5, 2), random.between(0.1, 0.5)}, axes);
        int rank = 0;
        EXPECT_LT(largest_difference(pseudo_inverse(a, 1e-3, rank).full(), inverse(a).full()), 1e-12);
        EXPECT_EQ(rank, 3);
    }
}

TEST(Sym3, PseudoInverseLeavesOutMissingDirections) {
    RandomMatrices random(34);
    for (int n = 0; n < 200; ++n) {
        Mat3d axes;
        int rank = -1;
        Sym3d const sheet = pseudo_inverse(random_moment(random, {2, 0.5, 0}, axes), 1e-3, rank);
        EXPECT_EQ(rank, 2);
        EXPECT_LT(largest_difference(sheet.full(), axes * Mat3d::diagonal({0.5, 2, 0}) * transpose(axes)), 1e-12);
        Sym3d const rod = pseudo_inverse(random_moment(random, {2, 0, 0}, axes), 1e-3, rank);
        EXPECT_EQ(rank, 1);
        EXPECT_LT(largest_difference(rod.full(), axes * Mat3d::diagonal({0.5, 0, 0}) * transpose(axes)), 1e-12);
    }
}

TEST(Sym3, PseudoInverseCountsOnlyEigenvaluesAboveTheThreshold) {
    Sym3d const a{1, 0.011, 0.009, 0, 0, 0};  // one on each side of a hundredth of the largest
    int rank = 0;
    Sym3d const inverted = pseudo_inverse(a, 0.01, rank);
    EXPECT_EQ(rank, 2);
    EXPECT_NEAR(inverted.yy, 1 / 0.011, 1e-10);
    EXPECT_EQ(inverted.zz, 0);
    EXPECT_EQ(pseudo_inverse(Sym3d{}, 0.01, rank).xx, 0);  // a particle without neighbours
    EXPECT_EQ(rank, 0);
}

}  // namespace
}  // namespace pliant
