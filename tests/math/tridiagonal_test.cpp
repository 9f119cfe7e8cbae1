#include <pliant/math/tridiagonal.hpp>

#include <gtest/gtest.h>

namespace pliant::test {
namespace {

TEST(Tridiagonal, TheLargestEigenvalueOfAChainIsKnown) {  // 2 + 2 cos(pi / (n + 1)), vector sin(pi k n / (n + 1))
    for (int n : {1, 2, 5, 20}) {
        std::vector<double> const diagonal(n, 2.), beside(n - 1, 1.);
        double const angle = 3.14159265358979323846 / (n + 1);
        LargestEigenpair const found = largest_eigenpair(diagonal, beside);
        EXPECT_NEAR(found.value, 2 + 2 * std::cos(angle), 1e-9) << n;
        EXPECT_NEAR(found.last, std::sqrt(2. / (n + 1)) * std::sin(angle), 1e-4) << n;
    }
}

TEST(Tridiagonal, TheZeroMatrixHasNoEigenvalueAboveZero) { EXPECT_EQ(largest_eigenpair({0, 0}, {0}).value, 0); }

}  // namespace
}  // namespace pliant::test
