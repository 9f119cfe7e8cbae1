// Mesh files: every format, and the messages for files that are not meshes or are cut off.
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>
#include <scene/mesh_fixtures.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pliant {
namespace {

class MeshFile : public MeshTest {};

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
    std::string glb() const {  // header, then a JSON chunk and a binary chunk, padded to four bytes
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

TEST_F(MeshFile, EveryFormatGivesTheSameCube) {
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
        EXPECT_EQ(mesh.vertex.size(), 8u) << name;  // STL gives 36, which are merged
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

TEST_F(MeshFile, PolygonsAreCutIntoTriangles) {
    write("quads.obj", vertex_lines(cube_soup(), "v ") +
                           "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\nl 1 2\np 3\n");
    TriangleMesh const mesh = read_mesh(folder_ / "quads.obj");
    EXPECT_EQ(mesh.triangle.size(), 12u);
    EXPECT_NEAR(mesh.volume, 1, 1e-12);
}

TEST_F(MeshFile, FilesThatAreNotMeshesAreRefused) {
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

// A truncated copy is the most common damage; for some such files assimp alone would end the program or never return.
TEST_F(MeshFile, FilesThatEndEarlyAreErrorsWhereverTheyEnd) {
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
    EXPECT_EQ(message("cut.off"), "is cut off: the header says \"8 12 0\", and after it come 19 lines");
}

TEST_F(MeshFile, ConcavePolygonsAreCutAlongTheirInside) {
    // A prism over an L of area 3: its end faces have six corners.
    write("l.obj",
          "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
          "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n");
    TriangleMesh const mesh = read_mesh(folder_ / "l.obj");
    EXPECT_NEAR(mesh.volume, 3, 1e-12);
    EXPECT_NEAR(mesh.area, 2 * 3 + 8, 1e-12);  // a fan from one corner would cover more
}

}  // namespace
}  // namespace pliant
