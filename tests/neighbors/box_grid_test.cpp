// The grid over a box finds all pairs within its cell width, each once: with a table of all cells and with a shorter
// table, in boxes that contain all points and in boxes that do not.
#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/box_grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace pliant {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

struct Box {
    Vec3d low, high;
};

Box box_of(std::vector<Vec3d> const& points) {
    Box box{points[0], points[0]};
    for (Vec3d p : points)
        for (int k = 0; k < 3; ++k) box.low[k] = std::min(box.low[k], p[k]), box.high[k] = std::max(box.high[k], p[k]);
    return box;
}

std::vector<Vec3d> random_points(int count, Vec3d center, double half_width) {
    std::mt19937 engine(67);
    std::uniform_real_distribution<double> uniform(-half_width, half_width);
    std::vector<Vec3d> points;
    for (int n = 0; n < count; ++n) {
        double const x = uniform(engine), y = uniform(engine);
        points.push_back(center + Vec3d{x, y, uniform(engine)});
    }
    return points;
}

Pairs brute_force_pairs(std::vector<Vec3d> const& points, double radius) {
    Pairs pairs;
    for (Index i = 0; i < points.size(); ++i)
        for (Index j = 0; j < points.size(); ++j)
            if (norm(points[j] - points[i]) < radius) pairs.emplace_back(i, j);
    return pairs;
}

