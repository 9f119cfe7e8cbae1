// Bonds and what follows from them, as long as they keep their offsets: moments, corrected weights, coefficients of the
// elastic forces, blocks of the diagonal. state/rest_state.hpp changes the bonds.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/physics/kernel_corrections.hpp>
#include <pliant/physics/refresh.hpp>
#include <pliant/physics/release.hpp>
#include <pliant/physics/rest.hpp>
#include <pliant/state/grow_neighborhoods.hpp>
#include <pliant/state/rest_options.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

template <class Exec>
class RestBonds {
public:
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using View = typename BondsOf<Exec>::template View<false>;

    bool any_flows() const { return std::any_of(model_.bodies.begin(), model_.bodies.end(), flows); }
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
    // The lowest particle of the part of each particle: of all that it is connected with by bonds.
    std::vector<Index> parts() const { return find_parts(exec_, bonds_, all_.size()); }
    std::uint64_t bond_count() const { return bonds_.size(); }
    std::vector<BodyNeighborhoods> const& neighborhoods() const { return neighborhoods_; }  // at the start, per body
    float const* growth() const { return growth_.data(); }                                  // of each particle's radius
    std::uint64_t version() const { return version_; }  // of the bonds: increases when they change

protected:
    RestBonds(Exec& exec, Model const& model, RestOptions const& options)
        : exec_(exec), model_(model), options_(options) {
        all_ = {0, Index(model.rest.size())};
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        if (corrected()) correction_sum_.resize(all_.size());
        if (options.has_defect()) defect_.resize(all_.size());
        set_coefficients();
    }

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

    std::uint64_t bytes_of_bonds() const {
        std::uint64_t total = bonds_.bytes() + correction_sum_.bytes() + defect_.bytes() + packed_offset_sum_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.A_inverse_), visit(self.diagonal_), visit(self.offset_sum_), visit(self.coefficients_);
        visit(self.radius_), visit(self.growth_), visit(self.flowed_);
    }

    Exec& exec_;
    Model const& model_;
    RestOptions options_;
    Range all_;
    BondsOf<Exec> bonds_;
    bool bonds_changed_ = false;  // since the start
    std::uint64_t version_ = 0;
    Array<float> flowed_;  // plastic strain since the bonds were refreshed
    // What follows from the bonds.
    Array<Sym3f> A_inverse_, diagonal_;
    Array<Vec4> offset_sum_, correction_sum_, packed_offset_sum_;
    Array<Mat3f> defect_;
    Array<ElasticCoefficients> coefficients_;
    Array<float> radius_;  // of the kernel, before it grew [m]; constant
    Array<float> growth_;  // of the radius (neighbors/growth.hpp); changes only where bonds are severed
    std::vector<BodyNeighborhoods> neighborhoods_;
};

}  // namespace pliant
