// Bonds whose neighbourhoods were poor: what changes and what does not.
#include <pliant/state/rest_state.hpp>

#include <gtest/gtest.h>
#include <solvers/shaken_cube.hpp>

#include <cstring>

namespace pliant::test {
namespace {

struct MadeBonds {
    Cpu exec{2};
    RestState<Cpu> rest;
    explicit MadeBonds(Model const& model, RestOptions const& options = {}) : rest(exec, model, options) {}
    BondView view() const {
        return rest.with_bonds([](auto bonds) { return BondView{bonds.row, bonds.neighbors, bonds.offsets, {}, {}}; });
    }
};

TEST(GrownBonds, AreTheSameFromBothEndsToTheLastBit) {
    Model const model = cube_with_leg();
    MadeBonds const made(model);
    EXPECT_GT(made.rest.neighborhoods()[0].grown, 3u);
    EXPECT_EQ(made.rest.neighborhoods()[0].joined, 1u);
    BondView const view = made.view();
    for (Index i = 0; i < model.rest.size(); ++i)
        for (Index k = 0; k < view.count(i); ++k) {
            Index const slot = view.slot(i, k), j = view.neighbor(slot);
            ASSERT_TRUE(view.bonded(j, i)) << i << " and " << j;
            Vec4 const here = view.weighted_offset(slot);
            Vec4 const there = view.weighted_offset(view.slot(j, view.place_of(j, i)));
            for (int c = 0; c < 3; ++c) ASSERT_EQ(here[c], -there[c]);
            ASSERT_EQ(here[3], there[3]);
        }
}

TEST(GrownBonds, AreThePairsWithEnoughWeightForTheLargerRadius) {
    Model const model = cube_with_leg();
    MadeBonds const made(model);
    BondView const view = made.view();
    float const* const growth = made.rest.growth();
    double const h = 2.5 * model.bodies[0].spacing;
    for (Index i = 0; i < model.rest.size(); ++i) {
        Index expected = 0;
        for (Index j = 0; j < model.rest.size(); ++j) {
            if (j == i) continue;
            double const grown = std::max(growth[i], growth[j]);
            double const w = kernel_weight(norm(model.rest[j] - model.rest[i]), h * grown);
            expected += w >= least_weight;
            if (w < least_weight) continue;
            ASSERT_TRUE(view.bonded(i, j)) << i << " and " << j;
            EXPECT_NEAR(view.weighted_offset(view.slot(i, view.place_of(i, j)))[3], w, 1e-7);  // a float
        }
        EXPECT_EQ(view.count(i), expected) << i;
    }
}

TEST(GrownBonds, LeaveNoParticleByItself) {
    Model const model = cube_with_leg();
    MadeBonds const made(model);
    BondView const view = made.view();
    std::vector<bool> seen(model.rest.size());
    std::vector<Index> open{0};
    seen[0] = true;
    while (!open.empty()) {
        Index const i = open.back();
        open.pop_back();
        for (Index k = 0; k < view.count(i); ++k)
            if (Index const j = view.neighbor(view.slot(i, k)); !seen[j]) seen[j] = true, open.push_back(j);
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), std::ptrdiff_t(seen.size()));
    EXPECT_GE(view.count(Index(model.rest.size()) - 1), enough_neighbors);
}

TEST(GoodBonds, StayAsTheyAreToTheLastBit) {
    Model const model = shaken_cube(7);
    MadeBonds const made(model);
    Bonds plain;
    Cpu exec(2);
    std::vector<Neighborhood> const bodies{{model.bodies[0].range, 2.5 * model.bodies[0].spacing}};
    plain.build(exec, model.rest, bodies);
    BondView const view = made.view(), expected = plain.view();
    ASSERT_EQ(made.rest.bond_count(), plain.size());
    EXPECT_EQ(std::memcmp(view.row, expected.row, (model.rest.size() + 1) * sizeof(Index)), 0);
    EXPECT_EQ(std::memcmp(view.neighbors, expected.neighbors, plain.size() * sizeof(Index)), 0);
    EXPECT_EQ(std::memcmp(view.offsets, expected.offsets, plain.size() * sizeof(Vec4)), 0);
    EXPECT_EQ(made.rest.neighborhoods()[0].grown, 0u);
    EXPECT_EQ(made.rest.neighborhoods()[0].parts, 1u);
}

}  // namespace
}  // namespace pliant::test
