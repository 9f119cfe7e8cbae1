#include <pliant/solvers/explicit_solver.hpp>
#include <pliant/solvers/on_gpu.hpp>

namespace pliant {

std::unique_ptr<Solver> make_explicit_cuda(Model model, ExplicitSettings const& settings, int device) {
    return make_on_gpu<Explicit<Cuda>>(std::move(model), settings, device);
}

}  // namespace pliant
