#include <embree3/rtcore.h>
#include <pliant/render/ray_scene.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace pliant::render {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct alignas(64) RayLanes {
    int valid[packet_size];
};

void load(RTCRay16& ray, RayPacket const& rays) {
    for (int k = 0; k < packet_size; ++k) {
        std::size_t const i = std::size_t(k);
        ray.org_x[k] = rays.origin[i].x;
        ray.org_y[k] = rays.origin[i].y;
        ray.org_z[k] = rays.origin[i].z;
        ray.dir_x[k] = rays.direction[i].x;
        ray.dir_y[k] = rays.direction[i].y;
        ray.dir_z[k] = rays.direction[i].z;
        ray.tnear[k] = rays.near[i];
        ray.tfar[k] = infinity;
        ray.time[k] = 0;
        ray.mask[k] = ~0u;
        ray.id[k] = 0;
        ray.flags[k] = 0;
    }
}

RayLanes lanes_of(PacketMask active) {
    RayLanes lanes;
    for (int k = 0; k < packet_size; ++k) lanes.valid[k] = (active >> k & 1u) ? -1 : 0;
    return lanes;
}

// The active rays that meet the box between `low` and `high`.
PacketMask meeting(RTCRay16 const& ray, PacketMask active, std::array<float, 3> const& low,
                   std::array<float, 3> const& high) {
    alignas(64) float from[packet_size], to[packet_size];
    for (int k = 0; k < packet_size; ++k) {
        from[k] = 0;
        to[k] = infinity;
    }
    auto const cut = [&](float const* origin, float const* direction, float least, float most) {
        constexpr float level = 1e-20f;  // a direction along the box's side, so that no quotient is 0 / 0
        for (int k = 0; k < packet_size; ++k) {
            float const d = std::abs(direction[k]) < level ? level : direction[k];
            float const a = (least - origin[k]) / d, b = (most - origin[k]) / d;
            from[k] = std::max(from[k], std::min(a, b));
            to[k] = std::min(to[k], std::max(a, b));
        }
    };
    cut(ray.org_x, ray.dir_x, low[0], high[0]);
    cut(ray.org_y, ray.dir_y, low[1], high[1]);
    cut(ray.org_z, ray.dir_z, low[2], high[2]);
    PacketMask met = 0;
    for (int k = 0; k < packet_size; ++k) met |= PacketMask(from[k] <= to[k]) << k;
    return met & active;
}

RTCIntersectContext context_with(int flags) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTCIntersectContextFlags(flags);
    return context;
}

}  // namespace

// No number of threads is given: Embree would limit all of oneTBB to it, for the whole process.
RayDevice::RayDevice() : device_(rtcNewDevice(nullptr)) {
    if (!device_)
        throw std::runtime_error("Embree does not start: error " + std::to_string(rtcGetDeviceError(nullptr)));
}

RayDevice::~RayDevice() { rtcReleaseDevice(device_); }

RayScene::RayScene(RayDevice const& device) : device_(device.handle()), scene_(rtcNewScene(device.handle())) {
    // Robust: rays do not slip between two triangles, which would show as bright dots.
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
}

RayScene::~RayScene() { rtcReleaseScene(scene_); }

std::uint32_t RayScene::add(Triangles const& triangles) {
    RTCGeometry const geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, triangles.position.data(), 0,
                               sizeof(Vec3f), triangles.position.size() - 1);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, triangles.vertex.data(), 0,
                               sizeof(triangles.vertex[0]), triangles.vertex.size());
    rtcCommitGeometry(geometry);
    std::uint32_t const number = rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    return number;
}

std::uint32_t RayScene::add(std::vector<std::array<float, 4>> const& spheres) {
    RTCGeometry const geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, spheres.data(), 0,
                               sizeof(spheres[0]), spheres.size());
    rtcCommitGeometry(geometry);
    std::uint32_t const number = rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    return number;
}

void RayScene::commit(Cpu& cpu) {
    struct Commit {
        RTCScene scene;
        void operator()(Index) const { rtcJoinCommitScene(scene); }
    };
    cpu.for_each("tree", {0, 1}, Commit{scene_});  // one task, which Embree spreads over the threads of this Cpu
    check("cannot sort the scene for drawing");
    RTCBounds box;
    rtcGetSceneBounds(scene_, &box);
    if (!(box.lower_x <= box.upper_x)) return;  // an empty scene
    // Wider by the rounding of the test.
    float const margin = 1e-4f * std::max({box.upper_x - box.lower_x, box.upper_y - box.lower_y,
                                           box.upper_z - box.lower_z, std::abs(box.upper_x), std::abs(box.lower_x)});
    low_ = {box.lower_x - margin, box.lower_y - margin, box.lower_z - margin};
    high_ = {box.upper_x + margin, box.upper_y + margin, box.upper_z + margin};
}

void RayScene::check(char const* what) const {
    RTCError const error = rtcGetDeviceError(device_);
    if (error == RTC_ERROR_NONE) return;
    std::string const reason =
        error == RTC_ERROR_OUT_OF_MEMORY ? "out of memory" : "Embree's error " + std::to_string(error);
    throw std::runtime_error(std::string{what} + ": " + reason);
}

void RayScene::closest(RayPacket const& rays, PacketMask active, HitPacket& hits) const {
    hits.geometry.fill(HitPacket::none);
    RTCRayHit16 query;
    load(query.ray, rays);
    active = meeting(query.ray, active, low_, high_);
    if (active == 0) return;
    RayLanes const lanes = lanes_of(active);
    for (unsigned& geometry : query.hit.geomID) geometry = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context = context_with(RTC_INTERSECT_CONTEXT_FLAG_COHERENT);
    rtcIntersect16(lanes.valid, scene_, &context, &query);
    for (int k = 0; k < packet_size; ++k) {
        if (!(active >> k & 1u)) continue;
        std::size_t const i = std::size_t(k);
        hits.distance[i] = query.ray.tfar[k];
        hits.geometry[i] = query.hit.geomID[k];
        hits.primitive[i] = query.hit.primID[k];
        hits.u[i] = query.hit.u[k];
        hits.v[i] = query.hit.v[k];
        hits.outward[i] = {query.hit.Ng_x[k], query.hit.Ng_y[k], query.hit.Ng_z[k]};
    }
}

PacketMask RayScene::blocked(RayPacket const& rays, PacketMask active, int flags) const {
    if (active == 0) return 0;
    RTCRay16 query;
    load(query, rays);
    active = meeting(query, active, low_, high_);
    if (active == 0) return 0;
    RayLanes const lanes = lanes_of(active);
    RTCIntersectContext context = context_with(flags);
    rtcOccluded16(lanes.valid, scene_, &context, &query);
    PacketMask blocked = 0;
    for (int k = 0; k < packet_size; ++k)  // Embree sets tfar to minus infinity
        if ((active >> k & 1u) && query.tfar[k] < 0) blocked |= 1u << k;
    return blocked;
}

PacketMask RayScene::blocked(RayPacket const& rays, PacketMask active) const {
    return blocked(rays, active, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT);
}

PacketMask RayScene::blocked_coherent(RayPacket const& rays, PacketMask active) const {
    return blocked(rays, active, RTC_INTERSECT_CONTEXT_FLAG_COHERENT);
}

}  // namespace pliant::render
