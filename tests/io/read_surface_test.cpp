// Surfaces read back from bytes made by hand: a quad and a triangle that share an edge.
#include <pliant/io/bytes.hpp>
#include <pliant/io/read_run.hpp>

#include <io/damage.hpp>

namespace pliant::test {

namespace {

SurfaceMesh quad_and_triangle() {
    SurfaceMesh mesh;
    mesh.index = 3;
    mesh.time = 0.05;
    mesh.position = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.125f}, {0, 1, 0}, {2, 0.5f, -7}};
    mesh.velocity = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, -2, -3}, {0.5f, 0, 0}};
    mesh.body = {0, 0, 0, 0, 1};
    mesh.channels = {{"von_mises", "", 1, {10, 20, 30, 40, 50}},
                     {"plastic_strain", "", 1, {0, 0.125f, 0.25f, 0.5f, 1}}};
    mesh.corner = {0, 1, 2, 3, 1, 4, 2};
    mesh.polygon_end = {4, 7};
    mesh.uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5f, 0.25f}};
    mesh.corner_uv = mesh.corner;
    return mesh;
}

std::string ply_of(SurfaceMesh const& mesh) {
    std::string file = "ply\nformat binary_little_endian 1.0\ncomment time " + number_text(mesh.time) +
                       "\nelement vertex " + std::to_string(mesh.position.size()) + "\n";
    for (char const* name : {"float x", "float y", "float z", "float vx", "float vy", "float vz", "uint body",
                             "float von_mises", "float plastic_strain", "float s", "float t"})
        file += std::string{"property "} + name + "\n";
    file += "element face " + std::to_string(mesh.polygon_count()) +
            "\nproperty list uchar int vertex_indices\nend_header\n";
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
        append_value(file, mesh.position[i]);
        append_value(file, mesh.velocity[i]);
        append_value(file, mesh.body[i]);
        append_value(file, mesh.channels[0].values[i]);
        append_value(file, mesh.channels[1].values[i]);
        append_value(file, mesh.uv[i]);
    }
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        append_value(file, static_cast<std::uint8_t>(mesh.polygon_end[p] - mesh.polygon_begin(p)));
        for (std::size_t c = mesh.polygon_begin(p); c < mesh.polygon_end[p]; ++c) append_value(file, mesh.corner[c]);
    }
    return file;
}

// Indices as Int64, since another writer's choice must not matter.
std::string vtp_of(SurfaceMesh const& mesh) {
    std::string data;
    auto const add = [&](std::string const& type, std::string const& name, int components, auto const& values) {
        std::string const element = "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
                                    std::to_string(components) + "\" format=\"appended\" offset=\"" +
                                    std::to_string(data.size()) + "\"/>\n";
        append_value(data, std::uint64_t{values.size() * sizeof(values[0])});
        append_values(data, std::span{values});
        return element;
    };
    std::vector<std::int64_t> const corners(mesh.corner.begin(), mesh.corner.end());
    std::vector<std::int64_t> const ends(mesh.polygon_end.begin(), mesh.polygon_end.end());
    std::string file =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
        number_text(mesh.time) + "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"" +
        std::to_string(mesh.position.size()) + "\" NumberOfPolys=\"" + std::to_string(mesh.polygon_count()) + "\">\n";
    file += "<Polys>\n" + add("Int64", "connectivity", 1, corners) + add("Int64", "offsets", 1, ends) + "</Polys>\n";
    file += "<PointData TCoords=\"uv\">\n" + add("Float32", "plastic_strain", 1, mesh.channels[1].values) +
            add("Float32", "uv", 2, mesh.uv) + add("Int32", "body", 1, mesh.body) +
            add("Float32", "von_mises", 1, mesh.channels[0].values) + add("Float32", "velocity", 3, mesh.velocity) +
            "</PointData>\n";
    file += "<Points>\n" + add("Float32", "Points", 3, mesh.position) + "</Points>\n";
    return file + "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_" + data +
           "\n</AppendedData>\n</VTKFile>\n";
}

std::string obj_of(SurfaceMesh const& mesh) {
    std::string file = "# by hand\no body\n";
    auto const add = [&](float value) { file.append(" ").append(number_text(double(value))); };
    for (Vec3f const& x : mesh.position) {
        file += "v";
        for (int k = 0; k < 3; ++k) add(x[k]);
        file += "\n";
    }
    for (auto const& uv : mesh.uv) {
        file += "vt";
        for (float const value : uv) add(value);
        file += "\n";
    }
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        file += "f";
        for (std::size_t c = mesh.polygon_begin(p); c < mesh.polygon_end[p]; ++c)
            file.append(" ")
                .append(std::to_string(mesh.corner[c] + 1))
                .append("/")
                .append(std::to_string(mesh.corner_uv[c] + 1));
        file += "\n";
    }
    return file;
}

void expect_same_shape(SurfaceMesh const& a, SurfaceMesh const& b) {
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.corner, b.corner);
    EXPECT_EQ(a.polygon_end, b.polygon_end);
    EXPECT_EQ(a.uv, b.uv);
    EXPECT_EQ(a.corner_uv, b.corner_uv);
}

void expect_same_mesh(SurfaceMesh const& a, SurfaceMesh const& b) {
    expect_same_shape(a, b);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.body, b.body);
    for (char const* name : {"von_mises", "plastic_strain"}) {
        ASSERT_TRUE(a.channel(name) && b.channel(name)) << name;
        EXPECT_TRUE(*a.channel(name) == *b.channel(name)) << name;
    }
}

