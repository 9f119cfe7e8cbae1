// The rest shape and how plastic flow changes it: bonds, moments and plastic state.
//
// rest = "bonds": every bond keeps its own rest offset. Flow of particle i first goes into Fp_i and changes no bond;
// once some particle has flowed by `refresh_strain` since the last refresh, the bonds are refreshed:
//   r_ij <- (Fp_i + Fp_j) r_ij / 2,   Fp <- I,   w_ij <- w(|r_ij|).
// Bonds whose weight has vanished are dropped, and pairs brought together by flow get a new bond with r_ij = (Fe_i^-1 +
// Fe_j^-1) (x_j - x_i) / 2. The mean of both ends keeps r_ji = -r_ij. Only particles that share a neighbour can bond,
// so that parts which merely touch do not weld; bodies with `weld` also bond to what touches them, in any body that
// welds. Without flow nothing is ever rebuilt. Where matter flows, deviations of x_ij from an affine map relax too:
// r_ij moves towards the value of a new bond by the share 1 - exp(-strain / memory_strain). If kept forever, these
// deviations would hold up a dent elastically.
//
// Bonds can be severed, by blades or by tension (state/severing.hpp). A particle that is left with a poor neighbourhood
// grows its radius among those that it is still connected with.
//
// rest = "updated": exactly as in the paper, r_ij = Fe_i^-1 (x_j - x_i) after every step for every particle (Zhou eq.
// 15).
#pragma once

#include <pliant/neighbors/cut_stages.hpp>
#include <pliant/physics/return_map.hpp>
#include <pliant/state/chosen_bodies.hpp>
#include <pliant/state/rest_bonds.hpp>
#include <pliant/state/rest_pool.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

template <class Exec>
class RestState : public RestBonds<Exec> {
    using Base = RestBonds<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using typename Base::View;

public:
    using Base::any_flows, Base::corrected, Base::with_bonds;
    static constexpr double refresh_strain = 0.05;

    RestState(Exec& exec, Model const& model, RestOptions const& options) : Base(exec, model, options) {
        Fp_inverse_.resize(all_.size()), alpha_.resize(all_.size());
        if (options.updated()) Fe_inverse_.resize(all_.size());
        if (any_metal()) kernel_.resize(all_.size());
        exec_.fill(kernel_, Sym3f::scaled_identity(1));
        if (releases()) released_.resize(all_.size());
        exec_.fill(released_, 0.f);
        exec_.fill(Fp_inverse_, Mat3f::identity());
        exec_.fill(Fe_inverse_, Mat3f::identity());
        build();
        measure_from_moments();
    }

    bool any_metal() const {
        return std::any_of(model_.bodies.begin(), model_.bodies.end(),
                           [&](auto const& body) { return keeps_neighbors(body); });
    }

    // Whether the control of zero-energy modes lets flowed matter bend (physics/release.hpp), and its strength there.
    bool releases() const {
        return std::any_of(model_.bodies.begin(), model_.bodies.end(),
                           [&](auto const& body) { return releases(body); });
    }
    bool releases(BodyModel const& body) const { return keeps_neighbors(body) && Base::zero_energy_of(body) > 0; }
    float const* released() const { return released_.data(); }

    bool changes() const { return any_flows() || options_.updated(); }  // from step to step

    // Where strains add up: C_p in its place (materials/additive.hpp).
    Mat3f const* Fp_inverse(BodyModel const& body) const { return has_plasticity(body) ? Fp_inverse_.data() : nullptr; }
    Array<float> const& plastic_strain() const { return alpha_; }
    // Call before for_each_stored reads a checkpoint, with or without bonds and radii that have grown.
    void expect(bool bonds, bool growth) {
        bool const back_to_start = (bonds_changed_ && !bonds) || (regrown_ && !growth);
        bonds_changed_ = bonds, regrown_ = growth;
        if (back_to_start) build();
    }

    // What severs bonds marks them here, one entry per slot; and the particles that lose one.
    struct Marks {
        std::uint8_t *severed, *lost;
    };
    Marks marks() {
        lost_.remake(all_.size());
        exec_.fill(lost_, std::uint8_t{0});
        return more_marks();
    }
    Marks more_marks() {  // after bonds have been taken away
        severed_.remake(bonds_.size());
        exec_.fill(severed_, std::uint8_t{0});
        return {severed_.data(), lost_.data()};
    }

    // Takes the marked bonds away.
    void sever() {
        take_marked();
        measure_from_moments();
    }
    // The same, with new neighbours where too few are left. parted(i, j): pairs that must not become neighbours.
    template <class Parted>
    void sever(Parted const& parted) {
        exec_.for_each("sever", all_, ForgetThin{A_inverse_.data(), lost_.data()});
        take_marked();
        constexpr int most_rounds = 6;  // 1.1^12 in all
        for (int round = 0; round < most_rounds && regrow(parted); ++round) find_moments();
        measure_from_moments();
    }

