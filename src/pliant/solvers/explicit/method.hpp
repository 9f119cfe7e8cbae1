// method = "explicit": the explicit variant of Zhou et al. 2013 (eq. 8-11). It integrates the forces of the implicit
// method by symplectic Euler.
#pragma once

#include <pliant/solvers/method.hpp>
#include <pliant/state/rest_options.hpp>

namespace pliant {

struct ExplicitOptions : MethodOptions, RestOptions {
    double viscosity = 0;        // of bonds, in units of sound speed and spacing
    double held_damping = 0.03;  // ratio, of the slowest vibration along a body that is held
    double safety = 0.9;         // share of the largest stable step, used if the scene gives no step

    static MethodDescription describe() {
        return {.word = "explicit",
                .summary = "the forces of implicit with explicit steps, Zhou et al. 2013",
                .stable_step = true,
                .fibres = true,
                .cuts = true,
                .rest_shape = true,
                .damping = true,
                .stress = true,
                .pair_forces = true,
                .keeps_swinging =
                    "only pieces that a handle holds are damped, unless bonds have viscosity or the material damping",
                .default_options = default_options_of<ExplicitOptions>};
    }

    std::unique_ptr<MethodOptions> copy() const override { return std::make_unique<ExplicitOptions>(*this); }
    void visit(OptionVisitor& visitor) override {
        visit_rest(visitor);
        visitor.number("viscosity", viscosity, at_least(0), "of bonds, in units of sound speed and spacing; 0: none");
        visitor.number("held_damping", held_damping, at_least(0),
                       "damping ratio of the slowest vibration along a body that is held; 0: none");
        visitor.number("safety", safety, inside(0, 1), "share of the largest stable step that is used");
    }
    void settle(Given const& given) override { settle_rest(given); }
    void check_cuts(char const* key) const override { check_rest_cuts(key); }
    std::string warning(MaterialParameters const& material) const override { return weld_warning(material); }
    double stable_share() const override { return safety; }

    double least_bytes(BodyModel const& body) const { return least_bytes_of_solid(body); }
};

}  // namespace pliant
