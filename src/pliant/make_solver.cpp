#include <pliant/make_solver.hpp>
#include <pliant/solvers/gerszewski.hpp>
#include <pliant/solvers/implicit.hpp>

namespace pliant {
namespace {

GerszewskiSettings settings_of(GerszewskiOptions const& o) {
    return {o.neighbors, o.radius, o.pressure, o.viscosity, o.strain == "additive"};
}

}  // namespace

double default_dt(Scene const& scene, Model const& model) {
    return scene.method == "gerszewski" ? gerszewski_stable_dt(model, settings_of(scene.gerszewski)) : scene.dt;
}

std::unique_ptr<Solver> make_solver(Scene const& scene, Model model, int threads, int gpu) {
    if (scene.method == "gerszewski") {
        GerszewskiSettings const settings = settings_of(scene.gerszewski);
        return gpu >= 0 ? make_gerszewski_cuda(std::move(model), settings, gpu)
                        : make_gerszewski(std::move(model), settings, threads);
    }
    ImplicitOptions const& o = scene.solver;
    ImplicitSettings const settings{o.tolerance,           o.radius,     o.zero_energy, o.zero_energy_flowing,
                                    o.rest == "updated",   o.order == 2, o.relinearize, o.max_iterations,
                                    o.integrator == "bdf2"};
    return gpu >= 0 ? make_implicit_cuda(std::move(model), settings, gpu)
                    : make_implicit(std::move(model), settings, threads);
}

}  // namespace pliant
