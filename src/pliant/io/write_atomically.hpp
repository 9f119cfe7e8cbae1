// A file exists whole or not at all: it is written beside its target, flushed to the disk, then renamed over the old
// one. A run that is killed at any moment leaves at most one partial file, whose name no reader looks for.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace pliant {

// Throws std::runtime_error with the path and the system's reason; whatever was at `path` before is then untouched.
void write_atomically(std::filesystem::path const& path, std::span<std::string_view const> pieces);
void write_atomically(std::filesystem::path const& path, std::string_view bytes);

// The same for a file that is written piece by piece: nothing changes at `path` until commit().
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(AtomicFile const&) = delete;
    AtomicFile& operator=(AtomicFile const&) = delete;
    void write(std::string_view bytes);
    void commit();

private:
    std::filesystem::path target_, partial_;
    int descriptor_;
    bool renamed_ = false;
};

// The partial file of write_atomically: ".NAME.partial" beside NAME.
std::filesystem::path partial_path(std::filesystem::path const& path);
bool is_partial(std::filesystem::path const& path);

}  // namespace pliant
