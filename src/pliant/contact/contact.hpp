// Contact with colliders as constraints of the linear solve, not as a correction after it.
//
// A particle whose centre would come nearer than its contact distance (half a spacing) to a collider at the end of the
// step is constrained: its displacement u obeys n.u = target, so that it ends on the surface, and conjugate gradients
// work in the remaining directions (Baraff and Witkin 1998). The residual of the momentum equation along the
// constrained directions IS the contact force, so the conditions are checked with it after the solve:
//   lambda = -r.n >= 0        a pulling contact is released,
//   |r_t| <= mu lambda        a sticking particle beyond Coulomb's cone slides.
// After changes the system is solved again, starting from the last solution. There is no stiffness to choose, and
// nothing sinks in.
//
// A sliding particle feels a drag against its slip at the END of the step, -drag (u - carried)_t. At the fixed point of
// the rounds drag = mu lambda / |slip|: Coulomb's force mu lambda against the slip, which only dissipates energy. From
// round to round the drag anticipates how the slip will respond, from the particle's inertia between its neighbours;
// plain mu lambda / |slip| of the last solve took 4.2 rounds per step in a rocking armadillo, instead of 2.6. (A force
// mu lambda against the guessed slip was tried: if the slip reverses within the step, this force drives it, and a stiff
// block on a slope blew up.) Also tried and rejected: penalty springs (must scale with both E and dt^-2), projecting
// after the step (costs energy).
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/contact/handle.hpp>
#include <pliant/math/sym3.hpp>
#include <pliant/math/two_floats.hpp>

#include <array>

