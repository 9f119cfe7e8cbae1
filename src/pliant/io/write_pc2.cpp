#include <pliant/io/bytes.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_pc2.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace pliant {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic{"POINTCACHE2\0", 12};
constexpr std::int32_t version = 1;
constexpr std::size_t header_size = 32;
constexpr off_t samples_at = 28;  // where the header stores their number

std::uint64_t sample_size(int points) { return 3 * sizeof(float) * static_cast<std::uint64_t>(points); }

off_t end_of(PointCacheHeader const& header) {
    return static_cast<off_t>(header_size + sample_size(header.points) * static_cast<std::uint64_t>(header.samples));
}

template <class T>
T value_at(char const* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

[[noreturn]] void fail(fs::path const& path, std::string const& reason) {
    throw std::runtime_error("cannot write '" + path.string() + "': " + reason);
}

// A file that is changed in place.
class OpenFile {
public:
    explicit OpenFile(fs::path const& path) : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) fail_with_reason();
    }
    ~OpenFile() { ::close(descriptor_); }
    OpenFile(OpenFile const&) = delete;
    OpenFile& operator=(OpenFile const&) = delete;

    void write(std::string_view bytes, off_t at) {
        while (!bytes.empty()) {
            ssize_t const written = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail_with_reason();
            bytes.remove_prefix(static_cast<std::size_t>(written));
            at += written;
        }
    }
    void flush() {
        if (::fdatasync(descriptor_) != 0 && errno != EINVAL) fail_with_reason();  // EINVAL: no disk behind it
    }
    void truncate(off_t size) {
        if (::ftruncate(descriptor_, size) != 0) fail_with_reason();
    }
    void count_samples(std::int32_t samples) {
        write({reinterpret_cast<char const*>(&samples), sizeof samples}, samples_at);
        flush();
    }

private:
    [[noreturn]] void fail_with_reason() const { fail(path_, std::generic_category().message(errno)); }
    fs::path const& path_;
    int descriptor_;
};

std::string_view points_of(SurfaceMesh const& mesh) {
    static_assert(sizeof(Vec3f) == 3 * sizeof(float));
    return {reinterpret_cast<char const*>(mesh.position.data()), sizeof(Vec3f) * mesh.position.size()};
}

}  // namespace

std::optional<PointCacheHeader> read_pc2_header(fs::path const& path) {
    std::ifstream stream{path, std::ios::binary};
    std::array<char, header_size> bytes{};
    if (!stream.read(bytes.data(), header_size)) return {};
    if (std::string_view{bytes.data(), magic.size()} != magic || value_at<std::int32_t>(&bytes[12]) != version)
        return {};
    PointCacheHeader const header{.points = value_at<std::int32_t>(&bytes[16]),
                                  .first_frame = static_cast<int>(value_at<float>(&bytes[20])),
                                  .samples = value_at<std::int32_t>(&bytes[28])};
    std::error_code error;
    auto const size = fs::file_size(path, error);
    if (error || header.points < 0 || header.samples < 0 || size < static_cast<std::uintmax_t>(end_of(header)))
        return {};
    return header;
}

void start_pc2(fs::path const& path, SurfaceMesh const& mesh) {
    std::string header{magic};
    append_value(header, version);
    append_value(header, static_cast<std::int32_t>(mesh.position.size()));
    append_value(header, static_cast<float>(mesh.index));
    append_value(header, 1.0f);  // one sample per frame
    append_value(header, std::int32_t{1});
    std::array<std::string_view, 2> const pieces{header, points_of(mesh)};
    write_atomically(path, pieces);
}

void append_pc2(fs::path const& path, SurfaceMesh const& mesh) {
    auto const header = read_pc2_header(path);
    if (!header || header->last_frame() + 1 != mesh.index)
        fail(path, "it is not the cache of the frames before " + std::to_string(mesh.index));
    if (static_cast<std::size_t>(header->points) != mesh.position.size())
        fail(path, "the surface has " + std::to_string(mesh.position.size()) + " vertices and had " +
                       std::to_string(header->points) +
                       " before; a point cache needs a mesh that keeps its vertices, as surface = \"skin\" does");
    OpenFile file{path};
    file.write(points_of(mesh), end_of(*header));
    file.flush();  // the points must be on the disk before the header counts them
    file.count_samples(header->samples + 1);
}

void cut_pc2(fs::path const& path, int last) {
    auto header = read_pc2_header(path);
    if (!header || header->first_frame > last) {
        fs::remove(path);
        return;
    }
    OpenFile file{path};
    if (header->last_frame() > last) {
        header->samples = last - header->first_frame + 1;
        file.count_samples(header->samples);  // before the points go: the header never counts missing points
    }
    file.truncate(end_of(*header));
}

}  // namespace pliant
