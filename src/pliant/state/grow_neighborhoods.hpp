// Makes the neighbourhoods of bonds at rest good where they are poor, and joins loose parts (neighbors/growth.hpp,
// neighbors/parts.hpp). Stages find what is poor; the host decides on radii, the same for every machine; stages change
// the bonds. Where nothing is poor or loose, bonds stay as they are.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/physics/elastic.hpp>
#include <pliant/state/find_parts.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

template <class Exec>
class GrowNeighborhoods {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using View = typename BondsOf<Exec>::template View<false>;

public:
    GrowNeighborhoods(Exec& exec, Model const& model, double radius_in_spacings)
        : exec_(exec),
          host_(threads(exec)),
          rest_(model.rest),
          growth_(rest_.size(), 1.f),
          report_(model.bodies.size()) {
        for (BodyModel const& body : model.bodies)
            bodies_.push_back({body.range, radius_in_spacings * body.spacing, flat});
    }

    std::vector<float> const& growth() const { return growth_; }  // of each particle, in radii of its body
    std::vector<BodyNeighborhoods> const& report() const { return report_; }

    // A_inverse: of the moments of these bonds. Returns whether bonds have changed.
    bool operator()(BondsOf<Exec>& bonds, Sym3f const* A_inverse) {
        Range const all{0, Index(rest_.size())};
        Array<std::uint8_t> flags;
        Array<Index> lowest, selected;
        flags.resize(all.size()), lowest.resize(all.size());
        exec_.for_each("neighborhoods", all, FindPoor<View>{bonds.view(), A_inverse, flags.data(), lowest.data()});
        exec_.select("neighborhoods", all, flags.data(), selected);
        auto const poor = exec_.on_host(selected);
        std::vector<Index> candidates(poor.begin(), poor.end());
        Parts parts(exec_.on_host(lowest));
        join(bonds, parts, lowest);
        grow(candidates);
        std::vector<GrownPair> pairs;
        for (BodyAtRest const& body : bodies_) list_grown_pairs(host_, rest_, body, growth_, pairs);
        if (std::all_of(growth_.begin(), growth_.end(), [](float g) { return g == 1; })) return false;
        sort_grown_pairs(host_, pairs);
        change(bonds, pairs);
        return true;
    }

private:
    static int threads(Exec& exec) {
        if constexpr (requires { exec.threads(); }) return exec.threads();
        return 0;  // all
    }

    bool any_several(Parts& parts) const {
        return std::any_of(bodies_.begin(), bodies_.end(), [&](auto const& b) { return parts.several(b.body); });
    }

    // Unites the chains of lowest neighbours until the parts are whole, and joins those that are near.
    void join(BondsOf<Exec> const& bonds, Parts& parts, Array<Index>& lowest) {
        if (any_several(parts)) unite_chains(exec_, bonds, parts, lowest);
        for (std::size_t b = 0; b < bodies_.size(); ++b)
            join_parts(host_, rest_, bodies_[b], parts, growth_, report_[b]);
    }

    void grow(std::vector<Index> candidates) {
        for (Index i = 0; i < growth_.size(); ++i)
            if (growth_[i] > 1) candidates.push_back(i);
        std::sort(candidates.begin(), candidates.end());
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            Range const body = bodies_[b].body;
            auto const first = std::lower_bound(candidates.begin(), candidates.end(), body.begin);
            auto const last = std::lower_bound(first, candidates.end(), body.end);
            if (first != last) grow_radii(host_, rest_, bodies_[b], {first, last}, growth_, report_[b]);
        }
    }

    void change(BondsOf<Exec>& bonds, std::vector<GrownPair> const& pairs) {
        std::vector<Index> rows(rest_.size() + 1, 0);
        std::vector<Index> to;
        for (GrownPair const& pair : pairs) ++rows[pair.from + 1], to.push_back(pair.to);
        for (std::size_t i = 0; i < rest_.size(); ++i) rows[i + 1] += rows[i];
        Array<Vec3d> points;
        Array<float> growth;
        Array<Index> row, partners;
        exec_.upload(points, rest_), exec_.upload(growth, growth_);
        exec_.upload(row, rows), exec_.upload(partners, to);
        auto const source = [&](BodyAtRest const& body) {
            GrownBond const bond{points.data(), growth.data(), body.radius};
            return ChangedBonds<View, KeepGrown, NearGrown, TakeGrown>{
                bonds.view(), {bond}, {row.data(), partners.data()}, {bond}};
        };
        bonds.start_rebuild(exec_, Index(rest_.size()));
        for (BodyAtRest const& body : bodies_) bonds.count(exec_, body.body, source(body));
        bonds.make_room(exec_);
        for (BodyAtRest const& body : bodies_) bonds.write(exec_, body.body, source(body));
        bonds.finish_rebuild();
        bonds.drop_scratch();
    }

    Exec& exec_;
    Cpu host_;
    std::vector<Vec3d> const& rest_;
    std::vector<BodyAtRest> bodies_;
    std::vector<float> growth_;
    std::vector<BodyNeighborhoods> report_;
};

}  // namespace pliant
