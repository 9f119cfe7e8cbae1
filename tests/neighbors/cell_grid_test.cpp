// The grid finds all pairs within its radius, wherever the points lie.
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

// The pairs among those that the grid visits; a point that it visits twice shows up twice.
Pairs grid_pairs(CellGrid const& grid, std::vector<Vec3d> const& points, Range range, double radius) {
    Pairs pairs;
    for (Index i = range.begin; i < range.end; ++i)
        grid.for_each_near(points[i], [&](Index j) {
            if (norm(points[j] - points[i]) < radius) pairs.emplace_back(i, j);
        });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

void expect_all_pairs(std::vector<Vec3d> const& points, double radius) {
    Range const all{0, Index(points.size())};
    Cpu exec(2);
    CellGrid grid;
    grid.build(exec, all, radius, [&](Index i) { return points[i]; });
    Pairs const expected = brute_force_pairs(points, all, radius);
    EXPECT_GT(expected.size(),
              points.size());  // more pairs than every point with itself: the test has something to find
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

TEST(CellGrid, FindsExactlyThePairsOfRandomPointsAroundTheOrigin) {
    for (double radius : {0.1, 0.3, 1.0, 5.0}) expect_all_pairs(random_points(600, {}, 1), radius);
}

TEST(CellGrid, FindsExactlyThePairsWhereAllCoordinatesAreNegative) {
    expect_all_pairs(random_points(500, {-20, -30, -40}, 1), 0.3);
}

TEST(CellGrid, FindsExactlyThePairsFarFromTheOrigin) {
    for (double far : {1e4, -1e4}) expect_all_pairs(random_points(500, {far, -far, far}, 1), 0.3);
}

TEST(CellGrid, FindsExactlyThePairsOfALattice) {
    double const d = 0.05;
    for (Vec3d corner : {Vec3d{}, Vec3d{-0.2, -0.2, -0.2}, Vec3d{1e4, 3, -1e4}})
        for (double radius : {1.2 * d, 2.5 * d}) expect_all_pairs(lattice_points(7, d, corner), radius);
}

TEST(CellGrid, FindsPointsThatCoincideOrShareACell) {
    std::vector<Vec3d> points(50, Vec3d{0.3, -0.7, 2});  // all in one place
    for (Vec3d p : random_points(50, {0.3, -0.7, 2}, 0.01)) points.push_back(p);
    expect_all_pairs(points, 0.5);
}

TEST(CellGrid, DoesNotMistakePointsThatAreTwoMillionCellsApartForNeighbours) {
    // Keys keep 21 bits of a cell's number, so cells that are 2^21 = 2097152 apart share a key. The grid may visit such
    // points, as it visits others that are too far, but each only once.
    std::vector<Vec3d> points = random_points(50, {}, 1);
    for (Vec3d p : random_points(50, {2097152, 0, 0}, 1)) points.push_back(p);
    expect_all_pairs(points, 1);
}

TEST(CellGrid, HoldsOnlyThePointsOfItsRange) {
    std::vector<Vec3d> const points = random_points(300, {}, 1);
    Range const part{100, 230};
    Cpu exec(1);
    CellGrid grid;
    grid.build(exec, part, 0.4, [&](Index i) { return points[i]; });
    EXPECT_EQ(grid_pairs(grid, points, part, 0.4), brute_force_pairs(points, part, 0.4));
    grid.for_each_near({}, [&](Index j) { EXPECT_TRUE(j >= part.begin && j < part.end); });
}

TEST(CellGrid, ForgetsTheOldPointsWhenBuiltAgain) {
    std::vector<Vec3d> const many = random_points(300, {}, 1), few = random_points(20, {}, 0.5);
    Cpu exec(1);
    CellGrid grid;
    grid.build(exec, {0, 300}, 0.4, [&](Index i) { return many[i]; });
    grid.build(exec, {0, 20}, 0.3, [&](Index i) { return few[i]; });
    EXPECT_EQ(grid_pairs(grid, few, {0, 20}, 0.3), brute_force_pairs(few, {0, 20}, 0.3));
    grid.build(exec, {0, 0}, 0.3, [&](Index i) { return few[i]; });
    grid.for_each_near({}, [](Index) { ADD_FAILURE() << "an empty grid has no points"; });
}

// Points visited around `center`, in ascending order; all = false: but for cells of `label` alone.
std::vector<Index> visited(CellGrid const& grid, Vec3d center, std::uint32_t label, bool all) {
    std::vector<Index> points;
    auto const visit = [&](Index j) { points.push_back(j); };
    all ? grid.for_each_near(center, visit) : grid.for_each_near_but(label, center, visit);
    std::sort(points.begin(), points.end());
    return points;
}

TEST(CellGrid, LeavesOutTheCellsThatHoldOneLabelOnly) {
    // Cells [0, 1), [1, 2) and [2, 3) along x: label 7 alone, 7 and 9 mixed, 9 alone.
    std::vector<Vec3d> const points{{0.2, 0, 0}, {0.7, 0, 0}, {1.2, 0, 0}, {1.5, 0, 0}, {1.7, 0, 0}, {2.5, 0, 0}};
    std::vector<std::uint32_t> const labels{7, 7, 7, 9, 7, 9};
    Cpu exec(1);
    CellGrid grid;
    grid.build(
        exec, {0, 6}, 1, [&](Index i) { return points[i]; }, [&](Index i) { return labels[i]; });
    Vec3d const center{1.5, 0, 0};
    EXPECT_EQ(visited(grid, center, 7, true), (std::vector<Index>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(visited(grid, center, 7, false), (std::vector<Index>{2, 3, 4, 5}));
    EXPECT_EQ(visited(grid, center, 9, false), (std::vector<Index>{0, 1, 2, 3, 4}));
    EXPECT_EQ(visited(grid, center, 8, false), (std::vector<Index>{0, 1, 2, 3, 4, 5}));  // nobody's label
}

TEST(CellGrid, VisitsEveryPointOfAnotherLabel) {
    auto const points = random_points(400, {-3, 2, 1}, 1);
    auto const label = [&](Index i) { return points[i].x < -3 ? 0u : 1u; };  // halves: cells of one label and of both
    double const radius = 0.3;
    Cpu exec(2);
    CellGrid grid;
    grid.build(
        exec, {0, 400}, radius, [&](Index i) { return points[i]; }, label);
    std::size_t with_all = 0, with_others = 0;
    for (Index i = 0; i < 400; ++i) {
        auto const near = visited(grid, points[i], label(i), false);
        for (Index j = 0; j < 400; ++j)
            if (label(j) != label(i) && norm(points[j] - points[i]) < radius) {
                ASSERT_TRUE(std::binary_search(near.begin(), near.end(), j));
            }
        with_others += near.size();
        with_all += visited(grid, points[i], label(i), true).size();
    }
    EXPECT_LT(2 * with_others, with_all);  // that is what it is for
}

}  // namespace
}  // namespace pliant
