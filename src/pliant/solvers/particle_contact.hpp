// Contact between particles over a step: forces, product, conditions, memory. What happens at one touch is in
// contact/touch.hpp, how touches are found in touch_search.hpp.
#pragma once

#include <pliant/contact/touch.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/solvers/touch_search.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class ParticleContact {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    // Stiffness of a touch in units of E d, the stiffness of one more layer of particles: large enough that what one
    // solve leaves of an overlap is small, no larger than the largest eigenvalue of K, which it would worsen.
    static constexpr double stiffness = 3;
    // The least stiffness, in units of m / dt^2, dt the usual step: soft bodies that meet faster than their own waves.
    static constexpr double least_stiffness = 10;

    ParticleContact(Exec& exec, Model const& model, double radius)
        : exec_(exec), model_(model), search_(exec, model, radius) {
        row_.resize(model.rest.size() + 1), seen_.resize(model.rest.size());
    }

    bool empty() const { return touches_.size() == 0; }
    Index const* rows() const { return row_.data(); }    // a particle's row is empty where it touches nothing
    double penetration() const { return penetration_; }  // the deepest after the last step, in spacings

    template <class Bonds>
    void find_surface(Bonds const& bonds) {
        search_.find_surface(bonds);
    }

    // All touches of the step that begins at `place` and is guessed to move by u.
    template <class Bonds>
    void search(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme,
                Grips grips = {nullptr, nullptr}) {
        grips_ = grips;
        found_.clear(), found_targets_.clear();
        search_.search(bonds, place, u, scheme.dt, grips_, found_, found_targets_);
        arrange();
        for (Index c = 0; c < touches_.size(); ++c) begin_touch(c, u);
        std::copy_n(u, seen_.size(), seen_.data());
    }

    // After a solve: touches that the guess did not foresee, where the motion came out otherwise. Returns whether there
    // are any that overlap; r then has their forces.
    template <class Bonds>
    bool search_again(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme, Vec4* r) {
        double const off = exec_.max("touch: unforeseen", {0, Index(seen_.size())}, 0,
                                     Unforeseen{u, seen_.data(), search_.distance()});
        if (off < 0.25) return false;
        std::copy_n(u, seen_.size(), seen_.data());
        std::size_t const before = touches_.size();
        found_.clear();
        for (Index c = 0; c < before; ++c) found_.push_back({touches_[c], starts_[c], last_force_[c], true});
        search_.search(bonds, place, u, scheme.dt, grips_, found_, found_targets_);
        if (found_.size() == before) return false;
        arrange();
        bool any = false;
        for (Index c = 0; c < touches_.size(); ++c) {
            value_[c] = Vec4::zero();
            if (found_[c].known) continue;
            begin_touch(c, u);
            Touch const& t = touches_[c];
            Vec3f const w = view().relative(t, u);
            any = any || t.active;
            value_[c] = Vec4::from(scheme.tau * scheme.tau * t.force(w));
        }
        gather(r);
        return any;
    }

    // r += tau^2 force of all touches.
    void add_forces(Vec4 const* u, float tau_squared, Vec4* r) {
        if (empty()) return;
        exec_.for_each("touch: force", all(), TouchForce{view(), u, tau_squared, value_.data()});
        gather(r);
    }

    // The preconditioner of the linked particles, with and without touches.
    void remember_preconditioner(Sym3f const* preconditioner) {
        plain_.resize(linked_.size());
        for (std::size_t k = 0; k < linked_.size(); ++k) plain_[k] = preconditioner[linked_[k]];
    }
    void restore_preconditioner(Sym3f* preconditioner) const {
        for (std::size_t k = 0; k < linked_.size(); ++k) preconditioner[linked_[k]] = plain_[k];
    }
    void add_to_preconditioner(float tau_squared, Sym3f* preconditioner) {
        if (empty()) return;
        exec_.for_each("touch: diagonal", linked_range(),
                       TouchPreconditioner{linked_.data(), row_.data(), links_.data(), touches_.data(), tau_squared,
                                           plain_.data(), preconditioner});
    }

    // q += tau^2 B p; returns p . that.
    double add_product(Vec4 const* p, float tau_squared, Vec4* q) {
        if (empty()) return 0;
        double const pq = exec_.sum("touch: product", all(), TouchProduct{view(), p, tau_squared, value_.data()})[0];
        gather(q);
        return pq;
    }

    // Whether forces in the wrong are more than bearable, as a share of all. What changed goes into r.
    bool check(Vec4 const* u, float const* mass, double least, float tau_squared, double bearable, Vec4* r) {
        if (empty()) return false;
        auto const [overlaps, failing, force] =
            exec_.sum("touch: check", all(), CheckTouches{view(), u, mass, float(least), tau_squared, value_.data()});
        gather(r);
        return overlaps > 0 || failing > bearable * force;
    }

    void finish(Vec4d const* place, Vec4 const* u) {
        memory_.resize(touches_.size());
        penetration_ = exec_.max(
            "touch: keep", all(), 0,
            KeepTouches{view(), place, u, starts_.data(), last_force_.data(), search_.body(), memory_.data()});
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("touches", self.memory_);
    }

    std::uint64_t bytes() const {
        return search_.bytes() + row_.bytes() + next_.bytes() + seen_.bytes() + touches_.bytes() + targets_.bytes() +
               links_.bytes() + memory_.bytes() + value_.bytes() + plain_.bytes();
    }

