// Sorting on the threads of a Cpu. By itself, since few sources sort and oneTBB's headers are long.
#pragma once

#include <tbb/parallel_sort.h>
#include <pliant/exec/cpu.hpp>

#include <vector>

namespace pliant {

template <class T>
void parallel_sort(Cpu& exec, std::vector<T>& values) {
    exec.isolate([&] { tbb::parallel_sort(values.begin(), values.end()); });
}

}  // namespace pliant
