// Carries the state from one step to the next: coefficients of the time scheme, the guess of the displacement and, at
// the end, positions and velocities (physics/step.hpp has the formulas).
#pragma once

#include <pliant/solvers/implicit/method.hpp>
#include <pliant/solvers/implicit/system.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class ImplicitIntegrator {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    ImplicitIntegrator(BondedParticles<Exec>& solid, Integrator kind) : solid_(solid), kind_(kind) {
        Index const n = solid.particles.stored_count();
        acceleration_.resize(n), last_acceleration_.resize(n);
        if (kind == Integrator::bdf2) last_v_.resize(n), last_u_.resize(n);
    }

    TimeScheme scheme_for(double dt) const {
        double const last = last_dt_;
        bool const smooth =
            kind_ == Integrator::bdf2 && last > 0 && dt < 4 * last;  // a much longer step starts a new history
        return smooth ? TimeScheme::bdf2(dt, last) : TimeScheme::euler(dt);
    }
    double usual_tau() const { return kind_ == Integrator::bdf2 ? 2 * solid_.model.dt / 3 : solid_.model.dt; }
    Vec4 const* acceleration() const { return acceleration_.data(); }  // of the elastic forces in the last step [m/s2]

    Vec4 const* last_v() const { return last_v_.data(); }  // of bdf2: velocities a step before [m/s]

    // The next step begins at rest.
    void rest() {
        solid_.exec.fill(solid_.particles.v, Vec4d{});
        solid_.exec.fill(acceleration_, Vec4::zero()), solid_.exec.fill(last_acceleration_, Vec4::zero());
        last_dt_ = 0;
    }

    // Sets u = dt v, u_free, and p = ahead. `load`: share of gravity that acts.
    void guess(ImplicitStep const& step, ImplicitSystem<Exec>& system, double load, bool may_fall) {
        solid_.exec.for_each("guess", solid_.on(),
                             GuessDisplacement{.scheme = step.scheme,
                                               .gravity = cast<float>(load * solid_.model.gravity),
                                               .grips = step.grips,
                                               .drag = step.drag,
                                               .v = solid_.particles.v.data(),
                                               .last_v = last_v_.data(),
                                               .last_u = last_u_.data(),
                                               .onward = last_dt_ > 0 ? std::min(step.scheme.dt / last_dt_, 1.f) : 0.f,
                                               .acceleration = acceleration_.data(),
                                               .last_acceleration = last_acceleration_.data(),
                                               .contact_distance = solid_.particles.distance.data(),
                                               .u_free = system.u_free.data(),
                                               .u = system.u.data(),
                                               .u_low = system.u_low.data(),
                                               .ahead = system.p.data(),
                                               .may_fall = may_fall});
    }

    // x += u, v.
    void finish(ImplicitStep const& step, ImplicitSystem<Exec>& system) {
        solid_.exec.for_each("finish", solid_.on(),
                             FinishStep{.scheme = step.scheme,
                                        .mass = solid_.particles.mass.data(),
                                        .inertia = system.inertia(),
                                        .u_free = system.u_free.data(),
                                        .r = system.r.data(),
                                        .contacts = system.contacts.data(),
                                        .constraints = system.constraints.data(),
                                        .touch_row = solid_.touches.rows(),
                                        .u = system.u.data(),
                                        .u_low = system.u_low.data(),
                                        .x = solid_.particles.x.data(),
                                        .v = solid_.particles.v.data(),
                                        .last_v = last_v_.data(),
                                        .last_u = last_u_.data(),
                                        .acceleration = acceleration_.data(),
                                        .last_acceleration = last_acceleration_.data()});
        last_dt_ = step.scheme.dt;
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("last_v", self.last_v_);
        visit("last_u", self.last_u_);
        visit("last_dt", self.last_dt_);
        visit("acceleration", self.acceleration_);
        visit("last_acceleration", self.last_acceleration_);
    }
    std::uint64_t bytes() const {
        return acceleration_.bytes() + last_acceleration_.bytes() + last_v_.bytes() + last_u_.bytes();
    }

private:
    BondedParticles<Exec>& solid_;
    Integrator kind_;
    // State: what the next step starts from.
    Array<Vec4> acceleration_, last_acceleration_;
    Array<Vec4> last_v_, last_u_;  // of bdf2
    float last_dt_ = 0;            // [s]
};

}  // namespace pliant
