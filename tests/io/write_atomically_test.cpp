#include <pliant/io/write_atomically.hpp>

#include <io/fixtures.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace pliant::test {

namespace {

// The error message of the write; empty if it succeeded.
std::string failure_of_writing(std::filesystem::path const& path, std::string const& bytes) {
    try {
        write_atomically(path, bytes);
    } catch (std::runtime_error const& error) {
        return error.what();
    }
    return "";
}

// While this lives, no file of this process may grow beyond `bytes`: it simulates a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit before_{};
};

}  // namespace

TEST(WriteAtomically, ReplacesTheOldFileAndLeavesNothingElse) {
    TemporaryFolder const folder;
    write_atomically(folder / "a.bin", "old and long");
    write_atomically(folder / "a.bin", std::string_view{"new\0!", 5});
    EXPECT_EQ(file_bytes(folder / "a.bin"), std::string("new\0!", 5));
    EXPECT_EQ(file_count(folder.path()), 1u);
}

TEST(WriteAtomically, JoinsPieces) {
    TemporaryFolder const folder;
    std::vector<std::string_view> const pieces{"one ", "", "two"};
    write_atomically(folder / "a.txt", pieces);
    EXPECT_EQ(file_bytes(folder / "a.txt"), "one two");
}

TEST(WriteAtomically, WritesOverAPartialFileOfAKilledRun) {
    TemporaryFolder const folder;
    overwrite(partial_path(folder / "a.txt"), std::string(1000, 'x'));
    write_atomically(folder / "a.txt", "whole");
    EXPECT_EQ(file_bytes(folder / "a.txt"), "whole");
    EXPECT_EQ(file_count(folder.path()), 1u);
}

TEST(WriteAtomically, AFullDiskKeepsTheOldFileAndNamesTheReason) {
    TemporaryFolder const folder;
    write_atomically(folder / "a.bin", "old");
    std::string message;
    {
        FileSizeLimit const full{4096};
        message = failure_of_writing(folder / "a.bin", std::string(100'000, 'x'));
    }
    EXPECT_EQ(message, "cannot write '" + (folder / "a.bin").string() + "': File too large");
    EXPECT_EQ(file_bytes(folder / "a.bin"), "old");
    EXPECT_EQ(file_count(folder.path()), 1u) << "the partial file is removed";
}

TEST(WriteAtomically, ADeviceWithoutSpaceIsAnError) {
    TemporaryFolder const folder;
    std::filesystem::create_symlink("/dev/full", partial_path(folder / "a.bin"));
    EXPECT_EQ(failure_of_writing(folder / "a.bin", "bytes"),
              "cannot write '" + (folder / "a.bin").string() + "': No space left on device");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.bin"));
}

TEST(WriteAtomically, AMissingFolderIsAnError) {
    TemporaryFolder const folder;
    EXPECT_EQ(failure_of_writing(folder / "missing/a.bin", "bytes"),
              "cannot write '" + (folder / "missing/a.bin").string() + "': No such file or directory");
}

TEST(WriteAtomically, AFolderInTheWayIsAnErrorAndStays) {
    TemporaryFolder const folder;
    std::filesystem::create_directories(folder / "a.bin/inside");
    EXPECT_NE(failure_of_writing(folder / "a.bin", "bytes").find("directory"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(folder / "a.bin/inside"));
    EXPECT_EQ(file_count(folder.path()), 1u);
}

TEST(WriteAtomically, AReadOnlyFolderIsAnError) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    TemporaryFolder const folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
    EXPECT_EQ(failure_of_writing(folder / "a.bin", "bytes"),
              "cannot write '" + (folder / "a.bin").string() + "': Permission denied");
    std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
}

}  // namespace pliant::test
