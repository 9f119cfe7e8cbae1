#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/explicit_solver.hpp>

namespace pliant {

std::unique_ptr<Solver> make_explicit(Model model, ExplicitSettings const& settings, int threads) {
    return std::make_unique<Explicit<Cpu>>(std::move(model), settings, threads);
}

}  // namespace pliant