    // Step 6 of the paper, at the positions `place`, for bodies that are awake.
    void flow(double dt, Vec4d const* place, ChosenBodies<Exec> const& awake) {
        bool any = false;
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            BodyModel const& body = model_.bodies[b];
            if (!awake.holds(b)) continue;
            std::visit([&](auto const& solid) { return_map(body, solid, dt, place); }, body.material);
            release(body);
            any = any || flows(body);
        }
        double const flowed = any ? exec_.max("flowed", all_, 0, Flowed{flowed_.data()}) : 0;
        if (options_.updated())
            update(place);
        else if (flowed > refresh_strain)
            refresh(place);
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("Fp_inverse", self.Fp_inverse_);
        visit("Fe_inverse", self.Fe_inverse_);
        visit("alpha", self.alpha_);
        visit("flowed", self.flowed_);
        if (self.kernel_.size() > 0) visit("kernel", self.kernel_);
        if (self.regrown_) visit("growth", self.growth_);
        if (self.bonds_changed_) BondsOf<Exec>::for_each_stored(visit, self.bonds_);  // else they follow from the scene
    }

    void prepare_store() {  // call before for_each_stored writes a checkpoint
        if (bonds_changed_) bonds_.prepare_store(exec_);
    }

    // Call after for_each_stored has loaded everything: computes what follows from the bonds.
    void restored(Vec4d const* place) {
        ++version_;
        if (bonds_changed_) bonds_.restore(exec_);
        if (options_.updated()) return correct_updated(place);
        find_moments();
        measure_from_moments();
        for (BodyModel const& body : model_.bodies) release(body);
    }

    std::uint64_t bytes() const {
        return Base::bytes_of_bonds() + severed_.bytes() + lost_.bytes() + next_growth_.bytes() + Fp_inverse_.bytes() +
               Fe_inverse_.bytes() + alpha_.bytes() + kernel_.bytes() + released_.bytes();
    }

    // The memory that the first rebuild of bonds will need, without the grid of its search.
    std::uint64_t bytes_of_flow() const {
        if (!options_.updated() && !any_flows()) return 0;
        return bonds_.rebuild_bytes() + all_.size() * sizeof(Mat3f) - Fe_inverse_.bytes();
    }

