// What a person does to a run while it is computed: pulls at a body, or pushes with a ball. It holds from one frame to
// the next, so that a recording of it gives the same run again.
#pragma once

#include <pliant/math/vec3.hpp>

#include <cstdint>
#include <optional>

namespace pliant {

struct Hand {
    struct Grab {
        std::uint32_t particle = 0;  // id: it and those of its body around it are pulled
        double radius = 0;           // [m]
        Vec3d target;                // where the particle is to go [m]
        bool operator==(Grab const&) const = default;
    };
    struct Ball {      // the collider that is named ball_name
        Vec3d center;  // where it is to go [m]
        Vec3d toward;  // the viewer, unit length: it appears on this side of the bodies
        bool operator==(Ball const&) const = default;
    };
    static constexpr char const* ball_name = "ball of the hand";

    std::optional<Grab> grab;
    std::optional<Ball> ball;

    bool is_free() const { return !grab && !ball; }
    bool operator==(Hand const&) const = default;
};

}  // namespace pliant
