// The point cache: its contents, how it grows, how it is cut back, and what a kill in between leaves.
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_pc2.hpp>

#include <io/fixtures.hpp>

#include <cstring>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t header_size = 32, sample_size = 5 * 12;

template <class T>
T at(std::string const& bytes, std::size_t offset) {
    T value{};
    EXPECT_LE(offset + sizeof(T), bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

void make_cache(fs::path const& path, int first, int last) {
    start_pc2(path, small_surface(first));
    for (int frame = first + 1; frame <= last; ++frame) append_pc2(path, small_surface(frame));
}

}  // namespace

TEST(Pc2, HeaderAndPointsAreThoseOfTheFormat) {
    TemporaryFolder const folder;
    make_cache(folder / "a.pc2", 0, 2);
    std::string const bytes = file_bytes(folder / "a.pc2");
    ASSERT_EQ(bytes.size(), header_size + 3 * sample_size);
    EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
    EXPECT_EQ(at<std::int32_t>(bytes, 12), 1);  // version
    EXPECT_EQ(at<std::int32_t>(bytes, 16), 5);  // points
    EXPECT_EQ(at<float>(bytes, 20), 0.0f);      // first frame
    EXPECT_EQ(at<float>(bytes, 24), 1.0f);      // frames between samples
    EXPECT_EQ(at<std::int32_t>(bytes, 28), 3);  // samples
    for (int frame = 0; frame <= 2; ++frame) {
        SurfaceMesh const mesh = small_surface(frame);
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_EQ(at<Vec3f>(bytes, header_size + sample_size * static_cast<std::size_t>(frame) + 12 * i),
                      mesh.position[i]);
    }
}

TEST(Pc2, IsCutBackToAFrame) {
    TemporaryFolder const folder;
    make_cache(folder / "whole.pc2", 3, 9);
    make_cache(folder / "short.pc2", 3, 6);
    cut_pc2(folder / "whole.pc2", 6);
    EXPECT_EQ(file_bytes(folder / "whole.pc2"), file_bytes(folder / "short.pc2"));
    cut_pc2(folder / "whole.pc2", 100);
    EXPECT_EQ(file_bytes(folder / "whole.pc2"), file_bytes(folder / "short.pc2")) << "nothing lies beyond";
    cut_pc2(folder / "whole.pc2", 2);
    EXPECT_FALSE(fs::exists(folder / "whole.pc2")) << "no frame is left";
    EXPECT_NO_THROW(cut_pc2(folder / "none.pc2", 2));
}

TEST(Pc2, PointsThatTheHeaderDoesNotCountAreIgnored) {
    TemporaryFolder const folder;
    make_cache(folder / "a.pc2", 0, 2);
    std::string const whole = file_bytes(folder / "a.pc2");
    // A kill while the points of frame 3 were written: some are there, but the header does not count them.
    overwrite(folder / "a.pc2", whole + std::string(17, 'x'));
    auto const header = read_pc2_header(folder / "a.pc2");
    ASSERT_TRUE(header);
    EXPECT_EQ(header->last_frame(), 2);
    cut_pc2(folder / "a.pc2", 2);
    EXPECT_EQ(file_bytes(folder / "a.pc2"), whole);
    overwrite(folder / "a.pc2", whole + std::string(17, 'x'));
    append_pc2(folder / "a.pc2", small_surface(3));
    make_cache(folder / "b.pc2", 0, 3);
    EXPECT_EQ(file_bytes(folder / "a.pc2"), file_bytes(folder / "b.pc2")) << "they are written over";
}

TEST(Pc2, AHeaderThatCountsMoreThanTheFileHoldsMakesNoCache) {
    TemporaryFolder const folder;
    make_cache(folder / "a.pc2", 0, 2);
    std::string const whole = file_bytes(folder / "a.pc2");
    overwrite(folder / "a.pc2", whole.substr(0, whole.size() - 1));
    EXPECT_FALSE(read_pc2_header(folder / "a.pc2"));
    overwrite(folder / "a.pc2", "POINTCACHE2");
    EXPECT_FALSE(read_pc2_header(folder / "a.pc2"));
    EXPECT_FALSE(read_pc2_header(folder / "none.pc2"));
}

TEST(Pc2, AMeshWithOtherVerticesIsRefusedAndTheFileStays) {
    TemporaryFolder const folder;
    make_cache(folder / "a.pc2", 0, 1);
    std::string const before = file_bytes(folder / "a.pc2");
    SurfaceMesh other = small_surface(2);
    other.position.pop_back();
    try {
        append_pc2(folder / "a.pc2", other);
        FAIL() << "four vertices follow five";
    } catch (std::runtime_error const& error) {
        EXPECT_EQ(error.what(), "cannot write '" + (folder / "a.pc2").string() +
                                    "': the surface has 4 vertices and had 5 before; a point cache needs a mesh that "
                                    "keeps its vertices, as surface = \"skin\" does");
    }
    EXPECT_THROW(append_pc2(folder / "a.pc2", small_surface(3)), std::runtime_error) << "frame 2 is missing";
    EXPECT_EQ(file_bytes(folder / "a.pc2"), before);
}

}  // namespace pliant::test
