// Finds the touches of a step: who is on a surface, which bodies come near each other, and, at as many times of the
// step as their approach asks for, which particles meet. What makes a touch is in contact/find_touches.hpp. Costs grow
// with the number of surface particles and of those where bodies overlap.
#pragma once

#include <pliant/contact/find_touches.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace pliant {

struct FoundTouch {
    Touch touch;
    float start = 0;       // true gap at w = 0: Touch::gap leaves out what may stay of an overlap [m]
    float last_force = 0;  // of the last step [N]
    bool known = false;    // from an earlier search in this step

    bool operator<(FoundTouch const& b) const {
        return touch.particle != b.touch.particle ? touch.particle < b.touch.particle : touch.body < b.touch.body;
    }
};

// Where a body goes within a step.
struct BodySweep {
    Vec3d low, high;      // bounds, from its start to its end [m]
    Vec3d u_low, u_high;  // of displacements [m]

    PLIANT_HD static BodySweep nothing() {
        double const far = 1e300;
        return {{far, far, far}, {-far, -far, -far}, {far, far, far}, {-far, -far, -far}};
    }
    PLIANT_HD void add(Vec3d x, Vec3d u) {
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], x[k] + std::min(u[k], 0.));
            high[k] = std::max(high[k], x[k] + std::max(u[k], 0.));
            u_low[k] = std::min(u_low[k], u[k]);
            u_high[k] = std::max(u_high[k], u[k]);
        }
    }
    bool meets(BodySweep const& o, double by) const {
        for (int k = 0; k < 3; ++k)
            if (low[k] > o.high[k] + by || o.low[k] > high[k] + by) return false;
        return true;
    }
    double approach(BodySweep const& o) const {  // no two particles come nearer than by this [m]
        Vec3d most;
        for (int k = 0; k < 3; ++k) most[k] = std::max(u_high[k] - o.u_low[k], o.u_high[k] - u_low[k]);
        return norm(most);
    }
};

// The sweep of body b. Reads places and displacements of its surface; writes sweeps_b.
struct SweepBody {
    Index const *surface, *first_of_body;
    Vec4d const* place;
    Vec4 const* u;
    BodySweep* sweeps;

    PLIANT_HD void operator()(Index b) const {
        BodySweep sweep = BodySweep::nothing();
        for (Index s = first_of_body[b]; s < first_of_body[b + 1]; ++s)
            sweep.add(place[surface[s]].xyz(), cast<double>(u[surface[s]].xyz()));
        sweeps[b] = sweep;
    }
};

// Whether a particle that takes part has anything near. Writes near_s.
template <class Around>
struct MarkNear {
    Around around;
    std::uint8_t* near;
    PLIANT_HD void operator()(Index s) const { near[s] = around.any(s) ? 1 : 0; }
};
template <class Around>
MarkNear(Around, std::uint8_t*) -> MarkNear<Around>;

// The touches of those that have. Writes records_k.
template <class Around>
struct FindTouches {
    Around around;
    Index const* number;
    FoundTouches* records;
    PLIANT_HD void operator()(Index k) const { around.find(number[k], records[k]); }
};
template <class Around>
FindTouches(Around, Index const*, FoundTouches*) -> FindTouches<Around>;

template <class Exec>
class TouchSearch {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    static constexpr int most_looks = 64;  // within a step

