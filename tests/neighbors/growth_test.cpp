// Radii that grow where neighbourhoods are poor, and parts of a body that are joined. Spacing 1 m throughout.
#include <pliant/math/kernel.hpp>
#include <pliant/math/svd3.hpp>
#include <pliant/neighbors/growth.hpp>
#include <pliant/neighbors/parts.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace pliant {
namespace {

constexpr double radius = 2.5, flat = 1e-3;  // as by default

std::vector<Vec3d> block(int nx, int ny, int nz, Vec3d from = {}) {
    std::vector<Vec3d> points;
    for (int x = 0; x < nx; ++x)
        for (int y = 0; y < ny; ++y)
            for (int z = 0; z < nz; ++z) points.push_back(from + Vec3d{double(x), double(y), double(z)});
    return points;
}

std::vector<Vec3d> shaken(std::vector<Vec3d> points, double by) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> uniform(-by, by);
    for (Vec3d& p : points) {
        double const x = uniform(engine), y = uniform(engine);
        p += Vec3d{x, y, uniform(engine)};
    }
    return points;
}

std::vector<Vec3d> operator+(std::vector<Vec3d> a, std::vector<Vec3d> const& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// A cube with a row of particles standing on it: a leg one particle thick.
std::vector<Vec3d> cube_with_leg() { return shaken(block(6, 6, 6) + block(1, 6, 1, {3, 6, 3}), 0.15); }

struct Grown {
    std::vector<Vec3d> rest;
    std::vector<float> growth;
    BodyNeighborhoods report;

    explicit Grown(std::vector<Vec3d> points) : rest(std::move(points)), growth(rest.size(), 1.f) {
        std::vector<Index> all(rest.size());
        std::iota(all.begin(), all.end(), 0);
        Cpu exec(2);
        grow_radii(exec, rest, {{0, Index(rest.size())}, radius, flat}, all, growth, report);
    }
    // Neighbours of i and the condition of their moments.
    std::pair<int, double> fit(Index i) const {
        int count = 0;
        Sym3d A;
        for (Index j = 0; j < rest.size(); ++j) {
            Vec3d const r = rest[j] - rest[i];
            double const w = kernel_weight(norm(r), radius * double(growth[i]));
            if (j != i && w >= least_weight) A += w * Sym3d::outer(r), ++count;
        }
        Vec3d const s = svd3(A.full()).s;
        return {count, s.x / std::max(s.z, 1e-300)};
    }
};

TEST(Radius, GrowsUntilANeighbourhoodIsGood) {
    Grown const body(cube_with_leg());
    EXPECT_GT(body.report.grown, 2u);  // of the six of the leg, all but those at its root
    EXPECT_LT(body.report.grown, 7u);
    for (Index i = 0; i < body.rest.size(); ++i) {
        auto const [count, condition] = body.fit(i);
        EXPECT_GE(count, int(enough_neighbors)) << i;
        EXPECT_LE(condition, worst_condition) << i;
    }
    EXPECT_TRUE(body.report.poor.empty());
    EXPECT_TRUE(body.report.thin.empty());
}

TEST(Radius, IsTheSmallestThatDoes) {
    Grown body(cube_with_leg());
    for (Index i = 0; i < body.rest.size(); ++i) {
        if (body.growth[i] == 1) continue;
        body.growth[i] /= float(growth_step);
        auto const [count, condition] = body.fit(i);
        EXPECT_TRUE(count < int(enough_neighbors) || condition > worst_condition) << i;
    }
}

TEST(Radius, StaysWhereNeighbourhoodsAreGood) {
    for (auto const& points : {block(7, 7, 7), block(2, 9, 9), block(2, 2, 12), shaken(block(6, 6, 6), 0.2)}) {
        Grown const body(points);
        EXPECT_EQ(body.growth, std::vector<float>(points.size(), 1.f));
        EXPECT_EQ(body.report.grown, 0u);
        EXPECT_TRUE(body.report.poor.empty() && body.report.thin.empty());
    }
}

TEST(Radius, StaysInSheetsAndRodsOneParticleThick) {
    for (auto const& points : {block(1, 9, 9), block(1, 1, 20), block(1, 2, 20)}) {
        Grown const body(points);
        EXPECT_EQ(body.growth, std::vector<float>(points.size(), 1.f));
        EXPECT_EQ(body.report.thin.size(), points.size());
    }
}

TEST(Radius, StaysInABodyOfAFewParticles) {
    Grown const tetrahedron(std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    EXPECT_EQ(tetrahedron.growth, std::vector<float>(4, 1.f));  // three neighbours each are all there are
    EXPECT_EQ(Grown(std::vector<Vec3d>{{0, 0, 0}}).growth, std::vector<float>(1, 1.f));
}

// A plate of scattered particles, thinner than the spacing: no radius has a condition below 30.
TEST(Radius, OfANeighbourhoodThatStaysPoorHasTheBestCondition) {
    Grown const body(shaken(block(12, 1, 12), 0.15));
    EXPECT_GT(body.report.poor.size(), 100u);  // of 144
    for (Index i : body.report.poor) {
        double const condition = body.fit(i).second;
        for (double by = 1; by < 3; by *= growth_step) {
            Grown other = body;
            other.growth[i] = float(by);
            auto const [count, worse] = other.fit(i);
            if (count < int(enough_neighbors)) continue;
            EXPECT_GE(worse, 0.999 * condition) << i << " at " << by;
        }
    }
}

// Joins the parts of a body whose bonds are those within the radius.
struct Joined {
    std::vector<Vec3d> rest;
    std::vector<float> growth;
    BodyNeighborhoods report;

    explicit Joined(std::vector<Vec3d> points) : rest(std::move(points)), growth(rest.size(), 1.f) {
        std::vector<Index> lowest(rest.size());
        std::iota(lowest.begin(), lowest.end(), 0);
        Parts parts(lowest);
        for (Index i = 0; i < rest.size(); ++i)
            for (Index j = 0; j < i; ++j)
                if (norm(rest[j] - rest[i]) <= bond_reach(radius)) parts.unite(i, j);
        Cpu exec(2);
        join_parts(exec, rest, {{0, Index(rest.size())}, radius, flat}, parts, growth, report);
    }
    int reached(Index i) const {  // by its grown radius
        int count = 0;
        for (Index j = 0; j < rest.size(); ++j)
            count += j != i && norm(rest[j] - rest[i]) <= bond_reach(radius * double(growth[i]));
        return count;
    }
};

TEST(Parts, OneParticleByItselfIsJoinedToTheRest) {
    auto const points = block(5, 5, 5) + std::vector<Vec3d>{{2, 8, 2}};  // 4 above the cube
    Joined const body(points);
    EXPECT_EQ(body.report.joined, 1u);
    EXPECT_EQ(body.report.parts, 1u);
    EXPECT_GE(body.reached(125), int(enough_neighbors));
    for (Index i = 0; i < 125; ++i) EXPECT_EQ(body.growth[i], 1.f);
}

TEST(Parts, ThatAreNearAreJoinedAndOthersStaySeparate) {
    // Cubes of 27 particles; 1.5 radii are 3.75 m.
    EXPECT_EQ(Joined(block(3, 3, 3) + block(3, 3, 3, {2 + 3.5, 0, 0})).report.parts, 1u);
    EXPECT_EQ(Joined(block(3, 3, 3) + block(3, 3, 3, {2 + 4, 0, 0})).report.parts, 2u);
    EXPECT_EQ(Joined(block(3, 3, 3) + block(3, 3, 3, {2 + 4, 0, 0})).report.joined, 0u);
    EXPECT_EQ(Joined(block(3, 3, 3)).report.parts, 1u);
}

TEST(Parts, AChainOfLooseParticlesIsJoined) {
    Joined const body(block(4, 4, 4) + std::vector<Vec3d>{{1, 6.5, 1}, {1, 10, 1}, {1, 13.5, 1}});
    EXPECT_EQ(body.report.parts, 1u);
    EXPECT_GE(body.report.joined, 2u);  // one that joins may reach the next as well
}

TEST(Parts, AreFoundFromTheLowestNeighbours) {
    std::vector<Index> const lowest{0, 0, 1, 3, 3, 5};  // chains 2-1-0 and 4-3, and 5
    Parts parts(lowest);
    EXPECT_EQ(parts.labels(), (std::vector<Index>{0, 0, 0, 3, 3, 5}));
    EXPECT_TRUE(parts.several({0, 6}));
    EXPECT_FALSE(parts.several({3, 5}));
    EXPECT_TRUE(parts.unite(4, 2));
    EXPECT_FALSE(parts.unite(3, 0));
    EXPECT_EQ(parts.of(4), 0u);
    EXPECT_EQ(parts.of(5), 5u);
}

}  // namespace
}  // namespace pliant
