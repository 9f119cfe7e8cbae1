// Points from PLY files: the two encodings, other properties in between, and files that are broken.
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/direction_field.hpp>
#include <pliant/scene/ply_points.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/sample.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

#include <cstring>
#include <fstream>

namespace pliant {
namespace {

class PlyPoints : public ::testing::Test {
protected:
    std::filesystem::path const folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("pliant-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::path const file_ = folder_ / "points.ply";

    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(std::string const& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }
    std::string message(std::string const& bytes) const {
        write(bytes);
        std::string const text = message_of([&] { read_ply_points(file_); });
        std::string const start = file_.string() + ": ";
        return text.starts_with(start) ? text.substr(start.size()) : text;
    }
};

std::string const header =
    "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n";

template <class T>
void append(std::string& bytes, T value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
}

TEST_F(PlyPoints, AsciiIsReadAndOtherPropertiesAreSkipped) {
    write(
        "ply\r\nformat ascii 1.0\r\ncomment hello\nelement vertex 2\nproperty uchar red\nproperty double x\nproperty "
        "float y\n"
        "property float z\nproperty int id\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "255 1 2 3 7\n0 -1.5 2e-3 0 8\n3 0 1 1\n");
    EXPECT_EQ(read_ply_points(file_), (std::vector<Vec3d>{{1, 2, 3}, {-1.5, 2e-3, 0}}));
}

TEST_F(PlyPoints, BinaryIsReadAndOtherPropertiesAreSkipped) {
    std::string bytes =
        "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty uchar red\nproperty double "
        "y\n"
        "property float z\nproperty double weight\nend_header\n";
    for (int i = 0; i < 2; ++i) {
        append(bytes, 0.5f + static_cast<float>(i));
        append(bytes, static_cast<unsigned char>(10));
        append(bytes, 0.1);
        append(bytes, -2.0f);
        append(bytes, 1e9);
    }
    write(bytes);
    EXPECT_EQ(read_ply_points(file_), (std::vector<Vec3d>{{0.5, 0.1, -2}, {1.5, 0.1, -2}}));
    EXPECT_EQ(message(bytes.substr(0, bytes.size() - 1)), "ends or is damaged after 1 of 2 vertices");
}

TEST_F(PlyPoints, BrokenFilesSayWhatIsWrong) {
    EXPECT_EQ(message_of([&] { read_ply_points(folder_ / "none.ply"); }),
              (folder_ / "none.ply").string() + ": cannot be opened");
    EXPECT_EQ(message(""), "is not a PLY file (it does not begin with \"ply\")");
    EXPECT_EQ(message("solid cube\n"), "is not a PLY file (it does not begin with \"ply\")");
    EXPECT_EQ(message("ply\nformat ascii 1.0\n"), "the PLY header has no end_header");
    EXPECT_EQ(message("ply\nformat binary_big_endian 1.0\nend_header\n"),
              "format binary_big_endian is not understood; use ascii or binary_little_endian");
    EXPECT_EQ(message("ply\nformat ascii 1.0\nend_header\n"), "has no vertices");
    EXPECT_EQ(message("ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n"), "has no vertices");
    EXPECT_EQ(message("ply\nformat ascii 1.0\nelement vertex -3\nend_header\n"), "\"-3\" is not a number of vertices");
    EXPECT_EQ(message("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n"),
              "vertices need the properties x, y and z");
    EXPECT_EQ(message("ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n1\n"),
              "vertex coordinates must be float or double, are int");
    EXPECT_EQ(message(header + "end_header\n1 2 3\n4 5\n"), "ends or is damaged after 1 of 2 vertices");
    EXPECT_EQ(message(header + "end_header\n1 2 3\n4 5 x\n"), "ends or is damaged after 1 of 2 vertices");
    EXPECT_EQ(message(header + "end_header\n1 2 3\n4 5 nan\n"), "vertex 1 is not finite");
    EXPECT_EQ(message("ply\nformat ascii 1.0\nelement vertex 99999999999999\nproperty float x\nproperty float y\n"
                      "property float z\nend_header\n1 2 3\n"),
              "ends or is damaged after 1 of 99999999999999 vertices");
}

std::string const header_of_vectors =
    header + "property float grain_x\nproperty double grain_y\nproperty float grain_z\nend_header\n";

TEST_F(PlyPoints, MayHaveAVectorEach) {
    write(header_of_vectors + "1 2 3 0 0 2\n2 2 3 0 -5 0\n");
    PlyVectors const read = read_ply_vectors(file_, "grain");
    EXPECT_EQ(read.place, (std::vector<Vec3d>{{1, 2, 3}, {2, 2, 3}}));
    EXPECT_EQ(read.vector, (std::vector<Vec3d>{{0, 0, 2}, {0, -5, 0}}));
}

std::string scene_of_fibres(std::string const& fibre, std::string const& shape = "{ points = \"points.ply\" }") {
    return "[materials.m]\nfibres = [" + fibre + "]\n[[bodies]]\nmaterial = \"m\"\nshape = " + shape +
           "\nspacing = 0.5\n";
}

TEST_F(PlyPoints, GiveABodyItsFibres) {
    write(header_of_vectors + "1 2 3 0 0 2\n2 2 3 0 -5 0\n");
    std::string const fibre = "{ field = \"file\", property = \"grain\", young = 1e5 }";
    Scene const scene = read_scene_text(scene_of_fibres(fibre), folder_ / "s.toml");
    DirectionField const& field = *scene.bodies[0].directions.at("grain");
    EXPECT_EQ(field.place, (std::vector<Vec3d>{{-0.5, 0, 0}, {0.5, 0, 0}}));  // as the particles of the body
    EXPECT_EQ(field.direction, (std::vector<Vec3d>{{0, 0, 1}, {0, -1, 0}}));
    std::string const text = canonical_text(scene);
    write(header_of_vectors + "1 2 3 0 0 2\n2 2 3 5 0 0\n");
    EXPECT_NE(canonical_text(read_scene_text(scene_of_fibres(fibre), folder_ / "s.toml")), text)
        << "other directions are another scene";
}

TEST_F(PlyPoints, WithoutTheVectorsOfFibresAreRefused) {
    std::string const fibre = "{ field = \"file\", property = \"grain\", young = 1e5 }";
    auto const refused = [&](std::string const& file, std::string const& text) {
        write(file);
        std::string const message = message_of([&] { read_scene_text(text, folder_ / "s.toml"); });
        std::string const at = (folder_ / "s.toml").string() +
                               ":5: bodies.0.shape: material \"m\" has fibres with "
                               "field = \"file\": ";
        return message.starts_with(at) ? message.substr(at.size()) : message;
    };
    EXPECT_EQ(refused(header + "end_header\n1 2 3\n2 2 3\n", scene_of_fibres(fibre)),
              file_.string() + ": vertices have no property \"grain_x\"; they have x, y, z");
    EXPECT_EQ(refused(header_of_vectors + "1 2 3 0 0 0\n2 2 3 0 0 0\n", scene_of_fibres(fibre)),
              file_.string() + ": all directions \"grain\" are zero");
    EXPECT_EQ(refused(header_of_vectors + "1 2 3 0 nan 0\n2 2 3 0 0 0\n", scene_of_fibres(fibre)),
              file_.string() + ": \"grain\" of vertex 0 is not finite");
    EXPECT_EQ(refused(header, scene_of_fibres(fibre, "{ sphere = 1 }")),
              "they need the shape { mesh = \"file.ply\" } or { points = \"file.ply\" }");
}

TEST_F(PlyPoints, ABodyOfPointsLiesBesideItsSceneFile) {
    write(header + "end_header\n1 2 3\n2 2 3\n");
    std::string const text = "[materials.m]\n[[bodies]]\nmaterial = \"m\"\nshape = { points = \"points.ply\" }\n";
    Scene const scene = read_scene_text(text + "spacing = 0.5\n", folder_ / "s.toml");
    auto const bodies = sample_bodies(scene);
    EXPECT_EQ(bodies[0].position, (std::vector<Vec3d>{{-0.5, 0, 0}, {0.5, 0, 0}}));
    EXPECT_EQ(bodies[0].volume, 0.125);
    std::string const at = (folder_ / "s.toml").string();
    EXPECT_EQ(message_of([&] { read_scene_text(text + "particles = 5\n", folder_ / "s.toml"); }),
              at + ":5: bodies.0.particles: points are particles already; give their spacing [m] instead");
    EXPECT_EQ(message_of([&] { read_scene_text(text, folder_ / "s.toml"); }),
              at + ":2: bodies.0: missing key \"spacing\"; points need the spacing [m] that they stand for");
}

}  // namespace
}  // namespace pliant
