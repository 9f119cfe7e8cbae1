#include <pliant/data/error.hpp>
#include <pliant/io/input.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace pliant {

void refuse_file(std::filesystem::path const& file, std::string const& reason) {
    throw InputError(file.string() + ": " + reason);
}

std::string read_bytes(std::filesystem::path const& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) refuse_file(file, "is a folder, not a file");
    errno = 0;
    std::ifstream stream{file, std::ios::binary};
    if (!stream) refuse_file(file, "cannot be read: " + std::generic_category().message(errno));
    // In pieces up to the end: not everything that can be opened has a known size.
    std::string bytes;
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (std::size_t had = 0; stream; had = bytes.size()) {
        bytes.resize(had + piece);
        stream.read(bytes.data() + had, piece);
        bytes.resize(had + static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) refuse_file(file, "cannot be read: " + std::generic_category().message(errno));
    if (bytes.empty()) refuse_file(file, "is empty");
    return bytes;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string result{text.substr(0, longest)};
    for (char& c : result)
        if (c < ' ' || c > '~') c = '?';
    return result + (text.size() > longest ? "..." : "");
}

}  // namespace pliant
