// The particles of a scene as solvers take them.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/setup/handles.hpp>
#include <pliant/solvers/solver.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace pliant {

struct MadeModel {
    Model model;
    std::vector<std::uint32_t> id_of;  // id of each particle in the solver's order
    std::vector<std::string> warnings;
};

// Throws InputError when bodies overlap or a handle reaches no particle.
MadeModel make_model(Scene const& scene, Handles& handles, int threads);

}  // namespace pliant
