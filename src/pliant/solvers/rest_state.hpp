// The rest shape and how plastic flow changes it. Bonds, moments and plastic state live here.
//
// rest = "bonds": every bond keeps its own rest offset. Flow of particle i is first absorbed into Fp_i, and no bond is
// touched; when some particle has flowed by `refresh_strain` since the last time, the bonds are refreshed:
//   r_ij <- (Fp_i + Fp_j) r_ij / 2,   Fp <- I,   w_ij <- w(|r_ij|),
// bonds whose weight has vanished are dropped, and pairs that flow has brought together are taken in with
// r_ij = (Fe_i^-1 + Fe_j^-1) (x_j - x_i) / 2. The mean of both ends keeps r_ji = -r_ij. Only particles that share a
// neighbour come into question, so that parts which merely touch do not weld; matter that is to weld (`weld`) also
// takes what touches it, of any body that welds. Without flow nothing is ever rebuilt. Where matter flows, deviations
// of x_ij from an affine map relax as well: r_ij moves towards what a new bond would get by the share 1 - exp(-strain /
// memory_strain). Kept for ever, they would hold a dent up elastically.
//
// rest = "updated": the paper to the letter, r_ij = Fe_i^-1 (x_j - x_i) after every step for every particle (Zhou eq.
// 15).
#pragma once

#include <pliant/physics/corrections.hpp>
#include <pliant/physics/rest.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/solvers/solver.hpp>

namespace pliant {

struct RestSettings {
    double radius = 2.5;     // kernel radius in spacings
    double zero_energy = 3;  // strength of the zero-energy control
    // The same for bodies that flow. The control is elastic and knows no yield stress: at strength 3 it held up a
    // column of dough that ought to slump (centre after a second at 0.163 m instead of 0.142 m at 0.1, 0.137 m
    // without).
    double zero_energy_flowing = 0.1;
    bool updated = false;       // the paper's rest state
    bool second_order = false;  // gradient fit
};

template <class Exec>
class RestState {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    static constexpr double refresh_strain = 0.05;
    static constexpr double memory_strain = 0.02;
    static constexpr double weld_distance = 1.2;  // in spacings: particles that touch are one apart

    RestState(Exec& exec, Model const& model, RestSettings settings) : exec_(exec), model_(model), settings_(settings) {
        all_ = {0, Index(model.rest.size())};
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        if (corrected()) correction_sum_.resize(all_.size());
        if (settings.updated) Fe_inverse_.resize(all_.size());
        for (BodyModel const& body : model.bodies) set_coefficients(body);
        for (Mat3f& m : Fp_inverse_.span()) m = Mat3f::identity();
        for (Mat3f& m : Fe_inverse_.span()) m = Mat3f::identity();
        std::vector<Bonds::Neighborhood> neighborhoods;
        for (BodyModel const& body : model.bodies) neighborhoods.push_back({body.range, radius_of(body)});
        bonds_.build(exec_, model.rest, neighborhoods);
        measure();
    }

    bool corrected() const { return settings_.updated || settings_.second_order; }

    // work(view) with the view of the bonds as a concrete type.
    template <class Work>
    auto with_bonds(Work const& work) const {
        return corrected() ? work(bonds_.view<true>()) : work(bonds_.view<false>());
    }

    RestShape shape() const { return {A_inverse_.data(), offset_sum_.data(), correction_sum_.data()}; }
    ElasticCoefficients const* coefficients() const { return coefficients_.data(); }
    Sym3f const* diagonal() const { return diagonal_.data(); }
    Mat3f const* Fp_inverse(BodyModel const& body) const { return flows(body) ? Fp_inverse_.data() : nullptr; }
    Array<float> const& plastic_strain() const { return alpha_; }
    std::uint64_t bond_count() const { return bonds_.size(); }
    std::uint64_t version() const { return version_; }      // of the bonds: changes when they do
    void expect_changed_bonds() { bonds_changed_ = true; }  // before for_each_stored reads a checkpoint that has them

