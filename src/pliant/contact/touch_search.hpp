// Finds the touches of a step: which particles are on a surface, which bodies come near each other and, at as many
// times of the step as their approach requires, which particles meet. find_touches.hpp defines a touch. The cost grows
// with the number of surface particles and of particles where bodies overlap.
#pragma once

#include <pliant/contact/search_stages.hpp>
#include <pliant/data/error.hpp>
#include <pliant/data/model.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/box_grid.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace pliant {

template <class Exec>
class TouchSearch {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    static constexpr bool spreads = Exec::slice > 1;  // lanes share a particle if the machine has lanes
    using PairLanes = Lanes<spreads ? 16 : 1>;
    using TargetLanes = Lanes<spreads ? most_targets : 1>;

public:
    static constexpr int most_looks = 64;  // within a step

    // body_of and distance: one entry per particle, its body and half its spacing [m], in memory that stages can read.
    TouchSearch(Exec& exec, Model const& model, std::uint32_t const* body_of, float const* distance, double radius)
        : exec_(exec), model_(model), body_(body_of), distance_(distance), radius_(radius) {
        Index const n = Index(model.rest.size());
        std::vector<std::uint8_t> welds, meets_itself;
        std::vector<double> spacing;
        std::vector<Index> begin;
        for (BodyModel const& body : model.bodies) {
            widest_ = std::max(widest_, body.spacing);
            welds.push_back(body.parameters.weld ? 1 : 0);
            meets_itself.push_back(body.self_contact ? 1 : 0);
            spacing.push_back(body.spacing);
            begin.push_back(body.range.begin);
        }
        begin.push_back(n);
        exec.upload(welds_, welds), exec.upload(meets_itself_, meets_itself), exec.upload(spacing_, spacing),
            exec.upload(begin_, begin);
        normal_.resize(n), on_surface_.resize(n);
        if (may_part(model)) {
            std::vector<Vec4> rest;
            for (Vec3d const& X : model.rest) rest.push_back(Vec4::from(cast<float>(X)));
            exec.upload(rest_, rest);
        }
        sweeps_.resize(model.bodies.size());
    }

    std::uint32_t const* body() const { return body_; }
    float const* distance() const { return distance_; }

    // Which bodies are asleep from now on, of each body, also in memory that stages can read: they do not move, and do
    // not touch each other. Empty: none.
    void sleep(std::vector<std::uint8_t> const& asleep, std::uint8_t const* there) {
        asleep_ = asleep, asleep_there_ = there;
        normals_known_ = false;
    }

    // The bounds of each body, and of its displacement u.
    std::vector<BodySweep> const& sweep(Vec4d const* place, Vec4 const* u) {
        sweep_bodies(place, u);
        return sweeps_;
    }

    // Finds the particles on a surface. Call it when bonds have changed.
    template <class Bonds>
    void find_surface(Bonds const& bonds, float const* growth = nullptr) {
        double const threshold = 0.5 * (lattice_weight_beneath(radius_, 0) + lattice_weight_beneath(radius_, 1));
        Range const all{0, Index(model_.rest.size())};
        exec_.for_each("touch: surface", all, MarkSurface<Bonds>{bonds, threshold, growth, on_surface_.data()});
        exec_.select("touch: surface", all, on_surface_.data(), surface_);
        first_surface_.resize(begin_.size());
        exec_.for_each("touch: surface", {0, Index(begin_.size())},
                       FirstOnSurface{surface_.data(), Index(surface_.size()), begin_.data(), first_surface_.data()});
        auto const first = exec_.on_host(first_surface_);
        first_of_body_.assign(first.begin(), first.end());
        cut_into_pieces();
        normals_known_ = false;
    }

    // Adds new touches to `found`, which stays sorted, and appends their targets to `targets`.
    template <class Bonds>
    void search(Bonds const& bonds, Vec4d const* place, Vec4 const* u, double dt, Grips grips, Array<FoundTouch>& found,
                Array<TouchTarget>& targets) {
        grips_ = grips;
        if constexpr (spreads)
            find_normals(bonds.template spread<8>(), place);
        else
            find_normals(bonds, place);
        sweep_bodies(place, u);
        list_near_bodies();
        int const looks = look_count();
        for (Crowd const& crowd : crowds()) {
            list_taking_part(crowd, place, u);
            int const at_once = looks_at_once(looks, crowd.widest);
            for (int look = 0; look < looks; look += at_once)
                look_around(bonds, crowd, {place, u, dt}, {look, std::min(look + at_once, looks), looks}, found,
                            targets);
        }
    }

