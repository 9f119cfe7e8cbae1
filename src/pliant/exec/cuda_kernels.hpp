// The kernels behind the verbs of Cuda. Sums are formed a thread, a block and then over blocks, each in a fixed order
// that depends on the number of particles alone: the same numbers give the same sum, bit for bit.
#pragma once

#include <pliant/exec/lanes.hpp>

#include <array>
#include <tuple>

namespace pliant::kernels {

template <class Stage>
__global__ void for_each(Index begin, Index end, Stage const stage) {
    Index const i = begin + (blockIdx.x * blockDim.x + threadIdx.x) / lanes_of<Stage>();
    if (i < end) stage(i);
}

inline constexpr int reduce_threads = 128;
inline constexpr int reduce_blocks = 2112;  // 16 for each multiprocessor of an H200; fixed, so that sums are

struct Add {
    __device__ static double join(double a, double b) { return a + b; }
};
struct Largest {  // NaN counts as largest
    __device__ static double join(double a, double b) { return b > a || b != b ? b : a; }
};

// Joins a value of every thread of the block; thread 0 has the result.
template <class Op>
__device__ double join_block(double value, double* shared) {
    for (int step = 16; step > 0; step /= 2) value = Op::join(value, __shfl_down_sync(~0u, value, step));
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int warp = 1; warp < reduce_threads / 32; ++warp) value = Op::join(value, shared[warp]);
    __syncthreads();
    return value;
}

// Joins stage(i), an array of N doubles, over a range; the last block to end joins what all blocks have and hands it to
// finish.
template <class Op, int N, class Stage, class Finish>
__global__ void reduce(Index begin, Index end, Stage const stage, Finish const finish, double least, double* partial,
                       unsigned* ended) {
    __shared__ double shared[reduce_threads / 32];
    __shared__ bool last;
    double mine[N];
    for (int k = 0; k < N; ++k) mine[k] = least;
    constexpr Index lanes = lanes_of<Stage>();
    for (Index i = begin + (blockIdx.x * blockDim.x + threadIdx.x) / lanes; i < end;
         i += gridDim.x * blockDim.x / lanes) {
        auto const one = stage(i);
        if (lanes > 1 && threadIdx.x % lanes != 0) continue;  // all lanes have the same
        for (int k = 0; k < N; ++k) mine[k] = Op::join(mine[k], one[k]);
    }
    for (int k = 0; k < N; ++k) {
        double const block = join_block<Op>(mine[k], shared);
        if (threadIdx.x == 0) partial[blockIdx.x * N + k] = block;
    }
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ended, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    std::array<double, N> all{};
    for (int k = 0; k < N; ++k) {
        double sum = least;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum = Op::join(sum, __ldcg(partial + b * N + k));
        all[k] = join_block<Op>(sum, shared);
    }
    if (threadIdx.x == 0) {
        *ended = 0;
        finish(all);
    }
}

// One value as an array of one, for reduce.
template <class Stage>
struct AsArray {
    static constexpr Index lanes = lanes_of<Stage>();
    Stage stage;
    __device__ std::array<double, 1> operator()(Index i) const { return {double(stage(i))}; }
};

template <int N>
struct WriteTo {
    double* to;
    __device__ void operator()(std::array<double, N> const& values) const {
        for (int k = 0; k < N; ++k) to[k] = values[k];
    }
};

// A block a segment: out[s] = stage(k) joined over the segment.
inline constexpr int join_threads = 128;
template <class Stage, class Value>
__global__ void join(Index const* first, Stage const stage, Value* out) {
    __shared__ alignas(16) unsigned char memory[join_threads * sizeof(Value)];
    Value* const shared = reinterpret_cast<Value*>(memory);
    Value mine = Value::nothing();
    for (Index k = first[blockIdx.x] + threadIdx.x; k < first[blockIdx.x + 1]; k += join_threads) mine.join(stage(k));
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int step = join_threads / 2; step > 0; step /= 2) {
        if (int(threadIdx.x) < step) shared[threadIdx.x].join(shared[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

template <class T>
struct Fill {
    T value;
    T* to;
    __device__ void operator()(Index i) const { to[i] = value; }
};

struct Count {  // 0, 1, 2, ...
    Index* to;
    __device__ void operator()(Index i) const { to[i] = i; }
};

// Where the entries of a group begin among sorted keys.
struct FirstOfGroup {
    Index const* keys;
    Index count;
    Index* row;
    __device__ void operator()(Index g) const {
        Index low = 0, high = count;
        while (low < high) {
            Index const middle = low + (high - low) / 2;
            keys[middle] < g ? low = middle + 1 : high = middle;
        }
        row[g] = low;
    }
};

}  // namespace pliant::kernels
