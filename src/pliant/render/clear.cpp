#include <pliant/render/clear.hpp>

#include <cmath>

namespace pliant::render {
namespace {

constexpr float index_of_refraction = 1.33f, mirrored_head_on = 0.02f;

Vec3f times(Vec3f a, Vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec3f mirrored(Vec3f d, Vec3f n) { return d - 2 * dot(d, n) * n; }

// Against the direction d.
Vec3f facing(Vec3f outward, Vec3f d) {
    Vec3f const n = normalized(outward);
    return dot(n, d) > 0 ? -1.0f * n : n;
}

// The direction of a ray behind a surface, n against it; of length zero where all of it is mirrored.
Vec3f bent(Vec3f d, Vec3f n, float ratio) {
    float const along = -dot(d, n), square = 1 - ratio * ratio * (1 - along * along);
    return square < 0 ? Vec3f{} : ratio * d + (ratio * along - std::sqrt(square)) * n;
}

// The same where normals are smoothed over facets: a ray that n would lead back through the facet takes that of it.
Vec3f bent(Vec3f d, Vec3f n, Vec3f facet, float ratio) {
    Vec3f const out = bent(d, n, ratio);
    return dot(out, facet) < 0 || norm_squared(out) == 0 ? out : bent(d, facet, ratio);
}

template <class Body>
void for_active(PacketMask active, Body const& body) {
    for (std::size_t k = 0; k < packet_size; ++k)
        if (active >> k & 1u) body(k);
}

class Through {
public:
    Through(Shot const& shot, PacketMask clear) : shot_(shot), clear_(clear) {}

    void look(RayPacket const& rays, HitPacket const& hits, std::array<Sighting, packet_size>& sighting) {
        enter(rays, hits, sighting);
        PacketMask const mirrored_back = follow(clear_);
        PacketMask const lost = follow(mirrored_back);
        // As if they left: edges and drops, where rays are mirrored many times, would be dark.
        for_active(lost, [&](std::size_t k) { behind_[k] = around(inside_.origin[k], inside_.direction[k]); });
        leave();
        for_active(clear_, [&](std::size_t k) {
            Vec3f const d = normalized(rays.direction[k]), n = sighting[k].point.n;
            float const slant = 1 - std::clamp(-dot(d, n), 0.0f, 1.0f), square = slant * slant;
            float const mirrors = mirrored_head_on + (1 - mirrored_head_on) * square * square * slant;
            sighting[k].material.own =
                (1 - mirrors) * from_inside(k) + mirrors * mirror_image(sighting[k].point.x, mirrored(d, n));
        });
    }

private:
    Look const& look_of() const { return shot_.environment.look(); }

    void enter(RayPacket const& rays, HitPacket const& hits, std::array<Sighting, packet_size> const& sighting) {
        for_active(clear_, [&](std::size_t k) {
            Vec3f const from = normalized(rays.direction[k]), facet = facing(hits.outward[k], from);
            inside_.origin[k] = sighting[k].point.x - 3 * shot_.lens.lift * facet;
            inside_.direction[k] = bent(from, sighting[k].point.n, facet, 1 / index_of_refraction);
        });
    }
    // To the first thing inside or behind. Returns the rays that the surface mirrors back.
    PacketMask follow(PacketMask active) {
        HitPacket hits;
        shot_.scene.rays().closest(inside_, active, hits);
        PacketMask back = 0;
        for_active(active, [&](std::size_t k) {
            Vec3f const x = inside_.origin[k], d = inside_.direction[k];
            bool const met = hits.geometry[k] != HitPacket::none;
            auto const ground = shot_.environment.hit(x, d);
            float const gap = 0.03f * shot_.lens.half_height;  // surfaces do not quite reach the ground
            if (ground.plane && (!met || ground.distance < hits.distance[k] + gap)) {
                length_[k] += ground.distance, behind_[k] = on_ground(x, d, ground);
            } else if (!met) {
                behind_[k] = shot_.environment.backdrop(d);
            } else {
                length_[k] += hits.distance[k];
                if (end_at(shot_.scene.sighting(inside_, hits, int(k), shot_.lens.lift), facing(hits.outward[k], d), k))
                    back |= 1u << k;
            }
        });
        return back;
    }
    // What is met from inside; whether it mirrors the ray back.
    bool end_at(Sighting const& met, Vec3f facet, std::size_t k) {
        if (!met.material.clear) {
            behind_[k] = lit(met);
            return false;
        }
        Vec3f const d = inside_.direction[k], out = bent(d, met.point.n, facet, index_of_refraction);
        if (norm_squared(out) == 0) {
            inside_.origin[k] = met.point.x, inside_.direction[k] = normalized(mirrored(d, facet));
            return true;
        }
        leaves_ |= 1u << k;
        outside_.origin[k] = met.point.x - 3 * shot_.lens.lift * facet, outside_.direction[k] = out;
        return false;
    }
    void leave() {
        HitPacket hits;
        hits.geometry.fill(HitPacket::none);
        shot_.scene.rays().closest(outside_, leaves_, hits);
        for_active(leaves_, [&](std::size_t k) {
            Vec3f const x = outside_.origin[k], d = outside_.direction[k];
            behind_[k] = around(x, d);
            auto const ground = shot_.environment.hit(x, d);
            if (hits.geometry[k] == HitPacket::none || (ground.plane && ground.distance < hits.distance[k])) return;
            Sighting const met = shot_.scene.sighting(outside_, hits, int(k), shot_.lens.lift);
            behind_[k] = met.material.clear ? 0.8f * behind_[k] + 0.2f * look_of().deep_water : lit(met);
        });
    }

    Vec3f from_inside(std::size_t k) const {
        Look const& look = look_of();
        float const depth = length_[k] / shot_.lens.half_height;
        Vec3f passes;
        for (int c = 0; c < 3; ++c) passes[c] = std::exp(-look.water_absorbs[c] * depth);
        return times(passes, behind_[k]) + times(Vec3f{1, 1, 1} - passes, look.deep_water);
    }
    Vec3f around(Vec3f x, Vec3f d) const {  // ground or backdrop
        auto const ground = shot_.environment.hit(x, d);
        return ground.plane ? on_ground(x, d, ground) : shot_.environment.backdrop(d);
    }
    Vec3f mirror_image(Vec3f x, Vec3f d) const {
        Look const& look = look_of();
        if (shot_.environment.hit(x, d).plane) return around(x, d);
        float const off = 1 - dot(d, normalized(shot_.environment.to_sun()));
        float const glint = std::exp(-off / look.glint);
        return shot_.environment.backdrop(d) + look.glint_strength * glint * look.sun;
    }
    Vec3f on_ground(Vec3f x, Vec3f d, Environment::PlaneHit const& hit) const {
        Vec3f const n = hit.plane->normal, at = x + hit.distance * d;
        Vec3f const step = shot_.lens.pixel * norm(at - shot_.lens.eye) * hit.plane->along;
        Sighting const seen{{at, 1, n, 0}, shot_.environment.ground_material(*hit.plane, at, step, step)};
        return lit(seen);
    }
    // As if nothing stood in the light.
    Vec3f lit(Sighting const& seen) const {
        return shot_.environment.shade(seen.point, seen.material, shot_.environment.open_light(seen.point.n));
    }

    Shot const& shot_;
    PacketMask clear_, leaves_ = 0;
    RayPacket inside_{}, outside_{};
    std::array<float, packet_size> length_{};  // of the way inside [m]
    std::array<Vec3f, packet_size> behind_;
};

}  // namespace

void look_through(Shot const& shot, RayPacket const& rays, HitPacket const& hits, PacketMask clear,
                  std::array<Sighting, packet_size>& sighting) {
    if (clear != 0) Through(shot, clear).look(rays, hits, sighting);
}

}  // namespace pliant::render
