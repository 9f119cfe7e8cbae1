// The order of particles along a space-filling curve.
#include <pliant/neighbors/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pliant {
namespace {

std::vector<Vec3d> shuffled_lattice(int side, double spacing, Vec3d corner) {
    std::vector<Vec3d> points;
    for (int x = 0; x < side; ++x)
        for (int y = 0; y < side; ++y)
            for (int z = 0; z < side; ++z) points.push_back(corner + spacing * Vec3d{double(x), double(y), double(z)});
    std::mt19937 engine(71);
    for (std::size_t i = points.size() - 1; i > 0; --i) std::swap(points[i], points[engine() % (i + 1)]);
    return points;
}

bool is_permutation_of_all(std::vector<Index> order) {
    std::sort(order.begin(), order.end());
    for (Index k = 0; k < order.size(); ++k)
        if (order[k] != k) return false;
    return true;
}

TEST(SpreadBits, PutsTwoZerosBetweenAnyTwoBits) {
    for (int bit = 0; bit < 21; ++bit) EXPECT_EQ(spread_bits(1ULL << bit), 1ULL << (3 * bit));
    EXPECT_EQ(spread_bits(0x1fffff), 0x1249249249249249ULL);  // all 21 bits: every third of 63
    EXPECT_EQ(spread_bits(1ULL << 21), 0u);                   // excess bits are cut off, not mixed in
}

TEST(SpaceFillingOrder, NamesEveryParticleOnce) {
    Cpu exec(2);
    for (Vec3d corner : {Vec3d{}, Vec3d{-5, -6, -7}, Vec3d{1e4, -1e4, 1e4}}) {
        auto const points = shuffled_lattice(10, 0.1, corner);
        auto const order = space_filling_order(exec, points, 0.1);
        ASSERT_EQ(order.size(), points.size());
        EXPECT_TRUE(is_permutation_of_all(order));
    }
    EXPECT_TRUE(space_filling_order(exec, {}, 0.1).empty());
    std::vector<Vec3d> const same(5, Vec3d{1, 2, 3});  // ties keep their order
    EXPECT_EQ(space_filling_order(exec, same, 0.1), (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(SpaceFillingOrder, PutsBlocksOfALatticeTogether) {
    // On a lattice of 16^3, each run of 64 particles is a cube of 4^3, and each run of 8 a cube of 2^3, although
    // rounding puts lattice points slightly to either side of their cell's edge.
    double const d = 0.1;
    auto const points = shuffled_lattice(16, d, {0.3, -0.7, 12.1});
    Cpu exec(2);
    auto const order = space_filling_order(exec, points, d);
    for (Index run : {8, 64, 512})
        for (Index start = 0; start < order.size(); start += run) {
            Vec3d low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
            for (Index k = start; k < start + run; ++k) {
                Vec3d const p = points[order[k]];
                low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
            }
            double const edge = (std::round(std::cbrt(double(run))) - 1) * d;
            for (int k = 0; k < 3; ++k) ASSERT_NEAR(high[k] - low[k], edge, 1e-9);
        }
}

TEST(SpaceFillingOrder, BringsNeighboursInSpaceTogetherInMemory) {
    // How far apart in memory are neighbours in space? Row by row, the three directions of a 20^3 lattice give 1, 20
    // and 400, so the median is 20; shuffled, thousands. Along the curve half are within 8 places.
    int const side = 20;
    auto const points = shuffled_lattice(side, 1, {});
    Cpu exec(2);
    auto const order = space_filling_order(exec, points, 1);
    std::vector<Index> place(points.size());  // of a lattice point in the new order
    auto const number = [&](Vec3d p) { return std::size_t((p.x * side + p.y) * side + p.z); };
    for (Index k = 0; k < order.size(); ++k) place[number(points[order[k]])] = k;
    std::vector<double> distances;
    for (Vec3d p : points)
        for (Vec3d step : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
            Vec3d const q = p + step;
            if (std::max({q.x, q.y, q.z}) >= side) continue;
            distances.push_back(std::abs(double(place[number(p)]) - double(place[number(q)])));
        }
    std::nth_element(distances.begin(), distances.begin() + distances.size() / 2, distances.end());
    EXPECT_LE(distances[distances.size() / 2], 8);
}

}  // namespace
}  // namespace pliant