    // Step 6 of the paper, at the present places.
    void flow(double dt, Vec4d const* place) {
        double flowed = 0;
        for (BodyModel const& body : model_.bodies) {
            std::visit([&](auto const& solid) { flowed = std::max(flowed, return_map(body, solid, dt, place)); },
                       body.material);
        }
        if (settings_.updated)
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
        if (self.bonds_changed_) Bonds::for_each_stored(visit, self.bonds_);  // else they follow from the scene
    }

    // After for_each_stored has filled everything in: what follows from the bonds.
    void restored(Vec4d const* place) {
        ++version_;
        if (settings_.updated)
            correct_updated(place);
        else
            measure();
    }

    std::uint64_t bytes() const {
        std::uint64_t total = bonds_.bytes() + correction_sum_.bytes() + Fe_inverse_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    static bool flows(BodyModel const& body) {
        return std::visit([](auto const& solid) { return solid.plasticity.flows; }, body.material);
    }

    double radius_of(BodyModel const& body) const { return settings_.radius * body.spacing; }

    void set_coefficients(BodyModel const& body) {
        Corotated const lame(body.parameters);
        double const strength = flows(body) ? settings_.zero_energy_flowing : settings_.zero_energy;
        double const k = strength * body.parameters.young * body.volume /
                         (lattice_second_moment(settings_.radius) * body.spacing * body.spacing);
        for (Index i = body.range.begin; i < body.range.end; ++i) radius_[i] = float(radius_of(body));
        for (Index i = body.range.begin; i < body.range.end; ++i)
            coefficients_[i] = {float(2 * lame.mu * body.volume), float(lame.lambda * body.volume), float(k)};
    }

    template <class Solid>
    double return_map(BodyModel const& body, Solid const& solid, double dt, Vec4d const* place) {
        return with_bonds([&](auto bonds) -> double {
            using View = decltype(bonds);
            if constexpr (decltype(solid.plasticity)::flows) {
                return exec_.max(
                    "plasticity", body.range, 0,
                    ReturnMap<View, Solid>{bonds, solid, float(dt), place, A_inverse_.data(), coefficients_.data(),
                                           Fp_inverse_.data(), alpha_.data(), flowed_.data()});
            }
            return 0;
        });
    }

    // Moments and what follows from them, for bonds that keep their offsets.
    void measure() {
        exec_.for_each("moments", all_, Moments<BondView>{bonds_.view(), A_inverse_.data(), offset_sum_.data()});
        if (settings_.second_order) correct_to_second_order();
        if (settings_.updated) bonds_.make_corrections();  // all zero: at the start both ends agree
        measure_diagonal();
    }

    void reduce_coefficients() {
        for (BodyModel const& body : model_.bodies) {
            Corotated const lame(body.parameters);
            exec_.for_each("coefficients", body.range, [&](Index i) {
                int const extent = dimensions(cast<double>(A_inverse_[i]));
                coefficients_[i].lambda = float(body.volume * reduced_lambda(lame.mu, lame.lambda, extent));
            });
        }
    }

    void measure_diagonal() {
        reduce_coefficients();
        exec_.for_each("diagonal", all_,
                       DiagonalBlock<BondView>{bonds_.view(), A_inverse_.data(), offset_sum_.data(),
                                               coefficients_.data(), diagonal_.data()});
    }

    void correct_to_second_order() {
        bonds_.make_corrections();
        for (BodyModel const& body : model_.bodies)
            exec_.for_each("second order", body.range,
                           SecondOrderCorrections<BondView>{bonds_.view(), radius_of(body), A_inverse_.data(),
                                                            bonds_.corrections(), correction_sum_.data()});
        exec_.for_each(
            "second order", all_,
            OppositeCorrections<BondView>{bonds_.view(), bonds_.corrections(), bonds_.corrections_opposite()});
    }

    // Fe^-1 of the present positions, with stretches kept within [0.1, 10] (the paper's pseudo-inverse).
    Mat3f elastic_inverse(Index i, BodyModel const& body, Vec4d const* place) const {
        return with_bonds([&](auto bonds) {
            Mat3f const* plastic = flows(body) ? Fp_inverse_.data() + i : nullptr;
            Mat3d const F =
                deformation(bonds, i, PlaceDifference(place, i), A_inverse_[i], plastic, coefficients_[i].contraction())
                    .F;
            Svd3<double> const d = svd3(F);
            Vec3d s;
            for (int k = 0; k < 3; ++k) s[k] = 1 / std::clamp(d.s[k], 0.1, 10.);
            return cast<float>(d.V * Mat3d::diagonal(s) * transpose(d.U));
        });
    }

    // Particles among which a particle looks for new neighbours: its own body, or all bodies that weld.
    class Pool {
    public:
        void add(Range body) {
            for (Index i = body.begin; i < body.end; ++i) members_.push_back(i);
        }
        void sort(Exec& exec, double reach, Vec4d const* place) {
            place_ = place, reach_ = reach;
            grid_.build(exec, {0, Index(members_.size())}, reach, [&](Index k) { return place[members_[k]].xyz(); });
        }
        template <class Visit>
        void near(Index i, Visit const& visit) const {
            Vec3d const center = place_[i].xyz();
            grid_.for_each_near(center, [&](Index k) {
                Index const j = members_[k];
                if (norm_squared(place_[j].xyz() - center) <= reach_ * reach_) visit(j);
            });
        }

    private:
        CellGrid grid_;
        std::vector<Index> members_;
        Vec4d const* place_ = nullptr;
        double reach_ = 0;
    };

    static bool welds(BodyModel const& body) { return body.parameters.weld; }

    void refresh(Vec4d const* place) {
        Fe_inverse_.resize(all_.size());
        Pool welding;
        double weld_reach = 0;
        for (BodyModel const& body : model_.bodies) {
            if (!flows(body)) continue;
            exec_.for_each("refresh", body.range, [&](Index i) { Fe_inverse_[i] = elastic_inverse(i, body, place); });
            if (!welds(body)) continue;
            welding.add(body.range);
            weld_reach = std::max(weld_reach, 1.25 * radius_of(body));
        }
        if (weld_reach > 0) welding.sort(exec_, weld_reach, place);
        for (BodyModel const& body : model_.bodies) {
            if (flows(body))
                refresh(body, welding, place);
            else
                bonds_.carry_over(body.range);
        }
        bonds_.finish_rebuild();
        bonds_changed_ = true;
        ++version_;
        for (BodyModel const& body : model_.bodies) {
            if (!flows(body)) continue;
            for (Index i = body.range.begin; i < body.range.end; ++i)
                Fp_inverse_[i] = Mat3f::identity(), flowed_[i] = 0;
        }
        measure();
    }

    void refresh(BodyModel const& body, Pool const& welding, Vec4d const* place) {
        auto const bond_of = [&](Index i, Index j, Vec3d r) {
            double const w = kernel_weight(norm(r), 0.5 * (double(radius_[i]) + radius_[j]));
            return Vec4::from(cast<float>(w * r), float(w));
        };
        auto const apart = [&](Index i, Index j) { return place[j].xyz() - place[i].xyz(); };
        auto const seen = [&](Index i, Index j) {  // (Fe_i^-1 + Fe_j^-1) x_ij / 2
            return cast<double>(0.5f * (Fe_inverse_[i] + Fe_inverse_[j])) * apart(i, j);
        };
        auto const keep = [&](Index i, Index j, Vec4 bond) {
            float const strain = 0.5f * (flowed_[i] + flowed_[j]);
            if (strain == 0) return bond;
            Mat3d const Fp = cast<double>(0.5f * (inverse(Fp_inverse_[i]) + inverse(Fp_inverse_[j])));
            double const share = -std::expm1(-double(strain) / memory_strain);
            Vec3d const mapped = Fp * (cast<double>(bond.xyz()) / double(bond[3]));
            return bond_of(i, j, (1 - share) * mapped + share * seen(i, j));
        };
        auto const touch = [&](Index i, Index j) {  // nearer than `weld_distance` spacings
            double const most = weld_distance * 0.5 * (double(radius_[i]) + radius_[j]) / settings_.radius;
            return norm_squared(apart(i, j)) < most * most;
        };
        auto const take = [&](Index i, Index j) {
            if (flowed_[i] + flowed_[j] == 0) return Vec4::zero();
            bool const met = bonds_.share_neighbor(i, j) || (welds(body) && touch(i, j));
            return met ? bond_of(i, j, seen(i, j)) : Vec4::zero();
        };
        Pool own;
        if (!welds(body)) {
            own.add(body.range);
            own.sort(exec_, 1.25 * radius_of(body), place);
        }
        Pool const& pool = welds(body) ? welding : own;
        auto const near = [&](Index i, auto const& visit) { pool.near(i, visit); };
        bonds_.rebuild(exec_, body.range, keep, near, take);
    }

    void update(Vec4d const* place) {
        for (BodyModel const& body : model_.bodies)
            exec_.for_each("rest state", body.range,
                           [&](Index i) { Fe_inverse_[i] = elastic_inverse(i, body, place); });
        for (Mat3f& m : Fp_inverse_.span()) m = Mat3f::identity();
        for (BodyModel const& body : model_.bodies) {
            UpdatedRest const rest{place, Fe_inverse_.data(), radius_of(body)};
            // The search goes through the cells of the present positions, as in the paper, and the kernel decides.
            Pool own;
            own.add(body.range);
            own.sort(exec_, 1.25 * radius_of(body), place);
            bonds_.rebuild(
                exec_, body.range, [&](Index i, Index j, Vec4) { return rest.bond(i, j); },
                [&](Index i, auto const& visit) { own.near(i, visit); },
                [&](Index i, Index j) { return rest.bond(i, j); });
        }
        bonds_.finish_rebuild();
        bonds_changed_ = true;
        ++version_;
        correct_updated(place);
    }

    void correct_updated(Vec4d const* place) {
        bonds_.make_corrections();
        for (BodyModel const& body : model_.bodies)
            exec_.for_each("moments", body.range,
                           UpdatedMoments<BondView>{bonds_.view(),
                                                    {place, Fe_inverse_.data(), radius_of(body)},
                                                    A_inverse_.data(),
                                                    offset_sum_.data()});
        for (BodyModel const& body : model_.bodies)
            exec_.for_each("corrections", body.range,
                           UpdatedCorrections<BondView>{bonds_.view(),
                                                        {place, Fe_inverse_.data(), radius_of(body)},
                                                        A_inverse_.data(),
                                                        bonds_.corrections(),
                                                        bonds_.corrections_opposite(),
                                                        correction_sum_.data()});
        measure_diagonal();
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.A_inverse_), visit(self.diagonal_), visit(self.offset_sum_), visit(self.coefficients_);
        visit(self.Fp_inverse_), visit(self.alpha_), visit(self.flowed_), visit(self.radius_);
    }

    Exec& exec_;
    Model const& model_;
    RestSettings settings_;
    Range all_;
    Bonds bonds_;
    bool bonds_changed_ = false;  // since the start
    std::uint64_t version_ = 0;
    // State.
    Array<Mat3f> Fp_inverse_;      // since the bonds were refreshed
    Array<Mat3f> Fe_inverse_;      // `updated`: of the last step; `bonds`: scratch of a refresh
    Array<float> alpha_, flowed_;  // plastic strain: in all, and since the bonds were refreshed
    // What follows from the bonds.
    Array<Sym3f> A_inverse_, diagonal_;
    Array<Vec4> offset_sum_, correction_sum_;
    Array<ElasticCoefficients> coefficients_;
    Array<float> radius_;  // of the kernel [m]; constant
};

}  // namespace pliant
