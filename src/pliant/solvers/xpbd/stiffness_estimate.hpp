// How stiff bodies are, which sweeps must know: the largest eigenvalue w^2 of M^-1 K, and the largest rate at which
// damping takes velocity. They are estimated of what is awake; a body that falls asleep stays as stiff as it is, so
// that steps are no longer while it sleeps.
#pragma once

#include <pliant/state/bonded_particles.hpp>
#include <pliant/state/largest_eigenvalue.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace pliant {

template <class Exec>
class StiffnessEstimate {
public:
    explicit StiffnessEstimate(BondedParticles<Exec>& solid) : solid_(solid), awake_(solid.awake.size()) {}

    double w_squared() const { return values_[w2]; }          // [1/s2]
    double damping_rate() const { return values_[damping]; }  // [1/s]

    // Estimates again as often as costs a thirtieth of the sweeps; a product takes about as long as one.
    void renew(int sweeps) {
        bool const known = !values_.empty();
        if (known && values_[bonds_changed] == 0 && values_[steps_since] * sweeps <= 30 * values_[products]) return;
        if (known && solid_.awake.size() == 0) return;
        values_.resize(all);
        values_[w2] = std::max(values_[sleepers_w2], largest_.of_stiffness(solid_.particles.x.data(), false));
        values_[products] = largest_.products();
        values_[steps_since] = values_[bonds_changed] = 0;
        values_[damping] = std::max(values_[sleepers_damping], largest_.of_damping());
    }

    void count_step() { ++values_[steps_since]; }
    void change_bonds() { values_[bonds_changed] = 1; }

    // Others are awake than before.
    void follow_sleep() {
        Index const before = std::exchange(awake_, solid_.awake.size());
        if (values_.empty()) return;
        if (awake_ < before) values_[sleepers_w2] = values_[w2], values_[sleepers_damping] = values_[damping];
        if (solid_.awake.everything()) values_[sleepers_w2] = values_[sleepers_damping] = 0;
    }

    // Call after a checkpoint has been loaded; that of an older version may lack the last entries.
    void restored() {
        if (!values_.empty()) values_.resize(all);
        awake_ = solid_.awake.size();
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("stiffness", self.values_);
    }

    std::uint64_t bytes() const { return largest_.bytes(); }

private:
    enum Entry { w2, products, steps_since, bonds_changed, damping, sleepers_w2, sleepers_damping, all };

    BondedParticles<Exec>& solid_;
    Index awake_;                 // particles, as far as the estimate knows
    std::vector<double> values_;  // numbers of a checkpoint; empty before the first estimate
    LargestEigenvalue<Exec> largest_{solid_};
};

}  // namespace pliant