private:
    // How far from the motion that was searched along, in spacings.
    struct Unforeseen {
        Vec4 const *u, *seen;
        float const* distance;
        PLIANT_HD double operator()(Index i) const {
            Vec4 const by = u[i] - seen[i];
            return std::sqrt(dot3(by, by)) / (2 * distance[i]);
        }
    };

    Range all() const { return {0, Index(touches_.size())}; }
    Range linked_range() const { return {0, Index(linked_.size())}; }
    TouchView view() { return {touches_.data(), targets_.data()}; }

    void gather(Vec4* target) {
        exec_.for_each("touch: gather", linked_range(),
                       GatherTouches{linked_.data(), row_.data(), links_.data(), value_.data(), target});
    }

    void arrange() {
        touches_.resize(found_.size()), starts_.resize(found_.size()), last_force_.resize(found_.size()),
            value_.resize(found_.size());
        targets_.resize(found_targets_.size());
        for (std::size_t c = 0; c < found_.size(); ++c) {
            touches_[c] = found_[c].touch;
            starts_[c] = found_[c].start;
            last_force_[c] = found_[c].last_force;
        }
        std::copy(found_targets_.begin(), found_targets_.end(), targets_.data());
        link();
    }

    // Rows from particles to their touches, by counting.
    void link() {
        linked_.clear();
        std::fill(row_.span().begin(), row_.span().end(), 0);
        auto const count = [&](Index i) { ++row_[i + 1]; };
        for (Touch const& t : touches_.span()) {
            count(t.particle);
            for (Index k = 0; k < t.count; ++k) count(targets_[t.first + k].particle);
        }
        for (Index i = 0; i + 1 < row_.size(); ++i) {
            if (row_[i + 1] > 0) linked_.push_back(i);
            row_[i + 1] += row_[i];
        }
        links_.resize(row_[row_.size() - 1]);
        next_.resize(row_.size());
        std::copy(row_.span().begin(), row_.span().end(), next_.data());
        for (Index c = 0; c < touches_.size(); ++c) {
            Touch const& t = touches_[c];
            links_[next_[t.particle]++] = {c, 1};
            for (Index k = 0; k < t.count; ++k) {
                TouchTarget const& target = targets_[t.first + k];
                links_[next_[target.particle]++] = {c, -target.weight};
            }
        }
    }

    void begin_touch(Index c, Vec4 const* u) {
        Touch& t = touches_[c];
        last_force_[c] = 0;
        BodyModel const &a = model_.bodies[search_.body()[t.particle]], &b = model_.bodies[t.body];
        double const ka = a.parameters.young * a.spacing, kb = b.parameters.young * b.spacing;
        t.stiffness = float(std::max(stiffness * 2 * ka * kb / (ka + kb),
                                     least_stiffness * std::min(a.mass, b.mass) / (model_.dt * model_.dt)));
        t.friction = float(std::sqrt(a.parameters.friction * b.parameters.friction));
        TouchMemory const key{t.particle, t.body, 0, 0, {}};
        auto const last = std::lower_bound(
            memory_.span().begin(), memory_.span().end(), key, [](TouchMemory const& m, TouchMemory const& n) {
                return m.particle != n.particle ? m.particle < n.particle : m.body < n.body;
            });
        bool const known = last != memory_.span().end() && last->particle == t.particle && last->body == t.body;
        if (known) {
            t.push = last->push();
            last_force_[c] = last->force;
            t.stretch = (1 / t.stiffness) * t.tangential(last->held);
        }
        Vec3f const w = view().relative(t, u);
        t.active = t.pressing(w) > 0;
        if (known && t.active) t.grip = t.grip_under(t.push, w);
    }

    Exec& exec_;
    Model const& model_;
    TouchSearch<Exec> search_;
    Grips grips_{nullptr, nullptr};  // of the step
    double penetration_ = 0;
    // State.
    Array<TouchMemory> memory_;  // by particle, then body
    // The touches of a step: targets and links in rows.
    Array<Touch> touches_;
    Array<float> starts_, last_force_;
    Array<TouchTarget> targets_;
    Array<TouchLink> links_;
    Array<Index> row_, next_;
    std::vector<Index> linked_;
    Array<Vec4> value_;
    Array<Sym3f> plain_;
    Array<Vec4> seen_;  // the motion that was searched along
    std::vector<FoundTouch> found_;
    std::vector<TouchTarget> found_targets_;
};

}  // namespace pliant
