// The law by which a step is solved, of one particle: the elastic one, or that of a metal within the step, which
// depends on how far it has flowed (materials/within_step.hpp).
#pragma once

#include <pliant/exec/domain.hpp>
#include <pliant/materials/within_step.hpp>

namespace pliant {

template <class Elasticity>
struct FlowingLaw {
    static constexpr bool symmetric_part_is_constant = false;
    Elasticity elasticity;
    VonMises plasticity;
    float const* alpha;  // plastic strain at the start of the step
    float dt;            // [s]
};

template <class Law>
PLIANT_HD Law const& law_at(Law const& law, Index) {
    return law;
}
template <class Elasticity>
PLIANT_HD WithinStep<Elasticity> law_at(FlowingLaw<Elasticity> const& law, Index i) {
    return {law.elasticity, law.plasticity, law.alpha[i], law.dt};
}

}  // namespace pliant
