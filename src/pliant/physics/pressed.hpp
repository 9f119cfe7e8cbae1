// Flowed metal that presses on a collider.
//
// A particle stops half a spacing before a collider, and half of its matter lies in between. With its whole volume at
// work between it and the next layer, the layer at the collider is half as strong again as the others, and a bar that
// strikes a wall spreads less there than above it: matter d/2 from a wall has 1.5 V for one interval d. What lies in
// between is compressed by the collider, so its share is not the particle's to give: of the stress along the rest
// normal N = G^T n / |G^T n| of the surface only half counts,
//   T_i -= 1/2 n (n . V P Fp^-T N) (A_i^-1 N)^T.
// In a body that is pressed evenly, forces on the layers behind the first then nearly vanish, as they must.
//
// It follows from holding the point of the surface, x_i - G_i N d/2, in place of the particle: the reaction on it acts
// on the neighbours as well, by the derivative of G_i. There the particle would come nearer to the collider as well,
// which is left out; nothing else would change but its height. Elastic matter keeps all of its stress: half of it has
// no energy whose derivative it is. In metal that flows, the elastic energy is a thousandth of what flow takes.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/math/mat3.hpp>
#include <pliant/math/vec4.hpp>

namespace pliant {

// What is taken off T_i where the metal presses on a collider of normal n. S = V P Fp^-T.
PLIANT_HD inline Mat3d stress_behind_surface(Vec3d n, Mat3d const& G, Mat3d const& S, Sym3d const& A_inverse) {
    Vec3d const N = normalized(transpose(G) * n);
    double const along = dot(n, S * N);
    return outer((along < 0 ? 0.5 * along : 0) * n, A_inverse * N);
}

// Writes normal_i: that of the collider which a particle of flowed metal presses on, with 1 in the last place, or zero.
struct NotePressed {
    float const* plastic_strain;
    Vec4* normal;  // null: there is no metal

    PLIANT_HD void operator()(Index i, Contact const& contact) const {
        if (normal == nullptr) return;
        bool const presses = contact.count > 0 && plastic_strain[i] > 0;
        normal[i] = presses ? Vec4::from(contact.normal[0], 1) : Vec4::zero();
    }
};

// The same from the contacts of the last step.
struct NotePressedOf {
    NotePressed note;
    Contact const* contacts;
    PLIANT_HD void operator()(Index i) const { note(i, contacts[i]); }
};

}  // namespace pliant
