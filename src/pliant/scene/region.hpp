// A part of space, or a list of particles: what a handle holds and a probe reads. Compared with the positions at the
// start; faces belong to it.
#pragma once

#include <pliant/math/vec3.hpp>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

namespace pliant {

struct BoxRegion {                                                // everything, by default
    Vec3d min{-1e300, -1e300, -1e300}, max{1e300, 1e300, 1e300};  // [m]
    bool contains(Vec3d X, std::uint32_t) const {
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside &= X[k] >= min[k] && X[k] <= max[k];
        return inside;
    }
};
struct SphereRegion {
    Vec3d center;
    double radius = 0;  // [m]
    bool contains(Vec3d X, std::uint32_t) const { return norm_squared(X - center) <= radius * radius; }
};
struct CylinderRegion {  // from the middle of one end to that of the other
    Vec3d start, end;
    double radius = 0;  // [m]
    bool contains(Vec3d X, std::uint32_t) const {
        Vec3d const axis = end - start, offset = X - start;
        double const along = dot(offset, axis) / norm_squared(axis);
        return along >= 0 && along <= 1 && norm_squared(offset - along * axis) <= radius * radius;
    }
};
struct HalfspaceRegion {  // the side of a plane to which its normal points
    Vec3d point, normal;
    bool contains(Vec3d X, std::uint32_t) const { return dot(X - point, normal) >= 0; }
};
struct IdsRegion {
    std::vector<std::uint32_t> ids;  // in order, each once
    bool contains(Vec3d, std::uint32_t id) const { return std::binary_search(ids.begin(), ids.end(), id); }
};
using Region = std::variant<BoxRegion, SphereRegion, CylinderRegion, HalfspaceRegion, IdsRegion>;

inline bool contains(Region const& region, Vec3d X, std::uint32_t id) {
    return std::visit([&](auto const& r) { return r.contains(X, id); }, region);
}

}  // namespace pliant
