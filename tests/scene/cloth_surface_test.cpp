#include <pliant/math/triangle_area.hpp>
#include <pliant/scene/cloth_surface.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pliant {
namespace {

BodySpec body(Shape shape, double spacing) {
    BodySpec spec;
    spec.shape = std::move(shape);
    spec.spacing = spacing;
    return spec;
}

double total(ClothSurface const& s) {
    double sum = 0;
    for (float share : s.share) sum += double(share);
    return sum;
}

TEST(ClothSurface, ASheetHasParticlesAtItsCornersAndTheAreaAroundEach) {
    ClothSurface const s = cloth_surface(body(SheetShape{0.4, 0.2}, 0.05));
    EXPECT_EQ(s.vertex.size(), 9u * 5u);
    EXPECT_EQ(s.triangle.size(), 2u * 8u * 4u);
    EXPECT_NEAR(s.area, 0.08, 1e-12);
    EXPECT_NEAR(total(s), 45, 1e-4);  // single precision
    // A corner has a quarter of a cell, an inner particle a whole one, whatever the diagonals.
    EXPECT_NEAR(s.share[0] / s.share[10], 0.25, 1e-6);
    EXPECT_NEAR(s.share[11] / s.share[10], 1, 1e-6);
    EXPECT_EQ(s.vertex[0], (Vec3d{-0.2, 0, -0.1}));
}

TEST(ClothSurface, AClosedShapeIsItsSurface) {
    ClothSurface const s = cloth_surface(body(SphereShape{0.5}, 0.05));
    EXPECT_NEAR(s.area, std::numbers::pi, 0.01 * std::numbers::pi);  // a polyhedron
    for (Vec3d p : s.vertex) EXPECT_NEAR(norm(p), 0.5, 1e-12);
    EXPECT_NEAR(total(s), double(s.vertex.size()), 1e-3);
}

TEST(ClothSurface, ACountOfParticlesIsMetWithinATenth) {
    BodySpec spec = body(BoxShape{{0.3, 0.2, 0.1}}, 0);
    spec.spacing.reset(), spec.particles = 2000;
    double const count = double(cloth_surface(spec).vertex.size());
    EXPECT_NEAR(count, 2000, 200);
}

TEST(CornerAreas, SumUpToTheTriangleAndGiveARightAngleHalf) {
    auto const right = corner_areas({0, 0, 0}, {2, 0, 0}, {0, 2, 0});
    EXPECT_NEAR(right[0], 1, 1e-12);
    EXPECT_NEAR(right[1], 0.5, 1e-12);
    EXPECT_NEAR(right[2], 0.5, 1e-12);
    auto const obtuse = corner_areas({0, 0, 0}, {2, 0, 0}, {-1, 1, 0});
    EXPECT_NEAR(obtuse[0], 0.5, 1e-12);
    EXPECT_NEAR(obtuse[0] + obtuse[1] + obtuse[2], 1, 1e-12);
}

}  // namespace
}  // namespace pliant
