// Triangles and spheres for queries with rays, through Embree (Wald et al. 2014). Rays go in packets of 16, one per
// pixel of a 4x4 tile: nearby pixels ask for nearby things. Only .cpp files of this room include Embree's own header.
#pragma once

#include <pliant/render/triangles.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

struct RTCDeviceTy;
struct RTCSceneTy;

namespace pliant::render {

constexpr int packet_size = 16;

// Bit k of a mask is set when ray k is to be traced, or was blocked.
using PacketMask = std::uint32_t;

struct RayPacket {
    std::array<Vec3f, packet_size> origin, direction;
    std::array<float, packet_size> near{};
};

struct HitPacket {
    static constexpr std::uint32_t none = ~0u;
    std::array<float, packet_size> distance;  // in lengths of the ray's direction
    std::array<std::uint32_t, packet_size> geometry, primitive;
    std::array<float, packet_size> u, v;     // on triangles
    std::array<Vec3f, packet_size> outward;  // across the surface, of any length
};

class RayDevice {
public:
    RayDevice();
    RayDevice(RayDevice const&) = delete;
    RayDevice& operator=(RayDevice const&) = delete;
    ~RayDevice();
    RTCDeviceTy* handle() const { return device_; }

private:
    RTCDeviceTy* device_;
};

class RayScene {
public:
    explicit RayScene(RayDevice const& device);
    RayScene(RayScene const&) = delete;
    RayScene& operator=(RayScene const&) = delete;
    ~RayScene();

    // Neither keeps a copy: the arguments must outlive the scene. Both return the number of the geometry.
    std::uint32_t add(Triangles const& triangles);
    std::uint32_t add(std::vector<std::array<float, 4>> const& spheres);  // x, y, z, radius
    void commit(Cpu& cpu);                                                // after the last add

    void closest(RayPacket const& rays, PacketMask active, HitPacket& hits) const;
    PacketMask blocked(RayPacket const& rays, PacketMask active) const;           // rays of any directions
    PacketMask blocked_coherent(RayPacket const& rays, PacketMask active) const;  // of nearly the same direction

private:
    PacketMask blocked(RayPacket const& rays, PacketMask active, int flags) const;
    void check(char const* what) const;

    RTCDeviceTy* device_;
    RTCSceneTy* scene_;
    std::array<float, 3> low_{}, high_{};  // a box around everything: rays that miss it are answered at once
};

}  // namespace pliant::render
