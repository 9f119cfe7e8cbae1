#include <gtest/gtest.h>
#include <unistd.h>
#include <pliant/data/error.hpp>
#include <pliant/render/video.hpp>
#include <pliant/render/write_png.hpp>

#include <cstdlib>
#include <fstream>

namespace pliant::test {

using namespace render;

namespace {

class Video : public testing::Test {
protected:
    Video() : folder_(std::filesystem::path(testing::TempDir()) / ("video-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
        for (int k = 0; k < 5; ++k) {  // odd size; numbers with gaps
            pictures_.push_back(folder_ / (std::to_string(10 * k) + ".png"));
            std::ofstream(pictures_.back(), std::ios::binary)
                << png_bytes(Picture{65, 33, std::vector<std::uint8_t>(3 * 65 * 33, std::uint8_t(40 * k))});
        }
    }
    ~Video() override { std::filesystem::remove_all(folder_); }

    std::size_t file_count() const {
        return std::size_t(std::distance(std::filesystem::directory_iterator(folder_), {}));
    }

    std::filesystem::path folder_;
    std::vector<std::filesystem::path> pictures_;
};

}  // namespace

TEST_F(Video, IsAnMp4ThatStartsWithItsIndex) {
    std::filesystem::path const path = folder_ / "run.mp4";
    if (!write_video(path, pictures_, {.fps = 25, .threads = 1})) GTEST_SKIP() << "there is no ffmpeg";
    std::ifstream file(path, std::ios::binary);
    std::string const bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(bytes.substr(4, 4), "ftyp");
    EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));  // plays while loading
    EXPECT_EQ(file_count(), 6u);                        // no other files left behind
}

TEST_F(Video, WithoutFfmpegItSaysSo) {
    std::string const before = std::getenv("PATH");
    ::setenv("PATH", folder_.c_str(), 1);
    bool const was_there = write_video(folder_ / "run.mp4", pictures_, {});
    ::setenv("PATH", before.c_str(), 1);
    EXPECT_FALSE(was_there);
    EXPECT_EQ(file_count(), 5u);
}

TEST_F(Video, PicturesThatFfmpegCannotReadAreAnErrorAndLeaveTheOldFile) {
    std::filesystem::path const path = folder_ / "run.mp4";
    if (!write_video(path, pictures_, {.fps = 25, .threads = 1})) GTEST_SKIP() << "there is no ffmpeg";
    auto const size = std::filesystem::file_size(path);
    std::ofstream(pictures_[0], std::ios::binary) << std::string(1'000'000, 'x');
    std::vector<std::filesystem::path> const broken(20, pictures_[0]);  // more than a socket buffers
    EXPECT_THROW(write_video(path, broken, {}), std::runtime_error);
    EXPECT_THROW(write_video(path, std::vector{folder_ / "nowhere.png"}, {}), InputError);
    EXPECT_EQ(std::filesystem::file_size(path), size);
    EXPECT_EQ(file_count(), 6u);
}

}  // namespace pliant::test
