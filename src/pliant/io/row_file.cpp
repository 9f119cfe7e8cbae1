#include <pliant/io/row_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace pliant {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(fs::path const& path, int reason) {
    throw std::runtime_error("cannot write '" + path.string() + "': " + std::generic_category().message(reason));
}

class OpenRows {
public:
    explicit OpenRows(fs::path path) : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDWR | O_CLOEXEC)) {
        if (descriptor_ < 0) fail(path_, errno);
    }
    ~OpenRows() { ::close(descriptor_); }
    OpenRows(OpenRows const&) = delete;
    OpenRows& operator=(OpenRows const&) = delete;

    // Where the last whole row ends.
    std::int64_t end_of_rows() const {
        struct stat found {};
        if (::fstat(descriptor_, &found) != 0) fail(path_, errno);
        std::int64_t end = found.st_size;
        std::array<char, 4096> part{};
        while (end > 0) {
            std::int64_t const begin = std::max<std::int64_t>(0, end - std::int64_t(part.size()));
            ssize_t const count = ::pread(descriptor_, part.data(), std::size_t(end - begin), begin);
            if (count != end - begin) fail(path_, errno);
            for (std::int64_t k = count; k > 0; --k)
                if (part[std::size_t(k - 1)] == '\n') return begin + k;
            end = begin;
        }
        return 0;
    }
    void truncate(std::int64_t size) {
        if (::ftruncate(descriptor_, size) != 0) fail(path_, errno);
    }
    // All of it, or nothing.
    void write(std::string_view bytes, std::int64_t at, Unflushed* later) {
        truncate(at);
        std::int64_t to = at;
        while (!bytes.empty()) {
            ssize_t const written = ::pwrite(descriptor_, bytes.data(), bytes.size(), to);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) {
                int const reason = errno;
                truncate(at);
                fail(path_, reason);
            }
            bytes.remove_prefix(std::size_t(written));
            to += written;
        }
        if (later != nullptr)
            later->add(path_);
        else if (::fsync(descriptor_) != 0 && errno != EINVAL)  // EINVAL: no disk behind it
            fail(path_, errno);
    }

private:
    fs::path path_;
    int descriptor_;
};

bool begins_with(fs::path const& path, std::string_view header) {
    std::ifstream stream(path, std::ios::binary);
    std::string line;
    return stream && std::getline(stream, line) && line == header;
}

}  // namespace

void append_rows(fs::path const& path, std::string_view header, std::string_view rows, Unflushed* later) {
    if (!begins_with(path, header)) write_atomically(path, std::string{header} + "\n", later);
    OpenRows file{path};
    file.write(rows, file.end_of_rows(), later);
}

void cut_rows(fs::path const& path, int last) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return;
    std::int64_t end = 0;
    std::string line;
    for (bool header = true; std::getline(stream, line) && !stream.eof(); header = false) {
        int frame = -1;
        auto const [next, error] = std::from_chars(line.data(), line.data() + line.size(), frame);
        bool const whole = error == std::errc{} && next != line.data() + line.size() && *next == ',';
        if (!header && (!whole || frame > last)) break;
        end += std::int64_t(line.size()) + 1;
    }
    stream.close();
    if (end == 0)
        fs::remove(path);
    else
        OpenRows{path}.truncate(end);
}

std::string cell_of(std::string const& name) {
    if (name.find_first_of(",\"\n\r") == name.npos) return name;
    std::string cell = "\"";
    for (char c : name) cell += c == '"' ? "\"\"" : std::string(1, c);
    return cell + "\"";
}

}  // namespace pliant
