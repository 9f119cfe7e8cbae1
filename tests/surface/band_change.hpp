// How much two level sets of one body differ.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace pliant::test {

// The farthest that the surface has moved, in spacings: |phi_a - phi_b| is that distance where |grad phi| = 1.
inline double change(NarrowBand const& a, NarrowBand const& b, double spacing) {
    std::map<std::array<std::int32_t, 3>, float> values;
    for (std::size_t i = 0; i < b.node.size(); ++i) values[b.node[i]] = b.distance[i];
    double largest = 0;
    for (std::size_t i = 0; i < a.node.size(); ++i) {
        if (std::abs(a.distance[i]) > 0.5 * spacing) continue;  // not near the surface
        auto const found = values.find(a.node[i]);
        largest = std::max(largest, found == values.end() ? 1e9 : std::abs(a.distance[i] - found->second) / spacing);
    }
    return largest;
}

}  // namespace pliant::test
