// Particle files read back: bit for bit what was written, and damaged files with a message about the damage.
#include <pliant/io/bytes.hpp>
#include <pliant/io/formats.hpp>
#include <pliant/io/read_run.hpp>

#include <io/damage.hpp>

#include <cstring>

namespace pliant::test {

namespace {

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {  // NaN included
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same_frame(Frame const& a, Frame const& b) {
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.time, b.time);
    EXPECT_TRUE(same_bytes(a.position, b.position));
    EXPECT_TRUE(same_bytes(a.velocity, b.velocity));
    EXPECT_TRUE(same_bytes(a.id, b.id));
    EXPECT_TRUE(same_bytes(a.body, b.body));
    ASSERT_EQ(a.channels.size(), b.channels.size());
    for (std::size_t c = 0; c < a.channels.size(); ++c) {
        EXPECT_EQ(a.channels[c].name, b.channels[c].name);
        EXPECT_EQ(a.channels[c].components, b.channels[c].components);
        EXPECT_TRUE(same_bytes(a.channels[c].values, b.channels[c].values));
    }
}

class ReadParticles : public testing::TestWithParam<ParticleFormat> {
protected:
    std::filesystem::path file() const { return folder / (std::string{"00007."} += GetParam().extension); }
    Frame read(std::string const& bytes) const {
        overwrite(file(), bytes);
        return read_particles(file());
    }
    std::string message(std::string const& bytes) const {
        return refusal_of([&] { read(bytes); });
    }
    TemporaryFolder folder;
};

}  // namespace

TEST_P(ReadParticles, WhatWasWrittenComesBackBitForBit) {
    for (Frame const& frame : {small_frame(), small_frame_with_F(), small_frame_with_stress()})
        expect_same_frame(read(GetParam().bytes(frame, RunFacts{})), frame);
}

TEST_P(ReadParticles, AFrameWithoutParticlesComesBack) {
    Frame empty;
    empty.index = 7;
    expect_same_frame(read(GetParam().bytes(empty, RunFacts{})), empty);
}

TEST_P(ReadParticles, AFileCutOffAnywhereIsRefusedOrLacksNothing) {
    Frame const frame = small_frame_with_F();
    cut_everywhere(file(), GetParam().bytes(frame, RunFacts{}), read_particles,
                   [&](std::size_t) { expect_same_frame(read_particles(file()), frame); });
}

TEST_P(ReadParticles, ChangedBytesNeverEndTheProgram) {
    damage_at_random(file(), GetParam().bytes(small_frame_with_F(), RunFacts{}), read_particles);
}

TEST_P(ReadParticles, EmptyFilesAndThoseOfOtherKindsAreRefused) {
    EXPECT_EQ(message(""), file().string() + ": is empty");
    EXPECT_NE(message(std::string(5000, '\0')).find(": is not a "), std::string::npos);
    EXPECT_NE(message("<html><body>404</body></html>\n").find(": is not a "), std::string::npos);
}

TEST_P(ReadParticles, AParticleThatIsNowhereIsRefused) {
    Frame frame = small_frame();
    frame.position[1].y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(message(GetParam().bytes(frame, RunFacts{})), file().string() + ": point 1 is not finite");
}

INSTANTIATE_TEST_SUITE_P(Formats, ReadParticles, testing::Values(particle_format("vtp"), particle_format("ply")),
                         [](auto const& format) { return std::string{format.param.extension}; });

namespace {

class ReadParticlesFrom : public testing::Test {
protected:
    std::string ply_message(std::string const& bytes) const { return message("00007.ply", bytes); }
    std::string vtp_message(std::string const& bytes) const { return message("00007.vtp", bytes); }
    std::string message(std::string const& name, std::string const& bytes) const {  // without the file's name
        overwrite(folder / name, bytes);
        std::string const text = refusal_of([&] { read_particles(folder / name); });
        expect_named(text, folder / name);
        return text.substr(std::min(text.size(), (folder / name).string().size() + 2));
    }
    std::string const ply = ply_bytes(small_frame()), vtp = vtp_bytes(small_frame());
    TemporaryFolder folder;
};

}  // namespace

TEST_F(ReadParticlesFrom, PlyWithAttributesInAnotherOrderAndExtraOnesWorks) {
    std::string file =
        "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty double mass\nproperty float z\n"
        "property float x\nproperty uchar red\nproperty float y\nend_header\n";
    for (float const i : {0.0f, 10.0f}) {
        append_value(file, 3.5);
        append_value(file, i + 3);
        append_value(file, i + 1);
        append_value(file, std::uint8_t{255});
        append_value(file, i + 2);
    }
    overwrite(folder / "00002.ply", file);
    Frame const frame = read_particles(folder / "00002.ply");
    EXPECT_EQ(frame.index, 2);
    EXPECT_EQ(frame.position, (std::vector<Vec3f>{{1, 2, 3}, {11, 12, 13}}));
    EXPECT_EQ(frame.id, (std::vector<std::uint32_t>{0, 1})) << "missing ids count";
    EXPECT_EQ(frame.body, (std::vector<std::uint32_t>{0, 0}));
    EXPECT_EQ(frame.velocity, (std::vector<Vec3f>(2)));
    EXPECT_TRUE(frame.channels.empty()) << "a double belongs to another program";
}

TEST_F(ReadParticlesFrom, VtpWithMissingAndExtraArraysWorks) {
    overwrite(folder / "00001.vtp", replaced(vtp, "Name=\"von_mises\"", "Name=\"von_Moses\""));
    Frame const frame = read_particles(folder / "00001.vtp");
    EXPECT_EQ(frame.channel("von_mises"), nullptr);
    EXPECT_TRUE(same_bytes(frame.channel("von_Moses")->values, small_frame().channels[0].values));
    EXPECT_EQ(frame.channel("plastic_strain")->values, small_frame().channels[1].values);
    EXPECT_EQ(frame.position, small_frame().position);
}

TEST_F(ReadParticlesFrom, PlyOfOtherProgramsIsNamedAsSuch) {
    EXPECT_EQ(ply_message(replaced(ply, "binary_little_endian", "ascii")),
              "is a PLY of format ascii; only binary_little_endian, as pliant writes it, can be read here");
    EXPECT_EQ(ply_message(replaced(ply, "binary_little_endian", "binary_big_endian")),
              "is a PLY of format binary_big_endian; only binary_little_endian, as pliant writes it, can be read here");
    EXPECT_EQ(ply_message(replaced(ply, "property uint body", "property double body") + std::string(12, '\0')),
              "the property 'body' is not uint, as pliant writes it");
    EXPECT_EQ(ply_message(replaced(ply, "float y", "float q")), "its vertices have no x, y and z");
}

TEST_F(ReadParticlesFrom, PlyWithAWrongCountIsRefused) {
    EXPECT_EQ(ply_message(replaced(ply, "vertex 3", "vertex 4")),
              "is cut off or damaged: the header promises 4 of vertex, the file has not that many");
    EXPECT_EQ(ply_message(replaced(ply, "vertex 3", "vertex 2")),
              "is damaged: 40 bytes follow the elements that its header names");
    EXPECT_EQ(ply_message(replaced(ply, "vertex 3", "vertex -3")), "'-3' is no number of elements");
    // 2^60 rows of 40 bytes: 40 * 2^60 overflows 64 bits, and no machine has the memory.
    EXPECT_EQ(ply_message(replaced(ply, "vertex 3", "vertex 1152921504606846976")),
              "is cut off or damaged: the header promises 1152921504606846976 of vertex, the file has not that many");
}

TEST_F(ReadParticlesFrom, VtpOfOtherProgramsIsNamedAsSuch) {
    std::string const hint = "; only raw appended data, as pliant writes them, can be read here";
    EXPECT_EQ(vtp_message(replaced(vtp, "\"raw\"", "\"base64\"")), "its appended data are encoded" + hint);
    EXPECT_EQ(vtp_message(replaced(vtp, "header_type=\"UInt64\"", "header_type=\"UInt32\"")),
              "is not of byte_order LittleEndian and header_type UInt64" + hint);
    EXPECT_EQ(vtp_message(replaced(vtp, " header_type", " compressor=\"vtkZLibDataCompressor\" header_type")),
              "is compressed" + hint);
    EXPECT_EQ(vtp_message(replaced(vtp, "type=\"PolyData\"", "type=\"ImageData\"")),
              "holds ImageData, not PolyData" + hint);
    EXPECT_EQ(vtp_message(replaced(vtp, "type=\"Float32\" Name=\"Points\"", "type=\"Float64\" Name=\"Points\"")),
              "the array 'Points' is not of 3 x Float32, as pliant writes it");
}

TEST_F(ReadParticlesFrom, VtpWithWrongCountsOrOffsetsIsRefused) {
    EXPECT_EQ(vtp_message(replaced(vtp, "NumberOfPoints=\"3\"", "NumberOfPoints=\"4\"")),
              "is damaged: the array 'Points' has 36 bytes, which is not 4 times 12");
    EXPECT_EQ(vtp_message(replaced(vtp, "NumberOfPoints=\"3\"", "NumberOfPoints=\"1152921504606846976\"")),
              "is damaged: the array 'Points' has 36 bytes, which is not 1152921504606846976 times 12");
    EXPECT_EQ(vtp_message(replaced(vtp, "offset=\"0\"", "offset=\"99999\"")),
              "is cut off or damaged: the array 'id' reaches beyond the data");
    EXPECT_EQ(vtp_message(replaced(vtp, "offset=\"0\"", "offset=\"18446744073709551615\"")),
              "is cut off or damaged: the array 'id' reaches beyond the data");
    EXPECT_EQ(vtp_message(replaced(vtp, "Name=\"Points\"", "Name=\"points\"")), "has no array 'Points'");
}

TEST_F(ReadParticlesFrom, AMissingFileAFolderOrAnUnknownExtensionIsRefused) {
    EXPECT_EQ(refusal_of([&] { read_particles(folder / "00001.vtp"); }),
              (folder / "00001.vtp").string() + ": cannot be read: No such file or directory");
    std::filesystem::create_directory(folder / "00001.ply");
    EXPECT_EQ(refusal_of([&] { read_particles(folder / "00001.ply"); }),
              (folder / "00001.ply").string() + ": is a folder, not a file");
    EXPECT_EQ(refusal_of([&] { read_particles(folder / "00001.obj"); }),
              (folder / "00001.obj").string() + ": cannot be read: the extension is none of .vtp, .ply");
}

}  // namespace pliant::test
