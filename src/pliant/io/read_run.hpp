// The folder of a run, read back: which frames exist, and one of them. The run may be finished, interrupted or still
// going: only whole frames are ever seen, since files are renamed into place and statistics come last.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <filesystem>
#include <vector>

namespace pliant {

struct FrameFiles {
    int index = 0;
    double time = 0;                               // [s]
    std::vector<std::filesystem::path> particles;  // those that exist, the ones with the most data first
    std::vector<std::filesystem::path> surfaces;
};

struct RunFiles {
    std::filesystem::path directory;
    std::string name;                // the last part of its path, also for "out/run/" and "."
    std::vector<FrameStats> stats;   // one per frame, at least one
    std::vector<FrameFiles> frames;  // of the same frames
};

// Throws InputError when the folder holds no run of pliant, or none with a frame.
RunFiles list_run(std::filesystem::path const& directory);

// A position that is not a number.
class NotFiniteError : public InputError {
    using InputError::InputError;
};

// By the extension: particles as .vtp or .ply, surfaces also as .obj. The index is the number in the file's name. All
// positions are finite, all corners of polygons name vertices. Throw InputError with the file and what is wrong, and
// NotFiniteError for a position that is not finite.
Frame read_particles(std::filesystem::path const& file);
SurfaceMesh read_surface(std::filesystem::path const& file);

}  // namespace pliant
