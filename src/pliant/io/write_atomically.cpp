#include <pliant/io/write_atomically.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace pliant {

namespace {

[[noreturn]] void fail(std::filesystem::path const& path, int reason) {
    throw std::runtime_error("cannot write '" + path.string() + "': " + std::generic_category().message(reason));
}

// Makes the rename itself outlast a power failure. Folders that cannot be flushed are left to the system.
void flush_folder(std::filesystem::path const& path) {
    auto const folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
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

void AtomicFile::commit() {
    // EINVAL: there is no disk behind it, and nothing to flush.
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(target_, errno);
    int const closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(target_, errno);
    if (::rename(partial_.c_str(), target_.c_str()) != 0) fail(target_, errno);
    renamed_ = true;
    flush_folder(target_);
}

void write_atomically(std::filesystem::path const& path, std::span<std::string_view const> pieces) {
    AtomicFile file{path};
    for (std::string_view const piece : pieces) file.write(piece);
    file.commit();
}

void write_atomically(std::filesystem::path const& path, std::string_view bytes) {
    write_atomically(path, std::span{&bytes, 1});
}

}  // namespace pliant
