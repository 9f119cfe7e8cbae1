// Sums of what bodies do to each other, over the steps of a frame, where a scene asks for them. They start again with
// every frame, as reactions do (state/reactions.hpp). Touches are summed on the host, in their order: their number is
// small beside that of the particles, and so is that of the pairs.
#pragma once

#include <pliant/contact/touch.hpp>
#include <pliant/data/frame.hpp>

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace pliant {

// The impulse of a touch on its particle, and the moments about the origin on both bodies.
struct TouchImpulse {
    std::uint32_t on = 0, by = 0;  // the body of the particle, and that of the targets
    Vec3d impulse;                 // on the particle [kg m/s]
    Vec3d moment_on, moment_by;    // [kg m2/s]
};

// Reads value_c, forces [N] or others that `per_value` makes impulses of; writes told_c.
struct TellTouch {
    TouchView view;
    std::uint32_t const* body;
    TouchPull const* value;
    double per_value;
    Vec4d const* x;
    TouchImpulse* told;
    std::uint8_t const* asleep = nullptr;  // per body: only what these feel counts. Null: all

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        told[c] = {};
        if (asleep != nullptr && !asleep[body[t.particle]] && !asleep[t.body]) return;
        Vec3d const J = per_value * cast<double>(value[c].force.xyz());
        Vec3d const couple = per_value * cast<double>(value[c].couple.xyz());
        Vec3d beneath;
        for (Index k = 0; k < t.count; ++k) {
            TouchTarget const& target = view.targets[t.first + k];
            Vec3d const share = J + cross(cast<double>(target.lever), couple);
            beneath += -double(target.weight) * cross(x[target.particle].xyz(), share);
        }
        told[c] = {body[t.particle], t.body, J, cross(x[t.particle].xyz(), J), beneath};
    }
};

class PairForces {
public:
    void add(std::span<TouchImpulse const> touches) {
        for (TouchImpulse const& t : touches) {
            if (t.on == t.by || t.impulse == Vec3d{}) continue;
            Wrench &on = sums_[{t.on, t.by}], &by = sums_[{t.by, t.on}];
            on.force += t.impulse, on.torque += t.moment_on;
            by.force += -t.impulse, by.torque += t.moment_by;
        }
    }
    void add(PairForce const& impulse) {
        Wrench& on = sums_[{impulse.on, impulse.by}];
        on.force += impulse.wrench.force, on.torque += impulse.wrench.torque;
    }
    // Since they were last taken, by number of body.
    std::vector<PairForce> take() {
        std::vector<PairForce> all;
        for (auto const& [pair, sum] : sums_) all.push_back({pair.first, pair.second, sum});
        sums_.clear();
        return all;
    }

private:
    std::map<std::pair<std::uint32_t, std::uint32_t>, Wrench> sums_;
};

}  // namespace pliant
