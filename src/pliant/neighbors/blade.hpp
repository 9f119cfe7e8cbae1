// A blade that cuts bodies: a rectangle or a disc in its own x-y plane, moving through a step.
//
// It cuts with its edges, not with its flat. Particles have a side of the blade's plane. A particle that comes nearer
// to the blade than about a kernel radius settles on its side for good; so matter that passes through the flat (nothing
// stops it there), or comes out behind the blade, is not cut again and again, and matter that passes the edge obliquely
// does not crumble. A
// bond between the two sides crosses the plane at a point p; it is severed if p, on its way through the step as the
// blade sees it, meets the blade. A blade that appears inside a body cuts what it crosses there.
#pragma once

#include <pliant/exec/domain.hpp>
#include <pliant/math/mat3.hpp>
#include <pliant/math/vec4.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {

struct BladePose {
    Vec3d center;                        // [m]
    Mat3d rotation = Mat3d::identity();  // blade to world

    PLIANT_HD Vec3d seen(Vec3d world) const { return transpose(rotation) * (world - center); }
};

struct BladeOutline {
    double half_width = 0, half_height = 0;  // of a rectangle [m]
    double radius = 0;                       // of a disc [m]; 0: it is a rectangle

    // Whether the way from a to b in the plane comes within `margin` of the blade.
    PLIANT_HD bool meets(Vec3d a, Vec3d b, double margin = 0) const {
        return radius > 0 ? meets_disc(a, b, radius + margin) : meets_rectangle(a, b, margin);
    }
    PLIANT_HD bool covers(Vec3d p) const { return meets(p, p); }

private:
    PLIANT_HD static bool meets_disc(Vec3d a, Vec3d b, double r) {
        double const dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
        double t = squared > 0 ? -(a.x * dx + a.y * dy) / squared : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double const x = a.x + t * dx, y = a.y + t * dy;
        return x * x + y * y <= r * r;
    }
    PLIANT_HD bool meets_rectangle(Vec3d a, Vec3d b, double margin) const {
        double begin = 0, end = 1;  // the part of the way that is between the two pairs of edges
        clip(a.x, b.x, half_width + margin, begin, end);
        clip(a.y, b.y, half_height + margin, begin, end);
        return begin <= end;
    }
    PLIANT_HD static void clip(double a, double b, double half, double& begin, double& end) {
        double const d = b - a;
        if (d == 0) {
            if (a < -half || a > half) begin = 2;
            return;
        }
        double const s = (-half - a) / d, t = (half - a) / d;
        begin = std::max(begin, std::min(s, t));
        end = std::min(end, std::max(s, t));
    }
};

struct Blade {            // over a step
    std::size_t cut = 0;  // its number in the scene
    BladeOutline outline;
    BladePose now, next;
    BladePose first;            // where it began
    std::vector<Range> bodies;  // particles that it cuts
    double reach = 0;           // no bond of theirs is longer than this, with some margin for stretch [m]
    double margin = 0;          // particles this near to it settle on a side [m]
};

}  // namespace pliant
