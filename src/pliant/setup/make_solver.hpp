// The method that a scene asks for, on the machine it is to run on.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/solvers/solver.hpp>

#include <memory>

namespace pliant {

// gpu: the number of the GPU, or -1 for the CPU with that many threads.
std::unique_ptr<Solver> make_solver(Scene const& scene, Model model, int threads, int gpu);

}  // namespace pliant
