// Finds the touches of a step: who is on a surface, which bodies come near each other, and, at as many times of the
// step as their approach asks for, which particles meet. What makes a touch is in contact/find_touches.hpp. Costs grow
// with the number of surface particles and of those where bodies overlap.
#pragma once

#include <pliant/contact/search_stages.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/grid_for.hpp>
#include <pliant/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace pliant {

template <class Exec>
class TouchSearch {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    static constexpr int most_looks = 64;  // within a step

    TouchSearch(Exec& exec, Model const& model, double radius) : exec_(exec), model_(model), radius_(radius) {
        Index const n = Index(model.rest.size());
        std::vector<std::uint32_t> body_of(n);
        std::vector<float> distance(n);
        std::vector<std::uint8_t> welds;
        std::vector<double> spacing;
        std::vector<Index> begin;
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodyModel const& body = model.bodies[b];
            std::fill_n(body_of.begin() + body.range.begin, body.range.size(), std::uint32_t(b));
            std::fill_n(distance.begin() + body.range.begin, body.range.size(), float(0.5 * body.spacing));
            widest_ = std::max(widest_, body.spacing);
            welds.push_back(body.parameters.weld ? 1 : 0);
            spacing.push_back(body.spacing);
            begin.push_back(body.range.begin);
        }
        begin.push_back(n);
        exec.upload(body_, body_of), exec.upload(distance_, distance), exec.upload(welds_, welds);
        exec.upload(spacing_, spacing), exec.upload(begin_, begin);
        normal_.resize(n), on_surface_.resize(n);
        sweeps_.resize(model.bodies.size());
    }

    std::uint32_t const* body() const { return body_.data(); }
    float const* distance() const { return distance_.data(); }

    // Which particles are on a surface: to be called when bonds have changed.
    template <class Bonds>
    void find_surface(Bonds const& bonds) {
        double const threshold = 0.5 * (lattice_weight_beneath(radius_, 0) + lattice_weight_beneath(radius_, 1));
        Range const all{0, Index(model_.rest.size())};
        exec_.for_each("touch: surface", all, MarkSurface<Bonds>{bonds, threshold, on_surface_.data()});
        exec_.select("touch: surface", all, on_surface_.data(), surface_);
        first_.resize(begin_.size());
        exec_.for_each("touch: surface", {0, Index(begin_.size())},
                       FirstOnSurface{surface_.data(), Index(surface_.size()), begin_.data(), first_.data()});
        auto const first = exec_.on_host(first_);
        first_of_body_.assign(first.begin(), first.end());
        cut_into_pieces();
    }

    // Adds to `found`, which is in order, what it does not have yet; targets are appended to `targets`.
    template <class Bonds>
    void search(Bonds const& bonds, Vec4d const* place, Vec4 const* u, double dt, Grips grips, Array<FoundTouch>& found,
                Array<TouchTarget>& targets) {
        grips_ = grips;
        exec_.for_each("touch: normals", {0, Index(surface_.size())},
                       SurfaceNormal<Bonds>{bonds, surface_.data(), place, distance_.data(), normal_.data()});
        sweep_bodies(place, u);
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
               records_.bytes() + surface_.bytes() + taking_part_.bytes() + takes_part_.bytes() + number_.bytes();
    }

