// method = "gerszewski": Gerszewski et al. 2009, an explicit method without a rest shape (physics/gerszewski.hpp).
#pragma once

#include <pliant/math/sph_kernels.hpp>
#include <pliant/solvers/method.hpp>

namespace pliant {

enum class StrainKind { composed, additive };
enum class PointForces { conserving, printed };

struct GerszewskiOptions : MethodOptions {
    int neighbors = 30;  // number of nearest neighbours used within the radius; 0: all
    double radius = 3;   // of the kernels, in spacings
    PointForces forces = PointForces::conserving;
    double zero_energy = 2;  // stiffness of the zero-energy control, in units of Young's modulus
    bool pressure = true;    // against compression
    double viscosity = 0.2;  // in units of density, sound speed and spacing
    StrainKind strain = StrainKind::composed;
    double safety = 0.5;  // share of the largest stable step, used if the scene gives no step

    bool additive() const { return strain == StrainKind::additive; }
    bool conserving() const { return forces == PointForces::conserving && !additive(); }
    // 1 - q^4, flat where the neighbours are; docs/notes/gerszewski.md has what other kernels do.
    FitKernel kernel() const { return conserving() ? FitKernel{0, -1, 0} : FitKernel::poly6(); }

    static MethodDescription describe() {
        return {.word = "gerszewski",
                .summary = "point-based elasto-plastic solids without a rest shape, Gerszewski et al. 2009",
                .stable_step = true,
                .squared_stretches = true,
                .stress = true,
                .keeps_swinging = "vibrations are damped by viscosity alone, and those of slender bodies may grow",
                .default_options = default_options_of<GerszewskiOptions>};
    }

    std::unique_ptr<MethodOptions> copy() const override { return std::make_unique<GerszewskiOptions>(*this); }
    void visit(OptionVisitor& visitor) override {
        visitor.integer("neighbors", neighbors, 0, 1000, "the nearest particles that are neighbours; 0: all");
        visitor.number("radius", radius, between(1.2, 6), "kernel radius in particle spacings");
        visitor.choice("forces", forces, {"conserving", "printed"},
                       "the adjoint of the fit with a zero-energy control, or those of the paper");
        visitor.number("zero_energy", zero_energy, at_least(0), "strength of the zero-energy control");
        visitor.flag("pressure", pressure, "pressure against compression");
        visitor.number("viscosity", viscosity, at_least(0), "in units of density, sound speed and spacing");
        visitor.choice("strain", strain, {"composed", "additive"},
                       "the affine maps of all steps multiplied, or their strains added up");
        visitor.number("safety", safety, inside(0, 1), "share of the largest stable step that is used");
    }
    void settle(Given const& given) override {
        if (neighbors > 0 && neighbors < 6)
            throw OptionError("neighbors", "must be 0 (all within the radius) or at least 6; fewer say nothing of F");
        if (additive() && given("forces") && forces == PointForces::conserving)
            throw OptionError("forces", "\"conserving\" needs solver.strain = \"composed\", is \"additive\"");
        if (additive()) forces = PointForces::printed;
        if (conserving()) return;
        if (given("zero_energy") && zero_energy > 0)
            throw OptionError("zero_energy", "needs solver.forces = \"conserving\"");
        zero_energy = 0;
        if (!given("radius")) radius = 2;
        if (!given("viscosity")) viscosity = 0.1;
    }
    void check(MaterialParameters const& material) const override {
        if (material.stretches == "squared" && additive())
            throw OptionError("stretches", "\"squared\" needs solver.strain = \"composed\", is \"additive\"");
        if (material.stretches == "squared" && material.elasticity != "corotated")
            throw OptionError("stretches",
                              "\"squared\" needs elasticity = \"corotated\", is \"" + material.elasticity + "\"");
        if (additive() && material.elasticity != "corotated")
            throw OptionError("elasticity", "added strains are those of elasticity = \"corotated\"; \"" +
                                                material.elasticity + "\" needs solver.strain = \"composed\"");
        if (additive() && material.plasticity == "von-mises")
            throw OptionError("plasticity", "\"von-mises\" needs solver.strain = \"composed\", is \"additive\"");
    }
    double stable_share() const override { return safety; }
    std::string remedy() const override { return "more solver.viscosity, "; }

    double least_bytes(BodyModel const&) const { return 1100; }
};

// A stable step [s], from the highest frequency of a lattice of particles (stable_step.cpp).
struct PointLattice {            // of a lattice of spacing 1
    double sum = 0, moment = 0;  // of the weights w, and of w x^2
};
PointLattice point_lattice(GerszewskiOptions const& options);
double gerszewski_stable_dt(Model const& model, GerszewskiOptions const& options);
double gerszewski_sound_speed(BodyModel const& body, GerszewskiOptions const& options);  // [m/s]

}  // namespace pliant
