#include <pliant/io/bytes.hpp>
#include <pliant/io/ply_channels.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_ply.hpp>

#include <cassert>

namespace pliant {

std::string ply_bytes(Frame const& frame) {
    std::size_t const count = frame.position.size();
    assert(frame.velocity.size() == count && frame.id.size() == count && frame.body.size() == count);
    std::string file = "ply\nformat binary_little_endian 1.0\ncomment pliant frame " + std::to_string(frame.index) +
                       "\ncomment time " + number_text(frame.time) + "\nelement vertex " + std::to_string(count) + "\n";
    for (char const* name : {"x", "y", "z", "vx", "vy", "vz"}) file += std::string{"property float "} + name + "\n";
    file += "property uint id\nproperty uint body\n";
    append_ply_properties(file, frame.channels);
    file += "end_header\n";
    file.reserve(file.size() + count * (32 + ply_row_size(frame.channels)));
    for (std::size_t i = 0; i < count; ++i) {
        append_value(file, frame.position[i]);
        append_value(file, frame.velocity[i]);
        append_value(file, frame.id[i]);
        append_value(file, frame.body[i]);
        append_ply_values(file, frame.channels, i);
    }
    return file;
}

void write_ply(std::filesystem::path const& path, Frame const& frame) { write_atomically(path, ply_bytes(frame)); }

}  // namespace pliant
