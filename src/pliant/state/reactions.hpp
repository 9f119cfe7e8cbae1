// Sums of what particles do to colliders and handles (contact/reactions.hpp), over the steps of a frame. They start
// again with every frame, so that a checkpoint need not hold them.
#pragma once

#include <pliant/contact/reactions.hpp>
#include <pliant/data/frame.hpp>
#include <pliant/data/model.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

struct Reacting {   // what there is in a step to react
    double dt = 0;  // [s]
    int colliders = 0;
    std::vector<HandleState> const* handles = nullptr;  // null: nobody asks about them
};

template <class Exec>
class Reactions {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Reactions(Exec& exec, Model const& model) : exec_(exec), particles_(model.handle_particles.size()) {
        for (std::size_t h = 0; h < particles_.size(); ++h) exec_.upload(particles_[h], model.handle_particles[h]);
    }

    // Whether a step has anything to add. Tests step solvers without saying what handles do.
    bool wanted(Reacting const& what) const {
        return what.colliders > 0 || (what.handles != nullptr && !particles_.empty());
    }

    // Adds what the particles have done in a step: `of` says it for one of them.
    template <class Of>
    void add(Reacting const& what, Collider const* colliders, Grips grips, Range all, Of const& of) {
        add_on_colliders(what, colliders, all, of);
        add_on_handles(what, grips, of);
    }
    // `on`: a range, or a list that has all particles that do anything.
    template <class On, class Of>
    void add_on_colliders(Reacting const& what, Collider const* colliders, On on, Of const& of) {
        if (!wanted(what)) return;
        make_room(what);
        for (int c = 0; c < what.colliders;) c += on_colliders(colliders, c, what.colliders - c, on, of);
        last_dt_ = what.dt;
    }
    // The same as add_on_colliders() in the last step, if that had the same length; returns whether it had.
    bool add_again(Reacting const& what) {
        if (what.dt != last_dt_) return false;
        exec_.for_each("reactions", {0, Index(last_.size())}, AddLastSums{sums_.data(), last_.data()});
        return true;
    }
    template <class Of>
    void add_on_handles(Reacting const& what, Grips grips, Of const& of) {
        if (!wanted(what) || what.handles == nullptr) return;
        make_room(what);
        for (std::size_t h = 0; h < particles_.size(); ++h) {
            HandleState const& state = (*what.handles)[h];
            if (!state.acts) continue;
            IndexList const list{particles_[h].data(), Index(particles_[h].size())};
            exec_.sum_then("reactions", list,
                           SumOnHandle<Of>{of, grips, std::int32_t(h), what.dt * state.pull, state.center},
                           AddSums<6>{sums_.data() + 6 * (what.colliders + int(h)), 6});
        }
    }

    // The sums since they were last taken, colliders before handles; none if there were no steps.
    std::vector<Wrench> take() {
        std::vector<Wrench> all;
        if (sums_.size() == 0) return all;
        auto const sums = exec_.on_host(sums_);
        for (std::size_t k = 0; k + 6 <= sums.size(); k += 6)
            all.push_back({{sums[k], sums[k + 1], sums[k + 2]}, {sums[k + 3], sums[k + 4], sums[k + 5]}});
        exec_.fill(sums_, 0.);
        return all;
    }
    void forget() {
        if (sums_.size() > 0) exec_.fill(sums_, 0.);
    }

    std::uint64_t bytes() const {
        std::uint64_t total = sums_.bytes();
        for (Array<Index> const& list : particles_) total += list.bytes();
        return total;
    }

private:
    void make_room(Reacting const& what) {
        if (sums_.size() > 0) return;
        sums_.resize(6 * (what.colliders + particles_.size())), last_.resize(6 * what.colliders);
        exec_.fill(sums_, 0.);
    }

    // Returns how many colliders it took: up to six are summed in one pass.
    template <class On, class Of>
    int on_colliders(Collider const* colliders, int first, int left, On all, Of const& of) {
        double *const to = sums_.data() + 6 * first, *const last = last_.data() + 6 * first;
        if (left == 1) {
            exec_.sum_then("reactions", all, SumOnColliders<Of, 1>{of, colliders, first}, AddSums<6>{to, 6, last});
            return 1;
        }
        if (left <= 4) {
            exec_.sum_then("reactions", all, SumOnColliders<Of, 4>{of, colliders, first},
                           AddSums<24>{to, 6 * left, last});
            return left;
        }
        int const taken = std::min(left, 6);
        exec_.sum_then("reactions", all, SumOnColliders<Of, 6>{of, colliders, first}, AddSums<36>{to, 6 * taken, last});
        return taken;
    }

    Exec& exec_;
    std::vector<Array<Index>> particles_;  // of each handle
    Array<double> sums_;                   // since the last frame
    Array<double> last_;                   // on colliders, of the last step
    double last_dt_ = -1;
};

}  // namespace pliant
