// Stiffness against compaction, on top of any elastic law: along an axis that is squeezed below a stretch s0, matter
// resists with
//   Psi = k/2 sum max(0, s0 - s_i)^2.
// The energy of an elastic law is finite where matter is squeezed to nothing: a few times Young's modulus per volume.
// Matter that is hit with more kinetic energy than that collapses, whatever the steps. Foams resist in this way once
// their pores are closed (Gibson and Ashby 1997, "densification"). k follows from the speed V of the hit
// (setup/approach.hpp): with k = 16 rho V^2 the kinetic energy rho V^2 / 2 is spent at the stretch s0 - 1/4. Weakly
// compressible fluids choose their stiffness in the same way (Monaghan 1994).
//
// Rejected: the same in terms of volume, k/2 max(0, J0 - J)^2. Matter is then nearly incompressible beside its
// resistance to shear, and conjugate gradients took 1,000 iterations per solve instead of 400 (two balls of 1e3 Pa that
// meet at 40 m/s). Energies without a bound at s = 0: their stiffness has none either, and where a step inverts matter
// all the same they are not defined.
#pragma once

#include <pliant/math/sym3.hpp>
#include <pliant/math/wide.hpp>

namespace pliant {

struct Compaction {
    static constexpr float least_stretch = 0.4f;  // s0
    float k = 0;                                  // [Pa]; 0: none

    template <class R>
    PLIANT_HD R energy(Vec3<R> s) const {
        Vec3<R> const m = missing(s);
        return 0.5f * k * (m.x * m.x + m.y * m.y + m.z * m.z);
    }
    template <class R>
    PLIANT_HD Vec3<R> stress(Vec3<R> s) const {
        Vec3<R> const m = missing(s);
        return {-k * m.x, -k * m.y, -k * m.z};
    }
    template <class R>
    PLIANT_HD Sym3<R> stiffness(Vec3<R> s) const {
        auto const own = [&](R stretch) { return stretch < least_stretch ? R{} + k : R{}; };
        return {own(s.x), own(s.y), own(s.z), R{}, R{}, R{}};
    }

private:
    template <class R>
    PLIANT_HD static Vec3<R> missing(Vec3<R> s) {
        return {larger(least_stretch - s.x, R{}), larger(least_stretch - s.y, R{}), larger(least_stretch - s.z, R{})};
    }
};

}  // namespace pliant