    TouchSearch(Exec& exec, Model const& model, double radius) : exec_(exec), model_(model), radius_(radius) {
        Index const n = Index(model.rest.size());
        normal_.resize(n), body_.resize(n), distance_.resize(n), on_surface_.resize(n);
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodyModel const& body = model.bodies[b];
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                body_[i] = std::uint32_t(b);
                distance_[i] = float(0.5 * body.spacing);
            }
            widest_ = std::max(widest_, body.spacing);
            welds_.push_back(body.parameters.weld ? 1 : 0);
        }
        sweeps_.resize(model.bodies.size());
    }

    std::uint32_t const* body() const { return body_.data(); }
    float const* distance() const { return distance_.data(); }

    // Which particles are on a surface: to be called when bonds have changed.
    template <class Bonds>
    void find_surface(Bonds const& bonds) {
        double const threshold = 0.5 * (lattice_weight_beneath(radius_, 0) + lattice_weight_beneath(radius_, 1));
        surface_.clear(), first_of_body_.assign(1, 0);
        for (BodyModel const& body : model_.bodies) {
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                double weights = 0;
                for (Index k = 0; k < bonds.count(i); ++k) weights += bonds.weighted_offset(bonds.slot(i, k))[3];
                on_surface_[i] = weights < threshold ? 1 : 0;
                if (on_surface_[i]) surface_.push_back(i);
            }
            first_of_body_.push_back(Index(surface_.size()));
        }
    }

    // Adds to `found`, which is in order, what it does not have yet; targets are appended to `targets`.
    template <class Bonds>
    void search(Bonds const& bonds, Vec4d const* place, Vec4 const* u, double dt, Grips grips,
                std::vector<FoundTouch>& found, std::vector<TouchTarget>& targets) {
        grips_ = grips;
        exec_.for_each("touch: normals", {0, Index(surface_.size())},
                       SurfaceNormal<Bonds>{bonds, surface_.data(), place, distance_.data(), normal_.data()});
        exec_.for_each("touch: bounds", {0, Index(sweeps_.size())},
                       SweepBody{surface_.data(), first_of_body_.data(), place, u, sweeps_.data()});
        list_near_bodies();
        int const looks = look_count();
        for (Crowd const& crowd : crowds()) {
            list_taking_part(crowd, place, u);
            for (int look = 0; look < looks; ++look)
                look_around(bonds, crowd.widest, {place, u, dt, double(look) / looks}, look == 0, found, targets);
        }
    }

    std::uint64_t bytes() const {
        return normal_.bytes() + body_.bytes() + distance_.bytes() + on_surface_.bytes() + near_.bytes() +
               records_.bytes() + sizeof(Index) * (surface_.capacity() + taking_part_.capacity());
    }

