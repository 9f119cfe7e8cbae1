// Surfaces as PLY, OBJ, VTP and VDB, read back by small parsers that are independent of the writers; VDB by OpenVDB.
#include <pliant/data/error.hpp>
#include <pliant/io/formats.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/scene/words.hpp>

#include <io/fixtures.hpp>
#include <io/parse_vtp.hpp>

#include <openvdb/openvdb.h>

#include <cmath>
#include <sstream>

namespace pliant::test {

namespace {

struct Ply {
    std::vector<std::string> elements, properties;
    std::string body;
};

Ply parse_ply(std::string const& file) {
    Ply ply;
    std::string const end = "end_header\n";
    std::size_t const body = file.find(end) + end.size();
    std::istringstream lines{file.substr(0, body)};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("element ")) ply.elements.push_back(line.substr(8));
        if (line.starts_with("property ")) ply.properties.push_back(line.substr(9));
    }
    EXPECT_TRUE(file.starts_with("ply\nformat binary_little_endian 1.0\n"));
    ply.body = file.substr(body);
    return ply;
}

template <class T>
T at(std::string const& bytes, std::size_t offset) {
    T value{};
    EXPECT_LE(offset + sizeof(T), bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

struct Obj {
    std::vector<Vec3f> v;
    std::vector<std::array<float, 2>> vt;
    std::vector<std::vector<std::string>> f;
    int objects = 0;
};

Obj parse_obj(std::string const& file) {
    Obj obj;
    std::istringstream lines{file};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};
        std::string word;
        words >> word;
        if (word == "o") ++obj.objects;
        if (word == "v") words >> obj.v.emplace_back().x >> obj.v.back().y >> obj.v.back().z;
        if (word == "vt") words >> obj.vt.emplace_back()[0] >> obj.vt.back()[1];
        if (word == "f")
            for (obj.f.emplace_back(); words >> word;) obj.f.back().push_back(word);
    }
    return obj;
}

// Exact distances to a sphere at the nodes of a grid of 0.1 m within 0.35 m of it; velocities equal positions.
NarrowBand sphere_band(Vec3f center, float radius) {
    NarrowBand band;
    band.cell = 0.1;
    band.width = 0.35f;
    for (int i = -30; i <= 30; ++i)
        for (int j = -30; j <= 30; ++j)
            for (int k = -30; k <= 30; ++k) {
                Vec3f const x{0.1f * static_cast<float>(i), 0.1f * static_cast<float>(j), 0.1f * static_cast<float>(k)};
                float const distance = norm(x - center) - radius;
                if (std::abs(distance) >= band.width) continue;
                band.node.push_back({i, j, k});
                band.distance.push_back(distance);
                band.velocity.push_back(x);
            }
    return band;
}

}  // namespace

TEST(MeshPly, VerticesAndPolygonsReadBackBitForBit) {
    SurfaceMesh const mesh = small_surface();
    Ply const ply = parse_ply(ply_bytes(mesh));
    EXPECT_EQ(ply.elements, (std::vector<std::string>{"vertex 5", "face 5"}));
    EXPECT_EQ(ply.properties, (std::vector<std::string>{"float x", "float y", "float z", "float vx", "float vy",
                                                        "float vz", "uint body", "float von_mises",
                                                        "float plastic_strain", "list uchar int vertex_indices"}));
    ASSERT_EQ(ply.body.size(), 5u * 36 + (1 + 4 * 4) + 4 * (1 + 3 * 4));
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(at<Vec3f>(ply.body, 36 * i), mesh.position[i]);
        EXPECT_EQ(at<Vec3f>(ply.body, 36 * i + 12), mesh.velocity[i]);
        EXPECT_EQ(at<std::uint32_t>(ply.body, 36 * i + 24), mesh.body[i]);
        EXPECT_EQ(at<float>(ply.body, 36 * i + 28), mesh.channels[0].values[i]);
        EXPECT_EQ(at<float>(ply.body, 36 * i + 32), mesh.channels[1].values[i]);
    }
    EXPECT_EQ(at<std::uint8_t>(ply.body, 180), 4) << "the base stays a square";
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(at<std::uint32_t>(ply.body, 181 + 4 * c), mesh.corner[c]);
    EXPECT_EQ(at<std::uint8_t>(ply.body, 197), 3);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(at<std::uint32_t>(ply.body, 198 + 4 * c), mesh.corner[4 + c]);
}

