#include <pliant/render/resolve.hpp>

namespace pliant::render {

namespace {

Light sum_of(Light a, float weight, Light b) {
    return {a.sun + weight * b.sun, a.sky + weight * b.sky, a.bounce + weight * b.bounce};
}

bool differ(Light const& a, Light const& b) { return a.sun != b.sun || a.sky != b.sky || a.bounce != b.bounce; }

}  // namespace

// Most pixels show open ground, where all light is the same.
bool SmoothLight::is_even(int column, int row) const {
    Light const& own = from[pixels.index(column, row)];
    for (int y = std::max(row - step, 0); y <= std::min(row + step, pixels.height - 1); y += step)
        for (int x = std::max(column - step, 0); x <= std::min(column + step, pixels.width - 1); x += step)
            if (differ(own, from[pixels.index(x, y)])) return false;
    return true;
}

void SmoothLight::operator()(Index pixel) const {
    int const row = int(pixel) / pixels.width, column = int(pixel) % pixels.width;
    SurfacePoint const& own = pixels.point[pixel];
    to[pixel] = from[pixel];
    if (own.id == SurfacePoint::nothing || is_even(column, row)) return;
    Light sum{};
    float weights = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int const x = column + dx * step, y = row + dy * step;
            if (!pixels.contains(x, y)) continue;
            std::size_t const i = pixels.index(x, y);
            float const weight = float((2 - dx * dx) * (2 - dy * dy)) * likeness(own, pixels.point[i], 2 * float(step));
            sum = sum_of(sum, weight, from[i]);
            weights += weight;
        }
    sum = sum_of({}, 1 / weights, sum);  // its own weight is 4: never zero
    if (!with_sun) sum.sun = from[pixel].sun;
    to[pixel] = sum;
}

bool ResolveTile::is_edge(int column, int row) const {
    std::size_t const i = pixels.index(column, row);
    if (pixels.material[i].clear) return true;  // what shows through has edges of its own
    for (auto const& [dx, dy] : {std::array{-1, 0}, {1, 0}, {0, -1}, {0, 1}})
        if (pixels.contains(column + dx, row + dy) &&
            !is_same_surface(pixels.point[i], pixels.point[pixels.index(column + dx, row + dy)]))
            return true;
    return false;
}

// The light of surrounding pixels that show the same surface; if none does, of those with similar normals.
Light ResolveTile::light_at(SurfacePoint const& point, int column, int row) const {
    Light sum{};
    float weights = 0;
    for (int y = row - 1; y <= row + 1; ++y)
        for (int x = column - 1; x <= column + 1; ++x) {
            if (!pixels.contains(x, y)) continue;
            SurfacePoint const& other = pixels.point[pixels.index(x, y)];
            if (other.id == SurfacePoint::nothing) continue;
            float const turn = std::max(0.0f, dot(point.n, other.n));
            float const weight = likeness(point, other, 3) + 1e-4f * (turn + (other.id == point.id ? 1.0f : 0.01f));
            sum = sum_of(sum, weight, pixels.light[pixels.index(x, y)]);
            weights += weight;
        }
    return weights > 0 ? sum_of({}, 1 / weights, sum) : Light{1, 0, 0};
}

Vec3f ResolveTile::color_of(Sighting const& sighting, Light const& taken) const {
    if (sighting.point.id == SurfacePoint::nothing) return shot.environment.backdrop(normalized(sighting.point.x));
    Light const open = shot.environment.open_light(sighting.point.n);
    Light const light{taken.sun, std::max(0.0f, open.sky + taken.sky), std::max(0.0f, open.bounce + taken.bounce)};
    Vec3f const color = shot.environment.shade(sighting.point, sighting.material, light);
    // One sample of a highlight must not outshine the other samples of its pixel.
    return {std::min(color.x, 2.0f), std::min(color.y, 2.0f), std::min(color.z, 2.0f)};
}

void ResolveTile::operator()(Index tile) const {
    PacketMask edges = 0;
    std::array<Vec3f, packet_size> sum{};
    for (int k = 0; k < packet_size; ++k) {
        int const column = tiles.column(tile, k), row = tiles.row(tile, k);
        if (column >= pixels.width || row >= pixels.height) continue;
        std::size_t const i = pixels.index(column, row);
        if (is_edge(column, row))
            edges |= 1u << k;
        else
            image.pixel[i] = color_of({pixels.point[i], pixels.material[i]}, pixels.light[i]);
    }
    for (int s = 0; s < shot.samples && edges; ++s) {
        std::array<Sighting, packet_size> sighting;
        shot.look(tiles, tile, edges, s, sighting);
        for (int k = 0; k < packet_size; ++k) {
            if (!(edges >> k & 1u)) continue;
            SurfacePoint const& point = sighting[std::size_t(k)].point;
            Light const light = light_at(point, tiles.column(tile, k), tiles.row(tile, k));
            sum[std::size_t(k)] += color_of(sighting[std::size_t(k)], light);
        }
    }
    for (int k = 0; k < packet_size; ++k)
        if (edges >> k & 1u)
            image.pixel[pixels.index(tiles.column(tile, k), tiles.row(tile, k))] =
                (1 / float(shot.samples)) * sum[std::size_t(k)];
}

}  // namespace pliant::render
