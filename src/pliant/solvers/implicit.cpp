#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/implicit_solver.hpp>

namespace pliant {

std::unique_ptr<Solver> make_implicit(Model model, ImplicitSettings const& settings, int threads) {
    return std::make_unique<Implicit<Cpu>>(std::move(model), settings, threads);
}

}  // namespace pliant
