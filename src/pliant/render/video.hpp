// PNG pictures to an MP4 that every player opens (H.264, 4:2:0, index at the start), through the ffmpeg program.
//
// The files go to ffmpeg one after another through a socket: their names need not be numbered without gaps, and no
// shell or pattern ever sees them.
#pragma once

#include <filesystem>
#include <span>

namespace pliant::render {

struct VideoSettings {
    double fps = 30;  // pictures per second
    int threads = 0;  // 0: all cores
};

// Returns false if there is no ffmpeg. Pictures of odd size lose their last row or column. Written to a temporary file,
// then renamed. Throws std::runtime_error with ffmpeg's message when it fails, and InputError when a picture cannot be
// read.
bool write_video(std::filesystem::path const& path, std::span<std::filesystem::path const> pictures,
                 VideoSettings const& settings);

}  // namespace pliant::render
