// The coarse level of the preconditioner: its matrix, its inverse, and what it saves.
#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/implicit/method.hpp>
#include <pliant/solvers/preconditioners/coarse_level.hpp>

#include <gtest/gtest.h>

#include "built_solver.hpp"
#include "particle_cloud.hpp"

#include <cmath>

namespace pliant::test {
namespace {

// A bar of length x 4 x 4 shaken particles: longer than five cells of 8, so that colours repeat.
Model bar(int length, double young) {
    Model model = shaken_cube(4);
    model.rest.clear();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shake(-0.01, 0.01);
    for (int x = 0; x < length; ++x)
        for (int y = 0; y < 4; ++y)
            for (int z = 0; z < 4; ++z)
                model.rest.push_back({0.1 * x + shake(random), 0.1 * y + shake(random), 0.1 * z + shake(random)});
    BodyModel& body = model.bodies[0];
    body.range = {0, Index(model.rest.size())};
    body.parameters.young = young;
    body.material = make_material(body.parameters);
    model.velocity.assign(model.rest.size(), {});
    model.handles.assign(model.rest.size(), 0);
    return model;
}

std::vector<VectorSum> restricted(CoarseGrid const& grid, std::vector<Vec3f> const& q) {
    std::vector<VectorSum> y(grid.node_count(), VectorSum::nothing());
    for (Index i = 0; i < q.size(); ++i)
        for (int k = 0; k < 8; ++k) y[grid.hats()[i].node[k]].value += grid.hats()[i].weight[k] * Vec4::from(q[i]);
    return y;
}

// One along an axis at all wanted nodes.
template <class Wanted>
std::vector<Vec3f> prolonged(CoarseGrid const& grid, int axis, Wanted const& wanted) {
    std::vector<Vec3f> z(grid.hats().size());
    for (Index i = 0; i < z.size(); ++i)
        for (int k = 0; k < 8; ++k)
            if (wanted(grid.hats()[i].node[k])) z[i][axis] += grid.hats()[i].weight[k];
    return z;
}

TEST(Coarse, AMatrixTimesItsInverseIsTheIdentity) {
    std::size_t const n = 40;
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    std::vector<double> g(n * n), a(n * n);
    for (double& x : g) x = normal(random);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            a[i * n + j] = i == j ? 1 : 0;
            for (std::size_t k = 0; k < n; ++k) a[i * n + j] += g[i * n + k] * g[j * n + k];
        }
    std::vector<double> b = a;
    invert_symmetric(b, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-10);
        }
}

TEST(Coarse, HatsOfAParticleSumToOne) {
    CoarseGrid const grid(bar(60, 1e8), CoarseUse::on, 2.5, 0.002);
    for (Hats const& h : grid.hats()) {
        float sum = 0;
        for (float w : h.weight) sum += w;
        EXPECT_NEAR(sum, 1, 1e-6);  // rounding of eight floats
    }
}

TEST(Coarse, ColoursGiveTheSameMatrixAsSingleNodes) {
    Operator op(bar(60, 1e8));
    op.place([](Vec3d X) { return X; });
    op.linearize();
    float const tau_squared = 4e-6f;
    CoarseGrid grid(op.model(), CoarseUse::on, 2.5, 0.002);
    for (int colour = 0; colour < 125; ++colour)
        for (int axis = 0; axis < 3; ++axis) {
            auto const z = prolonged(grid, axis, [&](Index a) { return grid.colours()[a] == colour; });
            grid.take_column(colour, axis, restricted(grid, op.product(z, tau_squared)));
        }
    std::size_t const n = 3 * grid.node_count();
    for (Index a = 0; a < grid.node_count(); ++a) {
        auto const y =
            restricted(grid, op.product(prolonged(grid, 1, [&](Index node) { return node == a; }), tau_squared));
        for (Index b = 0; b < grid.node_count(); ++b)
            for (int c = 0; c < 3; ++c) {
                double const found = grid.matrix()[(3 * b + std::size_t(c)) * n + 3 * a + 1];
                double const diagonal = grid.matrix()[(3 * b + 1) * n + 3 * b + 1];
                EXPECT_NEAR(found, y[b].value[c], 1e-4 * diagonal) << a << " " << b;  // sums of floats
            }
    }
}

TEST(Coarse, SoftBodiesAndBodiesThatFlowAreLeftOut) {
    EXPECT_EQ(CoarseGrid(bar(80, 1e4), CoarseUse::automatic, 2.5, 0.002).node_count(), 0u);
    EXPECT_GT(CoarseGrid(bar(80, 1e9), CoarseUse::automatic, 2.5, 0.002).node_count(), 0u);
    EXPECT_EQ(CoarseGrid(bar(80, 1e9), CoarseUse::off, 2.5, 0.002).node_count(), 0u);
    Model flowing = bar(80, 1e9);
    MaterialParameters& parameters = flowing.bodies[0].parameters;
    parameters.plasticity = "flow", parameters.yield_stress = 1e5, parameters.flow_rate = 100;
    flowing.bodies[0].material = make_material(parameters);
    EXPECT_EQ(CoarseGrid(flowing, CoarseUse::on, 2.5, 0.002).node_count(), 0u);
}

