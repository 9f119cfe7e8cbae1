// Colliders for methods that know all other forces before particles move (explicit, gerszewski) or move them in sweeps
// (xpbd): a projection of the displacement u = dt v over the step.
//
// A particle that would end nearer than its contact distance to a collider gets the normal displacement that places it
// there, an impulse push_k >= 0 along each normal; a collider that would pull is dropped. Friction takes at most sum_k
// mu_k push_k from the slip, each collider with its own coefficient: this is Coulomb's cone, and in a groove both walls
// hold the particle back. Both only dissipate energy. The slip is relative to the surface of the deepest collider.
// (Rejected: the length of the total push as the bound, which in a groove of two walls at right angles is smaller than
// the sum of both by a factor of sqrt 2; and springs, which must be stiffer than the body to keep it out and would
// determine the stable step.)
#pragma once

#include <pliant/contact/contact.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

// Projects the displacement u of particle i; returns whether any collider changed it, and if `met` is given, by whom.
PLIANT_HD inline bool meet_colliders(ContactScene const& scene, Index i, Vec3f& u, Contact* met = nullptr) {
    if (scene.count == 0) return false;
    Contact contact{};
    scene.find(i, contact, u, 0);
    if (contact.count == 0) return false;
    Vec3f on = contact.project(u), push = contact.multipliers(on - u);  // impulses times dt / m
    for (int k = contact.count - 1; k >= 0; --k) {
        if (push[k] >= 0) continue;
        contact.remove(k);
        on = contact.project(u), push = contact.multipliers(on - u);
        k = contact.count;
    }
    if (contact.count == 0) return false;
    contact.carried = scene.carried(i, contact);
    float bound = 0;
    for (int k = 0; k < contact.count; ++k) bound += float(scene.next[contact.collider[k]].friction) * push[k];
    Vec3f const slip = contact.slip(on);
    float const speed = norm(slip);
    u = on - (speed > bound ? bound / speed : 1.f) * slip;
    if (met != nullptr) *met = contact;
    return true;
}

}  // namespace PLIANT_LANES
}  // namespace pliant
