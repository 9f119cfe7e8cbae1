#include <pliant/make_solver.hpp>
#include <pliant/solvers/implicit.hpp>

namespace pliant {
namespace {

CoarseUse coarse_use(std::string const& word) {
    if (word == "on") return CoarseUse::on;
    return word == "off" ? CoarseUse::off : CoarseUse::automatic;
}

}  // namespace

std::unique_ptr<Solver> make_solver(Scene const& scene, Model model, int threads, int gpu) {
    ImplicitOptions const& o = scene.solver;
    ImplicitSettings const settings{
        o.tolerance,  o.radius,      o.zero_energy,    o.zero_energy_flowing,  o.rest == "updated",
        o.order == 2, o.relinearize, o.max_iterations, o.integrator == "bdf2", coarse_use(o.coarse)};
    return gpu >= 0 ? make_implicit_cuda(std::move(model), settings, gpu)
                    : make_implicit(std::move(model), settings, threads);
}

}  // namespace pliant
