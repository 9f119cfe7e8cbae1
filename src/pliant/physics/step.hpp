// The stages of an implicit step other than the product (elastic.hpp) and contact, each the work of one particle.
//
// The unknown is the displacement u over the step, x_{n+1} = x_n + u. Positions and velocities are kept in double and
// displacements in two floats, u + u_low: the strain of a stiff body is a small difference of large numbers. With u and
// v in one float, an armadillo of 1e7 Pa in free fall took 41 to 66 iterations per step instead of 30 to 57. (The
// history of bdf2, last_u and last_v, is still kept in one float.) Both integrators solve
//   (M + tau^2 K) u = M u_free + tau^2 f   with
//   euler:  tau = dt,       u_free = dt v_n + tau^2 g
//   bdf2:   tau = 2 dt / 3, u_free = u_{n-1} / 3 + tau (4 v_n - v_{n-1}) / 3 + tau^2 g
// A particle in contact or in a handle has no smooth history, so that in a step of bdf2 it takes Euler's step: it
// enters the same system with the inertia m tau^2 / dt^2 and Euler's u_free. Its first one starts from all the momentum
// that forces have given it, 3/2 v_n - 1/2 v_{n-1}: with v_n alone, two bodies that collide would lose some of it.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/contact/reactions.hpp>
#include <pliant/materials/additive.hpp>
#include <pliant/materials/registry.hpp>
#include <pliant/physics/damping.hpp>
#include <pliant/physics/elastic.hpp>
#include <pliant/physics/flowing_law.hpp>
#include <pliant/physics/pressed.hpp>

namespace pliant {

struct TimeScheme {
    float dt = 0, tau = 0;                    // [s]
    float last_u = 0, v = 0, last_v = 0;      // u_free = last_u u_{n-1} + v v_n + last_v v_{n-1} + tau^2 g
    float velocity_u = 0, velocity_last = 0;  // v_{n+1} = velocity_u u + velocity_last u_{n-1}

    static TimeScheme euler(double dt) { return {float(dt), float(dt), 0, float(dt), 0, float(1 / dt), 0}; }
    static TimeScheme bdf2(double dt, double last_dt) {  // steps may differ in length
        double const w = dt / last_dt, tau = dt * (1 + w) / (1 + 2 * w), past = w * w / (1 + 2 * w);
        return {float(dt),          float(tau),     float(past),       float(tau * (1 + w) * (1 + w) / (1 + 2 * w)),
                float(-tau * past), float(1 / tau), float(-past / tau)};
    }

    // What forces have given a particle by time n, of which v_n shows only a part: v_n + pending (v_n - v_{n-1}). It is
    // this sum over all particles that bdf2 keeps (with steps of one length, 3/2 v_n - 1/2 v_{n-1}).
    PLIANT_HD float pending() const { return last_u * dt / tau; }
};

// u_free, and the guess of the paper's step 1 in two parts. The first, u, is the displacement by inertia; rotations are
// evaluated there. The paper includes forces, but then an error of the guess feeds back through the rotations, and it
// grows from step to step where frozen rotations make K much too stiff or too soft (a bar at twice its length, the tip
// of a finger one particle thin). The second, ahead, comes from gravity and the elastic forces of the last two steps,
// extrapolated linearly. Conjugate gradients start at u + ahead if that helps (contact_rounds.hpp); it only saves
// iterations (cantilever of 20,480 particles: 11 per step instead of 24). (Gravity in u was tried: what rests on the
// floor would fall towards it, and in steel that strain dominates everything else.) Reads velocities and last
// accelerations; writes u_free_i, u_i and ahead_i.
struct GuessDisplacement {
    TimeScheme scheme;
    Vec3f gravity;
    Grips grips;                                   // their forces act like gravity
    Vec4 const* drag;                              // so does this acceleration; null: none
    Vec4d const* v;                                // [m/s]
    Vec4 const *last_v, *last_u;                   // read only if the scheme uses them
    float onward;                                  // length of this step over the last one
    Vec4 const *acceleration, *last_acceleration;  // of the elastic forces in the last two steps [m/s2]
    float const* contact_distance;                 // half a spacing
    Vec4 *u_free, *u, *u_low, *ahead;
    bool may_fall = true;  // false: steps on the way to rest, which are so long that falling leads nowhere

