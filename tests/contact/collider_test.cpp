// Signed distances: correct against a plain search over the surface, and with the gradient as normal.
#include <pliant/contact/collider.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace pliant {
namespace {

constexpr double pi = 3.14159265358979323846;

struct Named {
    std::string name;
    Collider collider;
};

// One collider of each kind, in unequal sizes, both at the origin and turned and moved.
std::vector<Named> every_kind() {
    std::vector<Named> result;
    RandomMatrices random(91);
    for (auto const& [name, kind, size] : {std::tuple{"plane", ColliderKind::plane, Vec3d{}},
                                           std::tuple{"sphere", ColliderKind::sphere, Vec3d{0.7, 0, 0}},
                                           std::tuple{"box", ColliderKind::box, Vec3d{0.5, 0.8, 0.3}},
                                           std::tuple{"cylinder", ColliderKind::cylinder, Vec3d{0.4, 0.9, 0}},
                                           std::tuple{"torus", ColliderKind::torus, Vec3d{0.8, 0.25, 0}},
                                           std::tuple{"star", ColliderKind::star, Vec3d{0.9, 0.4, 0.6}}}) {
        Collider collider;
        collider.tips = 5;
        collider.kind = kind;
        collider.size = size;
        result.push_back({name, collider});
        collider.rotation = random.rotation();
        collider.center = {3, -2, 5};
        result.push_back({std::string(name) + ", turned and moved", collider});
    }
    return result;
}

Vec3d star_corner(Collider const& star, int corner) {  // tips are the even ones
    double const r = corner % 2 ? star.size.y : star.size.x, angle = corner * pi / star.tips;
    return {r * std::cos(angle), 0, r * std::sin(angle)};
}

// Points all over the surface, in local coordinates, no farther than `gap` from their neighbours.
std::vector<Vec3d> surface_points(Collider const& c, double gap) {
    std::vector<Vec3d> points;
    // Points p(u, v) with u and v in [0, 1], for a patch no longer than `length` and no wider than `width`.
    auto const patch = [&](double length, double width, auto const& p) {
        int const m = int(length / gap) + 1, n = int(width / gap) + 1;
        for (int i = 0; i <= m; ++i)
            for (int j = 0; j <= n; ++j) points.push_back(p(double(i) / m, double(j) / n));
    };
    Vec3d const s = c.size;
    switch (c.kind) {
        case ColliderKind::plane:  // as far as the test points lie from it
            patch(8, 8, [](double u, double v) { return Vec3d{8 * u - 4, 0, 8 * v - 4}; });
            break;
        case ColliderKind::sphere:
            patch(2 * pi * s.x, pi * s.x, [&](double u, double v) {
                double const a = 2 * pi * u, b = pi * v;
                return s.x * Vec3d{std::sin(b) * std::cos(a), std::cos(b), std::sin(b) * std::sin(a)};
            });
            break;
        case ColliderKind::box:
            for (int axis = 0; axis < 3; ++axis)
                for (double side : {-1., 1.})
                    patch(2 * s[(axis + 1) % 3], 2 * s[(axis + 2) % 3], [&](double u, double v) {
                        Vec3d p;
                        p[axis] = side * s[axis];
                        p[(axis + 1) % 3] = (2 * u - 1) * s[(axis + 1) % 3];
                        p[(axis + 2) % 3] = (2 * v - 1) * s[(axis + 2) % 3];
                        return p;
                    });
            break;
        case ColliderKind::cylinder:
            patch(2 * pi * s.x, 2 * s.y, [&](double u, double v) {
                return Vec3d{s.x * std::cos(2 * pi * u), (2 * v - 1) * s.y, s.x * std::sin(2 * pi * u)};
            });
            for (double side : {-1., 1.})
                patch(2 * pi * s.x, s.x, [&](double u, double v) {
                    return Vec3d{v * s.x * std::cos(2 * pi * u), side * s.y, v * s.x * std::sin(2 * pi * u)};
                });
            break;
        case ColliderKind::torus:
            patch(2 * pi * (s.x + s.y), 2 * pi * s.y, [&](double u, double v) {
                double const r = s.x + s.y * std::cos(2 * pi * v);
                return Vec3d{r * std::cos(2 * pi * u), s.y * std::sin(2 * pi * v), r * std::sin(2 * pi * u)};
            });
            break;
        case ColliderKind::star:
            for (int corner = 0; corner < 2 * c.tips; ++corner) {
                Vec3d const a = star_corner(c, corner), b = star_corner(c, corner + 1);
                patch(norm(b - a), 2 * s.z, [&](double u, double v) {
                    return a + u * (b - a) + Vec3d{0, (2 * v - 1) * s.z, 0};
                });
                for (double side : {-1., 1.})
                    patch(s.x, norm(b - a), [&](double u, double v) {
                        return u * (a + v * (b - a)) + Vec3d{0, side * s.z, 0};
                    });
            }
            break;
        case ColliderKind::mesh:  // in mesh_collider_test.cpp
            break;
    }
    return points;
}

bool is_inside(Collider const& c, Vec3d p) {  // local coordinates; from the definition of the body
    double const r = std::hypot(p.x, p.z);
    switch (c.kind) {
        case ColliderKind::plane:
            return p.y < 0;
        case ColliderKind::sphere:
            return norm_squared(p) < c.size.x * c.size.x;
        case ColliderKind::box:
            return std::abs(p.x) < c.size.x && std::abs(p.y) < c.size.y && std::abs(p.z) < c.size.z;
        case ColliderKind::cylinder:
            return r < c.size.x && std::abs(p.y) < c.size.y;
        case ColliderKind::torus:
            return (r - c.size.x) * (r - c.size.x) + p.y * p.y < c.size.y * c.size.y;
        case ColliderKind::star:  // triangles between the centre and the edges
            for (int corner = 0; corner < 2 * c.tips; ++corner) {
                Vec3d const a = star_corner(c, corner), b = star_corner(c, corner + 1);
                auto const left_of = [&](Vec3d u, Vec3d v) {
                    return (v.x - u.x) * (p.z - u.z) > (v.z - u.z) * (p.x - u.x);
                };
                if (left_of({}, a) && left_of(a, b) && left_of(b, {})) return std::abs(p.y) < c.size.z;
            }
            return false;
        case ColliderKind::mesh:
            return false;
    }
    return false;
}

TEST(Collider, DistanceIsTheNearestOfAllSurfacePointsAndNegativeInside) {
    double const gap = 0.02;  // [m] between surface points: the nearest one is at most 0.71 of it from the true foot
    for (auto const& [name, collider] : every_kind()) {
        SCOPED_TRACE(name);
        RandomMatrices random(92);
        auto const surface = surface_points(collider, gap);
        int inside_count = 0;
        for (int n = 0; n < 150; ++n) {
            Vec3d const local = random.vector(-1.2, 1.2);
            double nearest = 1e9;
            for (Vec3d p : surface) nearest = std::min(nearest, norm(p - local));
            bool const inside = is_inside(collider, local);
            inside_count += inside;
            double const distance = collider.nearest(collider.rotation * local + collider.center).distance;
            EXPECT_EQ(distance < 0, inside);
            EXPECT_LE(std::abs(distance), nearest + 1e-12);
            EXPECT_GE(std::abs(distance), nearest - 0.75 * gap);
        }
        EXPECT_GT(inside_count, 5);  // the torus is the smallest: about 14% of the cube
    }
}

TEST(Collider, NormalIsTheGradientOfTheDistanceAndHasUnitLength) {
    double const step = 1e-6;  // [m]; the error of central differences is its square over the radius, and 1e-16 / step
    for (auto const& [name, collider] : every_kind()) {
        SCOPED_TRACE(name);
        RandomMatrices random(93);
        int kinks = 0;
        for (int n = 0; n < 500; ++n) {
            Vec3d const p = collider.center + random.vector(-1.5, 1.5);
            SurfacePoint const surface = collider.nearest(p);
            EXPECT_NEAR(norm(surface.normal), 1, 1e-13);
            Vec3d gradient;
            for (int k = 0; k < 3; ++k) {
                Vec3d up = p, down = p;
                up[k] += step;
                down[k] -= step;
                gradient[k] = (collider.nearest(up).distance - collider.nearest(down).distance) / (2 * step);
            }
            if (std::abs(norm(gradient) - 1) > 1e-6)
                ++kinks;  // equally near to two faces: the gradient jumps here
            else
                EXPECT_LT(norm(gradient - surface.normal), 1e-6);
        }
        EXPECT_LE(kinks, 1);  // such points have no volume
    }
}

TEST(Collider, GoingBackByTheDistanceAlongTheNormalEndsOnTheSurface) {
    for (auto const& [name, collider] : every_kind()) {
        SCOPED_TRACE(name);
        RandomMatrices random(94);
        for (int n = 0; n < 500; ++n) {
            Vec3d const p = collider.center + random.vector(-1.5, 1.5);
            SurfacePoint const surface = collider.nearest(p);
            EXPECT_NEAR(collider.nearest(p - surface.distance * surface.normal).distance, 0, 1e-13);
        }
    }
}

TEST(Collider, HasAUnitNormalEvenAtItsOwnCentreAxesAndEdges) {
    for (auto const& [name, collider] : every_kind()) {
        SCOPED_TRACE(name);
        Vec3d const s = collider.size;
        for (Vec3d local : {Vec3d{}, Vec3d{0, 0.1, 0}, Vec3d{0, -3, 0}, s, Vec3d{s.x, 0, 0}, Vec3d{0, s.y, 0},
                            Vec3d{s.x, s.y, 0}, Vec3d{-s.x, -s.y, -s.z}, Vec3d{1e-200, 0, 0}}) {
            SurfacePoint const p = collider.nearest(collider.rotation * local + collider.center);
            EXPECT_NEAR(norm(p.normal), 1, 1e-12) << local.x << " " << local.y << " " << local.z;
            EXPECT_TRUE(std::isfinite(p.distance));
        }
    }
}

TEST(Collider, GivesDistancesThatAreEasyToCheckByHand) {
    Collider box;
    box.kind = ColliderKind::box;
    box.size = {1, 2, 3};
    EXPECT_DOUBLE_EQ(box.nearest({4, 6, 3}).distance, 5);  // 3 and 4 beyond an edge
    EXPECT_DOUBLE_EQ(box.nearest({0.5, 0, 0}).distance, -0.5);
    EXPECT_EQ(box.nearest({-0.5, 0, 0}).normal, (Vec3d{-1, 0, 0}));
    Collider cylinder;
    cylinder.kind = ColliderKind::cylinder;
    cylinder.size = {1, 2, 0};
    EXPECT_DOUBLE_EQ(cylinder.nearest({0, 6, 4}).distance, 5);  // 4 above the rim and 3 beside it
    EXPECT_DOUBLE_EQ(cylinder.nearest({0, -1.75, 0.5}).distance, -0.25);
    Collider torus;
    torus.kind = ColliderKind::torus;
    torus.size = {2, 0.5, 0};
    EXPECT_DOUBLE_EQ(torus.nearest({}).distance, 1.5);  // through the hole: no contact
    EXPECT_DOUBLE_EQ(torus.nearest({0, 0, -2}).distance, -0.5);
    Collider plane;
    plane.center = {0, 2, 0};
    EXPECT_EQ(plane.nearest({7, 5, -7}).distance, 3);
    EXPECT_EQ(plane.nearest({7, 5, -7}).normal, (Vec3d{0, 1, 0}));
}

TEST(Collider, SurfaceVelocityIsThatOfARigidMotion) {
    RandomMatrices random(95);
    Collider collider;
    collider.center = {1, 2, 3};
    collider.velocity = {0.5, -1, 2};
    collider.spin = {0, 0, 2};  // [rad/s] about z
    EXPECT_EQ(collider.surface_velocity(collider.center), collider.velocity);
    EXPECT_EQ(collider.surface_velocity({2, 2, 3}), (Vec3d{0.5, 1, 2}));  // a point 1 m along x moves along y at 2 m/s
    collider.spin = random.vector(-3, 3);
    double const step = 1e-6;  // [s]
    double const angle = norm(collider.spin) * step;
    Vec3d const axis = normalized(collider.spin);
    for (int n = 0; n < 50; ++n) {
        Vec3d const p = collider.center + random.vector(-2, 2), arm = p - collider.center;
        Vec3d const turned = std::cos(angle) * arm + std::sin(angle) * cross(axis, arm) +
                             (1 - std::cos(angle)) * dot(axis, arm) * axis;  // Rodrigues
        Vec3d const moved = collider.center + step * collider.velocity + turned;
        // One-sided difference: accurate to step |spin|^2 |arm| / 2, below 1e-4.
        EXPECT_LT(norm((moved - p) / step - collider.surface_velocity(p)), 1e-4);
    }
}

}  // namespace
}  // namespace pliant
