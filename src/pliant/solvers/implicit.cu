#include <pliant/exec/cuda.hpp>
#include <pliant/solvers/implicit_solver.hpp>

namespace pliant {

std::unique_ptr<Solver> make_implicit_cuda(Model model, ImplicitSettings const& settings, int device) {
    return std::make_unique<Implicit<Cuda>>(std::move(model), settings, device);
}

}  // namespace pliant
