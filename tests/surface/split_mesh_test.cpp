// Meshes split along cuts: closed, with the volume that the cut leaves to each part.
#include <pliant/scene/tessellate.hpp>
#include <pliant/surface/skin.hpp>
#include <pliant/surface/split_mesh.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace pliant::surface {
namespace {

constexpr double d = 0.1;  // spacing [m]
constexpr int n = 10;      // particles along an edge of the cube, which is 1 m long

std::vector<Vec3d> lattice() {
    std::vector<Vec3d> X;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) X.push_back(d * Vec3d{x - 4.5, y - 4.5, z - 4.5});
    return X;
}

// What a blade in the plane x.axis = height leaves behind where it has passed: particles within two spacings of it.
CutField cut_along(int axis, double height, std::function<bool(Vec3d)> const& passed) {
    Cpu exec(1);
    std::vector<CutField::Mark> marks;
    for (Vec3d const& X : lattice()) {
        Vec3d const at{X[(axis + 1) % 3], X[(axis + 2) % 3], X[axis] - height};  // a right-handed frame
        if (std::abs(at.z) < 2 * d && passed(X)) marks.push_back({X, at});
    }
    return CutField(exec, marks, d);
}
bool everywhere(Vec3d) { return true; }

// Every edge belongs to two polygons, which run along it in opposite directions.
void expect_closed(PolygonMesh const& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        std::size_t const begin = mesh.polygon_begin(p), size = mesh.polygon_end[p] - begin;
        for (std::size_t k = 0; k < size; ++k) ++edges[{mesh.corner[begin + k], mesh.corner[begin + (k + 1) % size]}];
    }
    std::size_t open = 0;
    for (auto const& [edge, count] : edges) {
        auto const opposite = edges.find({edge.second, edge.first});
        open += opposite == edges.end() || opposite->second != count;
    }
    EXPECT_EQ(open, 0u) << "of " << edges.size();
}

// The volumes of the connected parts, smallest first [m3].
std::vector<double> volumes(PolygonMesh const& mesh) {
    std::vector<std::uint32_t> part(mesh.vertex.size());
    std::iota(part.begin(), part.end(), 0u);
    auto const of = [&](std::uint32_t v) {
        while (part[v] != v) v = part[v] = part[part[v]];
        return v;
    };
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p)
        for (std::size_t k = mesh.polygon_begin(p); k < mesh.polygon_end[p]; ++k)
            part[of(mesh.corner[k])] = of(mesh.corner[mesh.polygon_begin(p)]);
    std::map<std::uint32_t, double> sums;
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        Vec3d const a = mesh.vertex[mesh.corner[mesh.polygon_begin(p)]];
        for (std::size_t k = mesh.polygon_begin(p) + 1; k + 1 < mesh.polygon_end[p]; ++k)
            sums[of(mesh.corner[k])] += dot(a, cross(mesh.vertex[mesh.corner[k]], mesh.vertex[mesh.corner[k + 1]])) / 6;
    }
    std::vector<double> result;
    for (auto const& [root, volume] : sums) result.push_back(volume);
    std::sort(result.begin(), result.end());
    return result;
}

class SplitMeshes : public testing::TestWithParam<double> {  // the length of an edge of the mesh [m]
protected:
    PolygonMesh cube() const { return tessellate(BoxShape{{1, 1, 1}}, GetParam()); }
};

TEST_P(SplitMeshes, OfACubeAreTwoClosedParts) {
    std::map<std::uint32_t, CutField> cuts;
    cuts.emplace(0, cut_along(1, 0.13, everywhere));
    SplitMesh const split = split_mesh(cube(), cuts, d);
    expect_closed(split.mesh);
    auto const parts = volumes(split.mesh);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_NEAR(parts[0], 0.37, 1e-6);  // (0.5 - 0.13) m high
    EXPECT_NEAR(parts[1], 0.63, 1e-6);
}

