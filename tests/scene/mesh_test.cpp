// Meshes as bodies: every way in which one can be broken, and the message about it.
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/level_set.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/voxelize.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>
#include <scene/mesh_fixtures.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numbers>

namespace pliant {
namespace {

class Mesh : public MeshTest {};

TEST_F(Mesh, WithoutVolumeIsRefused) {
    write("flat.off", cube_soup().scaled({1, 0, 1}));
    EXPECT_EQ(message("flat.off"),
              "is flat: its bounding box is 1 x 0 x 1 in the units of the file; a mesh needs a volume");
    write("point.off", cube_soup().scaled({0, 0, 0}));
    EXPECT_EQ(message("point.off"), "all of its 12 triangles are degenerate");
}

TEST_F(Mesh, DegenerateTrianglesDoNoHarm) {
    Soup cube = cube_soup();
    cube.triangle.push_back({0, 0, 1});
    cube.triangle.push_back({3, 3, 3});
    write("cube.off", cube);
    EXPECT_EQ(read_mesh(folder_ / "cube.off").triangle.size(), 12u);
}

TEST_F(Mesh, SmallHolesAreClosedWithAWarning) {
    Soup sphere = sphere_soup(3);
    double const whole = exact_volume(sphere);
    sphere.triangle.erase(sphere.triangle.begin(), sphere.triangle.begin() + 4);  // one patch, of 1280 triangles
    sphere.triangle.pop_back();
    write("holes.off", sphere);
    TriangleMesh const mesh = read_mesh(folder_ / "holes.off");
    EXPECT_NEAR(mesh.volume, whole, 1e-4 * whole);  // the fans are flat where the surface was slightly curved
    ASSERT_EQ(mesh.warnings.size(), 1u);
    EXPECT_TRUE(
        mesh.warnings[0].starts_with(path("holes.off") + ": closed 2 holes (9 open edges), the widest about 0.2"))
        << mesh.warnings[0];
}

TEST_F(Mesh, WideOpenIsRefused) {
    Soup box = cube_soup();
    box.triangle.resize(10);  // one face of six is missing
    write("open.off", box);
    EXPECT_EQ(message("open.off"),
              "the surface is open: 1 hole (4 open edges), the widest about 1.13 wide in the units of the file; close "
              "it in a mesh editor (fill holes), so that it has an inside");  // 1.13: a disc of area 1
}

TEST_F(Mesh, EdgesSplitOnOneSideOnlyAreNoHole) {
    Soup cube = cube_soup();  // the edge 0-1 gets a vertex in one of its two triangles
    auto const split = static_cast<std::uint32_t>(cube.vertex.size());
    cube.vertex.push_back({0, -0.5, -0.5});
    cube.triangle[0] = {0, 2, split};
    cube.triangle.push_back({split, 2, 1});
    write("cube.off", cube);
    TriangleMesh const mesh = read_mesh(folder_ / "cube.off");
    EXPECT_TRUE(mesh.warnings.empty());
    EXPECT_NEAR(mesh.volume, 1, 1e-12);
}

TEST_F(Mesh, InsideOutMakesNoDifference) {
    write("in.off", cube_soup().turned_inside_out());
    write("out.off", cube_soup());
    Scene inside_out = scene("{ mesh = 'in.off' }", "particles = 1000");
    Scene usual = scene("{ mesh = 'out.off' }", "particles = 1000");
    EXPECT_TRUE(make_level_sets(inside_out).empty());
    make_level_sets(usual);
    auto const a = sample_bodies(inside_out)[0], b = sample_bodies(usual)[0];
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.position.size(), 1000u);
    EXPECT_NEAR(a.volume * 1000, 1, 1e-12);
}

TEST_F(Mesh, TrianglesThatDisagreeAboutOutsideMakeNoDifference) {
    Soup cube = cube_soup();
    std::swap(cube.triangle[5][0], cube.triangle[5][1]);
    write("mixed.off", cube);
    Scene mixed = scene("{ mesh = 'mixed.off' }", "particles = 1000");
    make_level_sets(mixed);
    auto const body = sample_bodies(mixed)[0];
    EXPECT_NEAR(double(body.position.size()), 1000, 10);
    EXPECT_NEAR(body.volume * double(body.position.size()), 1, 0.01);  // of the level set: its edges are rounded
}

TEST_F(Mesh, OverlappingPartsCountOnceAndAreWarnedOf) {
    write("two.off", cube_soup().with(cube_soup().moved({0.5, 0, 0})));
    Scene two = scene("{ mesh = 'two.off' }", "spacing = 0.1");
    auto const warnings = make_level_sets(two);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("its triangles enclose 2 m3: parts overlap, which count once"), std::string::npos)
        << warnings[0];
    auto const body = sample_bodies(two)[0];
    EXPECT_NEAR(body.volume * double(body.position.size()), 1.5, 0.01 * 1.5);
    EXPECT_NEAR(double(body.position.size()), 1500, 100);
}

