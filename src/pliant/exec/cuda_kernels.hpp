// The kernels behind the verbs of Cuda. Sums are formed per thread, per block and then over blocks, each in a fixed
// order that depends only on the number of particles: the same numbers give the same sum, bit for bit.
#pragma once

#include <pliant/exec/lanes.hpp>
#include <pliant/exec/phases.hpp>
#include <pliant/math/search.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pliant::kernels {

// A kernel is launched while the previous one is still running (programmatic dependent launch, from compute capability
// 9.0 on; Cuda::launch), so that its blocks are in place when that one ends. All kernels start with this call: they
// read and write nothing before the previous kernel has ended.
inline __device__ void await_last() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

template <class Stage>
__global__ void for_each(Index begin, Index end, Stage const stage) {
    await_last();
    Index const i = begin + (blockIdx.x * blockDim.x + threadIdx.x) / lanes_of<Stage>();
    if (i < end) stage(i);
}

inline constexpr int reduce_threads = 512;
inline constexpr int reduce_blocks = 1056;  // 8 per multiprocessor of an H200; fixed, so that sums are reproducible

struct Add {
    __device__ static double join(double a, double b) { return a + b; }
};
struct Largest {  // NaN counts as largest
    __device__ static double join(double a, double b) { return b > a || b != b ? b : a; }
};

// Joins one value per thread of the block; thread 0 gets the result.
template <class Op, int threads = reduce_threads>
__device__ double join_block(double value, double* shared) {
    for (int step = 16; step > 0; step /= 2) value = Op::join(value, __shfl_down_sync(~0u, value, step));
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < threads / 32) {
        value = shared[threadIdx.x];
        constexpr unsigned mask = threads == 1024 ? ~0u : (1u << threads / 32) - 1;
        for (int step = threads / 64; step > 0; step /= 2) value = Op::join(value, __shfl_down_sync(mask, value, step));
    }
    __syncthreads();
    return value;
}

// Consecutive particles have common neighbours: a block takes a run of them and finds the neighbours in its cache.
inline __device__ Range part_of_block(Range all) {
    Index const each = (all.size() + gridDim.x - 1) / gridDim.x;
    Index const begin = all.begin + min(blockIdx.x * each, all.size());
    return {begin, min(begin + each, all.end)};
}

// Joins stage(i), an array of N doubles, over a range; the last block to end joins the results of all blocks and passes
// them to finish.
template <class Op, int N, class Stage, class Finish>
__global__ void __launch_bounds__(reduce_threads, gathers<Stage>() ? 2 : 1)
    reduce(Index begin, Index end, Stage const stage, Finish const finish, double least, double* partial,
           unsigned* ended) {
    __shared__ double shared[reduce_threads / 32];
    __shared__ bool last;
    await_last();
    double mine[N];
    for (int k = 0; k < N; ++k) mine[k] = least;
    constexpr Index lanes = lanes_of<Stage>();
    Range const mine_of = part_of_block({begin, end});
    for (Index i = mine_of.begin + threadIdx.x / lanes; i < mine_of.end; i += reduce_threads / lanes) {
        auto const one = stage(i);
        if (lanes > 1 && threadIdx.x % lanes != 0) continue;  // all lanes have the same values
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

// Phases that are launched one by one before it is known whether they are due; if not, their stages do nothing.
template <class State>
struct GoesOn {
    State const* state;
    __device__ bool operator()() const { return state->goes_on(); }
};
template <class Condition, class Stage>
struct WhenDue {
    static constexpr Index lanes = lanes_of<Stage>();
    static constexpr bool waits_for_gather = gathers<Stage>();
    Condition condition;
    Stage stage;

    using Result = decltype(std::declval<Stage const&>()(Index{}));
    __device__ Result operator()(Index i) const {
        if (condition()) return stage(i);
        if constexpr (!std::is_void_v<Result>) return Result{};
    }
};
template <class Condition, class Stage, class Value>
struct JoinWhenDue {
    Condition condition;
    Stage stage;
    __device__ Value operator()(Index k) const { return condition() ? stage(k) : Value::nothing(); }
};
template <class Condition, class Finish>
struct FinishWhenDue {
    Condition condition;
    Finish finish;
    template <class Values>
    __device__ void operator()(Values const& values) const {
        if (condition()) finish(values);
    }
};
template <class Condition, class Stage>
auto guarded(Condition const& condition, Each<Stage> const& phase) {
    return Each{phase.name, phase.range, WhenDue<Condition, Stage>{condition, phase.stage}};
}
template <class Condition, class Stage, class Finish>
auto guarded(Condition const& condition, SumThen<Stage, Finish> const& phase) {
    return SumThen{phase.name, phase.range, WhenDue<Condition, Stage>{condition, phase.stage},
                   FinishWhenDue<Condition, Finish>{condition, phase.finish}};
}
template <class Condition, class Stage, class Value>
auto guarded(Condition const& condition, Join<Stage, Value> const& phase) {
    return Join{phase.name, phase.first, phase.segments, JoinWhenDue<Condition, Stage, Value>{condition, phase.stage},
                phase.out};
}
template <class Condition, class A, class B>
auto guarded(Condition const& condition, Both<A, B> const& phase) {
    return Both{guarded(condition, phase.a), guarded(condition, phase.b)};
}
template <class First, class... Others>
Sequence<First, Others...> prepended(First const& first, Sequence<Others...> const& others) {
    return {first, others};
}
template <class Condition, class... Phases>
auto guarded(Condition const& condition, Sequence<Phases...> const& phases) {
    if constexpr (sizeof...(Phases) == 0)
        return phases;
    else {
        auto const others = guarded(condition, phases.others);
        return prepended(guarded(condition, phases.first), others);
    }
}

// A single value as an array, for reduce.
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

// One block per segment: out[s] = stage(k) joined over the segment.
inline constexpr int join_threads = 128;
template <class Stage, class Value>
__global__ void join(Index const* first, Stage const stage, Value* out) {
    __shared__ alignas(16) unsigned char memory[join_threads * sizeof(Value)];
    Value* const shared = reinterpret_cast<Value*>(memory);
    await_last();
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

// Receives the sums of a scan one by one: writes the starts, and the last sum with all its bits, even if it does not
// fit into an Index.
struct WriteStart {
    Index* starts;
    Index last;
    std::uint64_t* total;
    __device__ void operator()(std::ptrdiff_t i, std::uint64_t sum) const {
        starts[i] = Index(sum);
        if (i == std::ptrdiff_t(last)) *total = sum;
    }
};

struct Count {  // 0, 1, 2, ...
    Index* to;
    __device__ void operator()(Index i) const { to[i] = i; }
};

// The first entry of each group among sorted keys.
struct FirstOfGroup {
    Index const* keys;
    Index count;
    Index* row;
    __device__ void operator()(Index g) const { row[g] = first_not_below(keys, count, g); }
};

}  // namespace pliant::kernels