class ReadSurface : public testing::Test {
protected:
    SurfaceMesh read(std::string const& name, std::string const& bytes) const {
        overwrite(folder / name, bytes);
        return read_surface(folder / name);
    }
    std::string message(std::string const& name, std::string const& bytes) const {  // without the file's name
        std::string const text = refusal_of([&] { read(name, bytes); });
        expect_named(text, folder / name);
        return text.substr(std::min(text.size(), (folder / name).string().size() + 2));
    }
    SurfaceMesh const mesh = quad_and_triangle();
    TemporaryFolder folder;
};

}  // namespace

TEST_F(ReadSurface, EverythingComesBackFromPlyAndVtp) {
    expect_same_mesh(read("00003.ply", ply_of(mesh)), mesh);
    expect_same_mesh(read("00003.vtp", vtp_of(mesh)), mesh);
}

TEST_F(ReadSurface, TheShapeComesBackFromObjAndWhatItCannotHoldStaysEmpty) {
    SurfaceMesh const found = read("00003.obj", obj_of(mesh));
    expect_same_shape(found, mesh);
    EXPECT_EQ(found.body, std::vector<std::uint32_t>(5));
    EXPECT_TRUE(found.velocity.empty() && found.channels.empty());
}

TEST_F(ReadSurface, FilesCutOffAnywhereAreRefusedOrLackNothing) {
    for (auto const& [name, bytes] : {std::pair{"00003.ply", ply_of(mesh)}, std::pair{"00003.vtp", vtp_of(mesh)}})
        cut_everywhere(folder / name, bytes, read_surface,
                       [&, name = name](std::size_t) { expect_same_mesh(read_surface(folder / name), mesh); });
}

TEST_F(ReadSurface, AnObjThatIsCutOffIsReadUpToAWholeLineAtMost) {
    // The format has no counts: a file that ends after a whole line is a mesh with fewer polygons.
    std::string const bytes = obj_of(mesh);
    cut_everywhere(folder / "00003.obj", bytes, read_surface, [&](std::size_t size) {
        EXPECT_EQ(bytes[size - 1], '\n');
        SurfaceMesh const found = read_surface(folder / "00003.obj");
        EXPECT_LE(found.polygon_count(), 1u);
    });
}

TEST_F(ReadSurface, ChangedBytesNeverEndTheProgram) {
    damage_at_random(folder / "00003.ply", ply_of(mesh), read_surface);
    damage_at_random(folder / "00003.vtp", vtp_of(mesh), read_surface);
    damage_at_random(folder / "00003.obj", obj_of(mesh), read_surface);
}

TEST_F(ReadSurface, ACornerThatNamesNoVertexIsRefused) {
    SurfaceMesh wrong = mesh;
    wrong.corner[5] = 5;
    EXPECT_EQ(message("00003.ply", ply_of(wrong)), "is damaged: a polygon names vertex 5 of 5");
    EXPECT_EQ(message("00003.vtp", vtp_of(wrong)), "is damaged: a polygon names vertex 5 of 5");
    EXPECT_EQ(message("00003.obj", obj_of(wrong)), "is damaged: a polygon names vertex 5 of 5");
    wrong = mesh;
    wrong.corner_uv[5] = 5;
    EXPECT_EQ(message("00003.obj", obj_of(wrong)),
              "is cut off or damaged: a face names texture coordinates that are not there");
}

TEST_F(ReadSurface, PolygonsOfTwoCornersAreRefused) {
    SurfaceMesh wrong = mesh;
    wrong.polygon_end = {5, 7};
    std::string const expected = "is damaged: a polygon has fewer than three corners, or more than there are";
    EXPECT_EQ(message("00003.ply", ply_of(wrong)), expected);
    EXPECT_EQ(message("00003.vtp", vtp_of(wrong)), expected);
    EXPECT_EQ(message("00003.obj", obj_of(wrong)), expected);
}

TEST_F(ReadSurface, AHugeCountIsNotBelieved) {
    EXPECT_EQ(message("00003.ply", replaced(ply_of(mesh), "element face 2", "element face 4000000000")),
              "is cut off or damaged: the header promises 4000000000 of face, the file has not that many");
    EXPECT_EQ(message("00003.vtp", replaced(vtp_of(mesh), "NumberOfPolys=\"2\"", "NumberOfPolys=\"4000000000\"")),
              "is damaged: the array 'offsets' has 2 bytes, which is not 4000000000 times 1");
}

TEST_F(ReadSurface, ErrorsInAnObjNameTheLine) {
    EXPECT_EQ(message("a.obj", "v 0 0 zero\n"), "line 1: 'zero' is no number");
    EXPECT_EQ(message("a.obj", "v 0 0\n"), "line 1: '' is no number");
    EXPECT_EQ(message("a.obj", "v 0 0 0\nf -1 1 1\n"), "line 2: '-1' is no index from 1 on");
    EXPECT_EQ(message("a.obj", "v 0 0 0\ncurv 1 2\n"), "line 2: 'curv' is nothing that pliant writes to an OBJ file");
    EXPECT_EQ(message("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2 3\n"),
              "is damaged: some corners of its faces have texture coordinates and some have none");
}

}  // namespace pliant::test