namespace pliant {
inline namespace PLIANT_LANES {

inline constexpr double collider_recovery = 100;  // fastest removal of an overlap, in spacings per second [1/s]

// Difference between the guessed and the solved motion of a particle below which the linear system describes its bonds
// well, in spacings: neighbours then turn and stretch by a few per cent, and the energy by the square of that.
inline constexpr float bending = 0.02f;

// The directions in which conjugate gradients may move a particle.
struct Constraint {
    enum Kind : std::int32_t { free, plane, line, fixed };
    Vec3f axis;  // plane: the constrained normal; line: the free direction
    Kind kind = free;
    float drag = 0;  // of sliding friction, added to the mass in the free directions [kg]

    PLIANT_HD Vec4 filter(Vec4 v) const {
        switch (kind) {
            case free:
                return v;
            case plane:
                return v - dot3(Vec4::from(axis), v) * Vec4::from(axis);
            case line:
                return dot3(Vec4::from(axis), v) * Vec4::from(axis);
            case fixed:
                return Vec4::zero();
        }
        return v;
    }
};

// The contacts of one particle, with up to three colliders at once (a corner).
struct Contact {
    Vec3f normal[3];
    float target[3];  // required normal.u at the end of the step [m]
    std::int16_t collider[3];
    std::int8_t count = 0;
    bool stick = false;
    Vec3f carried;       // displacement of the collider's surface over the step [m]
    float drag = 0;      // of a sliding particle [kg]
    float reaction = 0;  // sum of normal forces [N], kept for the next step's friction

    PLIANT_HD bool touches(int index) const {
        for (int k = 0; k < count; ++k)
            if (collider[k] == index) return true;
        return false;
    }

    PLIANT_HD Constraint constraint() const {
        if (count == 0) return {};
        if (stick || count == 3) return {{}, Constraint::fixed, 0};
        if (count == 1) return {normal[0], Constraint::plane, drag};
        return {normalized(cross(normal[0], normal[1])), Constraint::line, drag};
    }

    // The multipliers lambda for which sum lambda_k normal_k is nearest to `force`.
    PLIANT_HD Vec3f multipliers(Vec3f force) const {
        Vec3f b;
        for (int k = 0; k < count; ++k) b[k] = dot(normal[k], force);
        return solve_gram(b);
    }

    // The displacement nearest to u that meets all targets.
    PLIANT_HD Vec3f project(Vec3f u) const {
        Vec3f b;
        for (int k = 0; k < count; ++k) b[k] = target[k] - dot(normal[k], u);
        Vec3f const lambda = solve_gram(b);
        for (int k = 0; k < count; ++k) u += lambda[k] * normal[k];
        return u;
    }

    PLIANT_HD Vec3f tangential(Vec3f v) const {
        Vec3f const lambda = multipliers(v);
        for (int k = 0; k < count; ++k) v -= lambda[k] * normal[k];
        return v;
    }

    PLIANT_HD Vec3f slip(Vec3f u) const { return tangential(u - carried); }
    PLIANT_HD Vec3f friction(Vec3f u) const { return drag > 0 ? -drag * slip(u) : Vec3f{}; }  // force times tau^2

    PLIANT_HD void remove(int k) {
        for (; k < 2 && k + 1 < count; ++k) {
            normal[k] = normal[k + 1];
            target[k] = target[k + 1];
            collider[k] = collider[k + 1];
        }
        --count;
    }

    // Whether a normal is independent of those already present.
    PLIANT_HD bool adds(Vec3f n) const {
        if (count == 3) return false;
        Vec3f const lambda = multipliers(n);
        for (int k = 0; k < count; ++k) n -= lambda[k] * normal[k];
        return norm_squared(n) >= 0.01f;
    }

    // Adds a collider, unless its normal depends on those already present.
    PLIANT_HD bool add(int index, Vec3f n, float goal) {
        if (!adds(n)) return false;
        normal[count] = n;
        target[count] = goal;
        collider[count] = std::int16_t(index);
        ++count;
        return true;
    }

private:
    PLIANT_HD Vec3f solve_gram(Vec3f b) const {  // (N^T N) lambda = b, N the normals as columns
        if (count == 0) return {};
        if (count == 1) return {b.x, 0, 0};
        Mat3f gram = Mat3f::identity();
        for (int p = 0; p < count; ++p)
            for (int q = 0; q < count; ++q) gram(p, q) = dot(normal[p], normal[q]);
        return inverse(gram) * b;
    }
};

// Colliders and particle positions in the current step.
struct ContactScene {
    Collider const* now;   // colliders at the start of the step
    Collider const* next;  // and at its end
    int count;
    double dt;              // [s]
    double tau_squared;     // [s2], turns residuals into forces
    Vec4d const* x;         // position at the start of the step [m]
    float const* distance;  // contact distance of a particle: half its spacing [m]

    PLIANT_HD Vec3d start(Index i) const { return x[i].xyz(); }

    // Adds every collider that particle i would penetrate at the end of the displacement u.
    PLIANT_HD void find(Index i, Contact& contact, Vec3f u, double tolerance) const {
        Vec3d const from = start(i);
        for (int round = 0; round < 3; ++round) {
            int deepest = -1;
            double depth = tolerance;
            SurfacePoint surface;
            for (int c = 0; c < count; ++c) {
                if (contact.touches(c)) continue;
                SurfacePoint const p = next[c].nearest(from + cast<double>(u));
                if (distance[i] - p.distance > depth && contact.adds(cast<float>(p.normal))) {
                    deepest = c;
                    depth = distance[i] - p.distance;
                    surface = p;
                }
            }
            if (deepest < 0) return;
            double const inside = inside_at_start(i, deepest);
            Vec3f const n = cast<float>(surface.normal);
            contact.add(deepest, n,
                        float(dot(surface.normal, cast<double>(u)) + depth - inside + comes_out(i, inside)));
            u = contact.project(u);
        }
    }

    // How deep particle i is inside collider c at the start of the step, and by how much it may come out in the step:
    // gradually, since all at once would throw it off [m].
    PLIANT_HD double inside_at_start(Index i, int c) const {
        return std::max(0., distance[i] - now[c].nearest(start(i)).distance);
    }
    PLIANT_HD double comes_out(Index i, double inside) const {
        return std::min(0.2 * inside, collider_recovery * dt * 2 * distance[i]);
    }

    // Displacement of the touched surface at particle i over the step.
    PLIANT_HD Vec3f carried(Index i, Contact const& contact) const {
        return cast<float>(dt * next[contact.collider[0]].surface_velocity(start(i)));
    }

    PLIANT_HD float friction(Contact const& contact) const { return float(next[contact.collider[0]].friction); }
};

// {1 if particle i ends deeper inside a collider than it was, by more than a fifth of its contact distance}: for solves
// whose rounds end before contacts have settled, since a contact that is found and released in turns may be open in the
// last one.
struct Sinks {
    ContactScene scene;
    Grips grips;
    Vec4 const* u;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        if (grips[i].held) return {0.};
        Vec3d const end = scene.start(i) + cast<double>(u[i].xyz());
        for (int c = 0; c < scene.count; ++c) {
            double const depth = scene.distance[i] - scene.next[c].nearest(end).distance;
            if (depth > 0.2 * scene.distance[i] && depth > scene.inside_at_start(i, c) + 0.2 * scene.distance[i])
                return {1.};
        }
        return {0.};
    }
};

// Start of a step. Reads the guessed u and the contacts of the last step; writes u, ahead, contact and constraint.
struct FindContacts {
    ContactScene scene;
    Grips grips;
    Vec4d const* v;
    Vec4 *u, *u_low, *ahead;  // the guess is u + ahead; constrained particles have all of it in u, and ahead = 0
    Contact* contacts;
    Constraint* constraints;

