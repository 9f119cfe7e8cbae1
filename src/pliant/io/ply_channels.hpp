// How channels are stored in PLY files: one float property per component. Numbers have the name of the channel, vectors
// NAME_x, NAME_y, NAME_z, symmetric matrices NAME_xx, _yy, _zz, _xy, _yz, _xz, others NAME_xx, NAME_xy ... NAME_zz.
#pragma once

#include <pliant/data/channel.hpp>

#include <span>
#include <string>
#include <string_view>

namespace pliant {

void append_ply_properties(std::string& header, std::span<Channel const> channels);
void append_ply_values(std::string& file, std::span<Channel const> channels, std::size_t point);
std::size_t ply_row_size(std::span<Channel const> channels);  // [bytes]

// The channel that begins with the first of these properties, without values; its number of components says how many
// of them belong to it.
Channel ply_channel(std::span<std::string_view const> properties);

}  // namespace pliant
