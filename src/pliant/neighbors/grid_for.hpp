// The grid that suits an executor: a hash of cells on the CPU, sorted keys and binary searches elsewhere.
#pragma once

#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/neighbors/sorted_grid.hpp>

namespace pliant {

template <class Exec>
struct GridOf {
    using type = SortedGrid<Exec>;
};
template <>
struct GridOf<Cpu> {
    using type = CellGrid;
};
template <class Exec>
using GridFor = typename GridOf<Exec>::type;

}  // namespace pliant
