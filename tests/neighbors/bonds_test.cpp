// Bonds: which pairs are bonded, and that both ends of a bond agree to the last bit.
#include <pliant/neighbors/bonds.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <span>
#include <vector>

namespace pliant {
namespace {

std::vector<Vec3d> random_points(int count, Vec3d center, double half_width, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-half_width, half_width);
    std::vector<Vec3d> points;
    for (int n = 0; n < count; ++n) {
        double const x = uniform(engine), y = uniform(engine);
        points.push_back(center + Vec3d{x, y, uniform(engine)});
    }
    return points;
}

std::vector<Vec3d> lattice_points(int side, double spacing) {
    std::vector<Vec3d> points;
    for (int x = 0; x < side; ++x)
        for (int y = 0; y < side; ++y)
            for (int z = 0; z < side; ++z) points.push_back(spacing * Vec3d{double(x), double(y), double(z)});
    return points;
}

// The one place where the tests make bonds.
void bond_bodies(Bonds& bonds, Cpu& exec, std::span<Vec3d const> rest, std::vector<Bonds::Neighborhood> const& bodies) {
    bonds.build(exec, rest, bodies);
}

// Two bodies of different size and radius in the same place: their particles are mixed.
struct TwoBodies {
    std::vector<Vec3d> rest = random_points(400, {-3, 2, 100}, 1, 81);
    Range first{0, 400}, second{400, 700};
    double first_radius = 0.4, second_radius = 0.5;  // about 15 and 20 neighbours per particle
    Bonds bonds;