    PLIANT_HD void operator()(Index i) const {
        float const tau_squared = scheme.tau * scheme.tau;
        Vec4 fall = Vec4::from(tau_squared * (gravity + grips[i].acceleration));
        if (drag != nullptr) fall += tau_squared * drag[i];
        Vec4d inertial = double(scheme.v) * v[i];
        if (scheme.last_u != 0)
            inertial += double(scheme.last_u) * widen(last_u[i]) + double(scheme.last_v) * widen(last_v[i]);
        split(inertial, u[i], u_low[i]);
        u_free[i] = u[i] + fall;
        Vec4 const bend = tau_squared * (acceleration[i] + onward * (acceleration[i] - last_acceleration[i]));
        float const most = 0.2f * contact_distance[i];
        ahead[i] = limited(fall + bend, may_fall ? fall : Vec4::zero(), most);
    }

private:
    // The forces of a stiff body's impact, applied for a whole step, would throw neighbours past each other: at most so
    // far from where the particle falls freely, rests, or anything between, however long the step is.
    PLIANT_HD static Vec4 limited(Vec4 by, Vec4 fall, float most) {
        float const height = dot3(fall, fall);
        float const share = height > 0 ? std::fmin(std::fmax(dot3(by, fall) / height, 0.f), 1.f) : 0.f;
        Vec4 const middle = share * fall, off = by - middle;
        float const size = std::sqrt(dot3(off, off));
        return size > most ? middle + (most / size) * off : by;
    }
};

// Chooses between the two for every particle, in a step of bdf2: before the solve, and again where a search in its
// midst has found touches; then r_i follows. Reads contacts; writes inertia_i and, where it is Euler's, u_free_i.
struct ChooseInertia {
    TimeScheme scheme;
    Vec3f gravity;
    Grips grips;
    Vec4 const* drag;
    Vec4d const* v;
    Vec4 const* last_v;
    float const* mass;
    Constraint const* constraints;
    Index const* touch_row;
    float* inertia;
    Vec4* u_free;
    Vec4 const* u = nullptr;  // in the midst of a solve
    Vec4* r = nullptr;

    PLIANT_HD void operator()(Index i) const {
        bool const again = r != nullptr;
        bool const smooth = constraints[i].kind == Constraint::free && touch_row[i] == touch_row[i + 1];
        if (again ? smooth || inertia[i] != mass[i] : smooth) {
            if (!again) inertia[i] = mass[i];
            return;
        }
        if (again) r[i] -= mass[i] * (u_free[i] - u[i]);
        float const longer = scheme.tau / scheme.dt;
        inertia[i] = longer * longer * mass[i];
        Vec4d const ready = v[i] + double(scheme.pending()) * (v[i] - widen(last_v[i]));
        u_free[i] =
            narrow(double(scheme.dt) * ready) + Vec4::from(scheme.dt * scheme.dt * (gravity + grips[i].acceleration));
        if (drag != nullptr) u_free[i] += scheme.dt * scheme.dt * drag[i];
        if (again) r[i] += inertia[i] * (u_free[i] - u[i]);
    }
};

// x + u. Writes place_i.
struct Place {
    Vec4d const* x;
    Vec4 const *u, *u_low;
    Vec4d* place;

    PLIANT_HD void operator()(Index i) const { place[i] = x[i] + whole(u[i], u_low[i]); }
};

// Largest eigenvalue of Theta in the matrix, in multiples of the stiffness of compression, 2 mu + lambda. Only inverted
// matter, where stretches sum up to nearly nothing, exceeds it.
inline constexpr float largest_skew_stiffness = 50;

// Rotation and stress at `place`, in double. Reads positions of the neighbours; writes the stress T_i of the forces
// there and, if linear.B and linear.skew are not null, B_i and V Theta_i. Returns R_i.
template <class Bonds, class Law>
struct Stress {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Law law;
    RestShape rest;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fp_inverse;  // null for bodies that do not flow
    Vec4d const* place;
    // The zero-energy force does not change if G is replaced by G - C, for any constant matrix C; with C near the
    // body's rotation the cancelling terms are small.
    Mat3d const* near_rotation;  // C of each body
    std::uint32_t const* body;   // of each particle
    float volume;
    Fibres fibres;
    Linearization linear;
    bool additive = false;  // Fp_inverse holds C_p (materials/additive.hpp)
    Damping damping = {};
    Vec4 const* pressed = nullptr;  // where metal presses on a collider (pressed.hpp); null: nowhere