private:
    bool has_surface(std::size_t b) const { return first_of_body_[b] < first_of_body_[b + 1]; }

    // Pairs of bodies whose sweeps meet, each in both orders: along x, only those whose intervals meet are compared.
    void list_near_bodies() {
        std::vector<std::size_t> order;
        for (std::size_t b = 0; b < sweeps_.size(); ++b)
            if (has_surface(b)) order.push_back(b);
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return sweeps_[a].low.x < sweeps_[b].low.x; });
        near_bodies_.assign(sweeps_.size(), {});
        for (std::size_t s = 0; s < order.size(); ++s)
            for (std::size_t t = s + 1; t < order.size(); ++t) {
                std::size_t const a = order[s], b = order[t];
                if (sweeps_[b].low.x > sweeps_[a].high.x + 2 * widest_) break;
                double const d = 0.5 * (model_.bodies[a].spacing + model_.bodies[b].spacing);
                if (!sweeps_[a].meets(sweeps_[b], 2 * d)) continue;
                near_bodies_[a].push_back(b);
                near_bodies_[b].push_back(a);
            }
    }

    // Bodies that are searched through in one grid, with cells for the widest spacing among them.
    struct Crowd {
        double widest = 0;  // spacing [m]
        std::vector<std::size_t> bodies;
    };

    // Bodies that come near each other, directly or through others, are in one crowd, and crowds of about the same
    // spacing are taken together: one coarse body far away must not make the cells of the fine ones wide.
    std::vector<Crowd> crowds() const {
        std::vector<double> widest(sweeps_.size(), 0);
        for (std::size_t first = 0; first < sweeps_.size(); ++first) {
            if (widest[first] > 0) continue;
            std::vector<std::size_t> together{first};
            widest[first] = model_.bodies[first].spacing;
            double most = widest[first];
            for (std::size_t k = 0; k < together.size(); ++k)
                for (std::size_t b : near_bodies_[together[k]])
                    if (widest[b] == 0) {
                        widest[b] = model_.bodies[b].spacing;
                        most = std::max(most, widest[b]);
                        together.push_back(b);
                    }
            for (std::size_t b : together) widest[b] = most;
        }
        std::map<int, Crowd> by_size;  // by the power of two
        for (std::size_t b = 0; b < sweeps_.size(); ++b) {
            Crowd& crowd = by_size[std::ilogb(widest[b])];
            crowd.widest = std::max(crowd.widest, widest[b]);
            crowd.bodies.push_back(b);
        }
        std::vector<Crowd> all;
        for (auto& [size, crowd] : by_size) all.push_back(std::move(crowd));
        return all;
    }

    // Nothing may come nearer by more than half a spacing from one look to the next.
    int look_count() const {
        double looks = 1;
        for (std::size_t a = 0; a < sweeps_.size(); ++a) {
            if (!has_surface(a)) continue;
            looks = std::max(looks, sweeps_[a].approach(sweeps_[a]) / (0.5 * model_.bodies[a].spacing));
            for (std::size_t b : near_bodies_[a]) {
                double const d = 0.5 * (model_.bodies[a].spacing + model_.bodies[b].spacing);
                looks = std::max(looks, sweeps_[a].approach(sweeps_[b]) / (0.5 * d));
            }
        }
        return int(std::min(std::ceil(looks), double(most_looks)));
    }

    // All surface particles, and those inner ones that lie where another body is or will be.
    void list_taking_part(Crowd const& crowd, Vec4d const* place, Vec4 const* u) {
        taking_part_.clear();
        for (std::size_t b : crowd.bodies) {
            if (near_bodies_[b].empty()) {
                taking_part_.insert(taking_part_.end(), surface_.begin() + first_of_body_[b],
                                    surface_.begin() + first_of_body_[b + 1]);
                continue;
            }
            for (Index i = model_.bodies[b].range.begin; i < model_.bodies[b].range.end; ++i)
                if (on_surface_[i] || lies_in_another(b, place[i].xyz(), cast<double>(u[i].xyz())))
                    taking_part_.push_back(i);
        }
    }

    bool lies_in_another(std::size_t b, Vec3d x, Vec3d u) const {
        BodySweep sweep = BodySweep::nothing();
        sweep.add(x, u);
        for (std::size_t o : near_bodies_[b])
            if (sweeps_[o].meets(sweep, model_.bodies[b].spacing)) return true;
        return false;
    }

    template <class Bonds>
    void look_around(Bonds const& bonds, double widest, SurfaceMotion motion, bool first_look,
                     std::vector<FoundTouch>& found, std::vector<TouchTarget>& targets) {
        Range const range{0, Index(taking_part_.size())};
        grid_.build(
            exec_, range, Surfaces::widest_reach * widest, [&](Index s) { return motion.at(taking_part_[s]); },
            [&](Index s) { return body_[taking_part_[s]]; });
        LookAround<CellGrid, Bonds> const around{&grid_,
                                                 bonds,
                                                 taking_part_.data(),
                                                 on_surface_.data(),
                                                 welds_.data(),
                                                 {normal_.data(), distance_.data(), body_.data(), motion},
                                                 first_look,
                                                 grips_};
        near_.resize(range.size());
        exec_.for_each("touch: search", range, MarkNear{around, near_.data()});
        number_.clear();
        for (Index s = 0; s < range.size(); ++s)
            if (near_[s]) number_.push_back(s);
        records_.resize(number_.size());
        exec_.for_each("touch: find", {0, Index(number_.size())}, FindTouches{around, number_.data(), records_.data()});
        std::size_t const before = found.size();
        for (FoundTouches const& record : records_.span())
            for (int t = 0; t < record.count; ++t) take(record, t, before, found, targets);
        std::sort(found.begin(), found.end());
    }

    // Keeps what an earlier look has not found yet; those lie in front of `before`, in order.
    static void take(FoundTouches const& record, int t, std::size_t before, std::vector<FoundTouch>& found,
                     std::vector<TouchTarget>& targets) {
        FoundTouch next{record.touch[t], record.start[t], 0, false};
        if (std::binary_search(found.begin(), found.begin() + std::ptrdiff_t(before), next)) return;
        next.touch.first = Index(targets.size());
        targets.insert(targets.end(), record.targets[t], record.targets[t] + next.touch.count);
        found.push_back(next);
    }

    Exec& exec_;
    Model const& model_;
    double radius_;                               // of the kernel, in spacings
    double widest_ = 0;                           // spacing [m]
    std::vector<Index> surface_, first_of_body_;  // surface particles in ascending order; where each body's begin
    Array<std::uint32_t> body_;
    Array<float> distance_;
    Array<std::uint8_t> on_surface_;
    std::vector<std::uint8_t> welds_;  // a body
    // Scratch of a search.
    Grips grips_{nullptr, nullptr};
    Array<Vec4> normal_;
    Array<BodySweep> sweeps_;
    std::vector<std::vector<std::size_t>> near_bodies_;
    std::vector<Index> taking_part_, number_;
    CellGrid grid_;
    Array<std::uint8_t> near_;
    Array<FoundTouches> records_;
};

}  // namespace pliant
