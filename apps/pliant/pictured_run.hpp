// A run as pictures need it: its scenery, its frames as something to draw, and what they span.
#pragma once

#include "commands.hpp"

#include <pliant/data/scenery.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/render/camera.hpp>
#include <pliant/render/frame_scene.hpp>

#include <memory>
#include <string>
#include <vector>

namespace pliant::app {

class PicturedRun {
public:
    // Throws InputError when the folder holds no run, or not what the options ask to draw.
    PicturedRun(std::filesystem::path directory, RenderOptions const& options);

    std::string const& name() const { return name_; }  // title of the scene, or name of the folder
    Scenery const& scenery() const { return scenery_; }
    std::vector<SurfaceMesh> const& collider_meshes() const { return collider_meshes_; }
    std::vector<FrameFiles> const& frames() const { return files_.frames; }

    // Those asked for by "10", "10:40", "::5", "0,12,40"; all of them for "". Throws InputError.
    std::vector<std::size_t> chosen(std::string const& text) const;

    // Those of them that can be drawn; prints a warning about the others.
    std::vector<std::size_t> sound(std::vector<std::size_t> const& frames) const;

    bool clear() const;                                     // whether its surfaces are drawn as clear water
    std::string unit_of(std::string const& channel) const;  // empty where the run does not say

    // What these frames (a sample of them if there are many) span, for the camera and the colours.
    void measure(std::vector<std::size_t> const& frames, render::Quantity const& quantity, render::Framing& framing,
                 render::RangeFinder& values) const;

    // One frame, read and ready to draw. Throws InputError when it lacks what the colours are to show.
    class LoadedFrame {
    public:
        render::Subject subject() const;

    private:
        friend class PicturedRun;
        double time_ = 0;
        Frame particles_;
        SurfaceMesh surface_;
        bool show_particles_ = false;
        double crease_ = render::crease_angle;
        std::vector<float> radius_;
    };
    LoadedFrame load(std::size_t frame) const;

private:
    bool is_fluid() const;
    std::filesystem::path const& particle_file(FrameFiles const& frame) const;
    Frame particles_of(FrameFiles const& frame) const;
    SurfaceMesh surface_of(FrameFiles const& frame) const;
    bool draws_particles(FrameFiles const& frame) const {
        return options_.particles || (options_.preview && frame.surfaces.empty());
    }

    RenderOptions options_;
    RunFiles files_;
    std::string name_;
    Scenery scenery_;
    std::vector<SurfaceMesh> collider_meshes_;
    std::vector<double> spacing_;  // of each body [m]
};

}  // namespace pliant::app
