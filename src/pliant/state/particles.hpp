// The particles of a run: the state from which every method starts a step.
//
// Positions and velocities are kept in double: the strain of a stiff body is a small difference of large numbers, and a
// step of a microsecond changes a velocity by less than a float resolves. Methods that gather from many neighbours also
// keep a copy in single precision for these to read.
//
// The particles that this machine owns come first in every array. Copies of other particles, read only by neighbours,
// would follow them: stages write owned particles, gathers read all stored ones. At present the two counts are equal.
#pragma once

#include <pliant/data/later.hpp>
#include <pliant/data/model.hpp>
#include <pliant/math/vec4.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace pliant {

template <class Exec>
class Particles {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Array<Vec4d> x;               // position [m]
    Array<Vec4d> v;               // velocity [m/s]
    Array<float> mass;            // [kg]
    Array<float> distance;        // contact distance: half a spacing [m]
    Array<std::uint32_t> body;    // number of its body in the model
    Array<std::uint32_t> handle;  // group of handles that act on it; 0: none

    Particles(Exec& exec, Model const& model) : owned_(Index(model.rest.size())), stored_(owned_) {
        std::vector<Vec4d> places(stored_), velocities(stored_);
        std::vector<float> masses(stored_), distances(stored_);
        std::vector<std::uint32_t> bodies(stored_);
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodyModel const& of = model.bodies[b];
            for (Index i = of.range.begin; i < of.range.end; ++i) {
                places[i] = Vec4d::from(model.start.empty() ? model.rest[i] : model.start[i]);
                velocities[i] = Vec4d::from(model.velocity[i]);
                masses[i] = float(model.mass_of(i, of));
                distances[i] = float(0.5 * of.spacing);
                bodies[i] = std::uint32_t(b);
            }
        }
        exec.upload(x, places), exec.upload(v, velocities), exec.upload(mass, masses);
        exec.upload(distance, distances), exec.upload(body, bodies), exec.upload(handle, model.handles);
    }

    Index owned_count() const { return owned_; }
    Index stored_count() const { return stored_; }
    Range owned() const { return {0, owned_}; }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("position", self.x);
        visit("velocity", self.v);
    }

    std::uint64_t bytes() const {
        return x.bytes() + v.bytes() + mass.bytes() + distance.bytes() + body.bytes() + handle.bytes();
    }

private:
    Index owned_, stored_;
};

}  // namespace pliant
