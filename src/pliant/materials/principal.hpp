// Laws given by principal stretches. An isotropic law is a function of the stretches s along three axes; with
// F R^T = U diag(s) U^T, R = rotation_of(F),
//   Psi(F) = Psi(s),   P(F) = U diag(dPsi/ds) U^T R.
// The stretches have the sign convention of invertible elements (Irving et al. 2004): if F is inverted, the smallest is
// negative, and laws must be finite and push back there.
//
// What every elastic law has:
//   word                         its name in the scene file
//   principal_energy(s)          Psi [Pa]
//   principal_stress(s)          dPsi/ds_i [Pa]
//   principal_stiffness(s)       d2Psi/ds_i ds_j [Pa]
//   yielding_stress(s)           the principal stresses [Pa] by which plastic laws judge yield. Its deviator must
//   vanish
//                                under pressure alone and grow with every stretch: Kirchhoff's s P does so for
//                                Neo-Hookean and Hencky, but for St. Venant-Kirchhoff it turns over under pressure (at
//                                a stretch of 0.87, nu = 0.3), for corotated at half the length
//   energy(F, R), stress(F, R)   the same for a matrix
//   direct_stress(S, P)          optional: the stress without principal axes (stretch.hpp)
//   symmetric_part_is_constant   whether the derivative of R^T P for symmetric changes of strain is the same for every
//   F
// `s` may be of float, double or Wide (several points at once), for the energy float or double.
#pragma once

#include <pliant/math/eigen3.hpp>

namespace pliant {

// von Mises' equivalent [Pa] of a stress given by its principal values.
template <class R = float>
PLIANT_HD R von_mises(Vec3<R> s) {
    R const a = s.x - s.y, b = s.y - s.z, c = s.z - s.x;
    return root(0.5f * (a * a + b * b + c * c));
}

// energy() and stress() for laws that have no direct form.
template <class Law, class T>
PLIANT_HD T energy_from_principal(Law const& law, Mat3<T> const& F, Mat3<T> const& R) {
    return law.principal_energy(eigen3(Sym3<T>::from(F * transpose(R))).value);
}
template <class Law, class T>
PLIANT_HD Mat3<T> stress_from_principal(Law const& law, Mat3<T> const& F, Mat3<T> const& R) {
    Eigen3<T> const axes = eigen3(Sym3<T>::from(F * transpose(R)));
    Vec3<T> const P = law.principal_stress(axes.value);
    Mat3<T> const& U = axes.vector;
    return Mat3<T>{{P.x * U[0], P.y * U[1], P.z * U[2]}} * (transpose(U) * R);
}

}  // namespace pliant
