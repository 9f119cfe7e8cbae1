// The method that a scene asks for, on the machine it is to run on.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/solvers/solver.hpp>

#include <memory>

namespace pliant {

// gpu: the number of the GPU, or -1 for the CPU with that many threads.
std::unique_ptr<Solver> make_solver(Scene const& scene, Model model, int threads, int gpu);

// The step to take where the scene gives none [s].
double default_dt(Scene const& scene, Model const& model);

}  // namespace pliant