    std::uint64_t bytes() const {
        return normal_.bytes() + on_surface_.bytes() + surface_.bytes() + taking_part_.bytes() + takes_part_.bytes() +
               awake_surface_.bytes() + grid_.bytes() + near_.bytes() + kept_.bytes() + pair_start_.bytes() +
               pairs_.bytes() + first_.bytes() + meetings_.bytes() + made_.bytes() + records_.bytes() +
               number_.bytes() + merged_.bytes();
    }

private:
    // Those of bodies that are asleep are found once.
    template <class Bonds>
    void find_normals(Bonds const& bonds, Vec4d const* place) {
        bool const all = asleep_.empty() || !normals_known_;
        Array<Index> const& of = all ? surface_ : awake_surface_;
        exec_.for_each("touch: normals", {0, Index(of.size())},
                       SurfaceNormal<Bonds>{bonds, lattice_weight_beneath(radius_, 0), of.data(), place, distance_,
                                            normal_.data()});
        if (asleep_.empty() || normals_known_) return;
        normals_known_ = true;
        takes_part_.remake(on_surface_.size());
        Range const particles{0, Index(on_surface_.size())};
        exec_.for_each("touch: surface", particles,
                       MarkAwake{on_surface_.data(), body_, asleep_there_, takes_part_.data()});
        exec_.select("touch: surface", particles, takes_part_.data(), awake_surface_);
    }

    bool sleeps(std::size_t b) const { return !asleep_.empty() && asleep_[b] != 0; }
    bool takes_part(std::size_t b) const { return !sleeps(b) || !near_bodies_[b].empty(); }
    bool has_surface(std::size_t b) const { return first_of_body_[b] < first_of_body_[b + 1]; }

