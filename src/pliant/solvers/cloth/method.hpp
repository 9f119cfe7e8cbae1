// method = "cloth": sheets of particles that resist stretch, shear and bending (physics/cloth.hpp), implicit Euler,
// with the restraint of Manteaux et al. 2013 (data/restraint.hpp).
#pragma once

#include <pliant/solvers/method.hpp>

namespace pliant {

struct ClothOptions : MethodOptions {
    double tolerance = 1e-4;
    int max_iterations = 2000;
    int relinearize = 6;

    static MethodDescription describe() {
        return {.word = "cloth",
                .summary = "sheets with stretch, shear and bending, implicit, restrained as in Manteaux et al. 2013",
                .stable_step = false,
                .rest_shape = true,
                .damping = true,
                .cloth = true,
                .restraint = true,
                .spin_loss = 1,
                .loses_spin = "a box of cloth is hollow, and its sides bulge when it spins",
                .keeps_swinging = "a column of cloth is hollow and cannot stand",
                .default_options = default_options_of<ClothOptions>};
    }

    std::unique_ptr<MethodOptions> copy() const override { return std::make_unique<ClothOptions>(*this); }
    void visit(OptionVisitor& visitor) override {
        visitor.number("tolerance", tolerance, inside(0, 1), "of the linear solve, relative to the forces");
        visitor.integer("max_iterations", max_iterations, 1, 1'000'000, "of conjugate gradients, before a step is cut");
        visitor.integer("relinearize", relinearize, 0, 100,
                        "further solves of a step, at most, where forces are not linear");
    }
    std::string advice() const override { return "a softer material, or more solver.max_iterations"; }

    double least_bytes(BodyModel const&) const { return 1500; }
};

}  // namespace pliant
