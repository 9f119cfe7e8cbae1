// Contact with colliders as constraints of the linear solve, not as a patch after it.
//
// A particle whose centre would come nearer than its contact distance (half a spacing) to a collider at the end of the
// step is constrained: its displacement u obeys n.u = target, so that it ends on the surface, and conjugate gradients
// work in the directions that are left (Baraff and Witkin 1998). The residual of the momentum equation along the
// constrained directions IS the contact force, so the conditions are checked with it after the solve:
//   lambda = -r.n >= 0        a pulling contact is released,
//   |r_t| <= mu lambda        a sticking particle beyond Coulomb's cone slides, with friction mu lambda against the
//   slip, slip . friction <= 0      a sliding particle whose slip has reversed sticks.
// What changed is solved again from where the last solve stopped. There is no stiffness to choose and nothing sinks in.
// Tried and rejected: penalty springs (must follow E and dt^-2 at once), projecting after the step (costs energy).
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/math/vec4.hpp>

#include <array>

namespace pliant {

// The directions in which conjugate gradients may move a particle.
struct Constraint {
    enum Kind : std::int32_t { free, plane, line, fixed };
    Vec3f axis;  // plane: the normal that is taken; line: the direction that is left
    Kind kind = free;

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

// One particle's contacts: with up to three colliders at once (a corner).
struct Contact {
    Vec3f normal[3];
    float target[3];  // of normal.u at the end of the step [m]
    std::int16_t collider[3];
    std::int8_t count = 0;
    bool stick = false;
    Vec3f friction;      // applied to a sliding particle, as force times tau^2 [kg m]
    float reaction = 0;  // sum of normal forces [N], kept for the next step's friction

    PLIANT_HD bool touches(int index) const {
        for (int k = 0; k < count; ++k)
            if (collider[k] == index) return true;
        return false;
    }

    PLIANT_HD Constraint constraint() const {
        if (count == 0) return {};
        if (stick || count == 3) return {{}, Constraint::fixed};
        if (count == 1) return {normal[0], Constraint::plane};
        return {normalized(cross(normal[0], normal[1])), Constraint::line};
    }

    // The multipliers lambda of force = sum lambda_k normal_k that come nearest to `force`.
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

    PLIANT_HD void remove(int k) {
        for (; k + 1 < count; ++k) {
            normal[k] = normal[k + 1];
            target[k] = target[k + 1];
            collider[k] = collider[k + 1];
        }
        --count;
    }

