#include <pliant/run/run_surface.hpp>
#include <pliant/setup/make_skin.hpp>

#include <algorithm>
#include <cassert>

namespace pliant {

RunSurface::RunSurface(Scene const& scene, Frame const& first, std::vector<BodySummary> const& bodies, int threads)
    : spec_(scene.output),
      bodies_(find_method(scene.method)->fluid ? surface::Bodies::mixing : surface::Bodies::apart) {
    for (BodySummary const& body : bodies) spacing_.push_back(body.spacing);
    if (spec_.surface == "skin") skin_.emplace(make_skin(scene, first, bodies, threads));
}

RunSurface::Made RunSurface::of(Frame const& frame, int threads) const {
    assert(wanted());
    if (skin_) return {skin_->move(frame, threads), {}};
    Cpu exec(threads);
    bool const keeps_bands = std::count(spec_.meshes.begin(), spec_.meshes.end(), "vdb") > 0;
    surface::LevelSetSurface made =
        surface::level_set_surface(exec, frame, spacing_, {spec_.surface_inner, spec_.surface_outer},
                                   keeps_bands ? surface::Bands::keep : surface::Bands::leave_out, bodies_);
    return {std::move(made.mesh), std::move(made.band)};
}

}  // namespace pliant
