// Whether a solve may end a step, and how far along its direction to go.
//
// A solve moves particles from x + u_k, where the system was linearised, to x + u, and believes that the elastic forces
// there are f. Forces of all other kinds (inertia, gravity, handles, colliders, touches) balance f. If the elastic
// energy W were as the system says, then from any earlier state x + u_0
//   W(x + u) - W(x + u_0) + f.(u - u_0) <= 0,
// since W is convex there. With u_0 = 0 the left side is what the step creates: over a step of Euler
//   E' - E - work of all other forces = W(x + u) - W(x) + f.u - 1/2 |v' - v|^2_M,
// whatever those forces are: none of their work has to be summed up. A step is accepted if this is at most a small
// share of the elastic energy. With u_0 = u_k it is the change of the energy that the solve minimises, less
// 1/2 |u - u_k|^2_M / tau^2, and decides how far to go along the direction.
#pragma once

#include <pliant/physics/release.hpp>
#include <pliant/physics/step.hpp>

namespace pliant {

// Returns {the elastic energy of particle i at `place` [J]}.
template <class Bonds, class Law>
struct ElasticEnergy {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Law law;
    Sym3f const* A_inverse;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fp_inverse;  // null for bodies that do not flow
    float volume;
    Vec4d const* place;
    Fibres fibres;
    Mat3f const* defect = nullptr;
    bool additive = false;            // Fp_inverse holds C_p (materials/additive.hpp)
    Mat3f const* gradient = nullptr;  // G of all particles at `place`; null: nothing is released (release.hpp)
    float const* released = nullptr;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        double const elastic = of(i, deformation_of(i));
        return {elastic};
    }

    PLIANT_HD Deformation deformation_of(Index i) const {
        return deformation(bonds, i, PlaceDifference(place, i), A_inverse[i],
                           Fp_inverse && !additive ? Fp_inverse + i : nullptr, coefficients[i].contraction(), defect);
    }

    PLIANT_HD double of(Index i, Deformation const& d) const {
        PlaceDifference const difference(place, i);
        // sum_j w |x_j - x_i - G r|^2, term by term: as the difference of two sums it would be rounding in a stiff
        // body.
        double residual = 0;
        for (Index k = bonds.lane(); k < bonds.count(i); k += bonds.step()) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3d const r = (1 / double(a[3])) * cast<double>(a.xyz());
            residual += double(a[3]) * norm_squared(difference(bonds.neighbor(slot)).xyz() - d.G * r);
        }
        residual = bonds.template join<double>(residual);
        Mat3d const R = rotation_of(d.F);
        double const energy = energy_of_law(i, d.F, R) + fibres.energy(i, d.F);
        double const carried = coefficients[i].stressed() ? double(volume) : 0;
        double control = 0.5 * double(coefficients[i].zero_energy) * residual;
        if (gradient != nullptr) control -= ReleasedSums::of(bonds, i, gradient, released).energy;
        return carried * energy + control;
    }

    // Where strains add up.
    PLIANT_HD AdditiveStrain<Law> strain_of(Index i) const { return {law, cast<double>(Fp_inverse[i])}; }

private:
    PLIANT_HD double energy_of_law(Index i, Mat3d const& F, Mat3d const& R) const {
        if constexpr (requires { law.mu; })
            if (additive) return strain_of(i).energy(F, R);
        return law_at(law, i).energy(F, R);
    }
};

// {1 for a particle of a sheet or a rod of one layer}.
struct InSheet {
    Sym3f const* A_inverse;
    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        return {dimensions(cast<double>(A_inverse[i])) < 3 ? 1. : 0.};
    }
};

struct AddTo {  // a single number
    double* total;
    PLIANT_HD void operator()(std::array<double, 1> const& sum) const { *total += sum[0]; }
};

// {f.u, m |v' - v|^2, f.(u - u_k), m |u - u_k|^2 / tau^2, work of colliders that no collider does} [J]. Here f includes
// the forces of touches. A collider takes energy or none, but for what its own motion gives. It does wrong work where
// it still pulls after all rounds, and where it pushes a particle further out than it was at the start: round an edge,
// or out on another side because the particle would go deep in one step. Writes along_i = u - u_k.
struct BelievedWork {
    TimeScheme scheme;
    float const *mass, *inertia;
    Vec4 const *u_free, *r;
    Contact const* contacts;
    Constraint const* constraints;
    Vec4 const *u, *u_low;
    Vec4d const *x, *v, *place;  // place: x + u_k
    ContactScene scene;
    Vec4* along;

    PLIANT_HD std::array<double, 5> operator()(Index i) const {
        double const tau_squared = double(scheme.tau) * scheme.tau, m = mass[i];
        Vec4d const f = widen(believed_force(inertia[i], u_free[i], u[i], r[i], contacts[i], constraints[i]));
        Vec4d const moved = whole(u[i], u_low[i]), by = moved - (place[i] - x[i]);
        Vec4d const change = (1 / double(scheme.dt)) * moved - v[i];
        along[i] = narrow(by);
        return {dot3(f, moved) / tau_squared, m * dot3(change, change), dot3(f, by) / tau_squared,
                inertia[i] / tau_squared * dot3(by, by), wrong_work(i) / tau_squared};
    }

private:
    // A particle that slides over a round collider moves out of the plane at its end, by half the angle that it turns
    // by.
    static constexpr double curved = 0.05;

    PLIANT_HD double wrong_work(Index i) const {
        Contact const& contact = contacts[i];
        if (contact.count == 0) return 0;
        Vec3f const lambda = contact.multipliers(-r[i].xyz());  // forces times tau^2
        double sum = 0;
        for (int k = 0; k < contact.count; ++k) {
            int const c = contact.collider[k];
            Vec3d const moved = cast<double>(u[i].xyz()) - scene.dt * scene.next[c].surface_velocity(scene.start(i));
            double const out = dot(cast<double>(contact.normal[k]), moved);
            double const right = scene.comes_out(i, scene.inside_at_start(i, c)) + curved * norm(moved);
            sum += lambda[k] > 0 ? lambda[k] * std::max(0., out - right) : lambda[k] * std::min(0., out);
        }
        return sum;
    }
};

// {f.u, f.(u - u_k), the part of the first that no touch does} of the force of touch c. A touch gives back at most what
// it has stored at the start of the step, N^2 / 2 k. More is the work of removing an overlap.
struct WorkOfTouch {
    TouchView view;
    Vec4 const *u, *along;

    PLIANT_HD std::array<double, 3> operator()(Index c) const {
        Touch const& t = view.touches[c];
        Vec3f const w = view.relative(t, u), by = view.relative(t, along), force = t.force(w);
        double const opening = t.active ? double(t.pressing(w)) * dot(t.normal, w) : 0;
        double const stored = 0.5 * double(t.load) * t.load / t.stiffness;
        return {double(dot(force, w)), double(dot(force, by)), std::max(0., opening - stored)};
    }
};

// u += by along.
struct MoveAlong {
    float by;
    Vec4 const* along;
    Vec4 *u, *u_low;

    PLIANT_HD void operator()(Index i) const { add_to(u[i], u_low[i], by * along[i]); }
};

}  // namespace pliant
