#include <pliant/data/error.hpp>
#include <pliant/io/checkpoint.hpp>

#include <io/fixtures.hpp>

namespace pliant::test {

namespace {

// The message with which a file of these bytes is refused; empty if it is accepted.
std::string refusal(std::filesystem::path const& path, std::string const& bytes) {
    overwrite(path, bytes);
    try {
        read_checkpoint(path);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

std::string checkpoint_bytes(Checkpoint const& checkpoint) {
    TemporaryFolder const folder;
    write_checkpoint(folder / "checkpoint.bin", checkpoint);
    return file_bytes(folder / "checkpoint.bin");
}

}  // namespace

TEST(Checkpoint, ReadsBackBitForBit) {
    TemporaryFolder const folder;
    Checkpoint const written = small_checkpoint();
    write_checkpoint(folder / "checkpoint.bin", written);
    EXPECT_TRUE(is_checkpoint(folder / "checkpoint.bin"));
    Checkpoint const read = read_checkpoint(folder / "checkpoint.bin");
    EXPECT_EQ(read.scene_text, written.scene_text);
    EXPECT_EQ(read.stats, written.stats);
    ASSERT_EQ(read.arrays.size(), written.arrays.size());
    for (std::size_t k = 0; k < read.arrays.size(); ++k) {
        EXPECT_EQ(read.arrays[k].name, written.arrays[k].name);
        EXPECT_EQ(read.arrays[k].bytes, written.arrays[k].bytes);
    }
}

TEST(Checkpoint, ATruncatedFileIsRefusedWhereverItEnds) {
    TemporaryFolder const folder;
    std::string const bytes = checkpoint_bytes(small_checkpoint());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::string const message = refusal(folder / "checkpoint.bin", bytes.substr(0, size));
        ASSERT_NE(message.find("without --resume"), std::string::npos) << "cut at byte " << size << ": " << message;
    }
}

TEST(Checkpoint, ASingleWrongBitIsRefusedWhereverItIs) {
    TemporaryFolder const folder;
    std::string const bytes = checkpoint_bytes(small_checkpoint());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        ASSERT_NE(refusal(folder / "checkpoint.bin", damaged), "") << "at byte " << at;
    }
}

TEST(Checkpoint, TrailingBytesAreRefused) {
    TemporaryFolder const folder;
    std::string const bytes = checkpoint_bytes(small_checkpoint());
    EXPECT_NE(refusal(folder / "checkpoint.bin", bytes + "x").find("incomplete or damaged"), std::string::npos);
}

TEST(Checkpoint, AForeignFileIsNamedAsSuch) {
    TemporaryFolder const folder;
    EXPECT_EQ(refusal(folder / "checkpoint.bin", "PK\x03\x04 this is some archive"),
              (folder / "checkpoint.bin").string() +
                  ": not a checkpoint of pliant; run again without --resume to start over");
    EXPECT_FALSE(is_checkpoint(folder / "checkpoint.bin"));
}

TEST(Checkpoint, AnotherVersionIsNamedAsSuch) {
    TemporaryFolder const folder;
    std::string bytes = checkpoint_bytes(small_checkpoint());
    bytes[8] = 9;
    EXPECT_NE(refusal(folder / "checkpoint.bin", bytes).find("checkpoint format 9, this one reads 6"),
              std::string::npos);
}

TEST(Checkpoint, AMissingFileIsNamedAsSuch) {
    TemporaryFolder const folder;
    try {
        read_checkpoint(folder / "checkpoint.bin");
        FAIL() << "a missing file was read";
    } catch (InputError const& error) {
        EXPECT_NE(std::string{error.what()}.find("to resume from"), std::string::npos);
    }
}

}  // namespace pliant::test