TEST(MeshPly, TextureCoordinatesAreWrittenAtVerticesThatHaveOneEach) {
    Ply const ply = parse_ply(ply_bytes(textured_surface()));
    ASSERT_EQ(ply.properties.size(), 12u);
    EXPECT_EQ(ply.properties[9], "float s");
    EXPECT_EQ(ply.properties[10], "float t");
    EXPECT_EQ(at<float>(ply.body, 44 * 4 + 36), 0.5f);
    EXPECT_EQ(at<float>(ply.body, 44 * 4 + 40), 0.25f);
    EXPECT_EQ(parse_ply(ply_bytes(seamed_surface())).properties.size(), 10u) << "a vertex has two";
}

TEST(MeshPly, MissingArraysAreLeftOut) {
    SurfaceMesh mesh = small_surface();
    mesh.velocity.clear(), mesh.body.clear(), mesh.channels.clear();
    Ply const ply = parse_ply(ply_bytes(mesh));
    EXPECT_EQ(ply.properties,
              (std::vector<std::string>{"float x", "float y", "float z", "list uchar int vertex_indices"}));
    EXPECT_EQ(ply.body.size(), 5u * 12 + 17 + 4 * 13);
}

TEST(MeshPly, APolygonOfMoreThan255CornersIsCountedInFourBytes) {
    SurfaceMesh mesh;
    for (std::uint32_t k = 0; k < 300; ++k) {
        mesh.position.push_back({std::cos(0.02f * static_cast<float>(k)), std::sin(0.02f * static_cast<float>(k)), 0});
        mesh.corner.push_back(k);
    }
    mesh.polygon_end = {300};
    Ply const ply = parse_ply(ply_bytes(mesh));
    EXPECT_EQ(ply.properties.back(), "list uint int vertex_indices");
    EXPECT_EQ(at<std::uint32_t>(ply.body, 300 * 12), 300u);
}

TEST(MeshObj, VerticesTextureCoordinatesAndPolygonsReadBack) {
    SurfaceMesh const mesh = seamed_surface();
    Obj const obj = parse_obj(obj_bytes(mesh));
    EXPECT_EQ(obj.v, mesh.position) << "shortest texts give the same floats back";
    EXPECT_EQ(obj.vt, mesh.uv);
    EXPECT_EQ(obj.objects, 1) << "a point cache moves one object";
    ASSERT_EQ(obj.f.size(), 5u);
    EXPECT_EQ(obj.f[0], (std::vector<std::string>{"1/1", "2/2", "3/3", "4/4"}));
    EXPECT_EQ(obj.f[4], (std::vector<std::string>{"4/4", "5/6", "1/1"})) << "the seam";
}

TEST(MeshObj, WithoutTextureCoordinatesFacesNameVerticesOnly) {
    Obj const obj = parse_obj(obj_bytes(small_surface()));
    EXPECT_TRUE(obj.vt.empty());
    EXPECT_EQ(obj.f[1], (std::vector<std::string>{"1", "5", "2"}));
}

TEST(MeshVtp, PointsPolygonsAndAttributesReadBackBitForBit) {
    SurfaceMesh const mesh = small_surface();
    Vtp vtp = parse_vtp(vtp_bytes(mesh));
    EXPECT_EQ(attribute(vtp.xml, "<Piece", "NumberOfPoints"), "5");
    EXPECT_EQ(attribute(vtp.xml, "<Piece", "NumberOfVerts"), "0");
    EXPECT_EQ(attribute(vtp.xml, "<Piece", "NumberOfPolys"), "5");
    EXPECT_EQ(vtp.arrays.size(), 7u);  // points, four attributes, connectivity, offsets
    auto const floats = [&](char const* name) { return vtp.arrays[name].values<float>(); };
    EXPECT_EQ(std::memcmp(floats("Points").data(), mesh.position.data(), 60), 0);
    EXPECT_EQ(std::memcmp(floats("velocity").data(), mesh.velocity.data(), 60), 0);
    EXPECT_EQ(vtp.arrays["velocity"].components, 3);
    EXPECT_EQ(floats("von_mises"), mesh.channels[0].values);
    EXPECT_EQ(floats("plastic_strain"), mesh.channels[1].values);
    EXPECT_EQ(vtp.arrays["body"].values<std::uint32_t>(), mesh.body);
    EXPECT_EQ(vtp.arrays["connectivity"].type, "Int32");
    EXPECT_EQ(vtp.arrays["connectivity"].values<std::uint32_t>(), mesh.corner);
    EXPECT_EQ(vtp.arrays["offsets"].values<std::uint32_t>(), mesh.polygon_end);
    std::smatch match;
    std::regex const time{"Name=\"TimeValue\"[^>]*>([^<]+)<"};
    ASSERT_TRUE(std::regex_search(vtp.xml, match, time));
    EXPECT_EQ(std::stod(match[1]), mesh.time);
}

