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

#include <pliant/data/model.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/neighbors/cut_stages.hpp>
#include <pliant/physics/kernel_corrections.hpp>
#include <pliant/physics/refresh.hpp>
#include <pliant/physics/rest.hpp>
#include <pliant/state/grow_neighborhoods.hpp>
#include <pliant/state/rest_options.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

template <class Exec>
class RestState {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using View = typename BondsOf<Exec>::template View<false>;

public:
    static constexpr double refresh_strain = 0.05;

    RestState(Exec& exec, Model const& model, RestOptions const& options)
        : exec_(exec), model_(model), options_(options) {
        all_ = {0, Index(model.rest.size())};
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        if (corrected()) correction_sum_.resize(all_.size());
        if (options.updated()) Fe_inverse_.resize(all_.size());
        if (options.has_defect()) defect_.resize(all_.size());
        set_coefficients();
        exec_.fill(Fp_inverse_, Mat3f::identity());
        exec_.fill(Fe_inverse_, Mat3f::identity());
        build();
        measure_from_moments();
    }

    bool any_flows() const { return std::any_of(model_.bodies.begin(), model_.bodies.end(), flows); }
    bool changes() const { return any_flows() || options_.updated(); }  // from step to step
    bool corrected() const { return options_.updated() || options_.second_order() || options_.sph(); }

    // work(view) with the view of the bonds as a concrete type.
    template <class Work>
    auto with_bonds(Work const& work) const {
        return corrected() ? work(bonds_.template view<true>()) : work(bonds_.template view<false>());
    }

    // For what needs only to know who is bonded to whom, and offsets and weights.
    template <class Work>
    auto with_plain_bonds(Work const& work) const {
        return work(bonds_.view());
    }

    // For methods whose weights always have corrections.
    template <class Work>
    void with_corrected_bonds(Work const& work) const {
        work(bonds_.template view<true>());
    }

    // The same for products: in half precision if there are no corrections.
    template <class Work>
    auto with_product_bonds(Work const& work) const {
        return corrected() ? work(bonds_.template view<true>()) : work(bonds_.packed_view());
    }

    RestShape shape() const {
        return {A_inverse_.data(), offset_sum_.data(), correction_sum_.data(),
                options_.has_defect() ? defect_.data() : nullptr};
    }
    RestShape product_shape() const {
        return corrected() ? shape() : RestShape{A_inverse_.data(), packed_offset_sum_.data(), nullptr};
    }
    ElasticCoefficients const* coefficients() const { return coefficients_.data(); }
    Sym3f const* diagonal() const { return diagonal_.data(); }
    // Where strains add up: C_p in its place (materials/additive.hpp).
    Mat3f const* Fp_inverse(BodyModel const& body) const { return has_plasticity(body) ? Fp_inverse_.data() : nullptr; }
    Array<float> const& plastic_strain() const { return alpha_; }
    // The lowest particle of the part of each particle: of all that it is connected with by bonds.
    std::vector<Index> parts() const { return find_parts(exec_, bonds_, all_.size()); }
    std::uint64_t bond_count() const { return bonds_.size(); }
    std::vector<BodyNeighborhoods> const& neighborhoods() const { return neighborhoods_; }  // at the start, per body
    float const* growth() const { return growth_.data(); }                                  // of each particle's radius
    std::uint64_t version() const { return version_; }  // of the bonds: increases when they change
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

