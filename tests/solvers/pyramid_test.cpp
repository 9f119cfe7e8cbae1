// The hat levels of the preconditioner: what they interpolate, that they are symmetric, and what they save.
#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/implicit/method.hpp>
#include <pliant/solvers/preconditioners/pyramid.hpp>

#include <gtest/gtest.h>

#include "built_solver.hpp"
#include "particle_cloud.hpp"

#include <cmath>

namespace pliant::test {
namespace {

TEST(Pyramid, AFoldedGridFindsEveryPlaceAgainAndHasNoEnd) {
    FoldedGrid const grid{{3, 2, 4}};
    for (Index n = 0; n < grid.size(); ++n) {
        auto const [x, y, z] = grid.place(n);
        EXPECT_EQ(grid.at(x, y, z), n);
        EXPECT_EQ(grid.at(x - 8, y + 4, z - 32), n);
    }
}

// Values of a linear function at the nodes of a wider level are interpolated to the finer one, and then to particles.
TEST(Pyramid, LinearFunctionsAreInterpolatedThroughTwoLevels) {
    FoldedGrid const fine{{4, 4, 4}}, wide = fine.coarser();
    auto const linear = [](Vec3d x) { return float(0.3 + 1.5 * x.x - 2 * x.y + 0.25 * x.z); };
    std::vector<Vec4> wider(wide.size()), values(fine.size(), Vec4::zero());
    std::vector<Sym3f> nothing(fine.size(), Sym3f::scaled_identity(0));
    for (Index n = 0; n < wide.size(); ++n) {
        auto const [x, y, z] = wide.place(n);
        wider[n] = Vec4::of(linear({2. * x, 2. * y, 2. * z}), 0, 0, 0);
    }
    CorrectNode const correct{fine, nothing.data(), wider.data(), values.data()};
    for (Index n = 0; n < fine.size(); ++n) correct(n);
    for (Vec3d const at : {Vec3d{1.25, 2.5, 3.75}, Vec3d{7.9, 0.1, 5.5}, Vec3d{12.5, 13.25, 11}}) {
        Vec4d const place = Vec4d::from(at);
        Index cell;
        WithinCell within;
        PlaceInCells{&place, 1, fine, &cell, &within}(0);
        auto const [x, y, z] = fine.place(cell);
        float sum = 0;
        for (int k = 0; k < 8; ++k)
            sum += within.hat(k) * values[fine.at(x + along(k, 0), y + along(k, 1), z + along(k, 2))][0];
        EXPECT_NEAR(sum, linear(at), 4. / 1024);  // half a 512th of a cell along each axis, times slopes of 3.75 in all
    }
}

// The energy of a single hat in full cells, from the stages, against its integral: D = M + tau^2 K.
TEST(Pyramid, TheDiagonalOfAFullGridIsThatOfTheHat) {
    FoldedGrid const grid{{3, 3, 3}};
    float const width = 0.5f, density = 1000, mu = 3e4f, lambda = 2e4f, tau_squared = 1e-4f;
    float const volume = width * width * width;
    std::vector<CellMatter> matter(grid.size(), {density * volume, mu * volume, (lambda + mu) * volume});
    std::vector<Sym3f> inverses(grid.size());
    InverseOfNode const stage{grid, matter.data(), tau_squared, 1 / width, inverses.data()};
    stage(grid.at(4, 4, 4));
    Sym3f const inverse_block = inverses[grid.at(4, 4, 4)];
    // Integrals over the eight cells: of the hat squared (2 h / 3)^3, of a derivative squared (2 / h) (2 h / 3)^2.
    double const h = width, mass = density * std::pow(2 * h / 3, 3), slope = 2 / h * std::pow(2 * h / 3, 2);
    double const stiffness = tau_squared * (3 * mu + lambda + mu) * slope;
    double const expected = 0.25 * stiffness / (stiffness + mass) / (mass + stiffness);
    EXPECT_NEAR(inverse_block.xx, expected, 1e-5 * expected);
    EXPECT_NEAR(inverse_block.zz, expected, 1e-5 * expected);
    EXPECT_NEAR(inverse_block.xy, 0, 1e-5 * expected);  // cells on opposite sides cancel
}

TEST(Pyramid, ThePreconditionerIsSymmetricAndPositiveEvenWithContactsAndAFoldedGrid) {
    Operator op(shaken_cube(12));
    op.place([](Vec3d X) { return X; });
    op.linearize();
    Index const n = op.size();
    float const tau_squared = 4e-6f;
    Cpu exec(2);
    PyramidReach const reach = PyramidReach::of(op.model(), CoarseUse::on, 0.002, true);
    ASSERT_GT(reach.cell, 0);
    Pyramid<Cpu> pyramid(exec, op.model(), reach);
    Buffer<Vec4> r(n), z(n);
    Buffer<Sym3f> P(n);
    Buffer<Constraint> constraints(n);
    Buffer<float> mass(n);
    for (Index i = 0; i < n; ++i) {
        mass[i] = op.mass();
        P[i] = inverse(Sym3f::scaled_identity(mass[i]) + tau_squared * op.rest().diagonal()[i]);
        if (i % 7 == 0) constraints[i] = {{0, 0.6f, 0.8f}, Constraint::plane, i % 2 == 0 ? 50.f : 0.f};
        if (i % 31 == 0) constraints[i] = {{}, Constraint::fixed, 0};
    }
    SystemView const view{P.data(),
                          op.rest().diagonal(),
                          op.rest().coefficients(),
                          constraints.data(),
                          mass.data(),
                          tau_squared,
                          r.data(),
                          z.data()};
    for (double const stretched : {1., 40.}) {  // so far that the grid is folded many times
        op.place([&](Vec3d X) { return stretched * X; });
        pyramid.place(op.places(), Range{0, n});
        pyramid.form(view);
        auto const precondition_all = [&](std::vector<Vec3f> const& from) {
            for (Index i = 0; i < n; ++i) r[i] = Vec4::from(from[i]);
            exec.for_each("open", {0, n}, pyramid.bring(view));
            exec.run(pyramid.correct(view));
            exec.sum("direction", {0, n}, pyramid.direction(view));
            std::vector<Vec3f> to(n);
            for (Index i = 0; i < n; ++i) to[i] = z[i].xyz();
            return to;
        };
        expect_symmetric_and_positive(n, precondition_all);
    }
}

// A flowing cube, squeezed by its initial velocity. Waves cross 20 spacings of 0.1 m per step.
Stepped run(CoarseUse use, double tolerance) {
    Model model = shaken_cube(18);
    BodyModel& body = model.bodies[0];
    body.parameters.young = 1e9;
    body.parameters.density = 1000;
    body.parameters.plasticity = "flow";
    body.parameters.yield_stress = 2e6;
    body.parameters.flow_rate = 10;
    body.material = make_material(body.parameters);
    for (std::size_t i = 0; i < model.rest.size(); ++i) model.velocity[i] = {0, -5 * model.rest[i].y, 0};
    model.gravity = {0, -9.81, 0};
    ImplicitOptions settings;
    settings.coarse = use;
    settings.tolerance = tolerance;
    Built<ImplicitOptions> solver(model, settings, 2);
    return stepped(solver, 3);
}

TEST(Pyramid, AStiffCubeThatFlowsNeedsFarFewerIterations) {  // 122 instead of 203
    Stepped const with = run(CoarseUse::automatic, 1e-4), without = run(CoarseUse::off, 1e-4);
    EXPECT_LT(with.iterations, 0.7 * without.iterations) << with.iterations << " of " << without.iterations;
}

TEST(Pyramid, TheSolutionDoesNotDependOnIt) {
    Stepped const with = run(CoarseUse::automatic, 1e-6), without = run(CoarseUse::off, 1e-6);
    for (std::size_t i = 0; i < with.position.size(); ++i)  // it moves by a few centimetres
        EXPECT_LT(norm(with.position[i] - without.position[i]), 1e-5);
}

}  // namespace
}  // namespace pliant::test
