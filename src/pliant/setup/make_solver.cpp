#include <pliant/setup/make_solver.hpp>
#include <pliant/solvers/explicit.hpp>
#include <pliant/solvers/gerszewski.hpp>
#include <pliant/solvers/implicit.hpp>

namespace pliant {
namespace {

CoarseUse coarse_use(std::string const& word) {
    if (word == "on") return CoarseUse::on;
    return word == "off" ? CoarseUse::off : CoarseUse::automatic;
}

struct Machine {
    int threads, gpu;
};

std::unique_ptr<Solver> make(ImplicitOptions const& o, Model model, Machine on) {
    ImplicitSettings const settings{
        o.tolerance,  o.radius,      o.zero_energy,    o.zero_energy_flowing,  o.rest == "updated",
        o.order == 2, o.relinearize, o.max_iterations, o.integrator == "bdf2", coarse_use(o.coarse)};
    return on.gpu >= 0 ? make_implicit_cuda(std::move(model), settings, on.gpu)
                       : make_implicit(std::move(model), settings, on.threads);
}

std::unique_ptr<Solver> make(ExplicitOptions const& o, Model model, Machine on) {
    ExplicitSettings const settings{o.radius, o.zero_energy, o.zero_energy_flowing, o.rest == "updated", o.order == 2};
    return on.gpu >= 0 ? make_explicit_cuda(std::move(model), settings, on.gpu)
                       : make_explicit(std::move(model), settings, on.threads);
}

std::unique_ptr<Solver> make(GerszewskiOptions const& o, Model model, Machine on) {
    GerszewskiSettings const settings{o.neighbors, o.radius, o.pressure, o.viscosity, o.strain == "additive"};
    return on.gpu >= 0 ? make_gerszewski_cuda(std::move(model), settings, on.gpu)
                       : make_gerszewski(std::move(model), settings, on.threads);
}

}  // namespace

std::unique_ptr<Solver> make_solver(Scene const& scene, Model model, int threads, int gpu) {
    return std::visit(
        [&](auto const& options) {
            return make(options, std::move(model), {threads, gpu});
        },
        scene.solver);
}

}  // namespace pliant