    // A further collider, unless its normal adds nothing to the directions already taken.
    PLIANT_HD bool add(int index, Vec3f n, float goal) {
        if (count == 3) return false;
        Vec3f rest = n;
        for (int k = 0; k < count; ++k) rest -= multipliers(n)[k] * normal[k];
        if (norm_squared(rest) < 0.01f) return false;
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

// Where things are in the step at hand. Positions are given in two floats, their sum is exact to 1e-14.
struct ContactScene {
    Collider const* now;   // colliders at the start of the step
    Collider const* next;  // and at its end
    int count;
    double dt;           // [s]
    double tau_squared;  // [s2], turns residuals into forces
    Vec4 const* x;       // position at the start of the step, and its low part
    Vec4 const* x_low;
    float const* distance;  // contact distance of a particle: half its spacing [m]

    PLIANT_HD Vec3d start(Index i) const { return cast<double>(x[i].xyz()) + cast<double>(x_low[i].xyz()); }

    // Takes in every collider that particle i would end up in with the displacement u.
    PLIANT_HD void find(Index i, Contact& contact, Vec3f u, double tolerance) const {
        Vec3d const from = start(i);
        for (int round = 0; round < 3; ++round) {
            int deepest = -1;
            double depth = tolerance;
            SurfacePoint surface;
            for (int c = 0; c < count; ++c) {
                if (contact.touches(c)) continue;
                SurfacePoint const p = next[c].nearest(from + cast<double>(u));
                if (distance[i] - p.distance > depth) {
                    deepest = c;
                    depth = distance[i] - p.distance;
                    surface = p;
                }
            }
            if (deepest < 0) return;
            // One that is inside already comes out bit by bit: all at once would throw it off.
            double const before = now[deepest].nearest(from).distance - distance[i];
            double const left_inside = before < 0 ? std::min(0.8 * before, 0.) : 0.;
            Vec3f const n = cast<float>(surface.normal);
            if (!contact.add(deepest, n, float(dot(surface.normal, cast<double>(u)) + depth + left_inside))) return;
            u = contact.project(u);
        }
    }

    // Displacement of the collider's surface at particle i over the step.
    PLIANT_HD Vec3f carried(Index i, Contact const& contact) const {
        return cast<float>(dt * next[contact.collider[0]].surface_velocity(start(i)));
    }

    PLIANT_HD float friction(Contact const& contact) const { return float(next[contact.collider[0]].friction); }

    // u of a constrained particle: on the surface, and moving with it where it sticks.
    PLIANT_HD Vec3f constrained(Index i, Contact const& contact, Vec3f u) const {
        if (contact.stick) u = carried(i, contact);
        return contact.project(u);
    }
};

// Start of a step. Reads the guessed u and last step's contacts; writes u, contact, constraint and, through friction,
// r.
struct FindContacts {
    ContactScene scene;
    std::uint32_t const* handles;  // which handles hold a particle, a bit each
    std::uint32_t handles_active;
    Vec4* u;
    Contact* contacts;
    Constraint* constraints;

    PLIANT_HD void operator()(Index i) const {
        Contact const last = contacts[i];
        Contact contact{};
        if (handles[i] & handles_active) {
            contacts[i] = contact;
            constraints[i] = {{}, Constraint::fixed};
            u[i] = Vec4::zero();
            return;
        }
        Vec3f const guess = u[i].xyz();
        scene.find(i, contact, guess, 0);
        if (contact.count > 0) {
            float const mu = scene.friction(contact);
            Vec3f const slip = contact.tangential(guess - scene.carried(i, contact));
            bool const slid = last.count > 0 && !last.stick && norm_squared(slip) > 0;
            contact.stick = mu > 0 && !slid;
            if (slid) {
                float const force = mu * last.reaction * float(scene.tau_squared);
                contact.friction = (-force / norm(slip)) * slip;
            }
            u[i] = Vec4::from(scene.constrained(i, contact, guess));
        }
        contacts[i] = contact;
        constraints[i] = contact.constraint();
    }
};

// After a solve. Checks the conditions above; writes what changes: contact, constraint, friction into r, and the change
// of u that new constraints ask for. Returns {1} where the system is to be solved again.
struct CheckContacts {
    ContactScene scene;
    float const* mass;
    float tolerance;  // acceleration times tau^2 below which a force counts as none [m]
    std::uint32_t const* handles;
    std::uint32_t handles_active;
    Vec4 const* u;
    Vec4* change;  // of u
    Vec4* r;
    Contact* contacts;
    Constraint* constraints;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        change[i] = Vec4::zero();
        if (handles[i] & handles_active) return {0};
        Contact& contact = contacts[i];
        bool changed = contact.count > 0 && check(i, contact);
        Vec3f const here = u[i].xyz();
        int const before = contact.count;
        scene.find(i, contact, here, 1e-3 * scene.distance[i]);
        if (contact.count > before) {
            contact.stick = scene.friction(contact) > 0;
            drop_friction(i, contact);
            changed = true;
        }
        if (!changed) return {0};
        constraints[i] = contact.constraint();
        if (contact.count > 0) change[i] = Vec4::from(scene.constrained(i, contact, here) - here);
        return {1};
    }

private:
    PLIANT_HD void drop_friction(Index i, Contact& contact) const {
        r[i] -= Vec4::from(contact.friction);
        contact.friction = {};
    }

    PLIANT_HD bool check(Index i, Contact& contact) const {
        float const least = tolerance * mass[i];
        Vec3f const lambda = contact.multipliers(-r[i].xyz());  // forces times tau^2
        for (int k = contact.count - 1; k >= 0; --k) {
            if (lambda[k] < -least) {
                contact.remove(k);
                if (contact.count == 0) {
                    drop_friction(i, contact);
                    contact.stick = false;
                    contact.reaction = 0;
                }
                return true;
            }
        }
        float const pressure = std::max(lambda.x, 0.f) + std::max(lambda.y, 0.f) + std::max(lambda.z, 0.f);
        contact.reaction = float(pressure / scene.tau_squared);
        float const bound = scene.friction(contact) * pressure;
        if (contact.stick) {
            Vec3f const pull = contact.tangential(r[i].xyz());
            float const size = norm(pull);
            if (size <= bound + least) return false;
            contact.stick = false;
            contact.friction = (-bound / size) * pull;
            r[i] += Vec4::from(contact.friction);
            return true;
        }
        if (bound <= 0 || contact.count == 3) return false;
        Vec3f const slip = contact.tangential(u[i].xyz() - scene.carried(i, contact));
        if (dot(slip, contact.friction) > 0) {
            drop_friction(i, contact);
            contact.stick = true;
            return true;
        }
        float const size = norm(slip);
        if (size <= 0) return false;
        Vec3f const friction = (-bound / size) * slip;
        Vec3f const difference = friction - contact.friction;
        if (norm(difference) <= 0.05f * bound + least) return false;
        r[i] += Vec4::from(difference);
        contact.friction = friction;
        return true;
    }
};

}  // namespace pliant
