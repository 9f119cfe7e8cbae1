// The surface of a run's frames, as its scene asks for it.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/scene/scene.hpp>
#include <pliant/surface/level_set_surface.hpp>
#include <pliant/surface/skin.hpp>

#include <optional>

namespace pliant {

class RunSurface {
public:
    // `first` is frame 0, `bodies` those of the run's summary (for their spacings). Throws InputError when there can be
    // no such surface.
    RunSurface(Scene const& scene, Frame const& first, std::vector<BodySummary> const& bodies, int threads);

    bool wanted() const { return spec_.surface != "none"; }

    struct Made {
        SurfaceMesh mesh;
        std::vector<NarrowBand> bands;  // of the bodies, where a format needs them
    };
    Made of(Frame const& frame, int threads) const;  // only if wanted; on any thread

private:
    OutputSpec spec_;
    std::vector<double> spacing_;  // of the bodies [m]
    surface::Bodies bodies_;
    std::optional<surface::Skin> skin_;
};

}  // namespace pliant