    // Step 6 of the paper, at the positions `place`.
    void flow(double dt, Vec4d const* place) {
        bool any = false;
        for (BodyModel const& body : model_.bodies) {
            std::visit([&](auto const& solid) { return_map(body, solid, dt, place); }, body.material);
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
    }

    std::uint64_t bytes() const {
        std::uint64_t total = bonds_.bytes() + severed_.bytes() + lost_.bytes() + next_growth_.bytes() +
                              correction_sum_.bytes() + defect_.bytes() + packed_offset_sum_.bytes() +
                              Fe_inverse_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

    // The memory that the first rebuild of bonds will need, without the grid of its search.
    std::uint64_t bytes_of_flow() const {
        if (!options_.updated() && !any_flows()) return 0;
        return bonds_.rebuild_bytes() + all_.size() * sizeof(Mat3f) - Fe_inverse_.bytes();
    }

private:
    double radius_of(BodyModel const& body) const { return options_.radius * body.spacing; }

    void build() {  // the bonds of the scene, and their moments
        std::vector<Neighborhood> neighborhoods;
        for (BodyModel const& body : model_.bodies) neighborhoods.push_back({body.range, radius_of(body)});
        bonds_.build(exec_, model_.rest, neighborhoods);
        find_moments();
        GrowNeighborhoods<Exec> grow(exec_, model_, options_.radius);
        if (grow(bonds_, A_inverse_.data())) find_moments();
        exec_.upload(growth_, grow.growth());
        neighborhoods_ = grow.report();
    }

    double zero_energy_of(BodyModel const& body) const {  // k [J/m2]; that of the softest for bodies that may bond
        double k = own_zero_energy_of(body);
        for (BodyModel const& other : model_.bodies)
            if (welds(body) && welds(other)) k = std::min(k, own_zero_energy_of(other));
        return k;
    }
    double own_zero_energy_of(BodyModel const& body) const {
        double const strength = flows(body) ? options_.zero_energy_flowing : options_.zero_energy;
        return strength * body.parameters.young * body.volume /
               (lattice_second_moment(options_.radius) * body.spacing * body.spacing);
    }

    void set_coefficients() {
        std::vector<float> radius(all_.size());
        std::vector<ElasticCoefficients> coefficients(all_.size());
        for (BodyModel const& body : model_.bodies) {
            Corotated const lame(body.parameters);
            double const k = zero_energy_of(body);
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                radius[i] = float(radius_of(body));
                coefficients[i] = {float(2 * lame.mu * body.volume), float(lame.lambda * body.volume), float(k)};
            }
        }
        exec_.upload(radius_, radius);
        exec_.upload(coefficients_, coefficients);
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

    // Moments and what follows from them, for bonds that keep their offsets.
    void find_moments() {
        exec_.for_each("moments", all_, Moments<View>{bonds_.view(), A_inverse_.data(), offset_sum_.data()});
    }
    void measure_from_moments() {
        correct_weights();
        if (options_.updated()) bonds_.make_corrections();  // all zero: at the start both ends of a bond agree
        if (!corrected()) pack();
        measure_diagonal();
    }

    void pack() {
        bonds_.pack(exec_);
        packed_offset_sum_.resize(all_.size());
        auto const packed = bonds_.packed_view();
        exec_.for_each("bonds: pack", all_,
                       SumPackedOffsets<std::decay_t<decltype(packed)>>{packed, packed_offset_sum_.data()});
    }

    void reduce_coefficients() {
        for (BodyModel const& body : model_.bodies) {
            Corotated const lame(body.parameters);
            exec_.for_each("coefficients", body.range,
                           ReduceCoefficients{lame.mu, lame.lambda, body.volume, A_inverse_.data(), flowed_.data(),
                                              coefficients_.data()});
        }
    }

    void measure_diagonal() {
        reduce_coefficients();
        exec_.for_each("diagonal", all_,
                       DiagonalBlock<View>{bonds_.view(), A_inverse_.data(), offset_sum_.data(), coefficients_.data(),
                                           diagonal_.data()});
    }

    void correct_weights() {  // as far as they follow from the bonds
        if (!options_.second_order() && !options_.sph()) return;
        bonds_.make_corrections();
        for (BodyModel const& body : model_.bodies)
            if (options_.sph())
                exec_.for_each("kernel", body.range,
                               KernelCorrections<View>{.bonds = bonds_.view(),
                                                       .kernel = options_.kernel,
                                                       .body_radius = radius_of(body),
                                                       .volume = body.volume,
                                                       .growth = growth_.data(),
                                                       .A_inverse = A_inverse_.data(),
                                                       .corrections = bonds_.corrections(),
                                                       .correction_sum = correction_sum_.data(),
                                                       .defect = options_.has_defect() ? defect_.data() : nullptr});
            else
                exec_.for_each("second order", body.range,
                               SecondOrderCorrections<View>{bonds_.view(), radius_of(body), A_inverse_.data(),
                                                            bonds_.corrections(), correction_sum_.data()});
        exec_.for_each(options_.sph() ? "kernel" : "second order", all_,
                       OppositeCorrections<View>{bonds_.view(), bonds_.corrections(), bonds_.corrections_opposite()});
    }

    void invert_elastic(char const* name, BodyModel const& body, Vec4d const* place) {
        with_bonds([&](auto bonds) {
            exec_.for_each(name, body.range,
                           ElasticInverse<decltype(bonds)>{bonds, place, A_inverse_.data(), Fp_inverse(body),
                                                           coefficients_.data(), Fe_inverse_.data()});
            return 0;
        });
    }

    // The particles among which a particle looks for new neighbours: those of its own body, or of all bodies that weld.
    class Pool {
    public:
        void add(Exec& exec, Range body) {
            Index const first = Index(members_.size());
            members_.resize(first + body.size());
            exec.for_each("members", {0, body.size()}, ListMembers{body.begin, first, members_.data()});
        }
        void sort(Exec& exec, double reach, Vec4d const* place) {
            place_ = place, reach_ = reach;
            grid_.build(exec, {0, Index(members_.size())}, reach, MemberPlace{place, members_.data()});
        }
        auto near() const {
            return NearMembers<typename GridFor<Exec>::View>{grid_.view(), members_.data(), place_, reach_ * reach_};
        }

    private:
        GridFor<Exec> grid_;
        Array<Index> members_;
        Vec4d const* place_ = nullptr;
        double reach_ = 0;
    };

    static bool welds(BodyModel const& body) { return body.parameters.weld; }

    // Rebuilds bonds in two passes over all bodies, counting and writing. source(b) provides the bonds of body b; a
    // body for which `changes` is false keeps its bonds.
    template <class Changes, class Source>
    void rebuild(Changes const& changes, Source const& source) {
        bonds_.start_rebuild(exec_, all_.size());
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            Range const body = model_.bodies[b].range;
            changes(model_.bodies[b]) ? bonds_.count(exec_, body, source(b)) : bonds_.keep_count(exec_, body);
        }
        bonds_.make_room(exec_);
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            Range const body = model_.bodies[b].range;
            changes(model_.bodies[b]) ? bonds_.write(exec_, body, source(b)) : bonds_.carry_over(exec_, body);
        }
        bonds_.finish_rebuild();
        bonds_changed_ = true;
        ++version_;
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
            if (flows(body)) exec_.for_each("refresh", body.range, ReadyFlow{Fp_inverse_.data(), flowed_.data()});
        FlowedState const state{place,          Fe_inverse_.data(), Fp_inverse_.data(),
                                flowed_.data(), radius_.data(),     growth_.data()};
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

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.A_inverse_), visit(self.diagonal_), visit(self.offset_sum_), visit(self.coefficients_);
        visit(self.Fp_inverse_), visit(self.alpha_), visit(self.flowed_), visit(self.radius_), visit(self.growth_);
    }

    Exec& exec_;
    Model const& model_;
    RestOptions options_;
    Range all_;
    BondsOf<Exec> bonds_;
    bool bonds_changed_ = false;  // since the start
    bool regrown_ = false;        // growth_ has changed since the start
    std::uint64_t version_ = 0;
    // State.
    Array<Mat3f> Fp_inverse_;      // since the bonds were refreshed
    Array<Mat3f> Fe_inverse_;      // `updated`: from the last step; `bonds`: scratch of a refresh
    Array<float> alpha_, flowed_;  // plastic strain: total, and since the bonds were refreshed
    // What follows from the bonds.
    Array<Sym3f> A_inverse_, diagonal_;
    Array<Vec4> offset_sum_, correction_sum_, packed_offset_sum_;
    Array<Mat3f> defect_;
    Array<ElasticCoefficients> coefficients_;
    Array<float> radius_;  // of the kernel, before it grew [m]; constant
    Array<float> growth_;  // of the radius (neighbors/growth.hpp); changes only where bonds are severed
    // Scratch of severing.
    Array<std::uint8_t> severed_, lost_;
    Array<float> next_growth_;
    std::vector<BodyNeighborhoods> neighborhoods_;
};

}  // namespace pliant
