// method = "fluid": weakly compressible SPH, Becker and Teschner 2007 (physics/fluid.hpp), with the restraint of
// Manteaux et al. 2013 (data/restraint.hpp).
#pragma once

#include <pliant/physics/fluid.hpp>
#include <pliant/solvers/method.hpp>

namespace pliant {

struct FluidOptions : MethodOptions {
    double radius = 2.4;  // of the kernel, in spacings
    double safety = 0.6;  // share of the largest stable step, used if the scene gives no step

    static MethodDescription describe() {
        return {.word = "fluid",
                .summary = "weakly compressible SPH, Becker and Teschner 2007, restrained as in Manteaux et al. 2013",
                .stable_step = true,
                .fluid = true,
                .restraint = true,
                .loses_spin = "a fluid does not turn as a rigid body",
                .keeps_swinging = "a fluid has no shape to come to rest in",
                .default_options = default_options_of<FluidOptions>};
    }

    std::unique_ptr<MethodOptions> copy() const override { return std::make_unique<FluidOptions>(*this); }
    void visit(OptionVisitor& visitor) override {
        visitor.number("radius", radius, between(1.6, 4), "kernel radius in particle spacings");
        visitor.number("safety", safety, inside(0, 1), "share of the largest stable step that is used");
    }
    double stable_share() const override { return safety; }
    std::string advice() const override { return "a higher sound_speed or viscosity"; }
    std::string remedy() const override { return "a higher sound_speed, "; }

    double least_bytes(BodyModel const&) const { return 800; }
};

// Numbers of a cubic lattice with the spacing of a body, and a kernel of the given radius [m].
struct FluidLattice {
    double sum = 1;        // R: of w over all particles, the one in the centre included
    double stretch = 1;    // C: by how much rho / rho_0 as summed grows with the true one
    double frequency = 0;  // the largest of sound waves, over c [1/m]
    double damping = 0;    // the largest rate of viscosity, over alpha c h_s [1/m2]
    FluidLattice(double spacing, double radius);
};

FluidConstants fluid_constants(BodyModel const& body, double radius);

}  // namespace pliant