private:
    // Metals. Dough is kneaded: whom its particles had beside them says nothing about where they are. Kernels of SPH
    // have a ball's derivatives.
    bool keeps_neighbors(BodyModel const& body) const {
        return flows(body) && !options_.updated() && !options_.sph() &&
               std::visit(
                   [](auto const& solid) { return std::is_same_v<std::decay_t<decltype(solid.plasticity)>, VonMises>; },
                   body.material);
    }

    void release(BodyModel const& body) {
        if (!releases(body)) return;
        float const k = float(Base::zero_energy_of(body));
        exec_.for_each("release", body.range, ReleaseFlowed{k, alpha_.data(), released_.data()});
    }

    template <class Solid>
    void return_map(BodyModel const& body, Solid const& solid, double dt, Vec4d const* place) {
        if constexpr (decltype(solid.plasticity)::flows) {
            with_bonds([&](auto bonds) {
                exec_.for_each("plasticity", body.range,
                               ReturnMap<decltype(bonds), Solid>{.bonds = bonds,
                                                                 .law = solid,
                                                                 .dt = float(dt),
                                                                 .place = place,
                                                                 .A_inverse = A_inverse_.data(),
                                                                 .coefficients = coefficients_.data(),
                                                                 .Fp_inverse = Fp_inverse_.data(),
                                                                 .alpha = alpha_.data(),
                                                                 .flowed = flowed_.data()});
                return 0;
            });
        }
    }

    void invert_elastic(char const* name, BodyModel const& body, Vec4d const* place) {
        with_bonds([&](auto bonds) {
            exec_.for_each(name, body.range,
                           ElasticInverse<decltype(bonds)>{bonds, place, A_inverse_.data(), Fp_inverse(body),
                                                           coefficients_.data(), Fe_inverse_.data()});
            return 0;
        });
    }

    void take_marked() {
        rebuild_all(RemainingBonds<View>{bonds_.view(), severed_.data()});
        find_moments();
    }

    template <class Source>
    void rebuild_all(Source const& source) {
        rebuild([](BodyModel const&) { return true; }, [&](std::size_t) { return source; });
    }

    // Grows the radii of particles that have lost bonds, by one step. Returns whether there are any.
    template <class Parted>
    bool regrow(Parted const& parted) {
        next_growth_.resize(all_.size());
        View const view = bonds_.view();
        double const grown = exec_.sum(
            "sever", all_,
            GrowWeakened<View>{view, A_inverse_.data(), lost_.data(), growth_.data(), next_growth_.data()})[0];
        if (grown == 0) return false;
        rebuild_all(RegrownBonds<View, Parted>{view, parted, radius_.data(), next_growth_.data(), growth_.data()});
        swap(growth_, next_growth_);
        regrown_ = true;
        return true;
    }

    void refresh(Vec4d const* place) {
        Fe_inverse_.resize(all_.size());
        std::vector<Pool> pools(model_.bodies.size());
        Pool welding;
        double weld_reach = 0;
        for (std::size_t b = 0; b < pools.size(); ++b) {
            BodyModel const& body = model_.bodies[b];
            if (!flows(body)) continue;
            invert_elastic("refresh", body, place);
            double const reach = 1.25 * radius_of(body);
            (welds(body) ? welding : pools[b]).add(exec_, body.range);
            if (welds(body))
                weld_reach = std::max(weld_reach, reach);
            else
                pools[b].sort(exec_, reach, place);
        }
        if (weld_reach > 0) welding.sort(exec_, weld_reach, place);
        for (BodyModel const& body : model_.bodies)
            if (keeps_neighbors(body))
                exec_.for_each("refresh", body.range, FollowFlow{Fp_inverse_.data(), flowed_.data(), kernel_.data()});
        for (BodyModel const& body : model_.bodies)
            if (flows(body)) exec_.for_each("refresh", body.range, ReadyFlow{Fp_inverse_.data(), flowed_.data()});
        FlowedState const state{place,
                                Fe_inverse_.data(),
                                Fp_inverse_.data(),
                                flowed_.data(),
                                radius_.data(),
                                growth_.data(),
                                kernel_.size() > 0 ? kernel_.data() : nullptr};
        rebuild(flows, [&](std::size_t b) {
            bool const weld = welds(model_.bodies[b]);
            auto const near = (weld ? welding : pools[b]).near();
            return ChangedBonds<View, KeepBond, std::decay_t<decltype(near)>, TakeBond<View>>{
                bonds_.view(), {state}, near, {state, bonds_.view(), weld, options_.radius, float(bond_reach(1))}};
        });
        find_moments();
        reduce_coefficients();
        correct_weights();
        for (BodyModel const& body : model_.bodies)
            if (flows(body)) keep_elastic(body, place);
        measure_from_moments();
    }

    void keep_elastic(BodyModel const& body, Vec4d const* place) {
        with_bonds([&](auto bonds) {
            exec_.for_each("refresh", body.range,
                           KeepElastic<decltype(bonds)>{bonds, place, A_inverse_.data(), coefficients_.data(),
                                                        Fe_inverse_.data(), Fp_inverse_.data(), flowed_.data()});
            return 0;
        });
    }

    // As in the paper, the search uses a grid of the current positions, and the kernel decides which pairs bond.
    void update(Vec4d const* place) {
        std::vector<Pool> pools(model_.bodies.size());
        for (std::size_t b = 0; b < pools.size(); ++b) {
            BodyModel const& body = model_.bodies[b];
            invert_elastic("rest state", body, place);
            pools[b].add(exec_, body.range);
            pools[b].sort(exec_, 1.25 * radius_of(body), place);
        }
        exec_.fill(Fp_inverse_, Mat3f::identity());
        rebuild([](BodyModel const&) { return true; },
                [&](std::size_t b) {
                    UpdatedRest const rest = updated_rest(model_.bodies[b], place);
                    auto const near = pools[b].near();
                    return ChangedBonds<View, KeepUpdated, std::decay_t<decltype(near)>, TakeUpdated>{
                        bonds_.view(), {rest}, near, {rest}};
                });
        correct_updated(place);
    }

    UpdatedRest updated_rest(BodyModel const& body, Vec4d const* place) const {
        return {place, Fe_inverse_.data(), growth_.data(), radius_of(body)};
    }

    void correct_updated(Vec4d const* place) {
        bonds_.make_corrections();
        for (BodyModel const& body : model_.bodies)
            exec_.for_each(
                "moments", body.range,
                UpdatedMoments<View>{bonds_.view(), updated_rest(body, place), A_inverse_.data(), offset_sum_.data()});
        for (BodyModel const& body : model_.bodies)
            exec_.for_each(
                "corrections", body.range,
                UpdatedCorrections<View>{bonds_.view(), updated_rest(body, place), A_inverse_.data(),
                                         bonds_.corrections(), bonds_.corrections_opposite(), correction_sum_.data()});
        measure_diagonal();
    }

    using Base::A_inverse_, Base::coefficients_, Base::correction_sum_, Base::flowed_, Base::growth_, Base::offset_sum_,
        Base::radius_;
    using Base::all_, Base::bonds_, Base::bonds_changed_, Base::exec_, Base::model_, Base::options_, Base::version_;
    using Base::build, Base::correct_weights, Base::find_moments, Base::measure_diagonal, Base::measure_from_moments,
        Base::radius_of, Base::rebuild, Base::reduce_coefficients, Base::welds;
    using Pool = RestPool<Exec>;

    bool regrown_ = false;  // growth_ has changed since the start
    // State.
    Array<Mat3f> Fp_inverse_;  // since the bonds were refreshed
    Array<Mat3f> Fe_inverse_;  // `updated`: from the last step; `bonds`: scratch of a refresh
    Array<float> alpha_;       // plastic strain
    Array<float> released_;    // of the control of metals (physics/release.hpp); empty if there are none
    Array<Sym3f> kernel_;      // C of metals (FollowFlow); empty if there are none
    // Scratch of severing.
    Array<std::uint8_t> severed_, lost_;
    Array<float> next_growth_;
};

}  // namespace pliant
