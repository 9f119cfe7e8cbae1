// Options of the rest state and its forces, shared by the methods that have a rest state.
#pragma once

#include <pliant/data/method.hpp>
#include <pliant/physics/kernel_corrections.hpp>

#include <cassert>

namespace pliant {

enum class RestKind { bonds, updated };

struct RestOptions {
    RestKind rest = RestKind::bonds;
    double radius = 2.5;  // of the kernel, in spacings
    int order = 1;        // of the gradient fit
    GradientKernel kernel = GradientKernel::least_squares;
    double zero_energy = default_zero_energy(false);
    double zero_energy_flowing = default_zero_energy(true);  // for bodies that flow

    // Strength of the zero-energy control. It is elastic and knows no yield stress: at strength 3 it held up a column
    // of dough that ought to slump (centre after one second at 0.163 m instead of 0.142 m at 0.1, 0.137 m without).
    double default_zero_energy(bool flowing) const {
        if (updated()) return 0;
        if (second_order()) return 1.5;
        return flowing ? 0.5 : 3;
    }

    bool updated() const { return rest == RestKind::updated; }
    bool second_order() const { return order == 2; }
    bool sph() const { return kernel != GradientKernel::least_squares; }
    // Whether F of the undeformed body must be added to what the weights give.
    bool has_defect() const { return kernel == GradientKernel::uncorrected || kernel == GradientKernel::mls0; }

    void visit_rest(OptionVisitor& visitor) {
        visitor.choice("rest", rest, {"bonds", "updated"},
                       "the rest state: offsets kept per bond, or replaced after every step as in the paper");
        visitor.number("radius", radius, between(1.2, 6), "kernel radius in particle spacings");
        visitor.integer("order", order, 1, 2, "order of the gradient fit");
        visitor.number("zero_energy", zero_energy, at_least(0), "strength of the zero-energy control");
        visitor.derived("zero_energy_flowing", zero_energy_flowing);
    }

    void visit_kernel(OptionVisitor& visitor) {  // of methods with SPH kernels
        assert(sph());
        int word = int(kernel) - 1;
        visitor.word("kernel", word, {"corrected", "uncorrected", "mls0", "mls1"},
                     "of the deformation gradient: corrected SPH, plain SPH, or moving least squares of order 0 or 1");
        kernel = GradientKernel(word + 1);
    }

    void settle_rest(MethodOptions::Given const& given) {
        bool const chosen = given("zero_energy");
        if (!chosen) zero_energy = default_zero_energy(false);
        zero_energy_flowing = chosen ? zero_energy : default_zero_energy(true);
        if (updated() && zero_energy > 0)
            throw OptionError("zero_energy",
                              "must be 0 (or left out) with rest = \"updated\"; the control needs rest = \"bonds\"");
        if (updated() && second_order())
            throw OptionError("order", "must be 1 with rest = \"updated\"; second order needs rest = \"bonds\"");
    }

    void check_rest_cuts(char const* key) const {
        if (updated())
            throw OptionError(key,
                              "needs solver.rest = \"bonds\"; with \"updated\", severed bonds would come back at once");
    }

    std::string weld_warning(MaterialParameters const& material) const {
        if (!updated() || !material.weld) return "";
        return ".weld has no effect with solver.rest = \"updated\": bodies collide and do not merge; use rest = "
               "\"bonds\"";
    }
};

}  // namespace pliant
