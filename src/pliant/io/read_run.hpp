// The folder of a run, read back: which frames are there, and one of them. For a run that is finished, was interrupted
// or is still at work: only whole frames are ever seen, since files are renamed into place and statistics come last.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <filesystem>
#include <vector>

namespace pliant {

struct FrameFiles {
    int index = 0;
    double time = 0;                               // [s]
    std::vector<std::filesystem::path> particles;  // that are there, those with the most in them first
    std::vector<std::filesystem::path> surfaces;
};

struct RunFiles {
    std::filesystem::path directory;
    std::string name;                // the last part of its path, also of "out/run/" and of "."
    std::vector<FrameStats> stats;   // one a frame, at least one
    std::vector<FrameFiles> frames;  // the same ones
};

// Throws InputError when the folder holds no run of pliant, or none with a frame.
RunFiles list_run(std::filesystem::path const& directory);

// By the extension: particles as .vtp or .ply, surfaces also as .obj. The index is the number in the file's name. All
// positions are finite, all corners of polygons name vertices. Throw InputError with the file and what is wrong.
Frame read_particles(std::filesystem::path const& file);
SurfaceMesh read_surface(std::filesystem::path const& file);

}  // namespace pliant
