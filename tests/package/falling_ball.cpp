// Runs a scene and writes its frames for ParaView: the example of docs/guide/library.md.
#include <pliant/io/write_vtp.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>

int main(int, char** argument) try {
    std::filesystem::path const scene = argument[1], folder = argument[2];
    std::filesystem::create_directories(folder);
    auto simulation = pliant::Simulation{pliant::read_scene(scene), pliant::Device::automatic()};
    for (pliant::Frame const& frame : simulation.frames()) {
        pliant::write_vtp(folder / (std::to_string(frame.index) + ".vtp"), frame);
        std::printf("%.2f s: centre of mass at %.6f m\n", frame.time, frame.stats.center_of_mass.y);
    }
} catch (std::exception const& error) {  // InputError: what is wrong in the scene, by file and line
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