    PLIANT_HD bool presses(Index i) const { return !Bonds::corrected && pressed != nullptr && pressed[i][3] > 0; }

    PLIANT_HD Mat3d operator()(Index i) const {
        Mat3f const* plastic = Fp_inverse && !additive ? Fp_inverse + i : nullptr;
        Deformation const d = deformation(bonds, i, PlaceDifference(place, i), rest.A_inverse[i], plastic,
                                          coefficients[i].contraction(), rest.defect);
        Mat3d const R = accurate_rotation_of(d.F);
        Mat3d const Q = plastic ? cast<double>(*plastic) * transpose(R) : transpose(R);
        Mat3d const B = cast<double>(rest.A_inverse[i]).full() * Q;
        if (linear.B != nullptr) linear.B[i] = cast<float>(B);

        double const k = coefficients[i].zero_energy;
        Mat3d const C = near_rotation[body[i]];
        Mat3d P = stress_of_law(i, d.F, R);
        if (fibres.families > 0) P += fibres.stress(i, d.F);
        double const carried = coefficients[i].stressed() ? double(volume) : 0;
        Mat3d const stress = carried * P * transpose(R);  // B and Q restore the factor R
        Mat3d T = stress * transpose(B) - k * (d.G - C);
        if (presses(i)) {
            Mat3d const S = plastic ? stress * R * transpose(cast<double>(*plastic)) : stress * R;
            T = T - stress_behind_surface(cast<double>(pressed[i].xyz()), d.G, S, cast<double>(rest.A_inverse[i]));
        }
        if (linear.skew != nullptr) stiffen(i, d.F, R, stress);
        Vec3d const offset_sum = cast<double>(rest.offset_sum[i].xyz());
        Vec3d own = 2 * k * (d.weighted_sum - C * offset_sum) + T * offset_sum;
        if (damping.before != nullptr) damp(i, d, R, B, T, own);
        if constexpr (Bonds::corrected) {
            Mat3d Tc = stress * transpose(Q);
            if (damping.before != nullptr && coefficients[i].stressed())
                Tc += damping.stress(i, d.F, R, fibres) * transpose(Q);
            own += Tc * cast<double>(rest.correction_sum[i].xyz());
            if (linear.Q != nullptr) linear.Q[i] = cast<float>(Q);
            linear.Tc[i] = columns(Tc);
        }
        linear.T[i] = columns(T);
        linear.own[i] = Vec4::from(cast<float>(own));
        return R;
    }

private:
    PLIANT_HD Mat3d stress_of_law(Index i, Mat3d const& F, Mat3d const& R) const {
        if constexpr (requires { law.mu; })
            if (additive) return AdditiveStrain<Law>{law, cast<double>(Fp_inverse[i])}.stress(F, R);
        return law_at(law, i).stress(F, R);
    }

    // Adds the damping of the material (damping.hpp).
    PLIANT_HD void damp(Index i, Deformation const& d, Mat3d const& R, Mat3d const& B, Mat3d& T, Vec3d& own) const {
        DeformationBefore const& before = damping.before[i];
        double const k = damping.rate * double(coefficients[i].zero_energy);
        Mat3d const turn = R * transpose(before.R);
        Mat3d more = -k * (d.G - turn * before.G);
        if (coefficients[i].stressed()) more += damping.stress(i, d.F, R, fibres) * transpose(B);
        T += more;
        own += more * cast<double>(rest.offset_sum[i].xyz()) +
               k * (2. * d.weighted_sum - turn * before.weighted_sum - before.weighted_sum);
        damping.turn[i] = columns(turn - Mat3d::identity());
    }

