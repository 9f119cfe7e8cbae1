#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/gerszewski_solver.hpp>

namespace pliant {

std::unique_ptr<Solver> make_gerszewski(Model model, GerszewskiSettings const& settings, int threads) {
    return std::make_unique<Gerszewski<Cpu>>(std::move(model), settings, threads);
}

}  // namespace pliant