    PLIANT_HD void operator()(Index i) const {
        Contact const last = contacts[i];
        Contact contact{};
        if (grips[i].held) {
            contacts[i] = contact;
            constraints[i] = {{}, Constraint::fixed, 0};
            u[i] = Vec4::from(grips[i].displacement(scene.start(i)));
            u_low[i] = ahead[i] = Vec4::zero();
            return;
        }
        Vec3f const guess = (u[i] + ahead[i]).xyz();
        scene.find(i, contact, guess, 0);
        if (contact.count > 0) {
            contact.carried = scene.carried(i, contact);
            // A particle that slid in the last step is assumed to slide on as fast: the guess does not include
            // friction.
            Vec3f const onward = float(scene.dt) * cast<float>(v[i].xyz());
            float const mu = scene.friction(contact), slip = norm(contact.slip(onward));
            contact.stick = last.count > 0 && last.stick;
            // A new contact starts without friction and gets it once the first solve has given its normal force:
            // started as sticking, it would stop a sliding body dead.
            if (mu > 0 && slip > 0 && last.count > 0 && !last.stick)
                contact.drag = mu * last.reaction * float(scene.tau_squared) / slip;
            u[i] = Vec4::from(contact.project(contact.stick ? contact.carried : (contact.drag > 0 ? onward : guess)));
            u_low[i] = ahead[i] = Vec4::zero();
        }
        contacts[i] = contact;
        constraints[i] = contact.constraint();
    }
};

// After a solve. Checks the conditions above; writes the changes: contact, constraint, drag in r, and the change of u
// that new constraints require. Returns {1 if a contact is new, violating force, force, 1 if u changes, 1 if the
// particle moves differently from the motion that touches were searched for, 1 if it does so by enough to bend bonds}.
struct CheckContacts {
    ContactScene scene;
    float const* mass;
    float const* none;  // acceleration times tau^2 below which a force counts as none [m]
    Grips grips;
    Sym3f const* preconditioner;
    Vec4 const *u, *foreseen, *u_free;
    Vec4* change;  // of u
    Vec4* r;
    Contact* contacts;
    Constraint* constraints;

