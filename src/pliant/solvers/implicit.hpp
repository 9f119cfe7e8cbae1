// Zhou et al. 2013: implicit integration of elasto-plastic particles. The step reads as the paper's list of six.
#pragma once

#include <pliant/solvers/solver.hpp>

#include <memory>
#include <string>

namespace pliant {

// The second level of the preconditioner: for bodies that are stiff enough to gain by it, for all that can have it, or
// for none.
enum class CoarseUse { automatic, on, off };

struct ImplicitSettings {
    double tolerance = 1e-4;
    double radius = 2.5;  // in spacings
    double zero_energy = 3;
    double zero_energy_flowing = 0.1;  // of bodies that flow
    bool updated_rest = false;
    bool second_order_gradient = false;
    int relinearize = 0;
    int max_iterations = 2000;
    bool second_order_time = false;
    CoarseUse coarse = CoarseUse::automatic;
};

std::unique_ptr<Solver> make_implicit(Model model, ImplicitSettings const& settings, int threads);

// The same on a GPU, by its number.
std::unique_ptr<Solver> make_implicit_cuda(Model model, ImplicitSettings const& settings, int device);
bool built_with_cuda();
std::string cuda_trouble(int device);  // why that GPU cannot be used; empty: it can

}  // namespace pliant