    // The derivative of the law (tangent.hpp), from F, R and V P R^T, and of the damping.
    PLIANT_HD void stiffen(Index i, Mat3d const& F, Mat3d const& R, Mat3d const& stress) const {
        ElasticCoefficients const e = coefficients[i];
        if (!e.stressed()) return leave_soft(i);
        Sym3f const S = cast<float>(Sym3d::from(F * transpose(R)));
        float const most = largest_skew_stiffness * (e.mu2 + e.lambda);
        Mat3d isotropic = stress;  // fibres have their own derivative; additive strain is left out of it
        if (fibres.families > 0 || additive) isotropic = double(volume) * law_at(law, i).stress(F, R) * transpose(R);
        linear.skew[i] =
            most * skew_stiffness(cast<float>((1 / double(most)) * Sym3d::from(isotropic)), S, linear.negative);
        for (int k = 0; k < fibres.families; ++k) {
            FibreStiffness& stiffness = linear.fibres[Index(k) * linear.particles + i];
            stiffness = FibreStiffness::of(fibres.of(i, k), F, R, volume);
            if (damping.rate > 0)
                stiffness.H +=
                    float(damping.rate * damping.volume) * fibres.of(i, k).young * Sym3f::outer(stiffness.direction);
        }
        if (linear.symmetric == nullptr) return;
        bool const hookes = Law::symmetric_part_is_constant || dimensions(cast<double>(rest.A_inverse[i])) < 3;
        linear.symmetric[i] = hookes ? SymmetricStiffness::hooke(e.mu2, e.lambda)
                                     : symmetric_stiffness(law_at(law, i), S, volume, linear.negative);
        if (damping.rate > 0)
            linear.symmetric[i].add_hooke(float(damping.rate) * e.mu2, float(damping.rate) * e.lambda);
    }

    PLIANT_HD void leave_soft(Index i) const {
        linear.skew[i] = Sym3f::scaled_identity(0);
        for (int k = 0; k < fibres.families; ++k) linear.fibres[Index(k) * linear.particles + i] = {};
        if (linear.symmetric != nullptr) linear.symmetric[i] = SymmetricStiffness::zero();
    }

    PLIANT_HD static ThreeColumns columns(Mat3d const& m) {
        return {{Vec4::from(cast<float>(m[0])), Vec4::from(cast<float>(m[1])), Vec4::from(cast<float>(m[2]))}};
    }
};

// Rotation, stress and linearisation at x_n + u (steps 2 and 3 of the paper). Writes what Stress does, and the
// preconditioner.
template <class Bonds, class Law>
struct Linearize {
    static constexpr Index lanes = Bonds::lanes;
    Stress<Bonds, Law> stress;
    Sym3f const* diagonal;  // of K at rest
    float const* inertia;
    float tau_squared;
    Sym3f* preconditioner;

    PLIANT_HD void operator()(Index i) const {
        Mat3d const R = stress(i);
        Mat3f const block = cast<float>(R) * diagonal[i].full() * cast<float>(transpose(R));
        preconditioner[i] =
            inverse(Sym3f::scaled_identity(inertia[i]) + tau_squared * stiffening(i) * Sym3f::from(block));
    }

private:
    // How much stiffer the law is than at rest, on average over directions.
    PLIANT_HD float stiffening(Index i) const {
        ElasticCoefficients const e = stress.coefficients[i];
        if (stress.linear.symmetric == nullptr || !e.stressed()) return 1 + float(stress.damping.rate);
        return std::max(stress.linear.symmetric[i].trace() / (6 * e.mu2 + 3 * e.lambda), 0.1f);
    }
};

// The approximate rotation of a body: that of its first particle. Runs over bodies; writes rotation_b.
template <class Bonds>
struct RotationNear {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Index const* first;  // particle of a body
    Sym3f const* A_inverse;
    Vec4d const* place;
    Mat3d* rotation;

    PLIANT_HD void operator()(Index b) const {
        Index const i = first[b];
        rotation[b] = rotation_of(deformation(bonds, i, PlaceDifference(place, i), A_inverse[i], nullptr, 0).F);
    }
};

// r = M (u_free - u) + tau^2 f + friction, and {|S r|^2 / m, m |tau^2 a|^2, m |u|^2}, where a is the acceleration by
// elastic forces in the last step. Reads T of the neighbours; writes r_i.
template <class Bonds>
struct Residual {
    static constexpr Index lanes = Bonds::lanes;
    static constexpr bool waits_for_gather = true;
    Bonds bonds;
    Linearization linear;
    float const* inertia;
    float tau_squared;
    Vec4 const *u_free, *u, *acceleration;
    Contact const* contacts;
    Constraint const* constraints;
    Vec4* r;

