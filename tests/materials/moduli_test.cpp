#include <pliant/materials/moduli.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(Moduli, AreThoseOfTheTextbooks) {
    for (double const poisson : {-0.3, 0., 0.25, 0.3, 0.49}) {
        MaterialParameters const p{.density = 900, .young = 2e6, .poisson = poisson};
        double const rounding = 1e-13 * bulk_modulus(p);
        EXPECT_NEAR(bulk_modulus(p), p.young / (3 * (1 - 2 * poisson)), rounding);
        double const mu = shear_modulus(p), lambda = lame_lambda(p);
        EXPECT_NEAR(mu * (3 * lambda + 2 * mu) / (lambda + mu), p.young, rounding);
        EXPECT_NEAR(lambda / (2 * (lambda + mu)), poisson, 1e-13);
        EXPECT_NEAR(wave_modulus(p), p.young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)), rounding);
        EXPECT_NEAR(bar_speed(p) * bar_speed(p) * p.density, p.young, 1e-15 * p.young + 1e-9);
    }
    EXPECT_DOUBLE_EQ(lame_lambda({.young = 1e6, .poisson = 0.25}), shear_modulus({.young = 1e6, .poisson = 0.25}));
}

}  // namespace
}  // namespace pliant
