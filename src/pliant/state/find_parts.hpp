// Finds which particles are connected by bonds (neighbors/parts.hpp), on any machine.
#pragma once

#include <pliant/neighbors/bonds.hpp>
#include <pliant/neighbors/growth_stages.hpp>
#include <pliant/neighbors/parts.hpp>

namespace pliant {

// Unites the chains of lowest neighbours until the parts are whole. `lowest` is scratch.
template <class Exec>
void unite_chains(Exec& exec, BondsOf<Exec> const& bonds, Parts& parts, typename Exec::template Buffer<Index>& lowest) {
    using View = typename BondsOf<Exec>::template View<false>;
    typename Exec::template Buffer<Index> labels;
    for (bool any = true; any;) {
        exec.upload(labels, parts.labels());
        exec.for_each("parts", {0, Index(lowest.size())},
                      LowestLabel<View>{bonds.view(), labels.data(), lowest.data()});
        auto const least = exec.on_host(lowest);
        any = false;
        for (Index i = 0; i < least.size(); ++i) any = parts.unite(i, least[i]) || any;
    }
}

// The lowest particle of the part of each particle.
template <class Exec>
std::vector<Index> find_parts(Exec& exec, BondsOf<Exec> const& bonds, Index particles) {
    using View = typename BondsOf<Exec>::template View<false>;
    typename Exec::template Buffer<Index> lowest;
    lowest.resize(particles);
    exec.for_each("parts", {0, particles}, LowestNeighbor<View>{bonds.view(), lowest.data()});
    Parts parts(exec.on_host(lowest));
    unite_chains(exec, bonds, parts, lowest);
    return parts.labels();
}

}  // namespace pliant