    explicit TwoBodies(int threads = 2) {
        for (Vec3d p : random_points(300, {-3, 2, 100}, 1, 82)) rest.push_back(p);
        Cpu exec(threads);
        bond_bodies(bonds, exec, rest, {{first, first_radius}, {second, second_radius}});
    }
    Range body_of(Index i) const { return i < first.end ? first : second; }
    double radius_of(Index i) const { return i < first.end ? first_radius : second_radius; }
};

TEST(Bonds, AreExactlyThePairsOfABodyWithEnoughWeight) {
    TwoBodies const two;
    BondView const view = two.bonds.view();
    Index total = 0;
    for (Index i = 0; i < two.rest.size(); ++i) {
        std::vector<Index> expected, actual;  // rows are in ascending order, as collected here
        for (Index j = two.body_of(i).begin; j < two.body_of(i).end; ++j)
            if (j != i && kernel_weight(norm(two.rest[j] - two.rest[i]), two.radius_of(i)) >= least_weight)
                expected.push_back(j);
        for (Index k = 0; k < view.count(i); ++k) actual.push_back(view.neighbor(view.slot(i, k)));
        EXPECT_EQ(actual, expected) << "particle " << i;
        total += view.count(i);
    }
    EXPECT_EQ(two.bonds.size(), total);
    EXPECT_GT(total, 10 * two.rest.size());  // the test is not empty
}

TEST(Bonds, NeverJoinTwoBodies) {
    TwoBodies const two;
    BondView const view = two.bonds.view();
    for (Index i = 0; i < two.rest.size(); ++i)
        for (Index k = 0; k < view.count(i); ++k) {
            Index const j = view.neighbor(view.slot(i, k));
            EXPECT_EQ(i < two.first.end, j < two.first.end) << i << " and " << j;
        }
}

TEST(Bonds, AreTheSameFromBothEndsToTheLastBit) {
    TwoBodies const two;
    BondView const view = two.bonds.view();
    for (Index i = 0; i < two.rest.size(); ++i)
        for (Index k = 0; k < view.count(i); ++k) {
            Index const slot = view.slot(i, k), j = view.neighbor(slot);
            Index const* const begin = view.neighbors + view.row[j];
            Index const* const end = view.neighbors + view.row[j + 1];
            Index const* const back = std::lower_bound(begin, end, i);
            ASSERT_TRUE(back != end && *back == i) << "j = " << j << " does not know i = " << i;
            Vec4 const there = view.weighted_offset(slot);
            Vec4 const here = view.weighted_offset(Index(back - view.neighbors));
            for (int c = 0; c < 3; ++c) ASSERT_EQ(there[c], -here[c]);  // r_ji = -r_ij
            ASSERT_EQ(there[3], here[3]);                               // w_ji = w_ij
        }
}

TEST(Bonds, CarryTheWeightedRestOffset) {
    TwoBodies const two;
    BondView const view = two.bonds.view();
    for (Index i = 0; i < two.rest.size(); ++i)
        for (Index k = 0; k < view.count(i); ++k) {
            Index const slot = view.slot(i, k);
            Vec3d const r = two.rest[view.neighbor(slot)] - two.rest[i];
            double const w = kernel_weight(norm(r), two.radius_of(i));
            Vec4 const bond = view.weighted_offset(slot);
            double const rounding = 1e-7;  // to float; offsets are below 0.5, weights below 1
            EXPECT_NEAR(bond[3], w, rounding);
            EXPECT_GE(bond[3], float(least_weight));
            for (int c = 0; c < 3; ++c) EXPECT_NEAR(bond[c], w * r[c], rounding);
        }
}

TEST(Bonds, OfAnInnerLatticePointAreThe56NearerThanRootSix) {
    // Shells of the cubic lattice within h = 2.5 d: 6 + 12 + 8 + 6 + 24 = 56; the 24 at sqrt(6) d are too light.
    int const side = 7;
    double const d = 0.05;
    auto const points = lattice_points(side, d);
    Cpu exec(1);
    Bonds bonds;
    bond_bodies(bonds, exec, points, {{{0, Index(points.size())}, 2.5 * d}});
    BondView const view = bonds.view();
    Index const middle = (3 * side + 3) * side + 3, corner = 0;
    EXPECT_EQ(view.count(middle), 56u);
    // An octant with its faces: 3 + 3 + 1 + 3 + 6.
    EXPECT_EQ(view.count(corner), 16u);
    Vec4 sum = Vec4::zero();
    double second_moment = 0;
    for (Index k = 0; k < view.count(middle); ++k) {
        Vec4 const bond = view.weighted_offset(view.slot(middle, k));
        sum += bond;
        second_moment += double(dot3(bond, bond)) / double(bond[3]) / (d * d);
    }
    EXPECT_LT(norm(sum.xyz()), 1e-7);  // a full neighbourhood is balanced
    EXPECT_NEAR(second_moment, lattice_second_moment(2.5), 1e-5 * lattice_second_moment(2.5));
}

TEST(Bonds, DoNotDependOnTheNumberOfThreads) {
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);  // even on fewer cores
    TwoBodies const one(1), four(4);
    ASSERT_EQ(one.bonds.size(), four.bonds.size());
    BondView const a = one.bonds.view(), b = four.bonds.view();
    for (Index slot = 0; slot < one.bonds.size(); ++slot) {
        ASSERT_EQ(a.neighbor(slot), b.neighbor(slot));
        for (int c = 0; c < 4; ++c) ASSERT_EQ(a.weighted_offset(slot)[c], b.weighted_offset(slot)[c]);
    }
}

TEST(Bonds, KnowWhoIsBondedAndWhoSharesANeighbour) {
    TwoBodies const two;
    BondView const view = two.bonds.view();
    auto const row = [&](Index i) {
        return std::vector<Index>(view.neighbors + view.row[i], view.neighbors + view.row[i + 1]);
    };
    int sharing = 0, apart = 0;
    for (Index i = 0; i < two.rest.size(); i += 7)
        for (Index j = 0; j < two.rest.size(); ++j) {
            auto const a = row(i), b = row(j);
            std::vector<Index> common;
            std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
            ASSERT_EQ(view.bonded(i, j), std::find(a.begin(), a.end(), j) != a.end()) << i << " and " << j;
            ASSERT_EQ(view.share_neighbor(i, j), !common.empty()) << i << " and " << j;
            ASSERT_EQ(two.bonds.share_neighbor(i, j), view.share_neighbor(j, i));
            common.empty() ? ++apart : ++sharing;
        }
    EXPECT_GT(sharing, 1000);  // both answers occur among 70,000 pairs
    EXPECT_GT(apart, 1000);
}

