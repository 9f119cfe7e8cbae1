// The forces of a hand (data/hand.hpp) on a run.
//
// A grab is a damped spring between the mean place x of the pulled particles and the target T. Over a frame of length h
// they are all accelerated by
//   a = (k (T - x - h v) - c v) / (1 + h c + h^2 k),   k = 4 / h^2, c = 1 / h,
// which is the implicit Euler step of the spring on these particles alone. Their elastic ties only make them heavier:
// with mass M, stiffness K of the body and A = k / (1 + h c + h^2 k) < 1 / h^2 the coupled step
//   (M + h^2 K) x' = (M - h^2 A M) (x + h v) + ...
// has no growing mode, since M - h^2 A M is positive and not larger than M + h^2 K. So it is stable for every body and
// every step, and needs no change of any solver: it is a force. The force is at most 30 weights of the body, and at
// most four times Young's modulus over the area that is held: a pointer thrown across the screen pulls no harder.
// Rejected: holding the particles where the pointer is, whose forces have no bound; a stiff spring inside the linear
// system, which would have to be written for each method.
//
// The ball is a collider. It moves to its place by at most a fifth of its radius per frame, and appears outside.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/hand.hpp>
#include <pliant/data/model.hpp>
#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

class LiveHand {
public:
    LiveHand(Scene const& scene, std::vector<std::uint32_t> const& id_of);

    // What the hand does until the next frame, from the present one. Returns whether other particles are pulled than
    // before.
    bool take(Hand const& hand, Frame const& frame, Model const& model, double h);

    std::vector<Index> const& pulled() const { return pulled_; }  // particles in the solver's order
    Vec3f acceleration() const { return acceleration_; }          // of each of them [m/s2]

    int ball() const { return ball_; }  // number of the collider; -1: the scene has no ball
    Vec3d ball_from() const { return from_; }
    Vec3d ball_to() const { return to_; }

private:
    void choose(Hand::Grab const& grab, Frame const& frame, Model const& model);
    void pull(Hand::Grab const& grab, Frame const& frame, double h);
    void move_ball(Hand const& hand, Frame const& frame, Model const& model);

    std::vector<std::uint32_t> const& id_of_;
    std::vector<Index> number_of_;  // of each id, in the solver's order
    Hand hand_;
    std::vector<Index> pulled_;
    Vec3d offset_;          // of their mean place from the particle that was grabbed [m]
    double strongest_ = 0;  // [m/s2]
    Vec3f acceleration_;
    double gravity_;  // [m/s2]
    int ball_ = -1;
    double ball_radius_ = 0;
    Vec3d parked_, from_, to_;
};

}  // namespace pliant
