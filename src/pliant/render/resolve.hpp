// The later passes: light is smoothed within surfaces, edges are drawn with more rays, and everything becomes colour.
//
// Smoothing is a-trous (Dammertz et al. 2010) with the kernel 1 2 1, whose passes of steps 1, 2 and 4 together give
// every pixel of an 8x8 square the same weight: the square over which trace_light spreads its sample points. Only light
// is smoothed, never colour or shape.
#pragma once

#include <pliant/render/image.hpp>
#include <pliant/render/trace_light.hpp>

namespace pliant::render {

// Reads: point, `from`. Writes: `to` of its pixel.
struct SmoothLight {
    Pixels const& pixels;
    Light const* from;
    Light* to;
    int step;       // [pixels]
    bool with_sun;  // shadows have edges to keep, and get fewer passes
    void operator()(Index pixel) const;

private:
    bool is_even(int column, int row) const;
};

// Reads: all. Writes: the image's pixels of its tile.
struct ResolveTile {
    Shot const& shot;
    Tiles tiles;
    Pixels const& pixels;
    Image& image;
    void operator()(Index tile) const;

private:
    bool is_edge(int column, int row) const;
    Light light_at(SurfacePoint const& point, int column, int row) const;
    Vec3f color_of(Sighting const& sighting, Light const& taken) const;
};

}  // namespace pliant::render
