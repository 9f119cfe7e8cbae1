// The colliders of a run, posed where their motions lead them.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/scene/scene.hpp>
#include <pliant/setup/colliders.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

class RunColliders {
public:
    explicit RunColliders(Scene const& scene) : scene_(scene) {  // which must outlive it
        for (ColliderSpec const& c : scene.colliders) colliders_.push_back(make_collider(c));
    }

    std::vector<Collider> at(double time) const {
        std::vector<Collider> posed(colliders_.size());
        pose(posed, time);
        return posed;
    }

    // From now on a collider moves by the hand of a person: from one place to another within a frame.
    struct Driven {
        int collider = -1;
        Vec3d from, to;             // [m]
        double begin = 0, end = 1;  // [s]
        Vec3d velocity() const { return (to - from) / (end - begin); }
    };
    void drive(Driven const& driven) { driven_ = driven; }

    // At the start and the end of a step; both are overwritten by the next call. Those of the end move at the speed of
    // the step. Motions start and end where steps do: the middle of the step decides, whatever rounding does to its
    // ends.
    struct Step {
        std::vector<Collider> const *now, *next;
    };
    Step over(double begin, double end) {
        now_.resize(colliders_.size()), next_.resize(colliders_.size());
        pose(now_, begin), pose(next_, end);
        double const middle = 0.5 * (begin + end);
        for (std::size_t c = 0; c < next_.size(); ++c) {
            Motion const& motion = scene_.colliders[c].motion;
            if (!motion.path.empty()) {  // the mean speed of the step, which leads from one pose to the other
                PathSpeeds const mean = motion.path.over(begin, end);
                next_[c].velocity = mean.velocity, next_[c].spin = mean.spin;
                continue;
            }
            bool const moving = motion.from < middle && middle < motion.until;
            next_[c].velocity = moving ? motion.velocity : Vec3d{};
            next_[c].spin = moving ? motion.spin : Vec3d{};
        }
        if (driven_.collider >= 0) next_[std::size_t(driven_.collider)].velocity = driven_.velocity();
        return {&now_, &next_};
    }

private:
    void pose(std::vector<Collider>& posed, double time) const {
        for (std::size_t c = 0; c < colliders_.size(); ++c)
            posed[c] = at_time(colliders_[c], scene_.colliders[c].motion, time);
        if (driven_.collider < 0) return;
        double const part = std::clamp((time - driven_.begin) / (driven_.end - driven_.begin), 0., 1.);
        posed[std::size_t(driven_.collider)].center = driven_.from + part * (driven_.to - driven_.from);
    }

    Scene const& scene_;
    std::vector<Collider> colliders_, now_, next_;
    Driven driven_;
};

}  // namespace pliant
