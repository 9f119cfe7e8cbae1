// VTP, PLY and PVD files, read back by small parsers that are independent of the writers.
#include <pliant/data/error.hpp>
#include <pliant/io/formats.hpp>
#include <pliant/io/write_pvd.hpp>
#include <pliant/scene/words.hpp>

#include <io/fixtures.hpp>
#include <io/parse_vtp.hpp>

#include <cmath>
#include <cstring>
#include <regex>
#include <sstream>

namespace pliant::test {

namespace {

void expect_same_bytes(VtpArray const& array, void const* expected, std::size_t size) {
    ASSERT_EQ(array.bytes.size(), size);
    EXPECT_EQ(std::memcmp(array.bytes.data(), expected, size), 0);
}

}  // namespace

TEST(Vtp, TheHeaderDescribesTheLayoutOfTheData) {
    std::string const xml = parse_vtp(vtp_bytes(small_frame())).xml;
    EXPECT_TRUE(xml.starts_with("<?xml version=\"1.0\"?>\n"));
    EXPECT_EQ(attribute(xml, "<VTKFile", "type"), "PolyData");
    EXPECT_EQ(attribute(xml, "<VTKFile", "version"), "1.0");
    EXPECT_EQ(attribute(xml, "<VTKFile", "byte_order"), "LittleEndian");
    EXPECT_EQ(attribute(xml, "<VTKFile", "header_type"), "UInt64");
    EXPECT_EQ(attribute(xml, "<Piece", "NumberOfPoints"), "3");
    EXPECT_EQ(attribute(xml, "<Piece", "NumberOfVerts"), "3");
    EXPECT_EQ(attribute(xml, "<Piece", "NumberOfPolys"), "0");
}

TEST(Vtp, PointsAndAttributesReadBackBitForBit) {
    Frame const frame = small_frame();
    Vtp vtp = parse_vtp(vtp_bytes(frame));
    EXPECT_EQ(vtp.arrays.size(), 8u);  // points, five attributes, connectivity, offsets
    EXPECT_EQ(vtp.arrays["Points"].type, "Float32");
    EXPECT_EQ(vtp.arrays["Points"].components, 3);
    expect_same_bytes(vtp.arrays["Points"], frame.position.data(), 36);
    EXPECT_EQ(vtp.arrays["velocity"].type, "Float32");
    EXPECT_EQ(vtp.arrays["velocity"].components, 3);
    expect_same_bytes(vtp.arrays["velocity"], frame.velocity.data(), 36);
    EXPECT_EQ(vtp.arrays["id"].type, "UInt32");
    EXPECT_EQ(vtp.arrays["id"].values<std::uint32_t>(), frame.id);
    EXPECT_EQ(vtp.arrays["body"].values<std::uint32_t>(), frame.body);
    expect_same_bytes(vtp.arrays["von_mises"], frame.channels[0].values.data(), 12);
    EXPECT_EQ(vtp.arrays["plastic_strain"].values<float>(), frame.channels[1].values);
}

TEST(Vtp, EveryParticleIsAVertexCell) {
    Vtp vtp = parse_vtp(vtp_bytes(small_frame()));
    EXPECT_EQ(vtp.arrays["connectivity"].values<std::int32_t>(), (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(vtp.arrays["offsets"].values<std::int32_t>(), (std::vector<std::int32_t>{1, 2, 3}));
}

TEST(Vtp, TheTimeIsInTheFieldDataInFullPrecision) {
    Frame const frame = small_frame();
    std::string const xml = vtp_bytes(frame);
    std::smatch match;
    ASSERT_TRUE(
        std::regex_search(xml, match, std::regex{"<FieldData>\\s*<DataArray[^>]*Name=\"TimeValue\"[^>]*>([^<]+)<"}));
    EXPECT_EQ(std::stod(match[1]), frame.time);
}

TEST(Vtp, TheDeformationGradientIsWrittenByRowsAndOnlyWhenPresent) {
    EXPECT_EQ(parse_vtp(vtp_bytes(small_frame())).arrays.count("F"), 0u);
    Vtp vtp = parse_vtp(vtp_bytes(small_frame_with_F()));
    EXPECT_EQ(vtp.arrays["F"].components, 9);
    std::vector<float> const F = vtp.arrays["F"].values<float>();
    ASSERT_EQ(F.size(), 27u);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(F[static_cast<std::size_t>(k)], static_cast<float>(k + 1));
}

TEST(Vtp, ASymmetricTensorHasNamesForItsComponents) {
    std::string const xml = parse_vtp(vtp_bytes(small_frame_with_stress())).xml;
    EXPECT_NE(xml.find("Name=\"stress\" NumberOfComponents=\"6\" ComponentName0=\"XX\" ComponentName1=\"YY\" "
                       "ComponentName2=\"ZZ\" ComponentName3=\"XY\" ComponentName4=\"YZ\" ComponentName5=\"XZ\""),
              std::string::npos);
    EXPECT_EQ(parse_vtp(vtp_bytes(small_frame())).xml.find("ComponentName"), std::string::npos);
}

TEST(Vtp, AFrameWithoutParticlesIsAValidFile) {
    Vtp vtp = parse_vtp(vtp_bytes(Frame{}));
    EXPECT_EQ(attribute(vtp.xml, "<Piece", "NumberOfPoints"), "0");
    EXPECT_EQ(vtp.arrays["Points"].bytes.size(), 0u);
}

TEST(Ply, VerticesReadBackBitForBit) {
    Frame const frame = small_frame();
    std::string const file = ply_bytes(frame);
    std::string const end = "end_header\n";
    std::size_t const body = file.find(end) + end.size();
    std::string const header = file.substr(0, body);
    EXPECT_TRUE(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    EXPECT_NE(header.find("element vertex 3\n"), std::string::npos);
    std::vector<std::string> properties;
    std::istringstream lines{header};
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("property ")) properties.push_back(line.substr(9));
    EXPECT_EQ(properties,
              (std::vector<std::string>{"float x", "float y", "float z", "float vx", "float vy", "float vz", "uint id",
                                        "uint body", "float von_mises", "float plastic_strain"}));
    ASSERT_EQ(file.size() - body, 3u * 40);
    for (std::size_t i = 0; i < 3; ++i) {
        char const* vertex = file.data() + body + 40 * i;
        EXPECT_EQ(std::memcmp(vertex, &frame.position[i], 12), 0);
        EXPECT_EQ(std::memcmp(vertex + 12, &frame.velocity[i], 12), 0);
        EXPECT_EQ(std::memcmp(vertex + 24, &frame.id[i], 4), 0);
        EXPECT_EQ(std::memcmp(vertex + 28, &frame.body[i], 4), 0);
        EXPECT_EQ(std::memcmp(vertex + 32, &frame.channels[0].values[i], 4), 0);
        EXPECT_EQ(std::memcmp(vertex + 36, &frame.channels[1].values[i], 4), 0);
    }
}

TEST(Ply, TheDeformationGradientIsWrittenByRowsWhenPresent) {
    std::string const file = ply_bytes(small_frame_with_F());
    std::size_t const body = file.find("end_header\n") + 11;
    ASSERT_EQ(file.size() - body, 3u * 76);
    EXPECT_NE(file.find("property float F_xx\nproperty float F_xy\n"), std::string::npos);
    float F[9];
    std::memcpy(F, file.data() + body + 40, sizeof F);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(F[k], static_cast<float>(k + 1));
}

TEST(Pvd, ListsFilesWithTheirTimes) {
    TemporaryFolder const folder;
    std::vector<SeriesEntry> const entries{{0, "particles/00000.vtp"}, {1.0 / 60, "particles/00001.vtp"}};
    write_pvd(folder / "particles.pvd", entries);
    std::string const xml = file_bytes(folder / "particles.pvd");
    EXPECT_EQ(attribute(xml, "<VTKFile", "type"), "Collection");
    std::regex const pattern{"<DataSet timestep=\"([^\"]+)\" part=\"0\" file=\"([^\"]+)\"/>"};
    std::vector<SeriesEntry> found;
    for (std::sregex_iterator match{xml.begin(), xml.end(), pattern}, end; match != end; ++match)
        found.push_back({std::stod((*match)[1]), (*match)[2]});
    ASSERT_EQ(found.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(found[k].time, entries[k].time);
        EXPECT_EQ(found[k].file, entries[k].file);
    }
    // The index is plain XML, which an independent parser checks if it is installed.
    if (std::system("command -v xmllint > /dev/null") == 0) {
        EXPECT_EQ(std::system(("xmllint --noout '" + (folder / "particles.pvd").string() + "'").c_str()), 0);
    }
}

TEST(Formats, EveryRowWritesItsOwnFile) {
    for (ParticleFormat const& format : particle_formats) {
        EXPECT_EQ(&particle_format(format.extension), &format);
        EXPECT_GT(format.bytes(small_frame(), RunFacts{}).size(), 100u) << format.extension;
    }
}

TEST(Formats, TheSceneFileKnowsExactlyTheRowsOfTheTable) {
    std::vector<std::string> extensions;
    for (ParticleFormat const& format : particle_formats) extensions.emplace_back(format.extension);
    EXPECT_EQ(words::particle_format.now, extensions);
}

TEST(Formats, AnUnknownOneIsRefusedWithTheKnownOnes) {
    try {
        particle_format("abc");
        FAIL() << "'abc' was taken for a format";
    } catch (InputError const& error) {
        EXPECT_STREQ(error.what(), "output.particles: there is no particle format 'abc'; allowed are: vtp, ply, usda");
    }
}

}  // namespace pliant::test
