// method = "xpbd": Cao et al. 2023, position-based dynamics with corrected SPH kernels.
#pragma once

#include <pliant/physics/xpbd_step.hpp>
#include <pliant/solvers/method.hpp>
#include <pliant/state/rest_options.hpp>

namespace pliant {

enum class ConstraintKind { consistent, energy };
enum class CollisionKind { touches, layers };

struct XpbdOptions : MethodOptions, RestOptions {
    int parts = 0;       // substeps of a step of the scene; 0: as many as the sweeps need
    int iterations = 8;  // sweeps per substep
    ConstraintKind constraint = ConstraintKind::consistent;
    CollisionKind collisions = CollisionKind::touches;
    bool accelerated = true;

    bool as_printed() const { return constraint == ConstraintKind::energy; }

    XpbdOptions() { kernel = GradientKernel::corrected; }

    static MethodDescription describe() {
        return {.word = "xpbd",
                .summary = "position-based solids with corrected SPH kernels, Cao et al. 2023",
                .stable_step = true,
                .fibres = true,
                .cuts = true,
                .additive_strain = true,
                .rest_shape = true,
                .damping = true,
                .restraint = true,
                .stress = true,
                .pair_forces = true,
                .spin_loss = 1,
                .default_options = default_options_of<XpbdOptions>};
    }

    std::unique_ptr<MethodOptions> copy() const override { return std::make_unique<XpbdOptions>(*this); }
    void visit(OptionVisitor& visitor) override {
        visitor.integer("substeps", parts, 0, 100'000,
                        "parts of a step, each with its own sweeps; 0: as many as the sweeps need to converge");
        visitor.integer("iterations", iterations, 1, 10'000, "sweeps over all constraints in a substep");
        visitor.choice("constraint", constraint, {"consistent", "energy"},
                       "strain with the material's law as compliance, or the energy as printed in the paper");
        visitor.choice("collisions", collisions, {"touches", "layers"},
                       "between bodies: particles that touch the mean surface beneath them, or two layers of spheres "
                       "as in the paper");
        visitor.flag("accelerated", accelerated, "Chebyshev's shares for the sweeps; else one share for all");
        visit_kernel(visitor);
        visitor.number("radius", radius, between(1.2, 6), "kernel radius in particle spacings");
        visitor.number("zero_energy", zero_energy, at_least(0), "strength of the zero-energy control");
        visitor.derived("zero_energy_flowing", zero_energy_flowing);
    }
    void settle(Given const& given) override {
        settle_rest(given);
        if (!as_printed()) return;
        if (given("zero_energy") && zero_energy > 0)
            throw OptionError("zero_energy",
                              "must be 0 (or left out) with constraint = \"energy\"; the control needs "
                              "constraint = \"consistent\"");
        zero_energy = zero_energy_flowing = 0;
    }
    void check(MaterialParameters const& material) const override {
        if (as_printed() && material.damping > 0)
            throw OptionError("damping", "needs solver.constraint = \"consistent\"; remove this key, or set it to 0");
        if (has_defect() && material.plasticity != "none")
            throw OptionError("plasticity", "\"" + material.plasticity +
                                                "\" needs solver.kernel = \"corrected\" or \"mls1\"; the other kernels "
                                                "do not know the deformation of matter that flows");
    }
    void check_pair_forces(char const* key) const override {
        if (collisions == CollisionKind::layers)
            throw OptionError(key, "needs solver.collisions = \"touches\"; spheres do not tell what they do");
    }
    void check_restraint() const override {
        if (collisions == CollisionKind::layers)
            throw OptionError("restraint",
                              "needs solver.collisions = \"touches\": spheres do not tell what they do, "
                              "and nothing would wake by it");
    }
    int substeps() const override { return parts; }
    bool long_steps_are_stable() const override { return true; }

    // The error that sweeps may leave in a substep chosen by the method, as a share of that before them.
    static constexpr double remaining_error = 0.03;
    double largest_kappa() const {
        return accelerated ? SweepShares::largest_kappa(iterations, remaining_error)
                           : 2 / (1 - std::pow(remaining_error, 1.0 / iterations)) - 2;
    }

    double least_bytes(BodyModel const& body) const { return least_bytes_of_solid(body); }
};

}  // namespace pliant
