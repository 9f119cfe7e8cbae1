#include <pliant/render/clear.hpp>
#include <pliant/render/sample_points.hpp>
#include <pliant/render/trace_light.hpp>

#include <cmath>
#include <numbers>

namespace pliant::render {

namespace {

// Seeds of the sample points: any numbers, one for each use.
constexpr std::uint32_t pixel_seed = 0x3c6ef372u, sun_seed = 0xa54ff53au, sky_seed = 0x510e527fu,
                        edge_seed = 0x9b05688cu, more_sky_seed = 0x1f83d9abu;

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

}  // namespace

Lens::Lens(Camera const& camera, int width, int height) : eye(cast<float>(camera.position)) {
    ViewAxes const axes = axes_of(camera);
    double const step = 2 * std::tan(camera.fov * std::numbers::pi / 360) / height;
    right = cast<float>(step * axes.right);
    down = cast<float>(-step * axes.up);
    corner = cast<float>(axes.forward - (0.5 * step * width) * axes.right + (0.5 * step * height) * axes.up);
    lift = float(1e-4 * norm(camera.target - camera.position));
    pixel = float(step);
    half_height = float(0.5 * step * height * norm(camera.target - camera.position));
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
    PacketMask clear = 0;
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
            clear |= PacketMask(sighting[i].material.clear) << k;
        } else {
            sighting[i] = {{direction, SurfacePoint::nothing, {}, 0}, {}};
        }
    }
    look_through(*this, rays, hits, clear, sighting);
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
    void add_sun(std::span<SurfacePoint const> point, PacketMask active, int count, std::uint32_t seed,
                 std::span<Light> light) const {
        for (int k = 0; k < packet_size; ++k)  // points that face away from the sun need no rays
            if ((active >> k & 1u) && dot(point[std::size_t(k)].n, shot_.environment.to_sun()) <= 0)
                active &= ~(1u << k);
        for (int j = 0; j < count && active; ++j) {
            RayPacket rays = packet(point, active);
            for_active(active, [&](std::size_t k) {
                if (!shot_.soft_light) {
                    rays.direction[k] = shot_.environment.to_sun();
                    return;
                }
                SamplePoint const p =
                    disk_point(sample_point(order_[k] * std::uint32_t(count) + std::uint32_t(j), seed));
                rays.direction[k] = shot_.environment.sun_ray(p.u, p.v);
            });
            PacketMask const lit = active & ~shot_.scene.rays().blocked_coherent(rays, active);
            for_active(lit, [&](std::size_t k) { light[k].sun += 1 / float(count); });
        }
    }

    // Adds to S and B of each active pixel; returns the pixels where something was in the way.
    PacketMask add_ambient(std::span<SurfacePoint const> point, PacketMask active, int count, std::uint32_t seed,
                           std::span<Light> light) const {
        Environment const& environment = shot_.environment;
        PacketMask shaded_at = 0;
        for (int j = 0; j < count && active; ++j) {
            RayPacket rays = packet(point, active);
            for_active(active, [&](std::size_t k) {
                rays.direction[k] = cosine_direction(
                    point[k].n, sample_point(order_[k] * std::uint32_t(count) + std::uint32_t(j), seed));
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
            shaded_at |= (active & ~open) | in_shadow;
        }
        return shaded_at;
    }

private:
    static constexpr float shaded = 0.3f;  // ground in shadow still reflects this share

    template <class Body>
    static void for_active(PacketMask active, Body const& body) {
        for (std::size_t k = 0; k < packet_size; ++k)
            if (active >> k & 1u) body(k);
    }
    static RayPacket packet(std::span<SurfacePoint const> point, PacketMask active) {
        RayPacket rays{};
        for_active(active, [&](std::size_t k) { rays.origin[k] = point[k].x; });
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

namespace {

// The pixels of a tile that send rays to the sky at first, as on a chessboard: shade has no sharp edges.
constexpr PacketMask every_other = 0xa5a5u;

// What bodies take away of the open light.
Light taken(Light const& light, SurfacePoint const& point, Shot const& shot) {
    if (shot.sky_rays() == 0) return {light.sun, 0, 0};
    Light const open = shot.environment.open_light(point.n);
    return {light.sun, light.sky - open.sky, light.bounce - open.bounce};
}

// What the square of 5x5 pixels around one sees of the same surface.
struct Surroundings {
    bool in_penumbra = false, near_shade = false;
};
Surroundings look_around(Pixels const& pixels, int column, int row) {
    std::size_t const center = pixels.index(column, row);
    SurfacePoint const& own = pixels.point[center];
    float const sun = pixels.light[center].sun;
    Surroundings found{sun > 0.01f && sun < 0.99f, pixels.is_shaded[center] != 0};
    for (int y = std::max(row - 2, 0); y <= std::min(row + 2, pixels.height - 1); ++y)
        for (int x = std::max(column - 2, 0); x <= std::min(column + 2, pixels.width - 1); ++x) {
            std::size_t const i = pixels.index(x, y);
            bool const other_sun = !found.in_penumbra && std::abs(pixels.light[i].sun - sun) > 0.01f;
            bool const other_sky = !found.near_shade && pixels.is_shaded[i] != 0;
            if ((!other_sun && !other_sky) || likeness(own, pixels.point[i], 4) <= 0) continue;
            found.in_penumbra |= other_sun;
            found.near_shade |= other_sky;
        }
    return found;
}

}  // namespace

void TraceTile::operator()(Index tile) const {
    PacketMask const active = inside(tiles, tile);
    std::array<Sighting, packet_size> sighting;
    shot.look(tiles, tile, active, 0, sighting);
    std::array<SurfacePoint, packet_size> point;
    std::array<Light, packet_size> light{};
    PacketMask on_surface = 0;
    for (std::size_t k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = pixels.index(tiles.column(tile, int(k)), tiles.row(tile, int(k)));
        pixels.point[i] = point[k] = sighting[k].point;
        pixels.material[i] = sighting[k].material;
        if (point[k].id != SurfacePoint::nothing && sighting[k].material.haze < 1) on_surface |= 1u << k;
    }
    TileLight const rays(shot, tiles, tile);
    rays.add_sun(point, on_surface, shot.sun_rays(), sun_seed, light);
    PacketMask const is_shaded = rays.add_ambient(point, on_surface & every_other, shot.sky_rays(), sky_seed, light);
    for (std::size_t k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = pixels.index(tiles.column(tile, int(k)), tiles.row(tile, int(k)));
        pixels.light[i] = every_other >> k & 1u ? taken(light[k], point[k], shot) : Light{light[k].sun, 0, 0};
        pixels.is_shaded[i] = std::uint8_t(is_shaded >> k & 1u);
    }
}

void RefineLight::operator()(Index tile) const {
    PacketMask const active = inside(tiles, tile);
    std::array<SurfacePoint, packet_size> point;
    std::array<Light, packet_size> sun{}, sky{};
    PacketMask in_penumbra = 0, near_shade = 0;
    for (int k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        int const column = tiles.column(tile, k), row = tiles.row(tile, k);
        point[std::size_t(k)] = pixels.point[pixels.index(column, row)];
        if (point[std::size_t(k)].id == SurfacePoint::nothing) continue;
        Surroundings const seen = look_around(pixels, column, row);
        if (seen.in_penumbra) in_penumbra |= 1u << k;
        if (seen.near_shade) near_shade |= 1u << k;
    }
    TileLight const rays(shot, tiles, tile);
    int const first_sun = shot.sun_rays(), more_sun = std::max(1, shot.samples - first_sun);
    int const first_sky = shot.sky_rays(), more_sky = std::max(1, shot.samples / 4);
    rays.add_sun(point, in_penumbra, more_sun, edge_seed, sun);
    rays.add_ambient(point, near_shade, more_sky, more_sky_seed, sky);
    auto const mean = [](float a, int count_a, float b, int count_b) {
        return (float(count_a) * a + float(count_b) * b) / float(count_a + count_b);
    };
    for (int k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = pixels.index(tiles.column(tile, k), tiles.row(tile, k)), n = std::size_t(k);
        Light refined = pixels.light[i];
        if (in_penumbra >> k & 1u) refined.sun = mean(refined.sun, first_sun, sun[n].sun, more_sun);
        if (near_shade >> k & 1u) {
            Light const more = taken(sky[n], point[n], shot);
            int const first = every_other >> k & 1u ? first_sky : 0;
            refined.sky = mean(refined.sky, first, more.sky, more_sky);
            refined.bounce = mean(refined.bounce, first, more.bounce, more_sky);
        } else {
            refined.sky = refined.bounce = 0;  // nothing in the way: the open light, without noise
        }
        pixels.other_light[i] = refined;
    }
}

}  // namespace pliant::render
