// Meshes as colliders: the distances and normals of the shapes they represent, at rest, moving and spinning.
#include <pliant/scene/level_set.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/voxelize.hpp>
#include <pliant/setup/colliders.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>
#include <scene/expect_input_error.hpp>
#include <scene/mesh_fixtures.hpp>

#include <type_traits>

namespace pliant {
namespace {

static_assert(std::is_trivially_copyable_v<Collider>, "colliders go to the device as they are");

class MeshCollider : public MeshTest {
protected:
    // A small ball far above sets the spacing to 1 cm; the collider has edge or radius 0.5.
    Scene scene_with(std::string const& collider, Soup const& soup) const {
        write("c.off", soup);
        Scene s = scene("{ sphere = 0.05 }", "spacing = 0.01\nposition = [0, 9, 0]",
                        "[[colliders]]\nshape = { mesh = 'c.off' }\n" + collider);
        make_level_sets(s);
        return s;
    }
};

TEST_F(MeshCollider, OfASphereIsAsGoodAsTheSphere) {
    Scene const s = scene_with("position = [1, 2, 3]\nrotation = [10, 20, 30]\n", sphere_soup(5).scaled({.5, .5, .5}));
    double const cell = std::get<MeshShape>(s.colliders[0].shape).level_set->cell;
    EXPECT_NEAR(cell, 0.005, 1e-12);  // half the spacing, finer than a 64th of the size
    Collider const collider = make_collider(s.colliders[0]);
    RandomMatrices random(11);
    for (int n = 0; n < 2000; ++n) {
        Vec3d const way = normalized(random.vector(-1, 1));
        double const distance = 0.02 * random.vector(-1, 1).x;
        SurfacePoint const p = collider.nearest(Vec3d{1, 2, 3} + (0.5 + distance) * way);
        EXPECT_NEAR(p.distance, distance, 0.08 * cell);  // measured 0.052, of which bulging facets account for 0.02
        EXPECT_NEAR(norm(p.normal), 1, 1e-12);
        EXPECT_GT(dot(p.normal, way), 0.999);
    }
}

TEST_F(MeshCollider, KnowsFarAwayDistancesWellEnoughToStayOutOfTheWay) {
    Scene const s = scene_with("", cube_soup());
    Collider const collider = make_collider(s.colliders[0]);
    Collider box;
    box.kind = ColliderKind::box;
    box.size = {0.5, 0.5, 0.5};
    RandomMatrices random(12);
    for (int n = 0; n < 1000; ++n) {
        Vec3d const p = random.vector(-3, 3);
        double const exact = box.nearest(p).distance;
        EXPECT_NEAR(collider.nearest(p).distance, exact, 0.005 + 0.05 * std::abs(exact));
        EXPECT_EQ(collider.nearest(p).distance > 0, exact > 0);
    }
}

TEST_F(MeshCollider, MovesAndSpinsAboutItsCentre) {
    // A plate 1 x 0.2 x 1 turns about z by a right angle in 1 s while moving along x: then it stands upright.
    Scene const s =
        scene_with("motion = { velocity = [2, 0, 0], spin = [0, 0, 1.5707963267948966], from = 1, until = 2 }\n",
                   cube_soup().scaled({1, 0.2, 1}));
    Collider const rest = make_collider(s.colliders[0]);
    Motion const& motion = s.colliders[0].motion;
    EXPECT_NEAR(at_time(rest, motion, 0.5).nearest({0, 0.15, 0}).distance, 0.05, 1e-6);
    Collider const later = at_time(rest, motion, 2);
    EXPECT_NEAR(later.nearest({2.15, 0.1, 0}).distance, 0.05, 1e-6);
    EXPECT_GT(later.nearest({2.15, 0.1, 0}).normal.x, 1 - 1e-9);
    EXPECT_NEAR(later.nearest({2, 0.55, 0}).distance, 0.05, 1e-6);  // its long side now points up
    Vec3d const speed = later.surface_velocity({2, 0.5, 0});
    EXPECT_NEAR(speed.x, 2 - 0.5 * 1.5707963267948966, 1e-12);
    EXPECT_NEAR(at_time(rest, motion, 3).surface_velocity({2, 0.5, 0}).x, 0, 1e-12);
    // The velocity is that of the surface: it matches the motion of a point between 1.5 s and a moment later.
    Collider const now = at_time(rest, motion, 1.5), next = at_time(rest, motion, 1.5 + 1e-6);
    Vec3d const local{0.3, 0.1, 0.2}, before = now.center + now.rotation * local;
    Vec3d const after = next.center + next.rotation * local;
    EXPECT_LT(norm((after - before) / 1e-6 - now.surface_velocity(before)), 1e-5);
}

TEST_F(MeshCollider, RefusesBodiesThatStartInsideIt) {
    write("c.off", cube_soup());
    Scene s = scene("{ sphere = 0.2 }", "spacing = 0.05\nposition = [0, 0.4, 0]",
                    "[[colliders]]\nshape = { mesh = 'c.off' }\n");
    make_level_sets(s);
    auto const message = message_of([&] { check_overlaps(s, sample_bodies(s)); });
    EXPECT_TRUE(
        message.starts_with(at(2) + "body \"a\" starts inside colliders.0 (line 8): its deepest particle is 0.2"))
        << message;
    s.bodies[0].position = {0, 0.75, 0};
    EXPECT_EQ(message_of([&] { check_overlaps(s, sample_bodies(s)); }), "(no error)");
}

TEST_F(MeshCollider, OfHugeExtentLimitsItsMemoryAndSaysWhatThatCosts) {
    write("c.off", cube_soup().scaled({20, 20, 20}));
    Scene s = scene("{ sphere = 0.05 }", "spacing = 0.01\nposition = [0, 30, 0]",
                    "[[colliders]]\nshape = { mesh = 'c.off' }\n");
    auto const warnings = make_level_sets(s);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(warnings[0].starts_with(at(8) + "colliders.0: the mesh's distances are kept on cells of 0.0"))
        << warnings[0];
    EXPECT_LE(std::get<MeshShape>(s.colliders[0].shape).level_set->value.size(), 256u * 256 * 256);
}

}  // namespace
}  // namespace pliant