private:
    bool has_surface(std::size_t b) const { return first_of_body_[b] < first_of_body_[b + 1]; }

    // Bodies are swept in pieces, so that one large body is not one piece of work.
    void cut_into_pieces() {
        constexpr Index longest = 4096;  // surface particles
        std::vector<Index> first{0};
        body_of_piece_.clear();
        for (std::size_t b = 0; b < sweeps_.size(); ++b)
            for (Index s = first_of_body_[b]; s < first_of_body_[b + 1];) {
                s = std::min(s + longest, first_of_body_[b + 1]);
                first.push_back(s);
                body_of_piece_.push_back(b);
            }
        exec_.upload(first_of_piece_, first);
    }

    void sweep_bodies(Vec4d const* place, Vec4 const* u) {
        exec_.join("touch: bounds", first_of_piece_.data(), Index(body_of_piece_.size()),
                   SweepParticle{surface_.data(), place, u}, pieces_);
        std::fill(sweeps_.begin(), sweeps_.end(), BodySweep::nothing());
        auto const pieces = exec_.on_host(pieces_);
        for (std::size_t p = 0; p < pieces.size(); ++p) sweeps_[body_of_piece_[p]].join(pieces[p]);
    }

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
        std::vector<std::uint8_t> in_crowd(sweeps_.size(), 0);
        std::vector<Index> near_row{0}, near;
        for (std::size_t b : crowd.bodies) in_crowd[b] = 1;
        for (auto const& others : near_bodies_) {
            near.insert(near.end(), others.begin(), others.end());
            near_row.push_back(Index(near.size()));
        }
        if (near.empty() && crowd.bodies.size() == sweeps_.size()) {
            exec_.copy(surface_.data(), surface_.size(), taking_part_);
            return;
        }
        exec_.upload(in_crowd_, in_crowd), exec_.upload(near_row_, near_row), exec_.upload(near_bodies_of_, near);
        exec_.upload(sweeps_there_, sweeps_);
        takes_part_.resize(on_surface_.size());
        exec_.for_each(
            "touch: taking part", {0, Index(takes_part_.size())},
            MarkTakingPart{on_surface_.data(), body_.data(), in_crowd_.data(), sweeps_there_.data(), spacing_.data(),
                           near_row_.data(), near_bodies_of_.data(), place, u, takes_part_.data()});
        exec_.select("touch: taking part", {0, Index(takes_part_.size())}, takes_part_.data(), taking_part_);
    }

    template <class Bonds>
    void look_around(Bonds const& bonds, double widest, SurfaceMotion motion, bool first_look, Array<FoundTouch>& found,
                     Array<TouchTarget>& targets) {
        Range const range{0, Index(taking_part_.size())};
        grid_.build(exec_, range, Surfaces::widest_reach * widest, PlaceTakingPart{taking_part_.data(), motion},
                    BodyTakingPart{taking_part_.data(), body_.data()});
        using Around = LookAround<typename GridFor<Exec>::View, Bonds>;
        Around const around{grid_.view(),       bonds,         taking_part_.data(),
                            on_surface_.data(), welds_.data(), {normal_.data(), distance_.data(), body_.data(), motion},
                            first_look,         grips_};
        near_.resize(range.size());
        exec_.for_each("touch: search", range, MarkNear<Around>{around, near_.data()});
        exec_.select("touch: search", range, near_.data(), number_);
        if (number_.size() == 0) return;
        records_.resize(number_.size());
        exec_.for_each("touch: find", {0, Index(number_.size())},
                       FindTouches<Around>{around, number_.data(), records_.data()});
        take(found, targets);
    }

    // Keeps of the records what earlier looks have not found, in order.
    void take(Array<FoundTouch>& found, Array<TouchTarget>& targets) {
        Range const all{0, Index(records_.size())};
        Index const before = Index(found.size()), first_target = Index(targets.size());
        new_touches_.resize(all.size()), new_targets_.resize(all.size());
        touch_start_.resize(all.size() + 1), target_start_.resize(all.size() + 1);
        exec_.for_each(
            "touch: take", all,
            CountNewTouches{records_.data(), {found.data(), before}, new_touches_.data(), new_targets_.data()});
        Index const touches = exec_.scan(new_touches_.data(), all.size(), touch_start_.data());
        if (touches == 0) return;
        Index const more = exec_.scan(new_targets_.data(), all.size(), target_start_.data());
        found.resize(before + touches), targets.resize(first_target + more);
        exec_.for_each("touch: take", all,
                       WriteNewTouches{records_.data(),
                                       {found.data(), before},
                                       touch_start_.data(),
                                       target_start_.data(),
                                       first_target,
                                       found.data(),
                                       targets.data()});
        Range const all_found{0, Index(found.size())};
        keys_.resize(found.size()), ordered_.resize(found.size());
        exec_.for_each("touch: order", all_found, KeyOfFound{found.data(), keys_.data()});
        exec_.sort_order("touch: order", keys_, order_);
        exec_.for_each("touch: order", all_found, OrderFound{found.data(), order_.data(), ordered_.data()});
        swap(found, ordered_);
    }

    Exec& exec_;
    Model const& model_;
    double radius_;                     // of the kernel, in spacings
    double widest_ = 0;                 // spacing [m]
    Array<Index> surface_;              // particles on a surface, in ascending order
    std::vector<Index> first_of_body_;  // where each body's begin among them
    std::vector<std::size_t> body_of_piece_;
    Array<Index> begin_, first_, first_of_piece_;
    Array<std::uint32_t> body_;
    Array<float> distance_;
    Array<std::uint8_t> on_surface_;
    Array<std::uint8_t> welds_;  // a body
    Array<double> spacing_;      // of a body [m]
    // Scratch of a search.
    Grips grips_{nullptr, nullptr};
    Array<Vec4> normal_;
    Array<BodySweep> pieces_, sweeps_there_;
    std::vector<BodySweep> sweeps_;
    std::vector<std::vector<std::size_t>> near_bodies_;
    Array<std::uint8_t> in_crowd_, takes_part_, near_;
    Array<Index> near_row_, near_bodies_of_, taking_part_, number_;
    GridFor<Exec> grid_;
    Array<FoundTouches> records_;
    Array<FoundTouch> ordered_;
    Array<Index> new_touches_, new_targets_, touch_start_, target_start_, order_;
    Array<std::uint64_t> keys_;
};

}  // namespace pliant
