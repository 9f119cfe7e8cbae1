// Meshes: every format, every way in which one can be broken, and what is said about it.
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

class Mesh : public MeshTest {
protected:
    std::string message(std::string const& name) const {
        std::string const text = message_of([&] { read_mesh(folder_ / name); });
        std::string const start = path(name) + ": ";
        return text.starts_with(start) ? text.substr(start.size()) : text;
    }
};

std::string vertex_lines(Soup const& soup, std::string const& start) {
    std::ostringstream text;
    for (Vec3d p : soup.vertex) text << start << p.x << " " << p.y << " " << p.z << "\n";
    return text.str();
}

template <class T>
void append(std::string& bytes, T value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
}

std::string base64(std::string const& bytes) {
    std::string const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (unsigned k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    return text;
}

// The cube as glTF, under a node that doubles its size.
struct Gltf {
    std::string json, binary;
    explicit Gltf(bool embedded) {
        Soup const cube = cube_soup();
        for (Vec3d p : cube.vertex)
            for (int k = 0; k < 3; ++k) append(binary, static_cast<float>(p[k]));
        for (auto const& t : cube.triangle)
            for (std::uint32_t index : t) append(binary, static_cast<std::uint16_t>(index));
        std::string const uri =
            embedded ? R"(, "uri": "data:application/octet-stream;base64,)" + base64(binary) + "\"" : "";
        json = R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "scale": [2, 2, 2]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
                           "min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5]},
                          {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
            "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 96},
                            {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
            "buffers": [{"byteLength": 168)" +
               uri + "}]}";
    }
    std::string glb() const {  // header, then a chunk of JSON and one of bytes, padded to four
        std::string text = json;
        while (text.size() % 4) text += ' ';
        std::string bytes = "glTF";
        append(bytes, std::uint32_t{2});
        append(bytes, static_cast<std::uint32_t>(12 + 8 + text.size() + 8 + binary.size()));
        append(bytes, static_cast<std::uint32_t>(text.size()));
        bytes += "JSON" + text;
        append(bytes, static_cast<std::uint32_t>(binary.size()));
        bytes += std::string("BIN\0", 4) + binary;
        return bytes;
    }
};

TEST_F(Mesh, EveryFormatGivesTheSameCube) {
    Soup const cube = cube_soup();
    write("cube.off", cube);
    std::string obj = vertex_lines(cube, "v ");
    for (auto const& t : cube.triangle)
        obj += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " + std::to_string(t[2] + 1) + "\n";
    write("cube.obj", obj);
    std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 12\nproperty list uchar int vertex_indices\nend_header\n" +
        vertex_lines(cube, "");
    std::string stl = "solid cube\n", binary_stl(80, ' ');
    append(binary_stl, std::uint32_t{12});
    for (auto const& t : cube.triangle) {
        ply += "3 " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " + std::to_string(t[2]) + "\n";
        stl += "facet normal 0 0 0\nouter loop\n";
        for (int k = 0; k < 3; ++k) append(binary_stl, 0.f);
        for (std::uint32_t index : t) {
            Vec3d const p = cube.vertex[index];
            stl += "vertex " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
            for (int k = 0; k < 3; ++k) append(binary_stl, static_cast<float>(p[k]));
        }
        append(binary_stl, std::uint16_t{0});
        stl += "endloop\nendfacet\n";
    }
    write("cube.ply", ply);
    write("cube.stl", stl + "endsolid cube\n");
    write("binary.STL", binary_stl);
    for (char const* name : {"cube.off", "cube.obj", "cube.ply", "cube.stl", "binary.STL"}) {
        TriangleMesh const mesh = read_mesh(folder_ / name);
        EXPECT_EQ(mesh.vertex.size(), 8u) << name;  // STL gives 36, which are welded
        EXPECT_EQ(mesh.triangle.size(), 12u) << name;
        EXPECT_NEAR(mesh.volume, 1, 1e-12) << name;  // halves are exact in single precision
        EXPECT_NEAR(mesh.area, 6, 1e-12) << name;
        EXPECT_TRUE(mesh.consistent && mesh.warnings.empty()) << name;
    }
    write("cube.gltf", Gltf(true).json);
    write("cube.glb", Gltf(false).glb());
    for (char const* name : {"cube.gltf", "cube.glb"}) {
        TriangleMesh const mesh = read_mesh(folder_ / name);
        EXPECT_EQ(mesh.triangle.size(), 12u) << name;
        EXPECT_NEAR(mesh.volume, 8, 1e-12) << name;  // its node doubles it
    }
}

TEST_F(Mesh, PolygonsAreCutIntoTriangles) {
    write("quads.obj", vertex_lines(cube_soup(), "v ") +
                           "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\nl 1 2\np 3\n");
    TriangleMesh const mesh = read_mesh(folder_ / "quads.obj");
    EXPECT_EQ(mesh.triangle.size(), 12u);
    EXPECT_NEAR(mesh.volume, 1, 1e-12);
}

TEST_F(Mesh, FilesThatAreNoMeshSaySo) {
    write("empty.off", std::string());
    EXPECT_EQ(message("empty.off"), "is empty");
    write("garbage.off", std::string("\x01\x02 this is not a mesh \xff\xfe"));
    EXPECT_TRUE(message("garbage.off").starts_with("cannot be read: ")) << message("garbage.off");
    write("garbage.glb", std::string("glTF and then nothing"));
    EXPECT_TRUE(message("garbage.glb").starts_with("cannot be read: ")) << message("garbage.glb");
    write("cube.xyz", std::string("1 2 3\n"));
    EXPECT_EQ(message("cube.xyz"), "unknown mesh format \"xyz\"; allowed: obj, ply, stl, off, gltf, glb");
    std::filesystem::create_directory(folder_ / "folder.obj");
    EXPECT_EQ(message("folder.obj"), "is a folder, not a mesh");
    write("points.ply",
          "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
          "end_header\n1 2 3\n");
    EXPECT_EQ(message("points.ply"), "has no triangles; a mesh needs faces, not only points or lines");
}

// A copy that broke off is the most usual damage; assimp alone would end the program or never return for some.
TEST_F(Mesh, FilesThatBreakOffAreErrorsWhereverTheyDo) {
    std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 12\nproperty list uchar int vertex_indices\nend_header\n" +
        vertex_lines(cube_soup(), "");
    for (auto const& t : cube_soup().triangle)
        ply += "3 " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " + std::to_string(t[2]) + "\n";
    std::vector<std::pair<std::string, std::string>> const files{{"cut.off", off_text(cube_soup())},
                                                                 {"cut.ply", ply},
                                                                 {"cut.gltf", Gltf(true).json},
                                                                 {"cut.glb", Gltf(false).glb()}};
    for (auto const& [name, bytes] : files)
        for (std::size_t part = 1; part < 12; ++part) {
            write(name, bytes.substr(0, part * bytes.size() / 12));
            EXPECT_NE(message(name), "(no error)") << name << " " << part;
        }
    write("cut.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n1\n");
    EXPECT_EQ(message("cut.ply"), "cannot be read: the header says \"element vertex 99999999999\"");
    write("cut.off", "OFF\n# a comment\n99999999999 5 0\n0 0 0\n");
    EXPECT_EQ(message("cut.off"),
              "cannot be read: the header says \"99999999999 5 0\", more than the file can hold; is it cut off?");
    std::string const off = off_text(cube_soup());
    write("cut.off", off.substr(0, off.rfind('\n', off.size() - 2) + 1));  // without the last of its 8 + 12 lines
    EXPECT_EQ(message("cut.off"), "breaks off: the header says \"8 12 0\", and after it come 19 lines");
}

TEST_F(Mesh, ConcavePolygonsAreCutAlongTheirInside) {
    // A prism over an L of area 3: its end faces have six corners.
    write("l.obj",
          "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
          "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n");
    TriangleMesh const mesh = read_mesh(folder_ / "l.obj");
    EXPECT_NEAR(mesh.volume, 3, 1e-12);
    EXPECT_NEAR(mesh.area, 2 * 3 + 8, 1e-12);  // a fan from a corner would cover more
}

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
    sphere.triangle.erase(sphere.triangle.begin(), sphere.triangle.begin() + 4);  // of 1280, one patch
    sphere.triangle.pop_back();
    write("holes.off", sphere);
    TriangleMesh const mesh = read_mesh(folder_ / "holes.off");
    EXPECT_NEAR(mesh.volume, whole, 1e-4 * whole);  // the fans are flat where the faces bulged a little
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
    // A cube of 1 m with a spike of 4 mm, 0.5 m long: at 25 mm, level set cells of 8 mm do not see it.
    write("spike.off", cube_soup().with(cube_soup().scaled({0.004, 0.6, 0.004}).moved({0.012, 0.7, 0.013})));
    Scene spike = scene("{ mesh = 'spike.off' }", "spacing = 0.05");
    make_level_sets(spike);
    auto const warnings = sample_bodies(spike)[0].warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(warnings[0].starts_with(at(2) + "body \"a\": the shape reaches 0.5")) << warnings[0];
    EXPECT_NE(warnings[0].find("m further along +y than its particles; parts thinner than the spacing of 0.05 m"),
              std::string::npos)
        << warnings[0];
    // Three plates of 0.4 spacings beside the cube are seen by the level set, but hold particles by luck only.
    Soup fins = cube_soup();
    fins = fins.with(cube_soup().scaled({1, 0.02, 1}).moved({1, 0.31, 0}));
    write("fins.off", fins);
    Scene finned = scene("{ mesh = 'fins.off' }", "spacing = 0.051");
    make_level_sets(finned);
    auto const body = sample_bodies(finned)[0];
    bool const fin_is_filled =
        std::any_of(body.position.begin(), body.position.end(), [](Vec3d p) { return p.x > 0.3; });
    EXPECT_NE(fin_is_filled, body.warnings.size() == 1);  // either it has particles or it is said
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

TEST_F(Mesh, IsLookedForBesideTheSceneAndAmongTheModels) {
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
