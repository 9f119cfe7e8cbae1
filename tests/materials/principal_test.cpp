// Principal energy, stress and stiffness of every elastic law against each other, also inverted and where the laws
// continue linearly; and the curves of tensile, biaxial, shear and volumetric tests against their formulas.
#include <pliant/materials/registry.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <functional>
#include <string>
#include <vector>

namespace pliant {
namespace {

constexpr double young = 1e5;  // [Pa]; all laws are linear in it, so its value does not matter
constexpr double poisson_ratios[] = {-0.3, 0, 0.3, 0.45};

// Calls check(law, poisson) for the law of this word and several Poisson's ratios.
template <class Check>
void with_law(std::string const& word, Check const& check, double compaction = 0) {
    for (double poisson : poisson_ratios) {
        SCOPED_TRACE(word + ", Poisson's ratio " + std::to_string(poisson) + ", compaction " +
                     std::to_string(compaction));
        std::visit([&](auto const& solid) { check(solid.elasticity, poisson); },
                   make_material({.young = young, .poisson = poisson, .elasticity = word, .compaction = compaction}));
    }
}
template <class Check>
void with_every_law(Check const& check) {
    for (std::string const& word : words_of(ElasticLaws{}))
        for (double const compaction : {0., 3 * young}) with_law(word, check, compaction);
}

// Squeezed, stretched, inverted; two, three equal stretches; just beside the stretches where laws continue linearly.
std::vector<Vec3d> stretches() {
    std::vector<Vec3d> all{{1, 1, 1}, {1.2, 1.2, 1.2}, {0.6, 0.6, 0.6}, {1.3, 0.8, 0.8}, {0, 0, 0}, {1, 1, -1}};
    RandomMatrices random(61);
    for (int n = 0; n < 40; ++n) {
        all.push_back(random.vector(0.4, 2.5));
        all.push_back({random.between(0.5, 2), random.between(0.5, 2), -random.between(0.01, 1.5)});
        all.push_back({random.between(0.5, 2), random.between(0.01, 0.4), random.between(-0.2, 0.2)});
    }
    for (double const bend : {std::sqrt(1 / 3.), std::exp(-1.), std::exp(1.)})
        for (double const side : {-1e-3, 1e-3}) all.push_back({bend + side, 1.1, bend - 2 * side});
    return all;
}

// Of fourth order. The steps stay on one side of a bend; errors: step^4 = 1e-14 times derivatives of up to 1e4 E, and
// rounding, 1e-16 / step = 1e-12.
constexpr double step = 3e-4;
double derivative(std::function<double(Vec3d)> const& f, Vec3d s, int axis) {
    auto const at = [&](double steps) {
        Vec3d moved = s;
        moved[axis] += steps * step;
        return f(moved);
    };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
}

TEST(EveryPrincipalLaw, StressIsTheDerivativeOfTheEnergy) {
    with_every_law([](auto const& law, double) {
        for (Vec3d const s : stretches()) {
            Vec3d const P = law.principal_stress(s);
            for (int i = 0; i < 3; ++i) {
                double const expected = derivative([&](Vec3d x) { return law.principal_energy(x); }, s, i);
                EXPECT_NEAR(P[i], expected, 1e-8 * (norm(P) + young)) << s.x << " " << s.y << " " << s.z;
            }
        }
    });
}

TEST(EveryPrincipalLaw, StressOfAMatrixIsThatAlongItsPrincipalAxes) {
    RandomMatrices random(17);
    with_every_law([&](auto const& law, double) {
        for (Vec3d const s : stretches()) {
            Mat3d const U = random.rotation(), R = random.rotation();
            Mat3d const F = U * Mat3d::diagonal(s) * transpose(U) * R;
            Vec3d const P = law.principal_stress(s);
            Mat3d const expected = U * Mat3d::diagonal(P) * transpose(U) * R, stress = law.stress(F, R);
            // rounding of a polynomial of third degree in the stretches, over a modulus of up to ten times Young's
            double const size = 10 * young * std::pow(1 + norm(s), 3);
            for (int k = 0; k < 3; ++k)
                EXPECT_LT(norm(stress[k] - expected[k]), 1e-14 * size) << s.x << ' ' << s.y << ' ' << s.z;
        }
    });
}

TEST(EveryPrincipalLaw, StiffnessIsTheDerivativeOfTheStress) {
    with_every_law([](auto const& law, double) {
        for (Vec3d const s : stretches()) {
            Mat3d const H = law.principal_stiffness(s).full();
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    double const expected = derivative([&](Vec3d x) { return law.principal_stress(x)[i]; }, s, j);
                    EXPECT_NEAR(H(i, j), expected, 1e-8 * (std::sqrt(inner(H, H)) + young))
                        << s.x << " " << s.y << " " << s.z << ", " << i << j;
                }
        }
    });
}

TEST(EveryPrincipalLaw, StressHasNoJumpWhereALawContinuesLinearly) {
    with_every_law([](auto const& law, double) {
        for (double const bend : {std::sqrt(1 / 3.), std::exp(-1.), std::exp(1.)}) {
            double const tiny = 1e-7;  // times a stiffness of at most 15 E / (1 - 2 nu) per axis
            Vec3d const change =
                law.principal_stress(Vec3d{bend + tiny, 0.9, 1.2}) - law.principal_stress(Vec3d{bend - tiny, 0.9, 1.2});
            EXPECT_LT(norm(change), 3e-5 * young);
        }
    });
}

TEST(EveryPrincipalLaw, IsHookesLawForSmallStrains) {
    with_every_law([](auto const& law, double poisson) {
        MaterialParameters const p{.young = young, .poisson = poisson};
        double const mu = shear_modulus(p), lambda = lame_lambda(p);
        Mat3d const H = law.principal_stiffness(Vec3d{1, 1, 1}).full();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                EXPECT_NEAR(H(i, j), lambda + (i == j ? 2 * mu : 0), 1e-6 * young);  // moduli are floats
    });
}

TEST(EveryPrincipalLaw, TreatsAllAxesAlike) {
    with_every_law([](auto const& law, double) {
        for (Vec3d const s : stretches()) {
            Vec3d const P = law.principal_stress(s), Q = law.principal_stress(Vec3d{s.z, s.x, s.y});
            EXPECT_LT(norm(Vec3d{Q.y, Q.z, Q.x} - P), 1e-13 * (norm(P) + young));
            Sym3d const H = law.principal_stiffness(s), K = law.principal_stiffness(Vec3d{s.y, s.x, s.z});
            double const size = 1e-13 * (std::abs(H.xx) + std::abs(H.yy) + std::abs(H.zz) + young);
            EXPECT_NEAR(H.xx, K.yy, size);
            EXPECT_NEAR(H.xy, K.xy, size);
            EXPECT_NEAR(H.xz, K.yz, size);
        }
    });
}

TEST(EveryPrincipalLaw, IsTheSameForEightPointsAtOnce) {
    with_every_law([](auto const& law, double) {
        std::vector<Vec3d> const all = stretches();
        for (std::size_t first = 0; first + 8 <= all.size(); first += 8) {
            Vec3<Wide> s;
            for (std::size_t k = 0; k < 8; ++k)
                for (int axis = 0; axis < 3; ++axis) s[axis][k] = float(all[first + k][axis]);
            Vec3<Wide> const P = law.principal_stress(s), Y = law.yielding_stress(s);
            Sym3<Wide> const H = law.principal_stiffness(s);
            for (std::size_t k = 0; k < 8; ++k) {
                Vec3f const one{s.x[k], s.y[k], s.z[k]}, p = law.principal_stress(one), y = law.yielding_stress(one);
                // Logarithms of both kinds differ by two units in the last place.
                float const rounding = 2e-6f * (norm(p) + 3 * float(young));
                for (int axis = 0; axis < 3; ++axis) {
                    EXPECT_NEAR(P[axis][k], p[axis], rounding);
                    EXPECT_NEAR(Y[axis][k], y[axis], rounding + 2e-6f * norm(y));
                }
                Sym3f const h = law.principal_stiffness(one);
                float const size = 2e-6f * (std::abs(h.xx) + std::abs(h.yy) + std::abs(h.zz) + 3 * float(young));
                EXPECT_NEAR(H.xx[k], h.xx, size);
                EXPECT_NEAR(H.yz[k], h.yz, size);
            }
        }
    });
}

// The yield criterion must not see pressure, and must see every stretch beyond the mean.
TEST(EveryPrincipalLaw, YieldIsJudgedByAStressThatIgnoresPressureAndGrowsWithEveryStretch) {
    with_every_law([](auto const& law, double) {
        for (double const s : {0.3, 0.7, 1., 1.5, 3.}) EXPECT_LT(von_mises(law.yielding_stress(Vec3d{s, s, s})), 1e-9);
        RandomMatrices random(62);
        for (int n = 0; n < 200; ++n) {
            double const mean = random.between(-0.5, 0.5);
            Vec3d e = random.vector(-1, 1);
            double const middle = (e.x + e.y + e.z) / 3;
            double last = 0;
            for (double share : {0.1, 0.3, 0.6, 1.}) {
                Vec3d s;
                for (int k = 0; k < 3; ++k) s[k] = std::exp(mean + share * (e[k] - middle));
                double const now = von_mises(law.yielding_stress(s));
                EXPECT_GT(now, last);
                last = now;
            }
        }
    });
}

// --- Curves -------------------------------------------------------------------------------------------------------

constexpr double tenth_of_a_percent = 1e-3;

// The stretch at which f vanishes, between a and b, by halving; f has one root there.
double root_between(double a, double b, std::function<double(double)> const& f) {
    bool const rising = f(b) > 0;
    for (int round = 0; round < 100; ++round) {
        double const middle = (a + b) / 2;
        ((f(middle) > 0) == rising ? b : a) = middle;
    }
    return (a + b) / 2;
}

// Stresses of a bar of stretch s with free sides, and of a sheet pulled by s in two directions with a free face.
template <class Law>
double tension(Law const& law, double s) {
    double const side = root_between(0.2, 3, [&](double a) { return law.principal_stress(Vec3d{s, a, a}).y; });
    return law.principal_stress(Vec3d{s, side, side}).x;
}
template <class Law>
double biaxial(Law const& law, double s) {
    double const face = root_between(0.05, 6, [&](double a) { return law.principal_stress(Vec3d{s, s, a}).z; });
    return law.principal_stress(Vec3d{s, s, face}).x;
}
// Of simple shear by the angle's tangent, in the plane of x and y: P_xy.
template <class Law>
double shear(Law const& law, double tangent) {
    Mat3d F = Mat3d::identity();
    F(0, 1) = tangent;
    return law.stress(F, rotation_of(F))(0, 1);
}
template <class Law>
double volumetric(Law const& law, double s) {
    return law.principal_stress(Vec3d{s, s, s}).x;
}

// Formulas of stress [Pa] for a stretch, or for the tangent of the angle of shear; E, nu, mu, K: the moduli.
struct Moduli {
    double E, nu, mu, K;
    explicit Moduli(double poisson) : E(young), nu(poisson), mu(E / (2 * (1 + nu))), K(E / (3 * (1 - 2 * nu))) {}
};

void expect_same(double measured, double formula, std::string const& what) {
    EXPECT_NEAR(measured, formula, tenth_of_a_percent * std::abs(formula) + 1e-6 * young) << what;
}

TEST(Curves, CorotatedIsLinearInStretch) {
    with_law("corotated", [](auto const& law, double nu) {
        Moduli const m(nu);
        for (double s : {0.6, 0.9, 1.1, 1.5}) {  // at 2 and nu = 0.45 the face of a sheet would be inverted
            expect_same(tension(law, s), m.E * (s - 1), "tension");
            expect_same(biaxial(law, s), m.E / (1 - nu) * (s - 1), "biaxial");
            expect_same(volumetric(law, s), 3 * m.K * (s - 1), "volumetric");
        }
        // The rotation of simple shear turns by tan a = t / 2; stretches in the plane add up to sqrt(4 + t^2).
        for (double t : {0.1, 0.5, 1.}) {
            double const sum = std::sqrt(4 + t * t), lambda = m.K - 2 * m.mu / 3;
            expect_same(shear(law, t), 2 * m.mu * t + (lambda * (sum - 2) - 2 * m.mu) * t / sum, "shear");
        }
    });
}

TEST(Curves, StVenantKirchhoffIsLinearInGreensStrain) {
    with_law("stvk", [](auto const& law, double nu) {
        Moduli const m(nu);
        for (double s : {0.7, 0.9, 1.1, 1.4}) {  // the sides stay above 0.58 too
            double const e = (s * s - 1) / 2;
            expect_same(tension(law, s), m.E * e * s, "tension");
            expect_same(volumetric(law, s), 3 * m.K * e * s, "volumetric");
        }
        for (double s : {0.8, 0.9, 1.1, 1.2})
            expect_same(biaxial(law, s), m.E / (1 - nu) * (s * s - 1) / 2 * s, "biaxial");
        // E_xy = t / 2, E_yy = t^2 / 2; P = F S.
        for (double t : {0.1, 0.3, 0.5}) {
            double const lambda = m.K - 2 * m.mu / 3;
            expect_same(shear(law, t), m.mu * t + t * (lambda * t * t / 2 + m.mu * t * t), "shear");
        }
    });
}

TEST(Curves, HenckyIsLinearInLogarithmicStrain) {
    with_law("hencky", [](auto const& law, double nu) {
        Moduli const m(nu);
        for (double s : {0.5, 0.7, 0.9, 1.1, 1.5, 2.}) {
            expect_same(tension(law, s), m.E * std::log(s) / s, "tension");
            expect_same(volumetric(law, s), 3 * m.K * std::log(s) / s, "volumetric");
        }
        for (double s : {0.7, 0.9, 1.1, 1.5}) expect_same(biaxial(law, s), m.E / (1 - nu) * std::log(s) / s, "biaxial");
        // The volume stays; principal stretches q and 1/q with q - 1/q = t. Energy 2 mu (ln q)^2, dt/dq = 1 + 1/q^2.
        for (double t : {0.1, 0.5, 1., 2.}) {
            double const q = (t + std::sqrt(4 + t * t)) / 2;
            expect_same(shear(law, t), 4 * m.mu * std::log(q) / q / (1 + 1 / (q * q)), "shear");
        }
    });
}

TEST(Curves, NeoHookeanFollowsThePaper) {
    with_law("neo-hookean", [](auto const& law, double nu) {
        Moduli const p(nu);
        double const lambda = p.K - 2 * p.mu / 3, m = 4 * p.mu / 3, l = lambda + 5 * p.mu / 6, a = 1 + 0.75 * m / l;
        for (double s : {0.3, 0.5, 0.7, 0.9, 1.1, 1.5, 2., 3.}) {
            double const I = 3 * s * s, J = s * s * s;
            expect_same(volumetric(law, s), m * (1 - 1 / (I + 1)) * s + l * (J - a) * s * s, "volumetric");
        }
        // The free side's equation is solved for the pressure, l (J - a) = -m (1 - 1 / (I + 1)) side^2 / J.
        for (double s : {0.5, 0.8, 1.2, 2., 3.}) {
            double const side = root_between(0.2, 3, [&](double b) { return law.principal_stress(Vec3d{s, b, b}).y; });
            double const I = s * s + 2 * side * side;
            expect_same(tension(law, s), m * (1 - 1 / (I + 1)) * (s - side * side / s), "tension");
            double const face = root_between(0.05, 6, [&](double c) { return law.principal_stress(Vec3d{s, s, c}).z; });
            double const I2 = 2 * s * s + face * face;
            expect_same(biaxial(law, s), m * (1 - 1 / (I2 + 1)) * (s - face * face / s), "biaxial");
        }
        // J = 1, I = 3 + t^2; only I depends on t.
        for (double t : {0.1, 0.5, 1., 2.}) expect_same(shear(law, t), m * (1 - 1 / (4 + t * t)) * t, "shear");
    });
}

TEST(Curves, NeoHookeanLogFollowsEquationSixOfCao) {
    with_law("neo-hookean-log", [](auto const& law, double nu) {
        Moduli const m(nu);
        double const lambda = m.K - 2 * m.mu / 3;
        for (double s : {0.6, 0.7, 0.9, 1.1, 1.5, 2., 3.})
            expect_same(volumetric(law, s), m.mu * (s - 1 / s) + 3 * lambda * std::log(s) / s, "volumetric");
        // The free side's equation, mu (b - 1/b) + lambda ln J / b = 0, is solved for lambda ln J.
        for (double s : {0.6, 0.8, 1.2, 2.}) {
            double const side = root_between(0.58, 3, [&](double b) { return law.principal_stress(Vec3d{s, b, b}).y; });
            expect_same(tension(law, s), m.mu * (s - 1 / s + (1 - side * side) / s), "tension");
        }
        for (double t : {0.1, 0.5, 1.}) expect_same(shear(law, t), m.mu * t, "shear");  // J = 1, I = 3 + t^2
    });
}

// Fig. 2 of Cao et al. 2023: the stress of a bar whose sides are held, from twice its length to inside out. As printed,
// that of St. Venant-Kirchhoff turns over at 58%, and that of eq. 6 ends at zero length.
TEST(Curves, OfBothCombinedLawsOfCaoRiseAllTheWayAndHaveNoJump) {
    for (char const* word : {"stvk", "neo-hookean-log"})
        with_law(word, [](auto const& law, double nu) {
            double const fine = 1e-4, stiffest = 40 * young / (1 - 2 * std::max(nu, 0.));
            auto const stress = [&](double x) { return law.principal_stress(Vec3d{x, 1, 1}).x; };
            auto const energy = [&](double x) { return law.principal_energy(Vec3d{x, 1, 1}); };
            for (double x = 2; x > -1; x -= fine) {
                double const here = stress(x), below = stress(x - fine);
                EXPECT_LT(here - below, fine * stiffest) << x;
                if (nu >= 0) {
                    EXPECT_GT(here, below) << x;
                }
                EXPECT_NEAR(energy(x) - energy(x - fine), fine * 0.5 * (here + below), fine * fine * stiffest) << x;
            }
        });
}

TEST(NeoHookeanLog, PushesOutOfAPointWhereTheStableLawDoesNot) {
    with_law("neo-hookean-log", [](auto const& law, double nu) {
        if (nu >= 0) {
            EXPECT_LT(law.principal_stress(Vec3d{0, 0, 0}).x, -young);
        }
    });
    with_law("neo-hookean", [](auto const& law, double) { EXPECT_EQ(norm(law.principal_stress(Vec3d{0, 0, 0})), 0); });
}

TEST(NeoHookean, PressureGrowsWithCompressionDownToAPoint) {
    with_law("neo-hookean", [](auto const& law, double) {
        double last = 0;
        for (double s = 0.99; s > 0.01; s -= 0.01) {
            EXPECT_LT(volumetric(law, s), 0)
                << s;  // without the paper's logarithm it turns to tension below 0.29 to 0.71
            double const energy = law.principal_energy(Vec3d{s, s, s});
            EXPECT_GT(energy, last) << s;
            last = energy;
        }
    });
}

// The stretch of all axes below which a small shear that keeps the volume costs no energy; 0 if there is none above
// 0.37.
double shear_lost_at(std::string const& word, double poisson) {
    return std::visit(
        [&](auto const& solid) {
            auto const resists = [&](double s) {
                double const t = 1e-3, q = std::exp(t);
                return solid.elasticity.principal_energy(Vec3d{s * q, s / q, s}) -
                       solid.elasticity.principal_energy(Vec3d{s, s, s});
            };
            if (resists(0.37) > 0) return 0.;
            return root_between(0.37, 1, resists);
        },
        make_material({.young = young, .poisson = poisson, .elasticity = word}));
}

TEST(Curves, ResistanceToShearUnderPressureIsLostWhereTheDocsSaySo) {
    EXPECT_NEAR(shear_lost_at("stvk", 0.3), std::sqrt(6.5 / 8.5), 1e-3);  // lambda = 1.5 mu
    EXPECT_NEAR(shear_lost_at("corotated", 0.3), 6.5 / 8.5, 1e-3);
    for (double poisson : poisson_ratios) {
        EXPECT_EQ(shear_lost_at("neo-hookean", poisson), 0);
        EXPECT_EQ(shear_lost_at("hencky", poisson), 0);
    }
}

}  // namespace
}  // namespace pliant