TEST_F(Mesh, HollowOnesAreFilledAndWarnedOf) {
    write("hollow.off", cube_soup().with(cube_soup().scaled({0.5, 0.5, 0.5}).turned_inside_out()));
    Scene hollow = scene("{ mesh = 'hollow.off' }", "particles = 1000");
    auto const warnings = make_level_sets(hollow);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("its triangles enclose 0.875 m3: closed surfaces inside others are filled up"),
              std::string::npos)
        << warnings[0];
}

TEST_F(Mesh, PlatesThinnerThanTheSpacingAreRefused) {
    write("plate.off", cube_soup().scaled({1, 0.002, 1}));
    Scene plate = scene("{ mesh = 'plate.off' }", "spacing = 0.05");
    EXPECT_EQ(
        message_of([&] { make_level_sets(plate); }),
        at(2) + "body \"a\": " + path("plate.off") +
            " has no inside at this resolution: it is about 0.00199 m thick, its level set has cells of 0.0167 m; "
            "use a smaller spacing, or more particles");
}

TEST_F(Mesh, PartsThatFallBetweenParticlesAreWarnedOf) {
    // A cube of 1 m with a spike of 4 mm that sticks out by 0.5 m: the cells of the level set are too coarse to see it.
    write("spike.off", cube_soup().with(cube_soup().scaled({0.004, 0.6, 0.004}).moved({0.012, 0.7, 0.013})));
    Scene spike = scene("{ mesh = 'spike.off' }", "spacing = 0.05");
    make_level_sets(spike);
    auto const warnings = sample_bodies(spike)[0].warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(warnings[0].starts_with(at(2) + "body \"a\": the shape reaches 0.5")) << warnings[0];
    EXPECT_NE(warnings[0].find("m further along +y than its particles; parts thinner than the spacing of 0.05 m"),
              std::string::npos)
        << warnings[0];
    // The level set sees a plate of 0.4 spacings beside the cube, but only luck puts particles into it.
    Soup fins = cube_soup();
    fins = fins.with(cube_soup().scaled({1, 0.02, 1}).moved({1, 0.31, 0}));
    write("fins.off", fins);
    Scene finned = scene("{ mesh = 'fins.off' }", "spacing = 0.051");
    make_level_sets(finned);
    auto const body = sample_bodies(finned)[0];
    bool const fin_is_filled =
        std::any_of(body.position.begin(), body.position.end(), [](Vec3d p) { return p.x > 0.3; });
    EXPECT_NE(fin_is_filled, body.warnings.size() == 1);  // either it has particles or a warning says not
}

TEST_F(Mesh, TinyAndHugeOnesWorkAndAskForAScale) {
    for (double size : {1e-6, 1e6}) {
        write("cube.off", cube_soup().scaled({size, size, size}));
        Scene sized = scene("{ mesh = 'cube.off' }", "particles = 1000");
        auto const warnings = make_level_sets(sized);
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find("m long, taken in metres; give its height [m], or a scale (0.001 for millimetres)"),
                  std::string::npos);
        auto const body = sample_bodies(sized)[0];
        EXPECT_EQ(body.position.size(), 1000u);
        EXPECT_NEAR(body.spacing, 0.1 * size, 1e-6 * size);
        Scene scaled = scene("{ mesh = 'cube.off', height = 0.5 }", "particles = 1000");
        EXPECT_TRUE(make_level_sets(scaled).empty());
        EXPECT_NEAR(sample_bodies(scaled)[0].spacing, 0.05, 1e-6);
    }
}

TEST_F(Mesh, HeightAndScaleSetTheSizeAndTheCentreComesToThePosition) {
    write("box.off", cube_soup().scaled({2, 4, 6}).moved({100, 50, -30}));
    Scene tall = scene("{ mesh = 'box.off', height = 1 }", "spacing = 0.05\nposition = [1, 2, 3]");
    Scene scaled = scene("{ mesh = 'box.off', scale = 0.25 }", "spacing = 0.05\nposition = [1, 2, 3]");
    EXPECT_EQ(std::get<MeshShape>(tall.bodies[0].shape).scale, 0.25);
    EXPECT_EQ(canonical_text(tall), canonical_text(scaled));
    make_level_sets(tall);
    auto const body = sample_bodies(tall)[0];
    EXPECT_EQ(body.position.size(), 10u * 20 * 30);
    EXPECT_NEAR(body.volume, 0.05 * 0.05 * 0.05, 1e-9);
    Vec3d sum;
    for (Vec3d p : body.position) sum += p / 6000.;
    EXPECT_LT(norm(sum - Vec3d{1, 2, 3}), 1e-9);
    EXPECT_EQ(message_of([&] { scene("{ mesh = 'box.off', height = 1, scale = 2 }", "spacing = 0.1"); }),
              at(5) + "bodies.0.shape.scale: height and scale exclude each other; keep one");
}