TEST(Coarse, NodesThatAlmostNoParticleReachesAreLeftOut) {
    Model model = shaken_cube(11);
    double const d = model.bodies[0].spacing;
    Vec3d low = model.rest[0];
    for (Vec3d& X : model.rest) {
        X.x = std::clamp(X.x, -0.4 * d, 7.9 * d);  // all in the first row of cells,
        low.x = std::min(low.x, X.x);
    }
    model.rest.back().x = low.x + 8 * d * (1 + 1e-9);  // except one, just outside
    CoarseGrid const grid(model, CoarseUse::on, 2.5, 0.002);
    std::vector<double> reached(grid.node_count(), 0);
    for (Hats const& h : grid.hats())
        for (int k = 0; k < 8; ++k) reached[h.node[k]] += double(h.weight[k]) * h.weight[k];
    int without = 0;
    for (double r : reached) {
        EXPECT_TRUE(r == 0 || r > 1e-3) << r;
        without += r == 0 ? 1 : 0;
    }
    EXPECT_GT(without, 0);  // such a node existed
}

TEST(Coarse, AsManyBodiesAreTakenAsFitWithEightNodesEach) {
    Model const one = shaken_cube(5);
    Model model = one;
    int const count = 70;
    Index const n = one.bodies[0].range.size();
    for (int b = 1; b < count; ++b) {
        BodyModel body = one.bodies[0];
        body.range = {n * Index(b), n * Index(b + 1)};
        model.bodies.push_back(body);
        for (Vec3d const& X : one.rest) model.rest.push_back(X + Vec3d{3. * b, 0, 0});
    }
    CoarseGrid const grid(model, CoarseUse::on, 2.5, 0.002);
    EXPECT_EQ(grid.node_count(), 8 * (CoarseGrid::most_unknowns / 24));
    for (Hats const& h : grid.hats())
        for (float weight : h.weight) ASSERT_TRUE(weight >= 0 && weight <= 1);
}

// The system that a coarse level is built for: q = (M + tau^2 K) p.
struct AtRest {
    Operator& op;  // already linearised at rest
    Buffer<Vec4> p, q;

    void linearize_at_rest() {}
    void product(float tau_squared) {
        std::vector<Vec3f> from(p.size());
        for (Index i = 0; i < from.size(); ++i) from[i] = p[i].xyz();
        auto const to = op.product(from, tau_squared);
        for (Index i = 0; i < to.size(); ++i) q[i] = Vec4::from(to[i]);
    }
};

TEST(Coarse, ThePreconditionerIsSymmetricAndPositiveEvenWithContactsOfATurnedBody) {
    Operator op(bar(60, 1e8));
    op.place([](Vec3d X) { return X; });
    op.linearize();
    Index const n = op.size();
    float const tau_squared = 4e-6f;
    Cpu exec(2);
    CoarseLevel<Cpu> level(exec, op.model(), CoarseGrid(op.model(), CoarseUse::on, 2.5, 0.002));
    Buffer<Vec4> r(n), z(n);
    Buffer<Sym3f> P(n);
    Buffer<Constraint> constraints(n);
    Buffer<float> mass(n);
    AtRest system{op, Buffer<Vec4>(n), Buffer<Vec4>(n)};
    level.set_up(system, tau_squared);
    for (Index i = 0; i < n; ++i) {
        mass[i] = op.mass();
        P[i] = inverse(Sym3f::scaled_identity(mass[i]) + tau_squared * op.rest().diagonal()[i]);
        if (i % 7 == 0) constraints[i] = {{0, 0.6f, 0.8f}, Constraint::plane, i % 2 == 0 ? 50.f : 0.f};
        if (i % 31 == 0) constraints[i] = {{}, Constraint::fixed, 0};
    }
    op.place([](Vec3d X) { return Vec3d{-X.y, X.x, X.z}; });  // a quarter turn
    level.place(op.places(), Range{0, n});
    SystemView const view{P.data(),
                          op.rest().diagonal(),
                          op.rest().coefficients(),
                          constraints.data(),
                          mass.data(),
                          tau_squared,
                          r.data(),
                          z.data()};
    exec.run(level.share(view));
    auto const precondition_all = [&](std::vector<Vec3f> const& from) {
        for (Index i = 0; i < n; ++i) r[i] = Vec4::from(from[i]);
        exec.for_each("open", {0, n}, level.bring(view));
        exec.run(level.correct(view));
        exec.sum("direction", {0, n}, level.direction(view));
        std::vector<Vec3f> to(n);
        for (Index i = 0; i < n; ++i) to[i] = z[i].xyz();
        return to;
    };
    expect_symmetric_and_positive(n, precondition_all);
}

// A stiff bar, bent by its initial velocity.
Stepped run(CoarseUse use) {
    Model model = bar(80, 1e9);
    for (std::size_t i = 0; i < model.rest.size(); ++i) model.velocity[i] = {0, std::cos(model.rest[i].x), 0};
    model.gravity = {0, -9.81, 0};
    ImplicitOptions settings;
    settings.coarse = use;
    Built<ImplicitOptions> solver(model, settings, 2);
    return stepped(solver, 5);
}

TEST(Coarse, AStiffBarNeedsLessThanHalfTheIterationsAndMovesTheSame) {
    Stepped const with = run(CoarseUse::on), without = run(CoarseUse::off);
    EXPECT_LT(2 * with.iterations, without.iterations) << with.iterations << " of " << without.iterations;
    for (std::size_t i = 0; i < with.position.size(); ++i)  // it moves by 1e-2 m; five steps of 1e-4 of it, twice: 1e-5
        EXPECT_LT(norm(with.position[i] - without.position[i]), 2e-5);
}

}  // namespace
}  // namespace pliant::test
