#include <gtest/gtest.h>
#include <pliant/render/triangles.hpp>
#include <render/fixtures.hpp>

namespace pliant::test {

using namespace render;

TEST(Creases, TheCornersOfACubeKeepTheNormalsOfItsFaces) {
    Cpu cpu(2);
    SurfaceMesh const mesh = box_mesh({1, 2, 3}, {5, 6, 7});
    std::vector<Vec3f> const normal = corner_normals(mesh, cpu);
    Vec3f const face[6] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    for (std::size_t k = 0; k < 24; ++k) EXPECT_NEAR(norm(normal[k] - face[k / 4]), 0, 1e-6) << k;
}

TEST(Creases, ABallIsSmooth) {
    Cpu cpu(2);
    SurfaceMesh const mesh = ball_mesh(2, {1, 0, 0}, 12);  // facets meet at 15 degrees
    std::vector<Vec3f> const normal = corner_normals(mesh, cpu);
    for (std::size_t k = 0; k < normal.size(); ++k) {
        Vec3f const outward = normalized(mesh.position[mesh.corner[k]] - Vec3f{1, 0, 0});
        if (std::abs(outward.y) > 0.999f) continue;  // at the poles every facet has its own vertex
        // Radial, except for the unequal sizes of the facets above and below.
        EXPECT_GT(dot(normal[k], outward), std::cos(3 * std::numbers::pi_v<float> / 180)) << k;
    }
}

TEST(Creases, TheAngleDecides) {
    Cpu cpu(1);
    for (float const degrees : {30.0f, 50.0f}) {  // two quads that meet at this angle
        float const a = degrees * std::numbers::pi_v<float> / 180;
        SurfaceMesh mesh;
        mesh.position = {{-1, 0, 0},
                         {-1, 0, 1},
                         {0, 0, 1},
                         {0, 0, 0},
                         {std::cos(a), -std::sin(a), 1},
                         {std::cos(a), -std::sin(a), 0}};
        mesh.corner = {0, 1, 2, 3, 3, 2, 4, 5};
        mesh.polygon_end = {4, 8};
        std::vector<Vec3f> const normal = corner_normals(mesh, cpu, 40);
        EXPECT_EQ(normal[2] == normal[5], degrees < 40) << degrees;  // both at vertex 2
        EXPECT_NEAR(normal[0].y, 1, 1e-6);                           // away from the edge nothing changes
    }
}

TEST(Triangles, PolygonsBecomeFansAndNonFiniteOnesAreLeftOut) {
    Cpu cpu(1);
    SurfaceMesh mesh = box_mesh({1, 1, 1}, {});
    EXPECT_EQ(triangles_of(mesh, cpu).vertex.size(), 12u);
    mesh.position[0].x = NAN;  // three quads meet there: in one of them vertex 0 is the first corner of both triangles
    std::size_t whole = 0;
    for (auto const& vertex : triangles_of(mesh, cpu).vertex)
        whole += vertex[0] != 0 && vertex[1] != 0 && vertex[2] != 0;
    EXPECT_EQ(whole, triangles_of(mesh, cpu).vertex.size());
    EXPECT_GE(whole, 6u);
    EXPECT_TRUE(triangles_of(SurfaceMesh{}, cpu).vertex.empty());
}

}  // namespace pliant::test
