// A file exists whole or not at all: it is written beside its target, flushed to the disk, then renamed over the old
// one. A run that is killed at any moment leaves at most one partial file, whose name no reader looks for.
//
// Flushing takes milliseconds, more than a small frame takes to compute, and only protects from a power failure. Files
// that a later one vouches for are flushed together, before that one is written: Unflushed collects them.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string_view>

namespace pliant {

// Files under their final names that may not have reached the disk: whole for whoever reads them, whatever happens to
// this program, but lost or empty if the power fails.
class Unflushed {
public:
    void add(std::filesystem::path const& path) { files_.insert(path); }
    // All of them, side by side, and the folders that list them. Throws std::runtime_error if one cannot be written.
    void flush();

private:
    std::set<std::filesystem::path> files_;
};

// Throws std::runtime_error with the path and the system's reason; whatever was at `path` before is then untouched.
// With `later` the file is not flushed, but added there.
void write_atomically(std::filesystem::path const& path, std::span<std::string_view const> pieces,
                      Unflushed* later = nullptr);
void write_atomically(std::filesystem::path const& path, std::string_view bytes, Unflushed* later = nullptr);

// The same for a file that is written piece by piece: nothing changes at `path` until commit().
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(AtomicFile const&) = delete;
    AtomicFile& operator=(AtomicFile const&) = delete;
    void write(std::string_view bytes);
    void commit(Unflushed* later = nullptr);

private:
    std::filesystem::path target_, partial_;
    int descriptor_;
    bool renamed_ = false;
};

// The partial file of write_atomically: ".NAME.partial" beside NAME.
std::filesystem::path partial_path(std::filesystem::path const& path);
bool is_partial(std::filesystem::path const& path);

}  // namespace pliant