TEST_P(SplitMeshes, OfTwoCrossingCutsAreFourClosedParts) {
    std::map<std::uint32_t, CutField> cuts;
    cuts.emplace(0, cut_along(1, 0.13, everywhere));
    cuts.emplace(1, cut_along(0, -0.02, everywhere));
    SplitMesh const split = split_mesh(cube(), cuts, d);
    expect_closed(split.mesh);
    auto const parts = volumes(split.mesh);
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_NEAR(parts[0], 0.37 * 0.48, 2e-3);
    EXPECT_NEAR(parts[3], 0.63 * 0.52, 2e-3);
}

TEST_P(SplitMeshes, OfACutThatEndsInTheMiddleAreOneClosedPart) {
    std::map<std::uint32_t, CutField> cuts;
    cuts.emplace(0, cut_along(1, 0.13, [](Vec3d X) { return X.x < 0; }));
    SplitMesh const split = split_mesh(cube(), cuts, d);
    EXPECT_GT(split.mesh.vertex.size(), cube().vertex.size() + 100);
    expect_closed(split.mesh);
    auto const parts = volumes(split.mesh);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_NEAR(parts[0], 1, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Edges, SplitMeshes, testing::Values(0.07, 0.5),
                         [](auto const& of) { return of.param < 0.1 ? std::string("Fine") : std::string("Coarse"); });

// The sides of the cylinder are as long as the cylinder.
TEST(SplitMeshes, OfALongCylinderAreThreeClosedParts) {
    Cpu exec(1);
    std::map<std::uint32_t, CutField> cuts;
    std::uint32_t cut = 0;
    for (double height : {-1.03, 0.77}) {
        std::vector<CutField::Mark> marks;
        for (int z = -4; z <= 4; ++z)
            for (int y = -30; y <= 30; ++y)
                for (int x = -4; x <= 4; ++x) {
                    Vec3d const X = d * Vec3d{double(x), double(y), double(z)};
                    if (std::hypot(X.x, X.z) < 0.46 && std::abs(X.y - height) < 2 * d)
                        marks.push_back({X, {X.z, X.x, X.y - height}});
                }
        cuts.emplace(std::piecewise_construct, std::forward_as_tuple(cut++), std::forward_as_tuple(exec, marks, d));
    }
    PolygonMesh const cylinder = tessellate(CylinderShape{0.5, 6.1}, d);
    double const area = volumes(cylinder).at(0) / 6.1;
    SplitMesh const split = split_mesh(cylinder, cuts, d);
    expect_closed(split.mesh);
    auto const parts = volumes(split.mesh);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_NEAR(parts[0], area * 1.80, 1e-3 * area);
    EXPECT_NEAR(parts[1], area * (3.05 - 1.03), 1e-3 * area);
    EXPECT_NEAR(parts[2], area * (3.05 - 0.77), 1e-3 * area);
}

TEST(SplitSkins, FollowThePartsTheyBelongTo) {
    Frame rest;
    for (Vec3d const& X : lattice()) rest.position.push_back(cast<float>(X));
    rest.velocity.resize(rest.position.size());
    rest.body.resize(rest.position.size());
    Skin const skin(rest, {{tessellate(BoxShape{{1, 1, 1}}, 0.07), d}}, 1);
    Frame now = rest;
    for (std::uint32_t i = 0; i < rest.position.size(); ++i) {
        Vec3f const X = rest.position[i];
        if (std::abs(X.y - 0.13f) < 2 * d) now.cut_marks.push_back({i, 0, {X.z, X.x, X.y - 0.13f}});
        if (X.y > 0.13f) now.position[i] += Vec3f{0, 1, 0};
    }
    SurfaceMesh const mesh = skin.move(now);
    for (Vec3f const& x : mesh.position)  // nothing hangs between the parts
        EXPECT_TRUE(x.y < 0.13f + 1e-4f || x.y > 1.13f - 1e-4f) << x.y;
}

}  // namespace
}  // namespace pliant::surface
