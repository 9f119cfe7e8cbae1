// Coulomb friction of one particle on colliders, in the two methods that know all forces before they move particles.
// Each known answer is that of a point mass.
#include <pliant/contact/contact.hpp>
#include <pliant/physics/explicit_step.hpp>
#include <pliant/physics/gerszewski_forces.hpp>

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

namespace pliant {
namespace {

constexpr double g = 9.81, dt = 1e-3;  // [m/s2], [s]

struct OneParticle {  // without neighbours
    std::vector<Collider> colliders;
    Vec3f gravity{0, -float(g), 0};
    Vec4d x{}, v{};
    float distance = 0.01f, mass = 2;
    Grip loose{};
    std::uint32_t group = 0;

    ContactScene scene(std::vector<Collider> const& next) const {
        return {colliders.data(), next.data(), int(next.size()), dt, dt * dt, &x, &distance};
    }
    Grips grips() const { return {&group, &loose}; }
    std::vector<Collider> moved_colliders() const {
        std::vector<Collider> next = colliders;
        for (Collider& c : next) c.center += dt * c.velocity;
        return next;
    }
};

struct Explicit : OneParticle {
    Vec4 moved = Vec4::zero(), force = Vec4::zero();

    void step() {
        auto const next = moved_colliders();
        Move{.scene = scene(next),
             .grips = grips(),
             .gravity = gravity,
             .kick = float(dt),
             .mass = &mass,
             .force = &force,
             .v = &v,
             .x = &x,
             .moved = &moved}(0);
        colliders = next;
    }
};

struct NoNeighbors {
    using Real = float;
    Index count(Index) const { return 0; }
    Index slot(Index, Index) const { return 0; }
    Index neighbor(Index) const { return 0; }
    template <class Work>
    void for_each_block(Index, Work const&) const {}
};

struct Gerszewski : OneParticle {
    PointState state{};
    PointConstants constants{};
    std::uint32_t body = 0;

    void step() {
        auto const next = moved_colliders();
        BodyContact const matter{distance, 1, 0, mass};
        Vec4 near_x = narrow(x), near_v = narrow(v), new_v = near_v;
        PushParticle<MatterForce<false, true, NoNeighbors>, NoNeighbors>{.near = {},
                                                                         .foreign = {},
                                                                         .touches = false,
                                                                         .scene = scene(next),
                                                                         .grips = grips(),
                                                                         .gravity = gravity,
                                                                         .dt = float(dt),
                                                                         .state = &state,
                                                                         .constants = &constants,
                                                                         .body = &body,
                                                                         .bodies = &matter,
                                                                         .x = &near_x,
                                                                         .v = &near_v,
                                                                         .next = &new_v}(0);
        MoveParticle{float(dt), &new_v, &x, &v, &near_x, &state}(0);
        colliders = next;
    }
};

template <class Method>
class ColliderFriction : public testing::Test {
protected:
    Method particle;
    void steps(int count) {
        for (int k = 0; k < count; ++k) particle.step();
    }
    // A plane that the particle touches, at an angle [degrees] about the z axis.
    void add_plane(double angle, double friction) {
        double const a = angle * std::numbers::pi / 180, c = std::cos(a), s = std::sin(a);
        Collider plane;
        plane.rotation = {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};
        plane.center = -double(particle.distance) * plane.rotation[1];
        plane.friction = friction;
        particle.colliders.push_back(plane);
    }
    // A V of two walls at this angle [degrees] to the horizontal, tilted by 20 degrees along z.
    void add_groove(double angle, double left_friction, double right_friction) {
        add_plane(-angle, left_friction);
        add_plane(angle, right_friction);
        particle.gravity = {0, -float(g * std::cos(tilt)), float(g * std::sin(tilt))};
    }
    static constexpr double tilt = 20 * std::numbers::pi / 180;
};

using Methods = testing::Types<Explicit, Gerszewski>;
TYPED_TEST_SUITE(ColliderFriction, Methods);

// The velocity after 500 steps is a sum of 500 floats, each rounded to 1e-7 of it.
constexpr double rounding = 500 * 1e-7;

TYPED_TEST(ColliderFriction, AParticleSlidesDownASlopeAsCoulombSays) {
    this->add_plane(20, 0.2);
    this->steps(500);
    double const expected = 500 * dt * g * (std::sin(this->tilt) - 0.2 * std::cos(this->tilt));
    EXPECT_NEAR(std::sqrt(dot3(this->particle.v, this->particle.v)), expected, rounding * expected);
}

TYPED_TEST(ColliderFriction, AParticleRestsBelowTheAngleOfFriction) {
    this->add_plane(20, 0.37);  // tan 20 degrees = 0.364
    this->steps(500);
    EXPECT_LT(std::sqrt(dot3(this->particle.x, this->particle.x)), 1e-6 * this->particle.distance);
}

TYPED_TEST(ColliderFriction, AMovingFloorDragsAParticleAlongUntilItIsAsFast) {
    this->add_plane(0, 0.3);
    this->particle.colliders[0].velocity = {1, 0, 0};
    this->steps(200);
    EXPECT_NEAR(this->particle.v[0], 200 * dt * 0.3 * g, rounding);
    this->steps(300);
    EXPECT_NEAR(this->particle.v[0], 1, rounding);
}

TYPED_TEST(ColliderFriction, InAGrooveBothWallsHoldAParticleBack) {
    this->add_groove(45, 0.2, 0.2);
    this->steps(500);
    // Each wall carries cos(tilt) / (2 cos 45 degrees) of the weight.
    double const expected = 500 * dt * g * (std::sin(this->tilt) - 0.2 * std::sqrt(2.) * std::cos(this->tilt));
    EXPECT_NEAR(this->particle.v[2], expected, rounding * expected);
}

TYPED_TEST(ColliderFriction, EachWallOfAGrooveHasItsOwnFriction) {
    for (bool const swapped : {false, true}) {
        this->particle = {};
        this->add_groove(45, swapped ? 0.1 : 0.3, swapped ? 0.3 : 0.1);
        this->steps(500);
        double const expected = 500 * dt * g * (std::sin(this->tilt) - 0.2 * std::sqrt(2.) * std::cos(this->tilt));
        EXPECT_NEAR(this->particle.v[2], expected, rounding * expected);
    }
}

TYPED_TEST(ColliderFriction, AColliderDoesNotHoldBackWhatLeavesIt) {
    this->add_plane(0, 0.5);
    this->particle.colliders[0].center.y += 0.2 * this->particle.distance;  // the particle lies this deep
    this->particle.gravity = {};
    this->particle.v = Vec4d::of(1, 0.5, 0, 0);
    this->steps(1);
    EXPECT_EQ(this->particle.v.xyz(), (Vec3d{1, 0.5, 0}));
}

TYPED_TEST(ColliderFriction, AWallThatTheParticleLeavesNeitherPullsNorRubs) {
    this->add_plane(0, 0.5);
    this->add_plane(-90, 0);
    this->particle.colliders[1].center.x += 0.2 * this->particle.distance;  // the particle lies this deep in the wall
    this->particle.v = Vec4d::of(0.5, 0, 0, 0);
    this->steps(1);
    EXPECT_NEAR(this->particle.v[0], 0.5 - dt * 0.5 * g, 1e-6);
    EXPECT_NEAR(this->particle.v[1], 0, 1e-6);
}

}  // namespace
}  // namespace pliant