TEST(Bonds, OfALineShareANeighbourUpToTwiceTheReach) {
    // With h = 2.5 d, bonds reach two particles along a line: 0 and 4 share particle 2, 0 and 5 share none.
    std::vector<Vec3d> line;
    for (int k = 0; k < 10; ++k) line.push_back({0.1 * k, 0, 0});
    line.push_back({5, 0, 0});  // without any neighbour
    Cpu exec(1);
    Bonds bonds;
    bond_bodies(bonds, exec, line, {{{0, 11}, 0.25}});
    BondView const view = bonds.view();
    EXPECT_TRUE(view.bonded(0, 2));
    EXPECT_FALSE(view.bonded(0, 3));
    EXPECT_FALSE(view.bonded(0, 0));
    EXPECT_TRUE(view.share_neighbor(0, 4));
    EXPECT_FALSE(view.share_neighbor(0, 5));
    EXPECT_FALSE(view.bonded(10, 9));
    EXPECT_FALSE(view.share_neighbor(10, 9));
}

TEST(Bonds, ALoneParticleHasNone) {
    std::vector<Vec3d> const rest{{0, 0, 0}, {10, 0, 0}, {10.01, 0, 0}};
    Cpu exec(1);
    Bonds bonds;
    bond_bodies(bonds, exec, rest, {{{0, 3}, 0.1}});
    EXPECT_EQ(bonds.view().count(0), 0u);
    EXPECT_EQ(bonds.view().count(1), 1u);
    EXPECT_EQ(bonds.view().count(2), 1u);
    EXPECT_EQ(bonds.size(), 2u);
}

// Pairs whose distance equals the reach to within rounding: both ends, and counting and writing, decide alike.
TEST(Bonds, PairsAtTheRimAreBondedAtBothEndsOrNotAtAll) {
    double const radius = 0.25, reach = bond_reach(radius);
    std::mt19937 engine(5);
    std::normal_distribution<double> normal;
    std::vector<Vec3d> rest;
    for (int pair = 0; pair < 3000; ++pair) {
        Vec3d const at = Vec3d{double(pair % 15), double(pair / 15 % 15), double(pair / 225)} + Vec3d{0.1, 0.2, 0.3};
        Vec3d const direction = normalized(Vec3d{normal(engine), normal(engine), normal(engine)});
        rest.push_back(at), rest.push_back(at + reach * direction);
    }
    Cpu exec(2);
    Bonds bonds;
    bond_bodies(bonds, exec, rest, {{{0, Index(rest.size())}, radius}});
    BondView const view = bonds.view();
    Index bonded = 0;
    for (Index i = 0; i < rest.size(); ++i) {
        ASSERT_LE(view.count(i), 1u);
        ASSERT_EQ(view.count(i), view.count(i ^ 1));
        bonded += view.count(i);
        if (view.count(i) == 0) continue;
        ASSERT_EQ(view.neighbor(view.slot(i, 0)), i ^ 1);
        ASSERT_NEAR(view.weighted_offset(view.slot(i, 0))[3], least_weight, 1e-3 * least_weight);
    }
    EXPECT_GT(bonded, 1000u);  // rounding decides, both ways
    EXPECT_LT(bonded, 5000u);
}

TEST(Bonds, TooManyToNumberSayHowManyParticlesWouldFit) {
    EXPECT_EQ(slots_for(4294967295u, 1000), 4294967295u);
    try {
        slots_for(std::uint64_t{8} << 30, 100'000'000);
        ADD_FAILURE() << "8 Gi bonds have no numbers of 32 bits";
    } catch (SimulationError const& error) {
        // Half of the bonds, a little less than half of the particles: 0.98 * 100,000,000 * 4294967295 / 8589934592.
        EXPECT_NE(std::string(error.what()).find("about 48999999 particles would fit"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace pliant
