#include <pliant/render/sample_points.hpp>
#include <pliant/render/trace_light.hpp>

#include <cmath>
#include <numbers>

namespace pliant::render {

namespace {

// Seeds of the sample points: any numbers, one for each use.
constexpr std::uint32_t pixel_seed = 0x3c6ef372u, sun_seed = 0xa54ff53au, sky_seed = 0x510e527fu,
                        edge_seed = 0x9b05688cu;

// Two axes at right angles to the unit vector n (Duff et al. 2017).
struct Axes {
    Vec3f u, v;
};
Axes axes_around(Vec3f n) {
    float const sign = std::copysign(1.0f, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    return {{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}

Vec3f cosine_direction(Vec3f n, SamplePoint square) {
    SamplePoint const d = disk_point(square);
    Axes const axes = axes_around(n);
    return d.u * axes.u + d.v * axes.v + std::sqrt(std::max(0.0f, 1 - d.u * d.u - d.v * d.v)) * n;
}

// Bodies rank before ground and ground before backdrop: the thin tip of a body gets light of its own, while ground and
// backdrop take theirs from neighbouring pixels.
int rank(SurfacePoint const& point) { return point.id == SurfacePoint::nothing ? 0 : (point.id >> 31 ? 1 : 2); }

// The mean over the rays that hit the same as the first of the highest rank; true if some hit something else.
bool average(std::span<Sighting const> all, Sighting& mean, std::vector<Vec3f>& start) {
    Sighting const* leader = &all[0];
    for (Sighting const& one : all)
        if (rank(one.point) > rank(leader->point)) leader = &one;
    mean = {{{}, leader->point.id, {}, leader->point.footprint}, {{}, 0, leader->material.gloss}};
    start.clear();
    for (Sighting const& one : all) {
        if (!is_same_surface(leader->point, one.point)) continue;
        start.push_back(one.point.x);
        mean.point.x += one.point.x;
        mean.point.n += one.point.n;
        mean.material.albedo += one.material.albedo;
        mean.material.haze += one.material.haze;
    }
    float const share = 1 / float(start.size());
    mean.point.x *= share;
    mean.material.albedo *= share;
    mean.material.haze *= share;
    if (mean.point.id != SurfacePoint::nothing) mean.point.n = normalized(mean.point.n);
    return start.size() < all.size();
}

}  // namespace

Lens::Lens(Camera const& camera, int width, int height) : eye(cast<float>(camera.position)) {
    ViewAxes const axes = axes_of(camera);
    double const step = 2 * std::tan(camera.fov * std::numbers::pi / 360) / height;
    right = cast<float>(step * axes.right);
    down = cast<float>(-step * axes.up);
    corner = cast<float>(axes.forward - (0.5 * step * width) * axes.right + (0.5 * step * height) * axes.up);
    lift = float(1e-4 * norm(camera.target - camera.position));
    pixel = float(step);
}

void Shot::look(Tiles const& tiles, Index tile, PacketMask active, int s,
                std::array<Sighting, packet_size>& sighting) const {
    RayPacket rays;
    HitPacket hits;
    SamplePoint const jitter = sample_point(std::uint32_t(s), pixel_seed);  // the same in all pixels: edges stay even
    for (int k = 0; k < packet_size; ++k) {
        rays.origin[std::size_t(k)] = lens.eye;
        rays.direction[std::size_t(k)] =
            lens.direction(float(tiles.column(tile, k)) + jitter.u, float(tiles.row(tile, k)) + jitter.v);
    }
    scene.rays().closest(rays, active, hits);
    for (int k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = std::size_t(k);
        Vec3f const direction = rays.direction[i];
        auto const ground = environment.hit(lens.eye, direction);
        bool const is_body = hits.geometry[i] != HitPacket::none;
        if (ground.plane && (!is_body || ground.distance < hits.distance[i])) {
            Vec3f const normal = ground.plane->normal, x = lens.eye + ground.distance * direction;
            float const approach = dot(normal, direction);
            auto const moved = [&](Vec3f step) {  // by a step of the ray, along the plane
                return ground.distance * (step - (dot(normal, step) / approach) * direction);
            };
            std::uint32_t const id = 0x80000000u + std::uint32_t(ground.plane - environment.first_plane());
            sighting[i] = {{x + lens.lift * normal, id, normal, ground.distance * lens.pixel},
                           environment.ground_material(*ground.plane, x, moved(lens.right), moved(lens.down))};
        } else if (is_body) {
            sighting[i] = scene.sighting(rays, hits, k, lens.lift);
            sighting[i].point.footprint = hits.distance[i] * lens.pixel;
        } else {
            sighting[i] = {{direction, SurfacePoint::nothing, {}, 0}, {}};
        }
    }
}

namespace {

// Light rays of one tile. Bit k of a mask stands for pixel k.
class TileLight {
public:
    TileLight(Shot const& shot, Tiles const& tiles, Index tile) : shot_(shot) {
        for (int k = 0; k < packet_size; ++k)
            order_[std::size_t(k)] = z_order(tiles.column(tile, k), tiles.row(tile, k));
    }

    // Adds to each active pixel's V the share of `count` rays that reach the sun.
    void add_sun(std::span<SurfacePoint const> point, std::span<std::vector<Vec3f> const> start, PacketMask active,
                 int count, std::uint32_t seed, std::span<Light> light) const {
        for (int k = 0; k < packet_size; ++k)  // points that face away from the sun need no rays
            if ((active >> k & 1u) && dot(point[std::size_t(k)].n, shot_.environment.to_sun()) <= 0)
                active &= ~(1u << k);
        for (int j = 0; j < count && active; ++j) {
            RayPacket rays = packet(start, active, j);
            for_active(active, [&](std::size_t k) {
                SamplePoint const p =
                    disk_point(sample_point(order_[k] * std::uint32_t(count) + std::uint32_t(j), seed));
                rays.direction[k] = shot_.environment.sun_ray(p.u, p.v);
            });
            PacketMask const lit = active & ~shot_.scene.rays().blocked_coherent(rays, active);
            for_active(lit, [&](std::size_t k) { light[k].sun += 1 / float(count); });
        }
    }

    // Adds to S and B of each active pixel.
    void add_ambient(std::span<SurfacePoint const> point, std::span<std::vector<Vec3f> const> start, PacketMask active,
                     int count, std::span<Light> light) const {
        Environment const& environment = shot_.environment;
        for (int j = 0; j < count && active; ++j) {
            RayPacket rays = packet(start, active, j);
            for_active(active, [&](std::size_t k) {
                rays.direction[k] = cosine_direction(
                    point[k].n, sample_point(order_[k] * std::uint32_t(count) + std::uint32_t(j), sky_seed));
            });
            PacketMask const open = active & ~shot_.scene.rays().blocked(rays, active);
            PacketMask on_ground = 0;
            for_active(open, [&](std::size_t k) {
                auto const hit = environment.hit(rays.origin[k], rays.direction[k]);
                if (hit.plane) {
                    on_ground |= 1u << k;
                    rays.origin[k] += hit.distance * rays.direction[k] + shot_.lens.lift * hit.plane->normal;
                    rays.direction[k] = environment.to_sun();
                } else {
                    float const part = dot(rays.direction[k], environment.up()) < 0 ? environment.below_horizon() : 1;
                    light[k].sky += part / float(count);
                }
            });
            PacketMask const in_shadow = shot_.scene.rays().blocked_coherent(rays, on_ground);
            for_active(on_ground,
                       [&](std::size_t k) { light[k].bounce += (in_shadow >> k & 1u ? shaded : 1) / float(count); });
        }
    }

private:
    static constexpr float shaded = 0.3f;  // ground in shadow still reflects this share

    template <class Body>
    static void for_active(PacketMask active, Body const& body) {
        for (std::size_t k = 0; k < packet_size; ++k)
            if (active >> k & 1u) body(k);
    }
    static RayPacket packet(std::span<std::vector<Vec3f> const> start, PacketMask active, int j) {
        RayPacket rays{};
        for_active(active, [&](std::size_t k) { rays.origin[k] = start[k][std::size_t(j) % start[k].size()]; });
        return rays;
    }

    Shot const& shot_;
    std::array<std::uint32_t, packet_size> order_;
};

PacketMask inside(Tiles const& tiles, Index tile) {
    PacketMask mask = 0;
    for (int k = 0; k < packet_size; ++k)
        if (tiles.column(tile, k) < tiles.width && tiles.row(tile, k) < tiles.height) mask |= 1u << k;
    return mask;
}

}  // namespace

void TraceTile::operator()(Index tile) const {
    PacketMask const active = inside(tiles, tile);
    std::size_t const count = std::size_t(shot.first_samples());
    std::vector<Sighting> all(packet_size * count);
    for (std::size_t s = 0; s < count; ++s) {
        std::array<Sighting, packet_size> sighting;
        shot.look(tiles, tile, active, int(s), sighting);
        for (std::size_t k = 0; k < packet_size; ++k) all[k * count + s] = sighting[k];
    }
    std::array<SurfacePoint, packet_size> point;
    std::array<std::vector<Vec3f>, packet_size> start;
    std::array<Light, packet_size> light{};
    PacketMask on_surface = 0;
    for (std::size_t k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = pixels.index(tiles.column(tile, int(k)), tiles.row(tile, int(k)));
        Sighting mean;
        pixels.is_mixed[i] = average({&all[k * count], count}, mean, start[k]);
        pixels.point[i] = point[k] = mean.point;
        pixels.material[i] = mean.material;
        if (mean.point.id != SurfacePoint::nothing && mean.material.haze < 1) on_surface |= 1u << k;
    }
    TileLight const rays(shot, tiles, tile);
    rays.add_sun(point, start, on_surface, shot.sun_rays(), sun_seed, light);
    rays.add_ambient(point, start, on_surface, shot.sky_rays(), light);
    for (std::size_t k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        Light const open = shot.environment.open_light(point[k].n);
        pixels.light[pixels.index(tiles.column(tile, int(k)), tiles.row(tile, int(k)))] = {
            light[k].sun, light[k].sky - open.sky, light[k].bounce - open.bounce};
    }
}

void RefineShadows::operator()(Index tile) const {
    PacketMask const active = inside(tiles, tile);
    std::array<SurfacePoint, packet_size> point;
    std::array<std::vector<Vec3f>, packet_size> start;
    std::array<Light, packet_size> light{};
    PacketMask in_penumbra = 0;
    for (int k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        int const column = tiles.column(tile, k), row = tiles.row(tile, k);
        SurfacePoint const& own = point[std::size_t(k)] = pixels.point[pixels.index(column, row)];
        if (own.id == SurfacePoint::nothing) continue;
        start[std::size_t(k)].push_back(own.x);
        float least = 1, most = 0;
        for (int y = row - 2; y <= row + 2; ++y)
            for (int x = column - 2; x <= column + 2; ++x) {
                if (!pixels.contains(x, y) || likeness(own, pixels.point[pixels.index(x, y)], 4) <= 0) continue;
                least = std::min(least, pixels.light[pixels.index(x, y)].sun);
                most = std::max(most, pixels.light[pixels.index(x, y)].sun);
            }
        if (most - least > 0.01f || (most > 0.01f && most < 0.99f)) in_penumbra |= 1u << k;
    }
    int const first = shot.sun_rays(), more = 3 * first;
    TileLight(shot, tiles, tile).add_sun(point, start, in_penumbra, more, edge_seed, light);
    for (int k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = pixels.index(tiles.column(tile, k), tiles.row(tile, k));
        Light refined = pixels.light[i];
        if (in_penumbra >> k & 1u)
            refined.sun = (float(first) * refined.sun + float(more) * light[std::size_t(k)].sun) / float(first + more);
        pixels.other_light[i] = refined;
    }
}

}  // namespace pliant::render
