#include <pliant/solvers/gerszewski_solver.hpp>
#include <pliant/solvers/on_gpu.hpp>

namespace pliant {

std::unique_ptr<Solver> make_gerszewski_cuda(Model model, GerszewskiSettings const& settings, int device) {
    return make_on_gpu<Gerszewski<Cuda>>(std::move(model), settings, device);
}

}  // namespace pliant