    // Bodies are swept in pieces, so that the work of one large body is divided.
    void cut_into_pieces() {
        constexpr Index longest = 512;  // surface particles
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

    // Lists pairs of bodies whose sweeps meet, each in both orders. Only bodies whose intervals along x meet are
    // compared.
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
                if (sleeps(a) && sleeps(b)) continue;
                double const d = 0.5 * (model_.bodies[a].spacing + model_.bodies[b].spacing);
                if (!sweeps_[a].meets(sweeps_[b], 2 * d)) continue;
                near_bodies_[a].push_back(b);
                near_bodies_[b].push_back(a);
            }
    }

    // Bodies that are searched in one grid, with cells for the widest spacing among them.
    struct Crowd {
        double widest = 0;  // spacing [m]
        std::vector<std::size_t> bodies;
    };

    // Bodies that come near each other, directly or through others, are in one crowd, and crowds of about the same
    // spacing are merged: one distant coarse body must not widen the cells of the fine ones.
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
        std::map<int, Crowd> by_size;  // by power of two of the spacing
        for (std::size_t b = 0; b < sweeps_.size(); ++b) {
            if (!takes_part(b)) continue;
            Crowd& crowd = by_size[std::ilogb(widest[b])];
            crowd.widest = std::max(crowd.widest, widest[b]);
            crowd.bodies.push_back(b);
        }
        std::vector<Crowd> all;
        for (auto& [size, crowd] : by_size) all.push_back(std::move(crowd));
        return all;
    }

    // From one look to the next, nothing may approach by more than half a spacing.
    int look_count() {
        double looks = 1;
        approach_ = 0;
        for (std::size_t a = 0; a < sweeps_.size(); ++a) {
            if (!has_surface(a)) continue;
            looks = std::max(looks, sweeps_[a].approach(sweeps_[a]) / (0.5 * model_.bodies[a].spacing));
            approach_ = std::max(approach_, sweeps_[a].approach(sweeps_[a]));
            for (std::size_t b : near_bodies_[a]) {
                double const d = 0.5 * (model_.bodies[a].spacing + model_.bodies[b].spacing);
                looks = std::max(looks, sweeps_[a].approach(sweeps_[b]) / (0.5 * d));
                approach_ = std::max(approach_, sweeps_[a].approach(sweeps_[b]));
            }
        }
        return int(std::min(std::ceil(looks), double(most_looks)));
    }

    // As many looks as possible without anything approaching by more than a spacing from their middle to either end:
    // this widens cells by less than half.
    int looks_at_once(int looks, double widest) const {
        double const most = approach_ > 0 ? 1 + std::floor(2 * looks * widest / approach_) : looks;
        return int(std::min<double>(most, looks));
    }

    // Lists all surface particles, and the inner ones inside the sweep of another body.
    void list_taking_part(Crowd const& crowd, Vec4d const* place, Vec4 const* u) {
        std::size_t const bodies = sweeps_.size();
        lists_.assign(2 * bodies + 1, 0);  // membership in the crowd, rows of near bodies, and these bodies
        for (std::size_t b : crowd.bodies) lists_[b] = 1;
        for (std::size_t b = 0; b < bodies; ++b) {
            lists_.insert(lists_.end(), near_bodies_[b].begin(), near_bodies_[b].end());
            lists_[bodies + b + 1] = Index(lists_.size() - 2 * bodies - 1);
        }
        if (lists_.size() == 2 * bodies + 1 && crowd.bodies.size() == bodies) {
            exec_.copy(surface_.data(), surface_.size(), taking_part_);
            inner_take_part_ = false;
            return;
        }
        exec_.upload(lists_there_, lists_), exec_.upload(sweeps_there_, sweeps_);
        Index const* const lists = lists_there_.data();
        takes_part_.remake(on_surface_.size());
        exec_.for_each("touch: taking part", {0, Index(takes_part_.size())},
                       MarkTakingPart{.on_surface = on_surface_.data(),
                                      .body = body_,
                                      .in_crowd = lists,
                                      .sweeps = sweeps_there_.data(),
                                      .spacing = spacing_.data(),
                                      .near_row = lists + bodies,
                                      .near = lists + 2 * bodies + 1,
                                      .place = place,
                                      .u = u,
                                      .takes_part = takes_part_.data()});
        exec_.select("touch: taking part", {0, Index(takes_part_.size())}, takes_part_.data(), taking_part_);
        inner_take_part_ = true;
    }

    // Consecutive looks share a grid of the positions at their middle, as long as this does not widen its cells much.
    template <class Bonds>
    void look_around(Bonds const& bonds, Crowd const& crowd, SurfaceMotion motion, Looks looks,
                     Array<FoundTouch>& found, Array<TouchTarget>& targets) {
        Index const count = Index(taking_part_.size());
        if (count == 0) return;
        motion.time = looks.middle();
        double const slack = approach_ * looks.half();
        using Around = LookAround<Bonds>;
        Around const around{
            .bonds = bonds,
            .on_surface = on_surface_.data(),
            .welds = welds_.data(),
            .meets_itself = meets_itself_.data(),
            .surfaces = {normal_.data(), distance_, body_, motion, may_part(model_) ? rest_.data() : nullptr},
            .looks = looks,
            .farthest = Surfaces::widest_reach * crowd.widest + slack,
            .farthest_centers = (1 + 1e-6) * crowd.widest + slack,
            .grips = grips_,
            .asleep = asleep_.empty() ? nullptr : asleep_there_};
        BodySweep box = BodySweep::nothing();
        for (std::size_t b : crowd.bodies)
            if (has_surface(b)) box.join(sweeps_[b]);
        grid_.build(exec_, count, BoxCells::over(box.low, box.high, around.farthest, count),
                    PointTakingPart<GridPoint>{taking_part_.data(), body_, motion}, inner_take_part_);
        if (list_pairs(around)) find(around, found, targets);
    }

    // Lists, for every particle that takes part, the particles near it, in rows. Returns whether there are any pairs.
    template <class Around>
    bool list_pairs(Around const& around) {
        using Grid = typename BoxGrid<Exec>::View;
        Range const all{0, Index(taking_part_.size())};
        near_.resize(std::size_t(all.size()) * PairLanes::lanes), pair_start_.remake(near_.size() + 1);
        kept_.remake(near_.size() * most_kept);
        exec_.for_each(
            "touch: search", all,
            CountNear<Around, Grid, PairLanes>{around, grid_.view(), taking_part_.data(), near_.data(), kept_.data()});
        std::uint64_t const pairs = exec_.scan(near_.data(), Index(near_.size()), pair_start_.data());
        if (pairs > ~Index{0}) throw SimulationError("more particles come near each other than can be numbered");
        pairs_.remake(pairs);
        if (pairs == 0) return false;
        exec_.for_each("touch: pairs", all,
                       ListNear<Around, Grid, PairLanes>{around, grid_.view(), taking_part_.data(), pair_start_.data(),
                                                         kept_.data(), pairs_.data()});
        return true;
    }

    // Finds touches from the pairs. A particle and a body that come near each other form one work item.
    template <class Around>
    void find(Around const& around, Array<FoundTouch>& found, Array<TouchTarget>& targets) {
        FoundBefore const before{found.data(), Index(found.size())};
        first_.remake(pairs_.size());
        exec_.for_each(
            "touch: meetings", {0, Index(pairs_.size())},
            MarkFirst<PairLanes::lanes>{pairs_.data(), pair_start_.data(), taking_part_.data(), before, first_.data()});
        exec_.select("touch: meetings", {0, Index(pairs_.size())}, first_.data(), meetings_);
        Range const all{0, Index(meetings_.size())};
        if (all.size() == 0) return;
        Index const first_target = Index(targets.size());
        std::size_t const room = first_target + std::size_t(all.size()) * most_targets;
        first_target == 0 ? targets.remake(room) : targets.resize(room);
        made_.remake(all.size()), records_.remake(all.size());
        exec_.for_each("touch: find", all,
                       FindTouch<Around, TargetLanes, PairLanes::lanes>{.around = around,
                                                                        .pairs = pairs_.data(),
                                                                        .start = pair_start_.data(),
                                                                        .taking_part = taking_part_.data(),
                                                                        .first = meetings_.data(),
                                                                        .first_target = first_target,
                                                                        .made = made_.data(),
                                                                        .found = records_.data(),
                                                                        .targets = targets.data()});
        exec_.select("touch: find", all, made_.data(), number_);
        Index const more = Index(number_.size());
        if (more == 0) return;
        merged_.remake(before.count + more);
        exec_.for_each("touch: order", {0, before.count + more},
                       MergeFound{before, records_.data(), number_.data(), more, merged_.data()});
        swap(found, merged_);
    }

    Exec& exec_;
    Model const& model_;
    std::uint32_t const* body_;
    float const* distance_;
    double radius_;                     // of the kernel, in spacings
    double widest_ = 0;                 // spacing [m]
    Array<Index> surface_;              // particles on a surface, in ascending order
    std::vector<Index> first_of_body_;  // index of each body's first one among them
    std::vector<std::size_t> body_of_piece_;
    Array<Index> begin_, first_surface_, first_of_piece_;
    Array<std::uint8_t> on_surface_;
    Array<std::uint8_t> welds_, meets_itself_;  // per body
    Array<double> spacing_;                     // per body [m]
    std::vector<std::uint8_t> asleep_;          // per body; empty: none
    std::uint8_t const* asleep_there_ = nullptr;
    bool normals_known_ = false;  // of the bodies that are asleep
    Array<Index> awake_surface_;
    Array<Vec4> rest_;  // per particle [m], if bodies may come apart
    // Scratch of a search.
    Grips grips_{nullptr, nullptr};
    Array<Vec4> normal_;
    Array<BodySweep> pieces_, sweeps_there_;
    std::vector<BodySweep> sweeps_;
    std::vector<std::vector<std::size_t>> near_bodies_;
    double approach_ = 0;           // the largest approach in the step [m]
    bool inner_take_part_ = false;  // inner particles in addition to those on a surface
    std::vector<Index> lists_;
    Array<std::uint8_t> takes_part_, first_, made_;
    Array<Index> lists_there_, taking_part_, near_, kept_, pair_start_, meetings_, number_;
    BoxGrid<Exec> grid_;
    Array<NearPair> pairs_;
    Array<FoundTouch> records_, merged_;
};

}  // namespace pliant
