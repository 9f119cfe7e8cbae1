#include <pliant/io/write_atomically.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace pliant {

namespace {

[[noreturn]] void fail(std::filesystem::path const& path, int reason) {
    throw std::runtime_error("cannot write '" + path.string() + "': " + std::generic_category().message(reason));
}

std::filesystem::path folder_of(std::filesystem::path const& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
}

struct Closed {  // when it goes
    int descriptor;
    ~Closed() { ::close(descriptor); }
};

void flush(int descriptor, std::filesystem::path const& path) {
    // EINVAL: there is no disk behind it, and nothing to flush.
    if (::fsync(descriptor) != 0 && errno != EINVAL) fail(path, errno);
}

void flush_file(std::filesystem::path const& path) {
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return;  // removed since
    if (descriptor < 0) fail(path, errno);
    Closed const closed{descriptor};
    flush(descriptor, path);
}

// Has the system start to write, without waiting, so that there is little left to do when the file is flushed.
void begin_flushing([[maybe_unused]] int descriptor) {
#ifdef SYNC_FILE_RANGE_WRITE
    ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

// Makes the rename itself outlast a power failure. Folders that cannot be flushed are left to the system.
void flush_folder(std::filesystem::path const& folder) {
    int const descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

std::filesystem::path partial_path(std::filesystem::path const& path) {
    return path.parent_path() / std::string{"."}.append(path.filename().string()).append(".partial");
}

bool is_partial(std::filesystem::path const& path) {
    return path.extension() == ".partial" && path.filename().string().starts_with('.');
}

AtomicFile::AtomicFile(std::filesystem::path path)
    : target_(std::move(path)),
      partial_(partial_path(target_)),
      descriptor_(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail(target_, errno);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(partial_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(target_, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void AtomicFile::commit(Unflushed* later) {
    if (later != nullptr)
        begin_flushing(descriptor_);
    else
        flush(descriptor_, target_);
    int const closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(target_, errno);
    if (::rename(partial_.c_str(), target_.c_str()) != 0) fail(target_, errno);
    renamed_ = true;
    if (later != nullptr)
        later->add(target_);
    else
        flush_folder(folder_of(target_));
}

void Unflushed::flush() {
    constexpr std::size_t most_threads = 8, files_per_thread = 4;
    std::vector<std::filesystem::path> const files(files_.begin(), files_.end());
    std::atomic<std::size_t> next{0};
    auto const work = [&] {
        for (std::size_t k = next++; k < files.size(); k = next++) flush_file(files[k]);
    };
    std::vector<std::future<void>> others;
    for (std::size_t k = 1; k < std::min(most_threads, files.size() / files_per_thread); ++k)
        others.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void>& other : others) other.get();
    std::set<std::filesystem::path> folders;
    for (std::filesystem::path const& file : files) folders.insert(folder_of(file));
    for (std::filesystem::path const& folder : folders) flush_folder(folder);
    files_.clear();
}

void write_atomically(std::filesystem::path const& path, std::span<std::string_view const> pieces, Unflushed* later) {
    AtomicFile file{path};
    for (std::string_view const piece : pieces) file.write(piece);
    file.commit(later);
}

void write_atomically(std::filesystem::path const& path, std::string_view bytes, Unflushed* later) {
    write_atomically(path, std::span{&bytes, 1}, later);
}

}  // namespace pliant
