// The input of solvers: bodies as ranges of particles, rest positions and initial velocities. Plain data.
#pragma once

#include <pliant/data/restraint.hpp>
#include <pliant/materials/registry.hpp>
#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

struct FibreModel {                // a family of fibres of a body
    double young = 0;              // [Pa]
    std::vector<Vec3f> direction;  // per particle of the body: a unit vector at rest; zero: none there
};

struct BodyModel {  // one body: a contiguous range of particles of one material
    Range range;
    Material material;
    MaterialParameters parameters;
    double spacing = 0;  // [m]
    double volume = 0;   // of one particle [m3]
    double mass = 0;     // of one particle [kg]
    std::vector<FibreModel> fibres = {};
    double tear_stretch = 0;   // beyond which matter tears; 0: it does not
    bool self_contact = true;  // parts of its surface touch each other
    // Of cloth: corners as numbers of particles in the model.
    std::vector<std::array<Index, 3>> triangles = {};
};

inline bool has_plasticity(BodyModel const& body) {
    return std::visit([](auto const& solid) { return solid.plasticity.flows; }, body.material);
}
// Whether the rest shape follows plastic strain; additive strain leaves it as it is.
inline bool flows(BodyModel const& body) {
    return std::visit([](auto const& solid) { return solid.plasticity.flows && !adds_strain(solid.plasticity); },
                      body.material);
}

struct Model {  // constant during a run; particles in space-filling order within each body
    std::vector<BodyModel> bodies;
    std::vector<Vec3d> rest;                           // X [m]
    std::vector<Vec3d> start = {};                     // x at the start [m]; empty: X
    std::vector<Vec3d> velocity;                       // at the start [m/s]
    std::vector<std::uint32_t> handles;                // group of handles that act on each particle; 0: none
    std::vector<std::vector<Index>> handle_particles;  // of each handle: the particles in its region
    Vec3d gravity;                                     // [m/s2]
    double dt = 0.002;                                 // the usual step; some may be shorter [s]
    Restraint restraint = {};                          // of slow particles
    bool cuts = false;                                 // blades may sever bonds
    bool stress = false;                               // frames hold the stress of particles
    bool pair_forces = false;                          // and what bodies do to each other
    bool statics = false;                              // steps lead to a state of rest, and may be very long
    // The mass of each particle over that of an average one of its body; empty: all alike.
    std::vector<float> mass_share = {};

    double mass_of(Index i, BodyModel const& body) const {  // [kg]
        return mass_share.empty() ? body.mass : body.mass * double(mass_share[i]);
    }
};

inline bool may_part(Model const& model) {  // whether bonds may be severed
    bool tears = false;
    for (BodyModel const& body : model.bodies) tears = tears || body.tear_stretch > 0;
    return model.cuts || tears;
}

}  // namespace pliant
