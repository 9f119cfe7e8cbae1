// What is known about every pixel while a picture is drawn, and when two points count as the same surface.
#pragma once

#include <pliant/render/environment.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant::render {

struct Pixels {
    Pixels(int columns, int rows)
        : width(columns),
          height(rows),
          point(std::size_t(columns) * rows),
          material(point.size()),
          light(point.size()),
          other_light(point.size()),
          is_shaded(point.size()) {}

    int width, height;
    std::vector<SurfacePoint> point;
    std::vector<Material> material;
    // `sky` and `bounce` are differences from Environment::open_light: what bodies take away varies slowly over a bumpy
    // surface and can be smoothed; the whole follows every bump.
    std::vector<Light> light;
    std::vector<Light> other_light;       // stages read one and write the other
    std::vector<std::uint8_t> is_shaded;  // some ray to the sky, or to lit ground, was blocked

    std::size_t index(int column, int row) const { return std::size_t(row) * width + column; }
    bool contains(int column, int row) const { return column >= 0 && row >= 0 && column < width && row < height; }
};

// From 0 to 1: how much light at b says about light at a. Other bodies say nothing; other normals, and points off the
// tangent plane by `reach` pixels, say little.
inline float likeness(SurfacePoint const& a, SurfacePoint const& b, float reach) {
    if (a.id != b.id) return 0;
    float const turn = dot(a.n, b.n);
    if (turn <= 0) return 0;
    float const off = 1 - std::abs(dot(a.n, b.x - a.x)) / (reach * a.footprint);
    if (off <= 0) return 0;
    float const turn2 = turn * turn, turn4 = turn2 * turn2;
    return turn4 * turn4 * off * off;
}

inline bool is_same_surface(SurfacePoint const& a, SurfacePoint const& b) {
    return a.id == b.id &&
           (a.id == SurfacePoint::nothing || (dot(a.n, b.n) > 0.9f && std::abs(dot(a.n, b.x - a.x)) < 2 * a.footprint));
}

// Stages work on tiles of 4x4 pixels, one ray per pixel in each packet.
struct Tiles {
    static constexpr int side = 4;
    int width, height;

    int columns() const { return (width + side - 1) / side; }
    Index count() const { return Index(columns() * ((height + side - 1) / side)); }
    int column(Index tile, int k) const { return int(tile) % columns() * side + k % side; }
    int row(Index tile, int k) const { return int(tile) / columns() * side + k / side; }
};

}  // namespace pliant::render