    PLIANT_HD std::array<double, 3> operator()(Index i) const {
        Constraint const constraint = constraints[i];
        Vec4 ri = inertia[i] * (u_free[i] - u[i]) + tau_squared * force_of_stress(bonds, i, linear);
        if (constraint.drag > 0)
            ri -= constraint.drag * constraint.filter(u[i] - Vec4::from(contacts[i].carried));  // friction
        r[i] = ri;
        Vec4 const open = constraint.filter(ri), elastic = tau_squared * acceleration[i];
        return {double(dot3(open, open)) / inertia[i], double(dot3(elastic, elastic)) * inertia[i],
                double(dot3(u[i], u[i])) * inertia[i]};
    }
};

// Of a step from rest, before it is solved, with u = 0: {|S r|^2, |r - S r|^2, |M u_free|^2} / m, that is tau^4 times
// the squares of forces that nothing balances, of those that handles and colliders balance, and of loads. In the norm
// in which conjugate gradients measure r.
struct OutOfBalance {
    Constraint const* constraints;
    float const* mass;
    Vec4 const *u_free, *r;

    PLIANT_HD std::array<double, 3> operator()(Index i) const {
        Vec4 const open = constraints[i].filter(r[i]), held = r[i] - open, load = mass[i] * u_free[i];
        double const m = mass[i];
        return {double(dot3(open, open)) / m, double(dot3(held, held)) / m, double(dot3(load, load)) / m};
    }
};

// tau^2 times the elastic force at the end of a solve: r - friction - M (u_free - u), without contact and friction. Of
// r only the constrained part enters: the rest is the error of the solve, which K would amplify in the next guess
// (measured: 45 iterations per step for a cube of 1e9 Pa at rest, instead of a few).
PLIANT_HD inline Vec4 believed_force(float inertia, Vec4 u_free, Vec4 u, Vec4 r, Contact const& contact,
                                     Constraint const& constraint) {
    Vec4 const held = r - constraint.filter(r);
    return held - Vec4::from(contact.friction(u.xyz())) - inertia * (u_free - u);
}

// What a particle does to colliders and handles in a step (contact/reactions.hpp): its residual, and friction. Of the
// residual all counts, not only what is along constrained directions: the rest is small after the solve, but the last
// check of contacts may have moved friction into it, which has acted.
struct ReactionOfSolve {
    float per_residual;  // dt / tau^2: residuals are forces times tau^2 [1/s]
    Contact const* contacts;
    Vec4 const *r, *u;
    Vec4d const* x;  // at the start of the step

    PLIANT_HD ImpulsesOnColliders colliders(Index i) const {
        Contact contact = contacts[i];
        if (contact.count == 0) {
            // Released: nothing is left after another solve, but the last check may have released it, too.
            if (norm_squared(contact.normal[0]) == 0) return {};
            contact.count = 1;
        }
        return ImpulsesOnColliders::of(contact, per_residual * (r[i].xyz() - contact.friction(u[i].xyz())));
    }
    PLIANT_HD Vec3f held(Index i) const { return per_residual * r[i].xyz(); }
    PLIANT_HD Vec3d place(Index i) const { return x[i].xyz() + cast<double>(u[i].xyz()); }
};

// The end of a step: x += u, velocity, and the acceleration that the next guess uses.
struct FinishStep {
    TimeScheme scheme;
    float const *mass, *inertia;
    Vec4 const *u_free, *r;
    Contact const* contacts;
    Constraint const* constraints;
    Index const* touch_row;  // of contacts with other particles
    Vec4 const *u, *u_low;
    Vec4d *x, *v;
    Vec4 *last_v, *last_u, *acceleration, *last_acceleration;

    PLIANT_HD void operator()(Index i) const {
        float const tau_squared = scheme.tau * scheme.tau;
        Vec4 const ui = u[i];
        Vec4 const force = believed_force(inertia[i], u_free[i], ui, r[i], contacts[i], constraints[i]);
        last_acceleration[i] = acceleration[i];
        acceleration[i] = (1 / (mass[i] * tau_squared)) * force;

        Vec4d const moved = whole(ui, u_low[i]);
        x[i] += moved;

        // An impact, or a handle, ends the smooth history that the second-order formula extrapolates.
        bool const smooth = inertia[i] == mass[i] && contacts[i].count == 0 &&
                            constraints[i].kind == Constraint::free && touch_row[i] == touch_row[i + 1];
        Vec4d velocity = (1 / double(scheme.dt)) * moved;
        if (scheme.last_u != 0 && smooth)
            velocity = double(scheme.velocity_u) * moved + double(scheme.velocity_last) * widen(last_u[i]);
        if (last_u != nullptr) {
            last_v[i] = narrow(smooth ? v[i] : velocity);
            last_u[i] = ui;
        }
        v[i] = velocity;
    }
};

}  // namespace pliant
