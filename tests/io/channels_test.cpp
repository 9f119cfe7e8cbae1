// Channels that no method offers: they reach every format that holds attributes, and are read back by name.
#include <pliant/io/formats.hpp>
#include <pliant/io/read_run.hpp>

#include <gtest/gtest.h>
#include <io/damage.hpp>
#include <io/parse_usda.hpp>

namespace pliant::test {

namespace {

std::vector<Channel> made_up(std::size_t points, bool with_matrices) {
    std::vector<Channel> channels{{"density", "kg/m3", 1, {}}, {"heat_flow", "W/m2", 3, {}}};
    if (with_matrices) channels.push_back({"slip", "", 9, {}});
    for (Channel& channel : channels)
        for (std::size_t k = 0; k < points * static_cast<std::size_t>(channel.components); ++k)
            channel.values.push_back(1000 + 0.125f * static_cast<float>(k));
    return channels;
}

void expect_same_but_for_units(std::vector<Channel> found, std::vector<Channel> const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t c = 0; c < found.size(); ++c) {
        found[c].unit = expected[c].unit;  // only summary.json holds units
        EXPECT_TRUE(found[c] == expected[c]) << found[c].name << " and " << expected[c].name;
    }
}

class Channels : public testing::Test {
protected:
    Channels() {
        frame.channels = made_up(frame.position.size(), true);
        mesh.channels = made_up(mesh.position.size(), false);
    }
    Frame frame = small_frame();
    SurfaceMesh mesh = textured_surface();
    TemporaryFolder folder;
};

}  // namespace

TEST_F(Channels, OfParticlesComeBackFromTheirFiles) {
    for (char const* extension : {"vtp", "ply"}) {
        auto const file = folder / (std::string{"00007."} + extension);
        overwrite(file, particle_format(extension).bytes(frame, {}));
        expect_same_but_for_units(read_particles(file).channels, frame.channels);
    }
}

TEST_F(Channels, OfSurfacesComeBackFromTheirFiles) {
    for (char const* extension : {"vtp", "ply"}) {
        auto const file = folder / (std::string{"00007."} + extension);
        overwrite(file, mesh_format(extension).bytes({&mesh, {}}, {}));
        expect_same_but_for_units(read_surface(file).channels, mesh.channels);
    }
}

TEST_F(Channels, ArePrimvarsInUsd) {
    for (std::string const& bytes : {usda_bytes(frame, {}), usda_bytes(mesh, {})}) {
        auto found = parse_usda(bytes).attributes;
        EXPECT_EQ(found["primvars:density"].metadata, "interpolation=\"vertex\"");
        EXPECT_EQ(found["primvars:density"].samples.at(7).substr(0, 22), "[1000,1000.125,1000.25");
        EXPECT_EQ(found["primvars:heat_flow"].samples.at(7).substr(0, 26), "[(1000,1000.125,1000.25),(");
        EXPECT_FALSE(found.contains("primvars:slip")) << "matrices are left out";
    }
}

TEST_F(Channels, TheFirstNumberIsWhatParaViewShows) {
    EXPECT_NE(vtp_bytes(frame).find("<PointData Scalars=\"density\" Vectors=\"velocity\">"), std::string::npos);
    frame.channels.clear();
    EXPECT_NE(vtp_bytes(frame).find("<PointData Vectors=\"velocity\">"), std::string::npos);
}

TEST_F(Channels, ANameThatEndsLikeAVectorsIsANumberByItself) {
    frame.channels = {{"flow_x", "", 1, {1, 2, 3}}, {"flow_xx", "", 1, {4, 5, 6}}, {"_x", "", 1, {7, 8, 9}}};
    overwrite(folder / "00007.ply", ply_bytes(frame));
    expect_same_but_for_units(read_particles(folder / "00007.ply").channels, frame.channels);
}

}  // namespace pliant::test
