// The first pass: what each pixel shows, and how much sun, sky and lit ground it sees.
#pragma once

#include <pliant/render/frame_scene.hpp>
#include <pliant/render/pixels.hpp>

namespace pliant::render {

// The camera as a source of rays. Directions have length 1 along the axis of view: distances are depths.
struct Lens {
    Lens(Camera const& camera, int width, int height);
    Vec3f direction(float column, float row) const { return corner + column * right + row * down; }

    Vec3f eye, corner, right, down;  // right, down: from pixel to pixel
    float lift;                      // how far off surfaces rays start [m]
    float pixel;                     // size at depth 1
    float half_height;               // of the picture, where the camera's target is [m]
};

// All that the passes read.
struct Shot {
    Lens const& lens;
    FrameScene const& scene;
    Environment const& environment;
    int samples;             // rays from the eye per pixel at edges; one elsewhere
    bool soft_light = true;  // false: no shade from the sky, shadows with hard edges

    // Of each point; where neighbours see different things, in all: the sun as many as `samples`, the sky a quarter of
    // them.
    int sun_rays() const { return soft_light ? std::max(1, samples / 16) : 1; }
    int sky_rays() const { return soft_light ? std::max(1, samples / 8) : 0; }

    // Sample s of the active pixels of a tile; `sighting` of the others stays as it is.
    void look(Tiles const& tiles, Index tile, PacketMask active, int s,
              std::array<Sighting, packet_size>& sighting) const;
};

// Reads: shot. Writes: point, material, light, is_shaded of its tile.
struct TraceTile {
    Shot const& shot;
    Tiles tiles;
    Pixels& pixels;
    void operator()(Index tile) const;
};

// More rays to the sun near the edge of a shadow, and to the sky where something is in the way: noise would show there.
// Reads: point, light, is_shaded. Writes: other_light of its tile.
struct RefineLight {
    Shot const& shot;
    Tiles tiles;
    Pixels& pixels;
    void operator()(Index tile) const;
};

}  // namespace pliant::render
