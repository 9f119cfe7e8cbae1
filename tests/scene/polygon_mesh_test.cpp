// Meshes as their authors left them: order, count and polygons are kept as far as the format can hold them.
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>
#include <scene/mesh_fixtures.hpp>

#include <cstring>

namespace pliant {
namespace {

using Indices = std::vector<std::uint32_t>;

class Polygons : public MeshTest {
protected:
    PolygonMesh read(std::string const& name) const { return read_polygon_mesh(folder_ / name); }
    PolygonMesh read(std::string const& name, std::string const& text) const { return read(write(name, text)); }
    std::string message(std::string const& text) const {
        std::string const error = message_of([&] { read("x.obj", text); }), start = path("x.obj") + ":";
        return error.starts_with(start) ? error.substr(start.size()) : error;
    }
};

TEST_F(Polygons, OfAnObjFileKeepOrderNumberAndTextureCoordinates) {
    PolygonMesh const mesh = read("a.obj",
                                  "# a quad, a triangle and a vertex that nobody uses\n"
                                  "mtllib none.mtl\no first\n"
                                  "v 0 0 0\nv 1 0 0\nv +1 1e0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nv 9 9 9\n"
                                  "vt 0 0\nvt 1 0 0\nvt 1 1\nvt 0.25\n"
                                  "vn 0 0 1\ng side\ns off\nusemtl none\n"
                                  "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
                                  "o second\nv 0 0 1\n"
                                  "f 1/1 2/2 6/1\n");
    EXPECT_EQ(mesh.vertex, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {9, 9, 9}, {0, 0, 1}}));
    EXPECT_EQ(mesh.polygon_end, (Indices{4, 7}));
    EXPECT_EQ(mesh.corner, (Indices{0, 1, 2, 3, 0, 1, 5}));
    EXPECT_EQ(mesh.uv, (std::vector<std::array<float, 2>>{{0, 0}, {1, 0}, {1, 1}, {0.25, 0}}));
    EXPECT_EQ(mesh.corner_uv, (Indices{0, 1, 2, 3, 0, 1, 0}));
}

TEST_F(Polygons, OfAnObjFileMayBeWrittenInManyWays) {
    std::string const vertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    Indices const corners{0, 1, 2, 3};
    for (char const* faces : {"f 1 2 3 4\n", "f -4 -3 -2 -1", "f 1//1 2//1 3//1 4//1\n", "f 1/ 2/ 3/ 4/\n",
                              "f 1 2 \\\n 3 4\n", "f\t1  2 3 4 # comment\n", "l 1 2\nf 1 2\np 1\nf 1 2 3 4\n"}) {
        PolygonMesh const mesh = read("a.obj", vertices + faces);
        EXPECT_EQ(mesh.corner, corners) << faces;
        EXPECT_EQ(mesh.polygon_end, Indices{4}) << faces;
        EXPECT_TRUE(mesh.uv.empty() && mesh.corner_uv.empty()) << faces;
    }
    EXPECT_EQ(read("a.obj", "# made from C:\\\n" + vertices + "f 1 2 3 4\n").corner, corners);
    PolygonMesh const early = read("a.obj", "f 1 2 3 4\n" + vertices);
    EXPECT_EQ(early.corner, corners);
    PolygonMesh const windows = read("a.obj", "v 0 0 0\r\nv 1 0 \\\r\n0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4\r\n");
    EXPECT_EQ(windows.corner, corners);
    EXPECT_EQ(windows.vertex[1], (Vec3d{1, 0, 0}));
}

TEST_F(Polygons, WithoutTextureCoordinatesBesideOthersShareOneMore) {
    PolygonMesh const mesh = read("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0.5 0.5\nf 1/1 2/1 3/1\nf 3 2 1\n");
    EXPECT_EQ(mesh.uv.size(), 2u);
    EXPECT_EQ(mesh.corner_uv, (Indices{0, 0, 0, 1, 1, 1}));
}

TEST_F(Polygons, OfADamagedObjFileNameTheLine) {
    std::string const vertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
    EXPECT_EQ(message("v 0 0\n"), "1: a number is missing");
    EXPECT_EQ(message("v 0 0 0\nv 1 zero 0\n"), "2: \"zero\" is not a number");
    EXPECT_EQ(message("v 0 0 nan\n"), "1: \"nan\" is not a number");
    EXPECT_EQ(message("v 0 0 1e999\n"), "1: \"1e999\" is not a number");
    EXPECT_EQ(message(vertices + "f 1 2 4\n"), "4: a face names vertex 4; the file has 3");
    EXPECT_EQ(message(vertices + "f 1/1 2/1 3/1\n"), "4: a face names texture coordinate 1; the file has 0");
    EXPECT_EQ(message(vertices + "f 0 1 2\n"),
              "4: \"0\" names no vertex; a corner of a face is v, v/vt, v//vn or v/vt/vn");
    EXPECT_EQ(message(vertices + "f 1 2 \\\n x\n"),
              "5: \"x\" names no vertex; a corner of a face is v, v/vt, v//vn or v/vt/vn");
    EXPECT_EQ(message(vertices + "f -4 -2 -1\n"), "4: a face counts back beyond the first vertex");
    EXPECT_EQ(message_of([&] { read("none.obj"); }),
              path("none.obj") + ": cannot be opened: No such file or directory");
}

