// A picture of one frame: rays from the eye find what each pixel shows, rays from there find its light, the light is
// smoothed, edges get more rays. The bytes do not depend on the number of threads.
//
// Tried and rejected: full path tracing, which is noisy at any number of rays that fits into a second; smoothing the
// finished picture, which blurs textures and edges along with the noise.
#pragma once

#include <pliant/render/camera.hpp>
#include <pliant/render/frame_scene.hpp>
#include <pliant/render/image.hpp>
#include <pliant/render/look.hpp>
#include <pliant/render/pixels.hpp>

#include <vector>

namespace pliant::render {

struct RenderSettings {
    int width = 960, height = 540;  // [pixels]
    int samples = 16;               // rays per pixel at edges; light takes a quarter of them
    int threads = 0;                // 0: all cores
    bool preview = false;           // shadows with hard edges, no shade from the sky, nothing to smooth
    Paint paint;
    Look look;
};

class Renderer {
public:
    // `collider_meshes` has one entry per collider of the scenery; planes have empty ones.
    Renderer(RenderSettings settings, Scenery scenery, std::vector<SurfaceMesh> const& collider_meshes);

    Image draw(Subject const& subject, Camera const& camera);

    std::vector<StageTime> const& profile() const { return cpu_.profile(); }

private:
    RenderSettings settings_;
    Scenery scenery_;
    Cpu cpu_;
    Pixels pixels_;  // kept from picture to picture: fresh memory would cost a tenth of the time
    RayDevice device_;
    std::vector<ColliderModel> models_;
};

}  // namespace pliant::render
