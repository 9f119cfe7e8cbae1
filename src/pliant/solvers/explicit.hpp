// The explicit variant of Zhou et al. 2013 (eq. 8-11): the forces of the implicit method, integrated by symplectic
// Euler.
#pragma once

#include <pliant/solvers/solver.hpp>

#include <memory>

namespace pliant {

struct ExplicitSettings {
    double radius = 2.5;  // in spacings
    double zero_energy = 3;
    double zero_energy_flowing = 0.1;  // of bodies that flow
    bool updated_rest = false;
    bool second_order_gradient = false;
};

std::unique_ptr<Solver> make_explicit(Model model, ExplicitSettings const& settings, int threads);
std::unique_ptr<Solver> make_explicit_cuda(Model model, ExplicitSettings const& settings, int device);

}  // namespace pliant
