#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/present_neighbors.hpp>

#include <gtest/gtest.h>
#include <solvers/particle_cloud.hpp>

#include <algorithm>
#include <limits>
#include <random>
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

struct Touching {
    float distance;  // [m]
};
using Neighbors = PresentNeighbors<Cpu, Touching>;

std::vector<Touching> touching(Model const& model) {
    std::vector<Touching> all;
    for (BodyModel const& body : model.bodies) all.push_back({float(0.5 * body.spacing)});
    return all;
}

struct Lists {
    Cpu exec{2};
    Model model;
    Neighbors neighbors;
    Buffer<Vec4> x;

    Lists(Model m, double radius, int wanted)
        : model(std::move(m)), neighbors(exec, model, touching(model), radius, wanted) {
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

// The grid then does not cover all of them: the distant ones, in pairs, count as in its outermost cells.
TEST(NearLists, AreThoseThatAllPairsGiveEvenIfAFewHaveFlownFarOff) {
    Model model = shaken_cube(12);
    for (std::size_t k = 0; k < 4; ++k) {
        Vec3d const off{k == 0 ? 40.0 : 0.3, k == 1 ? -30.0 : 0.4, k >= 2 ? 20.0 * double(k) : 0.5};
        for (std::size_t twin : {0, 1}) model.rest[400 * k + twin] = off + Vec3d{0.1 * double(twin), 0, 0};
    }
    Lists const lists(model, 2.2, 0);
    double const reach = 0.22 + 0.04;  // with the margin
    for (Index i : {0u, 1u, 5u, 400u, 401u, 700u, 800u, 801u, 1200u, 1201u, 1500u, 1727u}) {
        std::set<Index> expected;
        for (Index j = 0; j < lists.x.size(); ++j)
            if (j != i && norm((lists.x[j] - lists.x[i]).xyz()) <= reach) expected.insert(j);
        EXPECT_EQ(lists.of(i), expected) << i;
        EXPECT_FALSE(expected.empty()) << i;
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
    using State = Neighbors::State;
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::good);
    // Halves that approach each other: the box of all displacements is 0.038 wide, then 0.042; the margin is 0.04.
    for (Index i = 0; i < v.size(); ++i) v[i] = Vec4::of(lists.x[i][0] > 0.2f ? -0.019f : 0.019f, 0, 0, 0);
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::good);
    for (Index i = 0; i < v.size(); ++i) v[i] = Vec4::of(lists.x[i][0] > 0.2f ? -0.021f : 0.021f, 0, 0, 0);
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::stale);
    v[3] = Vec4::of(0, std::numeric_limits<float>::quiet_NaN(), 0, 0);
    EXPECT_EQ(lists.neighbors.after(lists.x.data(), v.data(), 1), State::lost);
}

// One corner of a large block flies off or dives in, so far that all particles are checked for missing neighbours.
struct Corner : Lists {
    Buffer<Vec4> v, there;
    Corner() : Lists(shaken_cube(10), 2.0, 30), v(x.size()), there(x.size()) {}

    // Moves the particle at the origin by `way`; returns the state of the lists, with doubts resolved.
    Neighbors::State move(Vec3f way) {
        using State = Neighbors::State;
        Index corner = 0;
        for (Index i = 0; i < x.size(); ++i)
            if (norm(x[i].xyz()) < norm(x[corner].xyz())) corner = i;
        for (Index i = 0; i < x.size(); ++i)
            v[i] = i == corner ? Vec4::from(way) : Vec4::zero(), there[i] = x[i] + v[i];
        State const state = neighbors.after(x.data(), v.data(), 1);
        if (state != State::doubtful) return state;
        ++doubts;
        return neighbors.hold(there.data()) ? State::good : State::stale;
    }
    int doubts = 0;
};

TEST(NearLists, StayWhenOneParticleFliesOffAndAreStaleWhenItDivesIn) {
    Corner corner;
    using State = Neighbors::State;
    EXPECT_EQ(corner.move({-0.5f, -0.5f, -0.5f}), State::good);
    EXPECT_EQ(corner.doubts, 1);
    EXPECT_EQ(corner.move({0.3f, 0.3f, 0.3f}), State::stale);
    EXPECT_EQ(corner.doubts, 2);
}

// Under any motion, lists that are said to hold lack no particle that is nearer than the last one of a fresh list, less
// the margin: of 30 in this cube the last lies at 0.17 or more, and the margin is 0.04.
TEST(NearLists, ThatHoldLackNoParticleThatHasComeNear) {
    Lists lists(shaken_cube(12), 2.0, 30);
    using State = Neighbors::State;
    Buffer<Vec4> v(lists.x.size());
    std::mt19937 random(5);
    std::uniform_real_distribution<float> any(-1, 1);
    int held = 0, made = 0, doubted = 0;
    for (int step = 0; step < 60; ++step) {
        for (Index i = 0; i < v.size(); ++i) {  // sheared and shaken, and a few particles fly about
            float const speed = i % 400 == 7 ? 0.02f : 0.002f;
            v[i] = Vec4::of(0.004f * lists.x[i][1] + speed * any(random), speed * any(random), speed * any(random), 0);
        }
        State const state = lists.neighbors.after(lists.x.data(), v.data(), 1);
        for (Index i = 0; i < v.size(); ++i) lists.x[i] += v[i];
        doubted += state == State::doubtful;
        if (state == State::stale || (state == State::doubtful && !lists.neighbors.hold(lists.x.data()))) {
            lists.neighbors.make(lists.x);
            ++made;
            continue;
        }
        ++held;
        Lists fresh(lists.model, 2.0, 30);
        for (Index i = 0; i < v.size(); ++i) fresh.x[i] = lists.x[i];
        fresh.neighbors.make(fresh.x);
        for (Index i = 0; i < v.size(); ++i) {
            std::set<Index> const known = lists.of(i);
            for (Index j : fresh.of(i)) {
                float const distance = norm((fresh.x[j] - fresh.x[i]).xyz());
                EXPECT_TRUE(distance >= 0.13f || known.count(j)) << step << ": " << i << " lacks " << j;
            }
        }
    }
    EXPECT_GT(held, 10);
    EXPECT_GT(made, 1);
    EXPECT_GT(doubted, 0);
}

}  // namespace
}  // namespace pliant::test
