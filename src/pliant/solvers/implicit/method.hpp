// method = "implicit": Zhou et al. 2013, implicit integration of elasto-plastic particles.
#pragma once

#include <pliant/solvers/method.hpp>
#include <pliant/solvers/preconditioners/coarse_use.hpp>
#include <pliant/state/rest_options.hpp>

namespace pliant {

enum class Integrator { euler, bdf2 };

struct ImplicitOptions : MethodOptions, RestOptions {
    double tolerance = 1e-4;    // of the linear solve, relative to the force scale
    int relinearize = 4;        // most further solves in a step, each linearised where the last one ended
    int max_iterations = 2000;  // of conjugate gradients, per solve
    Integrator integrator = Integrator::euler;
    CoarseUse coarse = CoarseUse::automatic;
    double held_damping = default_held_damping(Integrator::euler);  // ratio, of the slowest vibration along a held body

    // Second-order steps are chosen where vibrations are to be kept.
    static double default_held_damping(Integrator integrator) { return integrator == Integrator::euler ? 0.03 : 0; }

    static MethodDescription describe() {
        return {.word = "implicit",
                .summary = "implicit elasto-plastic particles, Zhou et al. 2013",
                .stable_step = false,
                .compaction = true,
                .fibres = true,
                .cuts = true,
                .rest_shape = true,
                .damping = true,
                .restraint = true,
                .stress = true,
                .pair_forces = true,
                .statics = true,
                .spin_loss = 1,
                .default_options = default_options_of<ImplicitOptions>};
    }

    std::unique_ptr<MethodOptions> copy() const override { return std::make_unique<ImplicitOptions>(*this); }
    void visit(OptionVisitor& visitor) override {
        visitor.number("tolerance", tolerance, inside(0, 1), "where conjugate gradients stop, relative to the forces");
        visit_rest(visitor);
        visitor.integer("relinearize", relinearize, 0, 20,
                        "most further solves in a step whose energy is not balanced");
        visitor.integer("max_iterations", max_iterations, 1, 1'000'000, "of conjugate gradients in one solve");
        visitor.choice("integrator", integrator, {"euler", "bdf2"},
                       "first order, robust; or second order, which damps far less");
        visitor.choice("coarse", coarse, {"auto", "on", "off"},
                       "the second level of the preconditioner, for large stiff bodies");
        visitor.number("held_damping", held_damping, at_least(0),
                       "damping ratio of the slowest vibration along a body that is held; 0: none");
    }
    void settle(Given const& given) override {
        settle_rest(given);
        if (!given("held_damping")) held_damping = default_held_damping(integrator);
    }
    void check_cuts(char const* key) const override { check_rest_cuts(key); }
    std::string warning(MaterialParameters const& material) const override { return weld_warning(material); }

    std::string advice() const override {
        return "a softer material, a larger solver.max_iterations or a looser solver.tolerance";
    }

    std::string remedy() const override { return relinearize < 4 ? "solver.relinearize = 4, " : ""; }

    double least_bytes(BodyModel const& body) const { return least_bytes_of_solid(body); }
};

}  // namespace pliant
