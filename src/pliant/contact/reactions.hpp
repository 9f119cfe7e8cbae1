// What particles do to colliders and handles in a step: impulses [kg m/s], and their moments about the centre of the
// collider or handle at the end of the step [kg m2/s]. Summed over steps and divided by their time they are the force
// and torque of a frame, and the momentum of all particles changes by the impulse of gravity minus the sum of these.
//
// A method says what a particle does (`of` below): colliders(i), the impulses on up to three colliders; held(i), the
// impulse on the handle that holds it; and place(i), where.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/contact/handle.hpp>

#include <array>

namespace pliant {

struct ImpulsesOnColliders {  // of one particle
    Vec3f impulse[3];         // [kg m/s]
    std::int16_t collider[3] = {-1, -1, -1};
    std::int8_t count = 0;

    // The impulses of `total` [kg m/s] on the colliders of a contact: along its normals as far as they press, the rest,
    // which is friction, on the first.
    PLIANT_HD static ImpulsesOnColliders of(Contact const& contact, Vec3f total) {
        ImpulsesOnColliders all;
        all.count = contact.count;
        Vec3f const pressing = contact.multipliers(total);  // normals point away from colliders: negative
        for (int k = 0; k < contact.count; ++k) {
            all.collider[k] = contact.collider[k];
            all.impulse[k] = pressing[k] * contact.normal[k];
            total -= all.impulse[k];
        }
        if (contact.count > 0) all.impulse[0] += total;
        return all;
    }
};

// {impulse, moment} of particle i on each of the colliders `first` to `first` + n - 1.
template <class Of, int n>
struct SumOnColliders {
    Of of;
    Collider const* colliders;  // at the end of the step
    int first;

    PLIANT_HD std::array<double, 6 * n> operator()(Index i) const {
        std::array<double, 6 * n> sum{};
        ImpulsesOnColliders const all = of.colliders(i);
        for (int k = 0; k < all.count; ++k) {
            int const c = all.collider[k] - first;
            if (c < 0 || c >= n) continue;
            Vec3d const J = cast<double>(all.impulse[k]);
            Vec3d const moment = cross(of.place(i) - colliders[first + c].center, J);
            for (int a = 0; a < 3; ++a) sum[6 * c + a] += J[a], sum[6 * c + 3 + a] += moment[a];
        }
        return sum;
    }
};

// {impulse, moment} of particle i, which is in the region of a handle, on that handle: it may hold the particle, pull
// on it, or do nothing because it does not act or another handle holds the particle.
template <class Of>
struct SumOnHandle {
    Of of;
    Grips grips;
    std::int32_t handle;
    Vec3d pull;  // momentum that the handle gives a particle it pulls on, in the step [kg m/s]
    Vec3d center;

    PLIANT_HD std::array<double, 6> operator()(Index i) const {
        Grip const& grip = grips[i];
        Vec3d J = -pull;
        if (grip.held) J = grip.holder == handle ? cast<double>(of.held(i)) : Vec3d{};
        Vec3d const moment = cross(of.place(i) - center, J);
        return {J.x, J.y, J.z, moment.x, moment.y, moment.z};
    }
};

template <int n>
struct AddSums {
    double* to;
    int count;
    double* last = nullptr;  // the sums themselves, if wanted

    PLIANT_HD void operator()(std::array<double, n> const& sum) const {
        for (int k = 0; k < count; ++k) to[k] += sum[k];
        for (int k = 0; k < count && last != nullptr; ++k) last[k] = sum[k];
    }
};
struct AddLastSums {  // writes to_k
    double* to;
    double const* last;
    PLIANT_HD void operator()(Index k) const { to[k] += last[k]; }
};

// What explicit methods leave for the sums: they know reactions only while they move a particle.
struct StoredReactions {
    ImpulsesOnColliders const* on_colliders;
    Vec4 const* on_handle;
    Vec4d const* x;  // at the end of the step

    PLIANT_HD ImpulsesOnColliders colliders(Index i) const { return on_colliders[i]; }
    PLIANT_HD Vec3f held(Index i) const { return on_handle[i].xyz(); }
    PLIANT_HD Vec3d place(Index i) const { return x[i].xyz(); }
};

}  // namespace pliant