TEST_F(Mesh, IsPartOfTheSceneByItsContentNotItsName) {
    write("a.off", cube_soup());
    write("b.off", cube_soup());
    write("c.off", cube_soup().scaled({1, 1, 1.0001}));
    auto const text = [&](char const* name) {
        return canonical_text(scene("{ mesh = '" + std::string(name) + "' }", "particles = 1000"));
    };
    EXPECT_EQ(text("a.off"), text("b.off"));
    EXPECT_NE(text("a.off"), text("c.off"));
    EXPECT_NE(canonical_text(scene("{ mesh = 'a.off' }", "particles = 1000\nsampling = 'blue-noise'")), text("a.off"));
}

TEST_F(Mesh, CopiesShareOneMeshAndOneLevelSet) {
    write("cube.off", cube_soup());
    Scene many = scene("{ mesh = 'cube.off', height = 0.1 }",
                       "particles = 27\narray = { count = [10, 10, 1], step = [0.2, 0.2, 0] }",
                       "[[colliders]]\nshape = { mesh = 'cube.off' }\nposition = [0, -9, 0]\n");
    ASSERT_EQ(many.bodies.size(), 100u);
    make_level_sets(many);
    auto const& first = std::get<MeshShape>(many.bodies[0].shape);
    for (BodySpec const& body : many.bodies) EXPECT_TRUE(std::get<MeshShape>(body.shape) == first);
    EXPECT_EQ(std::get<MeshShape>(many.colliders[0].shape).mesh, first.mesh);
    EXPECT_EQ(first.mesh.use_count(), 101);
}

TEST_F(Mesh, OverridesSwapHeightAndScale) {
    write("cube.off", cube_soup());
    write("s.toml",
          "[materials.a]\n[[bodies]]\nmaterial = 'a'\nshape = { mesh = 'cube.off', height = 0.5 }\nparticles = 8\n"
          "[[colliders]]\nshape = { mesh = 'cube.off', scale = 0.1 }\n");
    Scene const scene = read_scene(folder_ / "s.toml", {"bodies.0.shape.scale=3", "colliders.0.shape.height=0.2"});
    EXPECT_EQ(std::get<MeshShape>(scene.bodies[0].shape).scale, 3);
    MeshShape const& collider = std::get<MeshShape>(scene.colliders[0].shape);
    EXPECT_NEAR(collider.scale * (collider.mesh->high.y - collider.mesh->low.y), 0.2, 1e-12);
}

TEST_F(Mesh, IsSearchedForBesideTheSceneAndAmongTheModels) {
    ::testing::internal::CaptureStderr();
    char const* before = std::getenv("PLIANT_MODELS");
    std::string const kept = before ? before : "";
    ::setenv("PLIANT_MODELS", (folder_ / "models").c_str(), 1);
    std::string const places = " in " + folder_.string() + " (beside the scene file) nor in " + path("models");
    EXPECT_EQ(message_of([&] { scene("{ mesh = 'none.off' }", "particles = 10"); }),
              at(5) + "bodies.0.shape.mesh: there is no \"none.off\"" + places);
    EXPECT_EQ(message_of([&] { scene("{ mesh = '' }", "particles = 10"); }),
              at(5) + "bodies.0.shape.mesh: is empty; name the file of a mesh");
    EXPECT_EQ(message_of([&] { scene("{ mesh = 'cow.off' }", "particles = 10"); }),
              at(5) + "bodies.0.shape.mesh: there is no \"cow.off\"" + places +
                  "; `make models` or scripts/fetch-models puts it there");
    std::filesystem::create_directory(folder_ / "models");
    write("models/none.off", cube_soup());
    EXPECT_EQ(message_of([&] { scene("{ mesh = 'none.off' }", "particles = 10"); }), "(no error)");
    before ? ::setenv("PLIANT_MODELS", kept.c_str(), 1) : ::unsetenv("PLIANT_MODELS");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");  // nothing below apps/ prints
}

TEST_F(Mesh, TooManyParticlesAreRefusedWithoutVoxelisingThem) {
    write("cube.off", cube_soup());
    Scene fine = scene("{ mesh = 'cube.off' }", "spacing = 1e-5");
    make_level_sets(fine);
    EXPECT_LT(std::get<MeshShape>(fine.bodies[0].shape).level_set->value.size(), 1'000'000u);
    EXPECT_EQ(message_of([&] { sample_bodies(fine); }),
              at(2) + "body \"a\": a spacing of 1e-05 m gives about 1e+15 particles; at most 20000000 are allowed");
}

}  // namespace
}  // namespace pliant