TEST_F(Polygons, OfOffAndPlyFilesKeepTheirVertices) {
    // A pyramid: a quad and four triangles; vertex 5 repeats the first, and the last is unused.
    std::string const points = "0 0 0\n1 0 0\n1 0 1\n0 0 1\n0.5 1 0.5\n0 0 0\n7 7 7\n";
    std::string const faces = "4 0 1 2 3\n3 1 5 4\n3 2 1 4\n3 3 2 4\n3 0 3 4\n";
    std::string const header =
        "ply\nformat ascii 1.0\nelement vertex 7\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 5\nproperty list uchar int vertex_indices\nend_header\n";
    write("p.off", "OFF\n7 5 0\n" + points + faces);
    write("p.ply", header + points + faces);
    for (char const* name : {"p.off", "p.ply"}) {
        PolygonMesh const mesh = read(name);
        ASSERT_EQ(mesh.vertex.size(), 7u) << name;
        EXPECT_EQ(mesh.vertex[4], (Vec3d{0.5, 1, 0.5})) << name;
        EXPECT_EQ(mesh.vertex[6], (Vec3d{7, 7, 7})) << name;
        EXPECT_EQ(mesh.polygon_end, (Indices{4, 7, 10, 13, 16})) << name;
        EXPECT_EQ(mesh.corner, (Indices{0, 1, 2, 3, 1, 5, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4})) << name;
        EXPECT_TRUE(mesh.uv.empty()) << name;
    }
}

TEST_F(Polygons, OfAPlyFileKeepTextureCoordinates) {
    PolygonMesh const mesh = read("p.ply",
                                  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                                  "property float z\nproperty float s\nproperty float t\nelement face 1\n"
                                  "property list uchar int vertex_indices\nend_header\n"
                                  "0 0 0 0.25 0\n1 0 0 1 0\n0 1 0 0 0.75\n3 0 1 2\n");
    EXPECT_EQ(mesh.uv, (std::vector<std::array<float, 2>>{{0.25, 0}, {1, 0}, {0, 0.75}}));
    EXPECT_EQ(mesh.corner_uv, mesh.corner);
}

TEST_F(Polygons, OfAnStlFileShareVerticesAgain) {
    Soup const cube = cube_soup();
    std::string stl = "solid cube\n";
    for (auto const& t : cube.triangle) {
        stl += "facet normal 0 0 0\nouter loop\n";
        for (std::uint32_t index : t) {
            Vec3d const p = cube.vertex[index];
            stl += "vertex " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
        }
        stl += "endloop\nendfacet\n";
    }
    PolygonMesh const mesh = read("cube.stl", stl + "endsolid cube\n");
    EXPECT_EQ(mesh.vertex.size(), 8u);
    EXPECT_EQ(mesh.polygon_count(), 12u);
}

TEST_F(Polygons, OfAGltfFileShareVerticesAcrossSeamsAndKeepTextureCoordinates) {
    // Two triangles of a square whose shared edge has different texture coordinates on each side: six vertices.
    float const position[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    float const uv[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0.5, 0}, {0.5, 1}, {0, 1}};
    std::string bytes(sizeof position + sizeof uv, '\0');
    std::memcpy(bytes.data(), position, sizeof position);
    std::memcpy(bytes.data() + sizeof position, uv, sizeof uv);
    write("square.bin", bytes);
    PolygonMesh const mesh =
        read("square.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 3]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3",
                       "min": [0, 0, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 6, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 72},
                        {"buffer": 0, "byteOffset": 72, "byteLength": 48}],
        "buffers": [{"byteLength": 120, "uri": "square.bin"}]})");
    EXPECT_EQ(mesh.vertex, (std::vector<Vec3d>{{0, 0, 3}, {1, 0, 3}, {1, 1, 3}, {0, 1, 3}}));
    EXPECT_EQ(mesh.corner, (Indices{0, 1, 2, 0, 2, 3}));
    ASSERT_EQ(mesh.corner_uv.size(), 6u);
    for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_EQ(mesh.uv[mesh.corner_uv[k]][0], uv[k][0]);
        EXPECT_EQ(mesh.uv[mesh.corner_uv[k]][1], 1 - uv[k][1]);  // glTF counts from the top
    }
}

}  // namespace
}  // namespace pliant
