// Shapes as polygons: closed, oriented outwards, on the surface.
#include <pliant/scene/level_set.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/tessellate.hpp>
#include <pliant/scene/voxelize.hpp>

#include <gtest/gtest.h>
#include <scene/mesh_fixtures.hpp>

#include <set>

namespace pliant {
namespace {

double volume_of(PolygonMesh const& mesh) {
    double sum = 0;
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        std::size_t const first = mesh.polygon_begin(p);
        auto const at = [&](std::size_t k) { return mesh.vertex[mesh.corner[k]]; };
        for (std::size_t k = first + 2; k < mesh.polygon_end[p]; ++k)
            sum += dot(at(first), cross(at(k - 1), at(k))) / 6;
    }
    return sum;
}

template <class Visit>
void for_each_edge(PolygonMesh const& mesh, Visit const& visit) {
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        std::size_t const first = mesh.polygon_begin(p), n = mesh.polygon_end[p] - first;
        for (std::size_t k = 0; k < n; ++k) visit(mesh.corner[first + k], mesh.corner[first + (k + 1) % n]);
    }
}

// Every edge occurs once in each direction.
void expect_closed(PolygonMesh const& mesh) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for_each_edge(mesh, [&](std::uint32_t a, std::uint32_t b) { EXPECT_TRUE(edges.emplace(a, b).second); });
    for (auto const& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a}));
    std::set<std::uint32_t> const used(mesh.corner.begin(), mesh.corner.end());
    EXPECT_EQ(used.size(), mesh.vertex.size());
}

struct Sample {
    char const* name;
    Shape shape;
    std::ptrdiff_t euler;  // V - E + F: 2 for a ball, 0 for a ring
};

class Tessellate : public testing::TestWithParam<std::tuple<Sample, double>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Tessellate,
                         testing::Combine(testing::Values(Sample{"box", BoxShape{{1, 0.5, 0.21}}, 2},
                                                          Sample{"sphere", SphereShape{0.5}, 2},
                                                          Sample{"cylinder", CylinderShape{0.3, 1}, 2},
                                                          Sample{"flat cylinder", CylinderShape{0.5, 0.02}, 2},
                                                          Sample{"torus", TorusShape{0.5, 0.2}, 0},
                                                          Sample{"star", StarShape{5, 0.5, 0.2, 0.3}, 2},
                                                          Sample{"triangular star", StarShape{3, 0.5, 0.1, 0.3}, 2}),
                                          testing::Values(0.03, 0.1, 10.0)));

TEST_P(Tessellate, GivesClosedMeshesOfTheRightVolumeOnTheSurface) {
    auto const& [sample, edge] = GetParam();
    SCOPED_TRACE(sample.name);
    PolygonMesh const mesh = tessellate(sample.shape, edge);
    expect_closed(mesh);
    EXPECT_EQ(std::ptrdiff_t(mesh.vertex.size()) - std::ptrdiff_t(mesh.corner.size() / 2) +
                  std::ptrdiff_t(mesh.polygon_count()),
              sample.euler);
    // Circles have at least 32 sides: 0.6 % of their area is missing; for a sphere, 1.7 % of its volume.
    EXPECT_NEAR(volume_of(mesh), volume(sample.shape), 0.02 * volume(sample.shape));
    for (Vec3d p : mesh.vertex) EXPECT_NEAR(signed_distance(sample.shape, p), 0, 1e-12);
    for_each_edge(mesh, [&](std::uint32_t a, std::uint32_t b) {
        EXPECT_LE(norm(mesh.vertex[a] - mesh.vertex[b]), edge * (1 + 1e-9));
    });
}

TEST_P(Tessellate, GivesTextureCoordinatesWithinThePicture) {
    auto const& [sample, edge] = GetParam();
    PolygonMesh const mesh = tessellate(sample.shape, edge);
    ASSERT_EQ(mesh.corner_uv.size(), mesh.corner.size());
    for (std::uint32_t index : mesh.corner_uv) ASSERT_LT(index, mesh.uv.size());
    for (auto const& [u, v] : mesh.uv) EXPECT_TRUE(u >= 0 && u <= 1 && v >= 0 && v <= 1) << u << " " << v;
}

TEST(TessellateBox, HasTheCornersOfTheBoxAndSquareCells) {
    PolygonMesh const mesh = tessellate(BoxShape{{0.4, 0.2, 0.3}}, 0.1);
    EXPECT_EQ(mesh.polygon_count(), 2u * (4 * 2 + 2 * 3 + 3 * 4));
    Vec3d const corner{0.2, 0.1, 0.15};
    EXPECT_NE(std::find(mesh.vertex.begin(), mesh.vertex.end(), corner), mesh.vertex.end());
    EXPECT_NE(std::find(mesh.vertex.begin(), mesh.vertex.end(), -corner), mesh.vertex.end());
}

class TessellateMesh : public MeshTest {};

TEST_F(TessellateMesh, IsTheMeshItselfScaledAndCentred) {
    write("box.obj",
          "v 1 1 1\nv 3 1 1\nv 3 5 1\nv 1 5 1\nv 1 1 7\nv 3 1 7\nv 3 5 7\nv 1 5 7\n"
          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    Scene box = scene("{ mesh = 'box.obj', height = 2 }", "particles = 1000");
    make_level_sets(box);
    Shape const& shape = box.bodies[0].shape;
    PolygonMesh const mesh = tessellate(shape, 0.1);
    expect_closed(mesh);
    EXPECT_EQ(mesh.vertex.size(), 8u);
    EXPECT_EQ(mesh.polygon_count(), 6u);
    EXPECT_EQ(mesh.vertex[0], (Vec3d{-0.5, -1, -1.5}));
    EXPECT_EQ(mesh.vertex[6], (Vec3d{0.5, 1, 1.5}));
    EXPECT_NEAR(volume_of(mesh), volume(shape), 1e-9);
    double const cell = std::get<MeshShape>(shape).level_set->cell;
    for (Vec3d p : mesh.vertex) EXPECT_NEAR(signed_distance(shape, p), 0, cell);  // level sets round off corners
}

}  // namespace
}  // namespace pliant
