// The handles of a scene over its particles, and what they do in a step.
//
// A handle acts from its `from` until its `until`. Its motion says when it moves within that time; before and after, it
// holds still. If several handles reach a particle, the first in the scene file that acts and has a motion holds it;
// forces add up, and have no effect on a held particle. The axis of a turn goes through the mean rest position of the
// region's particles, carried along by the handle's own translation: it follows from the scene alone, so that a
// checkpoint need not store it. (The mean position when the handle begins to hold would have to be stored.)
#pragma once

#include <pliant/contact/handle.hpp>
#include <pliant/scene/scene.hpp>

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pliant {

class Handles {
public:
    explicit Handles(Scene const& scene);

    // Registers the particles of a body at rest; bodies come in the order of the scene. Returns the group of each
    // particle: 0 where no handle reaches. `ids` are those of the particles.
    std::vector<std::uint32_t> take(std::size_t body, double particle_mass, std::span<Vec3d const> rest,
                                    std::span<std::uint32_t const> ids);

    // What the handles do from `begin` to `end` [s], a step within which none starts or ends: one entry per group.
    // `load`: share of their forces that acts.
    std::vector<Grip> const& over(double begin, double end, double load = 1);
    // Each handle over the same step.
    std::vector<HandleState> const& states() const { return states_; }

    // A pull that is none of the scene's handles: from now on, `over` has a second grip for every group, that of its
    // particles that are pulled (regrouped).
    void pull(Vec3f acceleration) { pull_ = acceleration; }
    // The groups with those of pulled particles replaced.
    std::vector<std::uint32_t> regrouped(std::vector<std::uint32_t> group, std::span<Index const> pulled) const;

    // The particles of each handle, from the group of each particle.
    std::vector<std::vector<Index>> particles_of(std::span<std::uint32_t const> group) const;

private:
    struct Handle {
        HandleSpec spec;
        std::size_t body;
        double start = 0, stop = 0;  // of its motion, within the time in which it acts [s]
        double particles = 0, particle_mass = 0;
        Vec3d center;  // of the particles at rest [m]

        bool acts(double time) const { return spec.from < time && time < spec.until; }
        double moved(double time) const;  // how long it has been moving [s]
        PathPose along_path(double time) const;
        Vec3d center_at(double time) const;
    };

    Grip grip_of(std::vector<std::uint32_t> const& group, double begin, double end) const;

    std::vector<Handle> handles_;                                   // in the order of the scene
    std::map<std::vector<std::uint32_t>, std::uint32_t> group_of_;  // by the handles that reach a particle
    std::vector<std::vector<std::uint32_t>> groups_{{}};            // the handles of each group
    std::vector<Grip> grips_;
    std::optional<Vec3f> pull_;  // [m/s2]
    std::vector<HandleState> states_;
};

// The times at which a handle or the motion of a collider or handle starts or ends [s], in order.
std::vector<double> event_times(Scene const& scene);

}  // namespace pliant
