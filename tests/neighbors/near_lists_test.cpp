#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/present_neighbors.hpp>

#include <gtest/gtest.h>
#include <solvers/particle_cloud.hpp>

#include <algorithm>
#include <limits>
#include <set>

namespace pliant::test {
namespace {

Model lattice(int side) {
    Model model = shaken_cube(side);
    for (std::size_t i = 0; i < model.rest.size(); ++i) {
        int const k = int(i);
        model.rest[i] = {0.1 * (k / (side * side)), 0.1 * (k / side % side), 0.1 * (k % side)};
    }
    return model;
}

struct Lists {
    Cpu exec{2};
    Model model;
    PresentNeighbors<Cpu> neighbors;
    Buffer<Vec4> x;

    Lists(Model m, double radius, int wanted) : model(std::move(m)), neighbors(exec, model, radius, wanted) {
        x.resize(model.rest.size());
        for (Index i = 0; i < x.size(); ++i) x[i] = Vec4::from(cast<float>(model.rest[i]));
        neighbors.make(x);
    }
    std::set<Index> of(Index i) const {
        std::set<Index> found;
        auto const view = neighbors.near();
        for (Index k = 0; k < view.count(i); ++k) found.insert(view.neighbor(view.slot(i, k)));
        return found;
    }
};

// On a cubic lattice: 6 at 1 spacing, 12 at sqrt(2), 8 at sqrt(3), 6 at 2, 24 at sqrt(5), 24 at sqrt(6).
TEST(NearLists, TakeTheNearestAndWholeShellsOfALattice) {
    Index const inner = 171;  // the middle of 7 x 7 x 7
    EXPECT_EQ(Lists(lattice(7), 2.0, 30).of(inner).size(), 26u);
    EXPECT_EQ(Lists(lattice(7), 2.5, 30).of(inner).size(), 32u);  // the 30th lies at two spacings, as do 27 to 32
    EXPECT_EQ(Lists(lattice(7), 2.5, 0).of(inner).size(), 92u);   // and 12 at sqrt(8), within the margin
}

TEST(NearLists, AreThoseThatAllPairsGive) {
    Lists const lists(shaken_cube(7), 2.2, 0);
    double const reach = 0.22 + 0.04;  // with the margin
    for (Index i = 0; i < lists.x.size(); i += 5) {
        std::set<Index> expected;
        for (Index j = 0; j < lists.x.size(); ++j)
            if (j != i && norm((lists.x[j] - lists.x[i]).xyz()) <= reach) expected.insert(j);
        EXPECT_EQ(lists.of(i), expected) << i;
    }
}

TEST(NearLists, GiveEveryParticleItsNearestAndAreSymmetric) {
    Lists const lists(shaken_cube(7), 2.5, 12);
    for (Index i = 0; i < lists.x.size(); ++i) {
        std::set<Index> const found = lists.of(i);
        std::vector<std::pair<float, Index>> others;
        for (Index j = 0; j < lists.x.size(); ++j)
            if (j != i) others.push_back({norm((lists.x[j] - lists.x[i]).xyz()), j});
        std::nth_element(others.begin(), others.begin() + 12, others.end());
        for (int k = 0; k < 12; ++k) EXPECT_TRUE(found.count(others[k].second)) << i << " " << others[k].second;
        for (Index j : found) EXPECT_TRUE(lists.of(j).count(i)) << i << " " << j;
    }
}

TEST(NearLists, HoldWhileABodyFallsAndAreStaleWhenItIsSqueezed) {
    Lists lists(shaken_cube(5), 2.0, 30);
    Buffer<Vec4> v(lists.x.size());
    for (Vec4& w : v.span()) w = Vec4::of(0, -7, 0, 0);
    using State = PresentNeighbors<Cpu>::State;
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::good);
    // Halves that approach each other: the box of all ways is 0.038 wide, then 0.042; the margin is 0.04.
    for (Index i = 0; i < v.size(); ++i) v[i] = Vec4::of(lists.x[i][0] > 0.2f ? -0.019f : 0.019f, 0, 0, 0);
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::good);
    for (Index i = 0; i < v.size(); ++i) v[i] = Vec4::of(lists.x[i][0] > 0.2f ? -0.021f : 0.021f, 0, 0, 0);
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::stale);
    v[3] = Vec4::of(0, std::numeric_limits<float>::quiet_NaN(), 0, 0);
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::lost);
}

}  // namespace
}  // namespace pliant::test
