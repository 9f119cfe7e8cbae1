// The arrays of a linearisation: B and the derivative of the laws (physics/tangent.hpp), as far as the scene needs
// them.
#pragma once

#include <pliant/state/bonded_particles.hpp>

namespace pliant {

template <class Exec>
struct TangentArrays {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    Array<Mat3f> B;
    Array<Sym3f> skew;                    // V Theta
    Array<SymmetricStiffness> symmetric;  // times V; empty if all laws are corotated
    Array<FibreStiffness> fibres;         // by family, then particle

    void resize(BondedParticles<Exec> const& solid) {
        Index const n = solid.particles.stored_count();
        B.resize(n), skew.resize(n), fibres.resize(solid.fibres().families * n);
        if (solid.stiffness_varies()) symmetric.resize(n);
    }

    template <class T>
    LinearizationWith<T> with(BondedParticles<Exec>& solid, T* stress) {
        return {.B = B.data(),
                .Q = solid.Q.data(),
                .T = stress,
                .Tc = solid.Tc.data(),
                .own = solid.own.data(),
                .skew = skew.data(),
                .symmetric = symmetric.data(),
                .fibres = fibres.data(),
                .particles = solid.particles.stored_count(),
                .families = solid.fibres().families};
    }

    std::uint64_t bytes() const { return B.bytes() + skew.bytes() + symmetric.bytes() + fibres.bytes(); }
};

}  // namespace pliant
