// The operator against what must hold for any particles: affine maps, symmetry, definiteness, derivatives.
#include <gtest/gtest.h>
#include <solvers/particle_cloud.hpp>

namespace pliant::test {
namespace {

Mat3d rotation(double angle, Vec3d axis) {
    Vec3d const n = normalized(axis);
    Mat3d const K{{{0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0}}};
    return Mat3d::identity() + std::sin(angle) * K + (1 - std::cos(angle)) * (K * K);
}

Mat3d const turn = rotation(2.1, {1, -2, 0.5});
Vec3d const far_away{300, -200, 100};  // a scene far from the origin, where float positions lose 5 digits
Mat3d const stretch{{{1.2, 0.1, -0.05}, {0.02, 0.9, 0.1}, {-0.1, 0.05, 1.1}}};

std::vector<RestOptions> const all_rest_settings{
    {.radius = 2.5, .order = 1, .zero_energy = 3, .zero_energy_flowing = 0.1},
    {.radius = 2.5, .order = 1, .zero_energy = 0, .zero_energy_flowing = 0},
    {.radius = 1.8, .order = 1, .zero_energy = 3, .zero_energy_flowing = 0.1},
    {.radius = 2.5, .order = 2, .zero_energy = 1.5, .zero_energy_flowing = 0.1},
    {.rest = RestKind::updated, .radius = 2.5, .order = 1, .zero_energy = 0, .zero_energy_flowing = 0}};

// A wave that is affine in no neighbourhood, at most a tenth of the spacing.
Vec3d wave(Vec3d X) { return X + 0.01 * Vec3d{std::sin(9 * X.y), std::cos(7 * X.z), std::sin(8 * X.x + X.y)}; }

class EveryRestState : public testing::TestWithParam<RestOptions> {};
INSTANTIATE_TEST_SUITE_P(All, EveryRestState, testing::ValuesIn(all_rest_settings));

TEST_P(EveryRestState, AnyAffineMapIsReproducedToRounding) {
    Operator body(shaken_cube(6), GetParam());
    Mat3d const F = turn * stretch;
    body.place([&](Vec3d X) { return F * X + far_away; });
    body.energy();
    for (Index i = 0; i < body.size(); ++i)
        for (int c = 0; c < 3; ++c)
            EXPECT_LT(norm(body.F(i)[c] - cast<float>(F)[c]), 2e-6f) << "particle " << i;  // a few float roundings
}

TEST_P(EveryRestState, ARigidRotationGivesNoForceAndNoEnergy) {
    Operator body(shaken_cube(6), GetParam());
    body.place([&](Vec3d X) { return turn * X + far_away; });
    // Compared with the force of one per cent strain: E d^2 * 0.01 = 10 N.
    for (Vec3f const& f : body.linearize()) EXPECT_LT(norm(f), 1e-3f);
    EXPECT_LT(body.energy(), 1e-7);
}

TEST_P(EveryRestState, ForcesAreTheNegativeGradientOfTheEnergy) {
    Operator body(shaken_cube(5), GetParam());
    auto const deformed = [](Vec3d X) { return turn * (stretch * wave(X)); };
    body.place(deformed);
    std::vector<Vec3f> const force = body.linearize();
    std::vector<Vec3f> const direction = random_vectors(body.size(), 3);
    double const h = 1e-6;
    auto const energy_at = [&](double s) {
        Index i = 0;
        body.place([&](Vec3d X) { return deformed(X) + s * cast<double>(direction[i++]); });
        return body.energy();
    };
    double const slope = (energy_at(h) - energy_at(-h)) / (2 * h);
    EXPECT_NEAR(slope, -dot_all(force, direction), 1e-4 * std::abs(slope));
}

TEST_P(EveryRestState, ForcesAddUpToZeroAndExertNoTorque) {
    Operator body(shaken_cube(6), GetParam());
    body.place([](Vec3d X) { return stretch * wave(X); });
    Vec3d sum, moment;
    double size = 0;
    std::vector<Vec3f> const force = body.linearize();
    for (Index i = 0; i < body.size(); ++i) {
        Vec3d const f = cast<double>(force[i]);
        sum += f;
        moment += cross(body.places()[i].xyz(), f);
        size += norm(f);
    }
    EXPECT_LT(norm(sum), 1e-6 * size);
    EXPECT_LT(norm(moment), 1e-6 * size);  // arms are at most 1 m
}

TEST_P(EveryRestState, TheSystemIsSymmetricAndPositiveDefinite) {
    Operator body(shaken_cube(6), GetParam());
    body.place([](Vec3d X) { return turn * (stretch * wave(X)); });
    body.linearize();
    float const tau_squared = 1e-2f;  // K dominates the mass: E d tau^2 = 100 m
    for (unsigned seed = 0; seed < 5; ++seed) {
        auto const a = random_vectors(body.size(), 10 + seed), b = random_vectors(body.size(), 20 + seed);
        double const ab = dot_all(a, body.product(b, tau_squared)), ba = dot_all(b, body.product(a, tau_squared));
        double const aa = dot_all(a, body.product(a, tau_squared));
        EXPECT_NEAR(ab, ba, 1e-6 * aa);
        EXPECT_GT(aa, body.mass() * dot_all(a, a));  // more than M alone, so K itself is not negative
    }
}

TEST_P(EveryRestState, AnAffineMotionOfSmallStrainFeelsHookesLaw) {
    // a.K a of a uniform strain is twice its energy: V (2 mu |eps|^2 + lambda tr^2).
    MaterialParameters const parameters;
    Operator body(shaken_cube(6), GetParam());
    body.place([](Vec3d X) { return X; });
    body.linearize();
    Mat3d const strain{{{0.01, 0.002, 0}, {0.002, -0.004, 0.003}, {0, 0.003, 0.006}}};
    std::vector<Vec3f> z;
    for (Vec3d const& X : body.model().rest) z.push_back(cast<float>(strain * X));
    std::vector<Vec3f> Az = body.product(z, 1);
    double stiff = dot_all(z, Az) - body.mass() * dot_all(z, z);
    Corotated const law(parameters);
    double const expected = body.size() * body.model().bodies[0].volume *
                            (2 * law.mu * inner(strain, strain) + law.lambda * trace(strain) * trace(strain));
    EXPECT_NEAR(stiff, expected, 3e-4 * expected);  // products use bonds of 11 bits
}

class EveryLaw : public testing::TestWithParam<std::string_view> {
public:
    static MaterialParameters material() {
        MaterialParameters p;
        p.elasticity = GetParam();
        return p;
    }
    // z.K z by central differences of the forces.
    static double stiffness_along(Operator& body, auto const& deformed, std::vector<Vec3f> const& z) {
        double const h = 1e-5;
        auto const force_at = [&](double s) {
            Index i = 0;
            body.place([&](Vec3d X) { return deformed(X) + s * cast<double>(z[i++]); });
            return body.linearize();
        };
        return -(dot_all(force_at(h), z) - dot_all(force_at(-h), z)) / (2 * h);
    }
};
std::vector<std::string_view> every_law() {
    std::vector<std::string_view> words;
    for (MaterialEntry const& entry : material_registry())
        if (entry.plasticity == "none") words.push_back(entry.elasticity);
    return words;
}
INSTANTIATE_TEST_SUITE_P(All, EveryLaw, testing::ValuesIn(every_law()));

TEST_P(EveryLaw, UnderTensionTheMatrixIsTheDerivativeOfTheForces) {
    Operator body(shaken_cube(5, material()));
    // Tension along every axis: no eigenvalue is negative, so nothing is projected away.
    Mat3d const pulled{{{1.25, 0.05, -0.02}, {0.02, 1.15, 0.03}, {-0.03, 0.05, 1.2}}};
    auto const deformed = [&](Vec3d X) { return turn * (pulled * wave(X)); };
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto const z = random_vectors(body.size(), 30 + seed);
        double const expected = stiffness_along(body, deformed, z);
        body.place(deformed);
        body.linearize();
        double const found = dot_all(z, body.product(z, 1)) - body.mass() * dot_all(z, z);
        EXPECT_NEAR(found, expected, 2e-3 * expected);  // products use bonds of 11 bits
    }
}

TEST_P(EveryLaw, TurningABodyUnderTensionMeetsResistance) {
    // A turn about z of a body stretched along x by 1.3 changes the forces by P_x / s_x times the turn, per volume.
    Operator body(shaken_cube(6, material()));
    Mat3d const pulled = Mat3d::diagonal({1.3, 1.1, 1.1});
    auto const deformed = [&](Vec3d X) { return pulled * X; };
    std::vector<Vec3f> z;
    for (Vec3d const& X : body.model().rest) z.push_back(cast<float>(cross({0, 0, 1}, deformed(X))));
    double const expected = stiffness_along(body, deformed, z);
    body.place(deformed);
    body.linearize();
    double const found = dot_all(z, body.product(z, 1)) - body.mass() * dot_all(z, z);
    double const volume = body.size() * body.model().bodies[0].volume;
    double const exact = std::visit(
        [&](auto const& solid) {
            Vec3d const P = solid.elasticity.principal_stress(Vec3d{1.3, 1.1, 1.1});
            return volume * (P.x * 1.3 + P.y * 1.1);  // z.K z of a rotation: tau : [w][w]^T
        },
        body.model().bodies[0].material);
    EXPECT_NEAR(found, expected, 3e-3 * expected);
    EXPECT_NEAR(found, exact, 3e-3 * exact);
}

TEST_P(EveryLaw, InAnyStateTheMatrixIsSymmetricPositiveAndFinite) {
    Operator body(shaken_cube(5, material()));
    Mat3d const states[] = {Mat3d::diagonal({0.3, 0.5, 0.6}), Mat3d::diagonal({1.2, 0.9, -0.4}),
                            Mat3d::diagonal({0.02, 0.02, 0.02}), Mat3d::diagonal({3, 0.5, 0.5}),
                            Mat3d::diagonal({1e-4, 2, -1e-4})};
    for (Mat3d const& state : states) {
        body.place([&](Vec3d X) { return turn * (state * wave(X)); });
        body.linearize();
        for (unsigned seed = 0; seed < 3; ++seed) {
            auto const a = random_vectors(body.size(), 10 + seed), b = random_vectors(body.size(), 20 + seed);
            double const ab = dot_all(a, body.product(b, 1)), ba = dot_all(b, body.product(a, 1));
            double const aa = dot_all(a, body.product(a, 1));
            ASSERT_TRUE(std::isfinite(aa));
            EXPECT_NEAR(ab, ba, 2e-6 * aa);
            EXPECT_GT(aa, body.mass() * dot_all(a, a));
        }
    }
}

TEST(SecondOrder, AQuadraticFieldIsDifferentiatedExactlyEvenAtTheBoundary) {
    auto const quadratic = [](Vec3d X) {
        return X + Vec3d{0.3 * X.x * X.y, 0.2 * X.y * X.y - 0.1 * X.z * X.x, 0.25 * X.x * X.x};
    };
    auto const gradient = [](Vec3d X) {
        return Mat3d{{{1 + 0.3 * X.y, -0.1 * X.z, 0.5 * X.x}, {0.3 * X.x, 1 + 0.4 * X.y, 0}, {0, -0.1 * X.x, 1}}};
    };
    double worst[2] = {0, 0};
    for (bool const second : {false, true}) {
        Operator body(shaken_cube(6),
                      {.radius = 2.5, .order = second ? 2 : 1, .zero_energy = 1, .zero_energy_flowing = 1});
        body.place(quadratic);
        body.energy();
        for (Index i = 0; i < body.size(); ++i) {
            Mat3d const error = cast<double>(body.F(i)) - gradient(body.model().rest[i]);
            worst[second] = std::max(worst[second], std::sqrt(inner(error, error)));
        }
    }
    EXPECT_LT(worst[1], 1e-5);  // rounding of float weights
    EXPECT_GT(worst[0], 1e-2);  // first order fails in one-sided neighbourhoods: the test can tell
}

TEST(ZeroEnergy, AnAlternatingDisplacementCostsEnergyOnlyThroughTheControl) {
    // Every other particle is moved: F of inner particles does not change.
    auto const energy = [](double strength) {
        Model model = shaken_cube(8);
        for (std::size_t i = 0; i < model.rest.size(); ++i)  // a regular lattice, where the mode is exact
            model.rest[i] = 0.1 * Vec3d{double(i / 64), double(i / 8 % 8), double(i % 8)};
        Operator body(std::move(model), {.radius = 2.5, .zero_energy = strength, .zero_energy_flowing = strength});
        body.place([](Vec3d X) {
            long const parity = std::lround(10 * (X.x + X.y + X.z)) % 2;
            return X + Vec3d{parity == 0 ? 0.001 : -0.001, 0, 0};
        });
        return body.energy();
    };
    EXPECT_GT(energy(3), 5 * energy(0));  // without the control only the surface particles respond
}

TEST(Operator, DoesNotDependOnTheNumberOfThreads) {
    std::vector<Vec3f> results[2];
    for (int const threads : {1, 2}) {
        Operator body(shaken_cube(9), {}, threads);
        body.place([](Vec3d X) { return stretch * wave(X); });
        body.linearize();
        results[threads - 1] = body.product(random_vectors(body.size(), 5), 1e-3f);
    }
    EXPECT_EQ(results[0], results[1]);
}

// Particles on a lattice of nx x ny x nz cells of 0.1 m.
Model even_lattice(int nx, int ny, int nz) {
    Model model = shaken_cube(1);
    model.rest.clear(), model.velocity.clear(), model.handles.clear();
    for (int x = 0; x < nx; ++x)
        for (int y = 0; y < ny; ++y)
            for (int z = 0; z < nz; ++z) {
                model.rest.push_back(0.1 * Vec3d{double(x), double(y), double(z)});
                model.velocity.push_back({});
                model.handles.push_back(0);
            }
    model.bodies[0].range.end = Index(model.rest.size());
    return model;
}

TEST(ThinMatter, RestsWithoutEnergyHoweverItIsTurned) {
    for (auto const& [nx, ny, nz] : {std::array{8, 1, 8}, {12, 1, 1}, {1, 1, 1}, {2, 1, 1}}) {
        Operator body(even_lattice(nx, ny, nz));
        body.place([](Vec3d X) { return turn * X + far_away; });
        EXPECT_LT(body.energy(), 1e-7) << nx << " x " << ny << " x " << nz;
        for (Vec3f const& f : body.linearize()) EXPECT_LT(norm(f), 1e-3f);
    }
}

TEST(ThinMatter, ResistsStretchingAsMatterThatIsFreeToContractAcross) {
    double const eps = 0.01;
    MaterialParameters const m;
    struct Thin {
        int x, z;
        double modulus;  // [Pa]
    };
    // A sheet of fixed width: plane stress, E / (1 - nu^2). A rod: E.
    for (auto const& [nx, nz, modulus] : {Thin{10, 10, m.young / (1 - m.poisson * m.poisson)}, Thin{12, 1, m.young}}) {
        Operator body(even_lattice(nx, 1, nz));
        body.place([&](Vec3d X) { return turn * Vec3d{(1 + eps) * X.x, X.y, X.z}; });
        double const expected = 0.5 * modulus * eps * eps * nx * nz * 1e-3;  // particles of 1e-3 m3
        EXPECT_NEAR(body.energy(), expected, 1e-3 * expected);
        // It has also contracted: by nu / (1 - nu) eps across the sheet, by nu eps across the rod.
        double const across = nz > 1 ? m.poisson / (1 - m.poisson) : m.poisson;
        EXPECT_NEAR(determinant(cast<double>(body.F(0))), (1 + eps) * std::pow(1 - across * eps, nz > 1 ? 1 : 2), 1e-6);
    }
}

TEST(ThinMatter, ForceIsMinusTheDerivativeOfTheEnergy) {
    for (auto const& [nx, nz] : {std::array{6, 6}, {12, 1}}) {
        Operator body(even_lattice(nx, 1, nz));
        auto const bent = [](Vec3d X) {
            return turn * Vec3d{1.02 * X.x, X.y + 0.2 * X.x * X.x, X.z + 0.1 * X.x * X.z} + far_away;
        };
        auto const p = random_vectors(body.size(), 3);
        double const step = 1e-5;  // [m]
        auto const energy_at = [&](double by) {
            Index i = 0;
            body.place([&](Vec3d X) { return bent(X) + by * cast<double>(p[i++]); });
            return body.energy();
        };
        double const slope = (energy_at(step) - energy_at(-step)) / (2 * step);
        body.place(bent);
        double const work = dot_all(body.linearize(), p);
        EXPECT_NEAR(slope, -work, 1e-3 * std::abs(work));
        EXPECT_GT(std::abs(work), 1);
    }
}

}  // namespace
}  // namespace pliant::test
