// Both grids find all pairs within their radius, wherever the points lie.
#include <pliant/neighbors/cell_grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace pliant {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs brute_force_pairs(std::vector<Vec3d> const& points, Range range, double radius) {
    Pairs pairs;
    for (Index i = range.begin; i < range.end; ++i)
        for (Index j = range.begin; j < range.end; ++j)
            if (norm(points[j] - points[i]) < radius) pairs.emplace_back(i, j);
    return pairs;
}

// The pairs among the points that the grid visits; a point visited twice appears twice.
template <class Grid>
Pairs grid_pairs(Grid const& grid, std::vector<Vec3d> const& points, Range range, double radius) {
    Pairs pairs;
    for (Index i = range.begin; i < range.end; ++i)
        grid.view().for_each_near(points[i], [&](Index j) {
            if (norm(points[j] - points[i]) < radius) pairs.emplace_back(i, j);
        });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

template <class Grid>
void expect_all_pairs(std::vector<Vec3d> const& points, double radius) {
    Range const all{0, Index(points.size())};
    Cpu exec(2);
    Grid grid;
    grid.build(exec, all, radius, [&](Index i) { return points[i]; });
    Pairs const expected = brute_force_pairs(points, all, radius);
    EXPECT_GT(expected.size(),
              points.size());  // more pairs than each point with itself
    EXPECT_EQ(grid_pairs(grid, points, all, radius), expected);
}

std::vector<Vec3d> random_points(int count, Vec3d center, double half_width) {
    std::mt19937 engine(61);
    std::uniform_real_distribution<double> uniform(-half_width, half_width);
    std::vector<Vec3d> points;
    for (int n = 0; n < count; ++n) {
        double const x = uniform(engine), y = uniform(engine);
        points.push_back(center + Vec3d{x, y, uniform(engine)});
    }
    return points;
}

std::vector<Vec3d> lattice_points(int side, double spacing, Vec3d corner) {
    std::vector<Vec3d> points;
    for (int x = 0; x < side; ++x)
        for (int y = 0; y < side; ++y)
            for (int z = 0; z < side; ++z) points.push_back(corner + spacing * Vec3d{double(x), double(y), double(z)});
    return points;
}

template <class Grid>
class Grids : public testing::Test {};
using Kinds = testing::Types<CellGrid, SortedGrid<Cpu>>;
TYPED_TEST_SUITE(Grids, Kinds);

TYPED_TEST(Grids, FindsExactlyThePairsOfRandomPointsAroundTheOrigin) {
    for (double radius : {0.1, 0.3, 1.0, 5.0}) expect_all_pairs<TypeParam>(random_points(600, {}, 1), radius);
}

TYPED_TEST(Grids, FindsExactlyThePairsWhereAllCoordinatesAreNegative) {
    expect_all_pairs<TypeParam>(random_points(500, {-20, -30, -40}, 1), 0.3);
}

TYPED_TEST(Grids, FindsExactlyThePairsFarFromTheOrigin) {
    for (double far : {1e4, -1e4}) expect_all_pairs<TypeParam>(random_points(500, {far, -far, far}, 1), 0.3);
}

TYPED_TEST(Grids, FindsExactlyThePairsOfALattice) {
    double const d = 0.05;
    for (Vec3d corner : {Vec3d{}, Vec3d{-0.2, -0.2, -0.2}, Vec3d{1e4, 3, -1e4}})
        for (double radius : {1.2 * d, 2.5 * d}) expect_all_pairs<TypeParam>(lattice_points(7, d, corner), radius);
}

TYPED_TEST(Grids, FindsPointsThatCoincideOrShareACell) {
    std::vector<Vec3d> points(50, Vec3d{0.3, -0.7, 2});  // all in one place
    for (Vec3d p : random_points(50, {0.3, -0.7, 2}, 0.01)) points.push_back(p);
    expect_all_pairs<TypeParam>(points, 0.5);
}

TYPED_TEST(Grids, DoesNotMistakePointsThatAreTwoMillionCellsApartForNeighbours) {
    // Keys keep 21 bits of a cell's number, so cells 2^21 = 2097152 apart share a key. The grid may visit such points,
    // as it visits others that are too far, but each only once.
    std::vector<Vec3d> points = random_points(50, {}, 1);
    for (Vec3d p : random_points(50, {2097152, 0, 0}, 1)) points.push_back(p);
    expect_all_pairs<TypeParam>(points, 1);
}

TYPED_TEST(Grids, HoldsOnlyThePointsOfItsRange) {
    std::vector<Vec3d> const points = random_points(300, {}, 1);
    Range const part{100, 230};
    Cpu exec(1);
    TypeParam grid;
    grid.build(exec, part, 0.4, [&](Index i) { return points[i]; });
    EXPECT_EQ(grid_pairs(grid, points, part, 0.4), brute_force_pairs(points, part, 0.4));
    grid.view().for_each_near({}, [&](Index j) { EXPECT_TRUE(j >= part.begin && j < part.end); });
}

TYPED_TEST(Grids, ForgetsTheOldPointsWhenBuiltAgain) {
    std::vector<Vec3d> const many = random_points(300, {}, 1), few = random_points(20, {}, 0.5);
    Cpu exec(1);
    TypeParam grid;
    grid.build(exec, {0, 300}, 0.4, [&](Index i) { return many[i]; });
    grid.build(exec, {0, 20}, 0.3, [&](Index i) { return few[i]; });
    EXPECT_EQ(grid_pairs(grid, few, {0, 20}, 0.3), brute_force_pairs(few, {0, 20}, 0.3));
    grid.build(exec, {0, 0}, 0.3, [&](Index i) { return few[i]; });
    grid.view().for_each_near({}, [](Index) { ADD_FAILURE() << "an empty grid has no points"; });
}

TEST(SortedGrid, LeavesOutMostPointsThatAreFartherThanACell) {
    // 27 cells have 6.4 times the volume of a ball with the radius of a cell; margins add less than a hundredth.
    std::vector<Vec3d> const points = random_points(20000, {3, -4, 5}, 1);
    double const radius = 0.2;
    Cpu exec(2);
    SortedGrid<Cpu> grid;
    grid.build(exec, {0, 20000}, radius, [&](Index i) { return points[i]; });
    std::size_t visited = 0, near = 0;
    for (Index i = 0; i < 500; ++i)
        grid.view().for_each_near(points[i], [&](Index j) {
            ++visited;
            near += norm(points[j] - points[i]) < radius;
        });
    EXPECT_LT(double(visited), 1.01 * double(near));
}

}  // namespace
}  // namespace pliant
