// The camera, and how it frames the action by itself.
//
// The direction of view is chosen first: three quarters from the front, slightly from above, turned so that the ground
// planes show their upper side. Along it, everything that moves is cut into slices by depth and boxed, slice by slice
// and frame by frame, and the camera takes the least distance from which every corner of every box lies inside the
// picture less a margin. In the axes of the view this is a linear problem with a closed-form solution: the corner (x,
// y, z), with z away from the viewer, is seen from (a, b, c) when
//   |x - a| <= tx (z - c)  and  |y - b| <= ty (z - c),   tx, ty = the tangents of half the angles of view,
// so that  c <= min(z - x/tx) + a/tx  and  c <= min(z + x/tx) - a/tx,  best where both are equal; y likewise. Then the
// camera is centred at that distance. Rejected: the bounding sphere, which leaves flat and tall scenes small in the
// picture.
#pragma once

#include <pliant/data/scenery.hpp>
#include <pliant/math/vec3.hpp>

#include <array>
#include <span>
#include <vector>

namespace pliant::render {

struct Camera {
    Vec3d position{0, 0, 1};  // [m]
    Vec3d target;             // in the middle of the picture [m]
    Vec3d up{0, 1, 0};        // need not be at right angles to the view
    double fov = 30;          // vertical angle of view [degrees]
};

// The three axes of the picture in space. They are also defined when the camera looks along its own `up`.
struct ViewAxes {
    Vec3d right, up, forward;  // unit length
};
ViewAxes axes_of(Camera const& camera);

// Where a point lands, in pixels from the upper left corner. It must lie in front of the camera.
std::array<double, 2> project(Camera const& camera, int width, int height, Vec3d point);

Vec3d up_of(Scenery const& scenery);              // against gravity; +y without any
Vec3d view_direction_of(Scenery const& scenery);  // from the action to the camera

// Collects what moves, one frame at a time, and then places the camera.
//
// Strays do not count, or one particle that flies off would shrink everything else to a dot: points (and later whole
// boxes) farther outside the middle 98% of a frame (90% of all frames) than the size of that middle are left out.
class Framing {
public:
    explicit Framing(Scenery const& scenery);
    Framing(Vec3d view_direction, Vec3d up);

    void add(std::span<Vec3f const> points, double radius = 0);  // of one frame; every point is a ball [m]
    // A collider: it is framed if it lies within the limits for strays; vast or distant ones are not.
    void add_collider(std::span<Vec3f const> points);
    Camera camera(double aspect, double fov = 30) const;  // aspect: width over height of the picture

private:
    struct Box {
        Vec3d low, high;  // along right, up and forward
    };
    struct Moment {  // a frame, or a collider
        Box whole;
        std::vector<Box> slices;  // by depth: a row of bodies across the view fills its box badly
    };
    template <class Keep>
    Moment moment_of(std::span<Vec3f const> points, double radius, Keep const& keep) const;
    Vec3d to_view(Vec3d point) const;
    std::vector<Box> boxes_in_picture() const;
    static double centered(std::span<Box const> boxes, int axis, double c);

    Vec3d up_;
    ViewAxes axes_;
    std::vector<Moment> frames_, colliders_;
};

}  // namespace pliant::render