// The pairs among the points that the grid visits; a point visited twice appears twice.
Pairs grid_pairs(BoxGridView grid, std::vector<Vec3d> const& points, double radius) {
    Pairs pairs;
    for (Index i = 0; i < points.size(); ++i)
        grid.for_each_near<Lanes<1>>(points[i], [&](GridPoint const& point) {
            EXPECT_EQ(point.at, points[point.index]);
            if (norm(point.at - points[i]) < radius) pairs.emplace_back(i, point.index);
        });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

void expect_all_pairs(std::vector<Vec3d> const& points, Box box, double radius, bool folded) {
    Cpu exec(2);
    BoxGrid<Cpu> grid;
    Index const n = Index(points.size());
    BoxCells const cells = BoxCells::over(box.low, box.high, radius, n);
    EXPECT_EQ(cells.folded(), folded);
    grid.build(
        exec, n, cells,
        [&](Index i) {
            return GridPoint{points[i], i, 0};
        },
        true);
    Pairs const expected = brute_force_pairs(points, radius);
    EXPECT_GT(expected.size(), points.size());  // more than each point with itself
    EXPECT_EQ(grid_pairs(grid.view(), points, radius), expected);
}

TEST(BoxGrid, FindsExactlyThePairsOfPointsAnywhere) {
    for (Vec3d center : {Vec3d{}, Vec3d{-20, -30, -40}, Vec3d{1e4, -1e4, 1e4}})
        for (double radius : {0.15, 0.3, 1.0, 5.0}) {
            auto const points = random_points(500, center, 1);
            expect_all_pairs(points, box_of(points), radius, false);
        }
}

TEST(BoxGrid, FindsExactlyThePairsWhereTheTableIsShorterThanTheCells) {
    // Two clouds 300 apart: 300^3 / 0.3^3 = 1e9 cells against a table of 4 * 600 + 4096 entries.
    auto points = random_points(300, {-150, -150, -150}, 1);
    for (Vec3d p : random_points(300, {150, 150, 150}, 1)) points.push_back(p);
    expect_all_pairs(points, box_of(points), 0.3, true);
    points.push_back({1e12, 0, 0});  // one that has flown off: cells are counted up to 2^20 along an axis
    expect_all_pairs(points, box_of(points), 0.3, true);
}

TEST(BoxGrid, FindsExactlyThePairsOfPointsOutsideOfItsBox) {
    auto const points = random_points(500, {3, 2, 1}, 1);
    expect_all_pairs(points, {{2.8, 1.8, 0.8}, {3.3, 2.3, 1.3}}, 0.2, false);  // only their middle
    expect_all_pairs(points, {{7, 7, 7}, {8, 8, 8}}, 0.2, false);              // far from all of them
    expect_all_pairs(points, {{3, 2, 1}, {3, 2, 1}}, 0.2, false);              // a point
}

TEST(BoxGrid, TakesAPointThatIsNotANumber) {
    auto points = random_points(100, {}, 1);
    Box const box = box_of(points);
    points.push_back({std::numeric_limits<double>::quiet_NaN(), 0, 0});
    Cpu exec(1);
    BoxGrid<Cpu> grid;
    grid.build(
        exec, 101, BoxCells::over(box.low, box.high, 0.4, 101),
        [&](Index i) {
            return GridPoint{points[i], i, 0};
        },
        false);
    auto const numbers = std::vector<Vec3d>(points.begin(), points.end() - 1);
    Pairs pairs;
    for (Index i = 0; i < 100; ++i)
        grid.view().for_each_near<Lanes<1>>(points[i], [&](GridPoint const& point) {
            if (norm(point.at - points[i]) < 0.4) pairs.emplace_back(i, point.index);
        });
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(pairs, brute_force_pairs(numbers, 0.4));
}

TEST(BoxGrid, ForgetsTheOldPointsWhenBuiltAgain) {
    auto const many = random_points(300, {}, 1), few = random_points(20, {}, 0.5);
    Cpu exec(1);
    BoxGrid<Cpu> grid;
    auto const build = [&](std::vector<Vec3d> const& points, Index count, double radius) {
        Box const box = box_of(points);
        grid.build(
            exec, count, BoxCells::over(box.low, box.high, radius, count),
            [&](Index i) {
                return GridPoint{points[i], i, 0};
            },
            true);
    };
    build(many, 300, 0.4), build(few, 20, 0.3);
    EXPECT_EQ(grid_pairs(grid.view(), few, 0.3), brute_force_pairs(few, 0.3));
    build(few, 0, 0.3);
    grid.view().for_each_near<Lanes<1>>({}, [](GridPoint const&) { ADD_FAILURE() << "an empty grid has no points"; });
}

std::vector<Index> visited(BoxGridView grid, Vec3d center, std::uint32_t label) {
    std::vector<Index> points;
    grid.for_each_near_but<Lanes<1>>(label, center, [&](GridPoint const& point) { points.push_back(point.index); });
    std::sort(points.begin(), points.end());
    return points;
}

TEST(BoxGrid, LeavesOutTheCellsThatHoldOneLabelOnly) {
    // Cells [0, 1), [1, 2) and [2, 3) along x: only label 7, both 7 and 9, only 9.
    std::vector<Vec3d> const points{{0.2, 0, 0}, {0.7, 0, 0}, {1.2, 0, 0}, {1.5, 0, 0}, {1.7, 0, 0}, {2.5, 0, 0}};
    std::vector<std::uint32_t> const labels{7, 7, 7, 9, 7, 9};
    Cpu exec(1);
    BoxGrid<Cpu> grid;
    grid.build(
        exec, 6, BoxCells::over({}, {3, 0, 0}, 1, 6),
        [&](Index i) {
            return GridPoint{points[i], i, labels[i]};
        },
        true);
    Vec3d const center{1.5, 0, 0};
    EXPECT_EQ(visited(grid.view(), center, 7), (std::vector<Index>{2, 3, 4, 5}));
    EXPECT_EQ(visited(grid.view(), center, 9), (std::vector<Index>{0, 1, 2, 3, 4}));
    EXPECT_EQ(visited(grid.view(), center, 8), (std::vector<Index>{0, 1, 2, 3, 4, 5}));  // a label that no point has
}

TEST(BoxGrid, VisitsEveryPointOfAnotherLabelWhereTheTableIsShort) {
    auto points = random_points(200, {-150, -150, -150}, 1);
    for (Vec3d p : random_points(200, {150, 150, 150}, 1)) points.push_back(p);
    auto const label = [&](Index i) { return std::uint32_t(i % 200 < 100 ? 0 : 1); };
    Box const box = box_of(points);
    Cpu exec(1);
    BoxGrid<Cpu> grid;
    BoxCells const cells = BoxCells::over(box.low, box.high, 0.4, 400);
    ASSERT_TRUE(cells.folded());
    grid.build(
        exec, 400, cells,
        [&](Index i) {
            return GridPoint{points[i], i, label(i)};
        },
        true);
    for (Index i = 0; i < 400; ++i) {
        auto const near = visited(grid.view(), points[i], label(i));
        EXPECT_TRUE(std::adjacent_find(near.begin(), near.end()) == near.end());  // none twice
        for (Index j = 0; j < 400; ++j)
            if (label(j) != label(i) && norm(points[j] - points[i]) < 0.4) {
                ASSERT_TRUE(std::binary_search(near.begin(), near.end(), j));
            }
    }
}

}  // namespace
}  // namespace pliant
