// Lanes: several threads per particle. With few particles a GPU has threads to spare, and the lanes of a particle share
// its bonds: each processes every `lanes`-th bond, and their sums are joined by shuffles within the warp. All lanes
// then continue with the same numbers and write the same results. On the host a particle always has one lane.
#pragma once

#include <pliant/math/real.hpp>

namespace pliant {

template <Index count>
struct Lanes {
    static constexpr Index lanes = count;
    static_assert(count > 0 && 32 % count == 0);

#ifdef __CUDA_ARCH__
    static __device__ Index lane() { return count == 1 ? 0 : threadIdx.x % count; }
    __device__ static constexpr Index step() { return count; }
#else
    PLIANT_HD static Index lane() { return 0; }
    PLIANT_HD static constexpr Index step() { return 1; }
#endif

    PLIANT_HD static bool leads() { return lane() == 0; }  // whether this is the lane that writes what the others read

    // The sum over all lanes of values that consist only of numbers of type T.
    template <class T, class Value>
    PLIANT_HD static Value join(Value value) {
#ifdef __CUDA_ARCH__
        if constexpr (count > 1) {
            unsigned const mask = together();
            T* const numbers = reinterpret_cast<T*>(&value);
#pragma unroll
            for (Index step = count / 2; step > 0; step /= 2)
#pragma unroll
                for (unsigned n = 0; n < sizeof(Value) / sizeof(T); ++n)
                    numbers[n] += __shfl_xor_sync(mask, numbers[n], step);
        }
#endif
        return value;
    }

    // The smallest value of all lanes.
    PLIANT_HD static double least(double value) {
#ifdef __CUDA_ARCH__
#pragma unroll
        for (Index step = count / 2; step > 0; step /= 2) {
            double const other = __shfl_xor_sync(together(), value, step);
            value = other < value ? other : value;
        }
#endif
        return value;
    }

    // The lanes for which `is` holds, as bits. All lanes must call this together.
    PLIANT_HD static unsigned which(bool is) {
#ifdef __CUDA_ARCH__
        unsigned const first = threadIdx.x % 32 / count * count;
        return __ballot_sync(together(), is) >> first & (~0u >> (32 - count));
#else
        return is ? 1 : 0;
#endif
    }

    // The value of another lane, and of the previous lane (for the first lane its own). All lanes must call these
    // together.
    template <class T>
    PLIANT_HD static T from([[maybe_unused]] Index other, T value) {
#ifdef __CUDA_ARCH__
        if constexpr (count > 1) return __shfl_sync(together(), value, int(other), count);
#endif
        return value;
    }
    template <class T>
    PLIANT_HD static T before(T value) {
#ifdef __CUDA_ARCH__
        if constexpr (count > 1) return __shfl_up_sync(together(), value, 1, count);
#endif
        return value;
    }

private:
#ifdef __CUDA_ARCH__
    static __device__ unsigned together() {  // the lanes of a particle, as bits of its warp
        return (~0u >> (32 - count)) << (threadIdx.x % 32 / count * count);
    }
#endif
};

// The number of threads per particle that a stage uses.
template <class Stage>
constexpr Index lanes_of() {
    if constexpr (requires { Stage::lanes; }) {
        return Stage::lanes;
    } else {
        return 1;
    }
}

// Whether a stage waits for data gathered from neighbours: then many warps must run at once.
template <class Stage>
constexpr bool gathers() {
    if constexpr (requires { Stage::waits_for_gather; }) {
        return Stage::waits_for_gather;
    } else {
        return false;
    }
}

// Whether the lanes of a stage indicate that particles are few: not if its items are always few, like touches.
template <class Stage>
constexpr bool tells_of_few() {
    if constexpr (requires { Stage::few_anyway; }) {
        return !Stage::few_anyway && lanes_of<Stage>() > 1;
    } else {
        return lanes_of<Stage>() > 1;
    }
}

}  // namespace pliant