TEST(MeshVdb, IsALevelSetWhoseInsideIsFilled) {
    TemporaryFolder const folder;
    Vec3f const center{0.2f, 0.9f, -0.3f};
    NarrowBand const band = sphere_band(center, 1);
    write_atomically(folder / "sphere.vdb", vdb_bytes({&band, 1}, 12, 0.2));
    openvdb::initialize();
    openvdb::io::File file{(folder / "sphere.vdb").string()};
    file.open();
    ASSERT_TRUE(file.hasGrid("surface"));
    auto const grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("surface"));
    EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
    EXPECT_EQ(grid->background(), band.width);
    EXPECT_EQ(grid->activeVoxelCount(), band.node.size());
    EXPECT_DOUBLE_EQ(grid->voxelSize()[0], 0.1);
    auto const accessor = grid->getConstAccessor();
    for (std::size_t k = 0; k < band.node.size(); k += 97)
        EXPECT_EQ(accessor.getValue({band.node[k][0], band.node[k][1], band.node[k][2]}), band.distance[k]);
    EXPECT_EQ(accessor.getValue({2, 9, -3}), -band.width) << "the centre";
    EXPECT_EQ(accessor.getValue({2, 29, -3}), band.width) << "outside";
    auto const velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity"));
    EXPECT_EQ(velocity->activeVoxelCount(), band.node.size());
    auto const [i, j, k] = band.node[5];
    EXPECT_EQ(velocity->getConstAccessor().getValue({i, j, k}).x(), band.velocity[5].x);
    EXPECT_EQ(file.getMetadata()->metaValue<std::int32_t>("frame"), 12);
    EXPECT_EQ(file.getMetadata()->metaValue<double>("time"), 0.2);
}

TEST(MeshVdb, WithoutVelocitiesThereIsNoVelocityGrid) {
    TemporaryFolder const folder;
    NarrowBand band = sphere_band({0, 0, 0}, 1);
    band.velocity.clear();
    write_atomically(folder / "sphere.vdb", vdb_bytes({&band, 1}, 0, 0));
    openvdb::initialize();
    openvdb::io::File file{(folder / "sphere.vdb").string()};
    file.open();
    EXPECT_TRUE(file.hasGrid("surface"));
    EXPECT_FALSE(file.hasGrid("velocity"));
}

TEST(MeshFiles, OfEmptyMeshesAreWholeFiles) {
    SurfaceMesh const nothing;
    EXPECT_EQ(parse_ply(ply_bytes(nothing)).elements, (std::vector<std::string>{"vertex 0", "face 0"}));
    EXPECT_TRUE(parse_obj(obj_bytes(nothing)).v.empty());
    EXPECT_EQ(parse_vtp(vtp_bytes(nothing)).arrays.size(), 5u);
    NarrowBand const empty{.cell = 0.1, .width = 0.3f, .node = {}, .distance = {}, .velocity = {}};
    EXPECT_GT(vdb_bytes({&empty, 1}, 0, 0).size(), 100u);
}

TEST(MeshFormats, EveryRowExceptTheCacheWritesItsOwnFile) {
    SurfaceMesh const mesh = small_surface();
    NarrowBand const band = sphere_band({0, 0, 0}, 1);
    for (MeshFormat const& format : mesh_formats) {
        EXPECT_EQ(&mesh_format(format.extension), &format);
        ASSERT_EQ(format.bytes == nullptr, format.layout == Layout::appended) << format.extension;
        if (format.bytes) {
            EXPECT_GT(format.bytes({&mesh, {&band, 1}}, RunFacts{}).size(), 100u) << format.extension;
        }
        EXPECT_EQ(format.needs_level_set, format.extension == "vdb");
        EXPECT_EQ(format.needs_constant_topology, format.extension == "pc2");
    }
}

TEST(MeshFormats, TheSceneFileKnowsExactlyTheRowsOfTheTable) {
    std::vector<std::string> extensions;
    for (MeshFormat const& format : mesh_formats) extensions.emplace_back(format.extension);
    EXPECT_EQ(words::mesh_format.now, extensions);
}

TEST(MeshFormats, AnUnknownOneIsRefusedWithTheKnownOnes) {
    try {
        mesh_format("stl");
        FAIL() << "'stl' was taken for a format";
    } catch (InputError const& error) {
        EXPECT_STREQ(error.what(),
                     "output.meshes: there is no mesh format 'stl'; allowed are: ply, obj, vtp, vdb, pc2, usda");
    }
}

}  // namespace pliant::test
