#include <pliant/render/draw.hpp>
#include <pliant/render/resolve.hpp>

#include <cassert>
#include <utility>

namespace pliant::render {

Renderer::Renderer(RenderSettings settings, Scenery scenery, std::vector<SurfaceMesh> const& collider_meshes)
    : settings_(std::move(settings)),
      scenery_(std::move(scenery)),
      cpu_(settings_.threads),
      pixels_(settings_.width, settings_.height) {
    assert(settings_.width > 0 && settings_.height > 0 && settings_.samples > 0);
    assert(collider_meshes.size() == scenery_.colliders.size());
    for (std::size_t i = 0; i < collider_meshes.size(); ++i)
        if (collider_meshes[i].polygon_count() > 0)
            models_.push_back({scenery_.colliders[i], triangles_of(collider_meshes[i], cpu_)});
}

Image Renderer::draw(Subject const& subject, Camera const& camera) {
    FrameScene const scene(device_, cpu_, subject, models_, settings_.paint, settings_.look);
    Environment const environment(settings_.look, scenery_, camera, subject.time);
    Lens const lens(camera, settings_.width, settings_.height);
    Shot const shot{lens, scene, environment, settings_.samples, !settings_.preview};
    Pixels& pixels = pixels_;
    Tiles const tiles{settings_.width, settings_.height};
    Range const all_tiles{0, tiles.count()}, all_pixels{0, Index(pixels.point.size())};

    cpu_.for_each("trace", all_tiles, TraceTile{shot, tiles, pixels});
    if (shot.soft_light) {
        cpu_.for_each("refine", all_tiles, RefineLight{shot, tiles, pixels});
        std::swap(pixels.light, pixels.other_light);
        for (int const step : {1, 2, 4}) {
            cpu_.for_each("smooth", all_pixels,
                          SmoothLight{pixels, pixels.light.data(), pixels.other_light.data(), step, step < 4});
            std::swap(pixels.light, pixels.other_light);
        }
    }
    Image image{settings_.width, settings_.height, std::vector<Vec3f>(pixels.point.size())};
    cpu_.for_each("resolve", all_tiles, ResolveTile{shot, tiles, pixels, image});
    return image;
}

}  // namespace pliant::render