    PLIANT_HD std::array<double, 6> operator()(Index i) const {
        change[i] = Vec4::zero();
        if (grips[i].held) return {};
        Contact& contact = contacts[i];
        Vec3f const here = u[i].xyz();
        float failing = 0, force = 0;
        bool changed = contact.count > 0 && check(i, contact, failing, force);
        Contact more = contact;
        scene.find(i, more, here, 1e-3 * scene.distance[i]);
        bool const found = more.count > contact.count;
        if (found) {
            set_drag(i, contact, 0);  // removed with the slip of the contacts it was computed for
            more.drag = 0;
            more.carried = scene.carried(i, more);
            contact = more;
            changed = true;
        }
        if (changed) constraints[i] = contact.constraint();
        bool const moves = found || (changed && contact.stick);  // others already satisfy their contacts
        if (moves) change[i] = Vec4::from(contact.project(contact.stick ? contact.carried : here) - here);
        return {found ? 1. : 0.,   changed ? double(failing) : 0., double(force), moves ? 1. : 0., strays(i) ? 1. : 0.,
                bends(i) ? 1. : 0.};
    }

private:
    PLIANT_HD bool strays(Index i) const { return apart(u[i], foreseen[i], 0.25f * spacing(i)); }
    // A body that moves freely goes along u_free, one at rest stays: both leave bonds as they are.
    PLIANT_HD bool bends(Index i) const {
        float const most = bending * spacing(i);
        return apart(u[i], foreseen[i], most) && apart(u[i], u_free[i], most);
    }
    PLIANT_HD float spacing(Index i) const { return 2 * scene.distance[i]; }
    PLIANT_HD static bool apart(Vec4 a, Vec4 b, float most) {
        Vec4 const by = a - b;
        return dot3(by, by) >= most * most;
    }

    PLIANT_HD void set_drag(Index i, Contact& contact, float drag) const {
        r[i] -= Vec4::from((drag - contact.drag) * contact.slip(u[i].xyz()));
        contact.drag = drag;
    }

    PLIANT_HD bool check(Index i, Contact& contact, float& failing, float& force) const {
        float const least = *none * mass[i];
        Vec3f const lambda = contact.multipliers(-r[i].xyz());  // forces times tau^2
        for (int k = contact.count - 1; k >= 0; --k) {
            if (lambda[k] < -least) {
                failing = -lambda[k];
                set_drag(i, contact, 0);
                contact.remove(k);
                if (contact.count == 0)
                    contact.stick = false;
                else
                    contact.carried = scene.carried(i, contact);
                return true;
            }
        }
        float const pressure = std::max(lambda.x, 0.f) + std::max(lambda.y, 0.f) + std::max(lambda.z, 0.f);
        contact.reaction = float(pressure / scene.tau_squared);
        force = pressure;
        float const bound = scene.friction(contact) * pressure;
        float const inertia =
            3 / trace(preconditioner[i]);  // of the particle between its neighbours, including tau^2 K [kg]
        if (contact.stick) {
            float const pull = norm(contact.tangential(r[i].xyz()));
            if (pull <= 1.02f * bound + least) return false;
            failing = pull - bound;
            contact.stick = false;
            // The slip is not known yet. With its neighbours at rest, the excess force would move the particle by (pull
            // - bound) / inertia.
            contact.drag = bound * inertia / (pull - bound);
            return true;
        }
        float const slip = norm(contact.slip(u[i].xyz()));
        if (bound <= 1e-3f * least || contact.count == 3) return false;
        failing = std::abs(contact.drag * slip - bound);
        if (slip * inertia <= 1e-3f * bound) {  // this slip changes the forces by a negligible share of friction
            set_drag(i, contact, 0);
            contact.stick = true;
            return true;
        }
        if (failing <= 0.005f * bound + least) return false;
        // The pushing force is slip (inertia + drag); choose the drag that leaves a slip of bound / drag. At most ten
        // times bound / slip, since the neighbours may give way.
        float const excess = std::max(slip * (inertia + contact.drag) - bound, 0.1f * slip * inertia);
        set_drag(i, contact, bound * inertia / excess);
        return true;
    }
};

}  // namespace PLIANT_LANES
}  // namespace pliant
