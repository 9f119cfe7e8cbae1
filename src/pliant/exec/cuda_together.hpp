// Kernels whose blocks all run at once and wait for each other, instead of one launch per pass.
#pragma once

#include <pliant/exec/cuda_kernels.hpp>

namespace pliant::kernels {

// A loop of phases as one kernel. All of its blocks run at once (a cooperative launch) and wait for each other after
// each phase; the last one to arrive joins the sums, runs `finish` and releases the others.
inline constexpr int repeat_threads = 1024;

struct BarrierState {
    unsigned arrived = 0, generation = 0;
};

struct Barrier {
    BarrierState* state;
    double* partial;  // sums of blocks

    template <class Finish>
    __device__ void wait(unsigned& generation, Finish const& finish) const {
        __shared__ bool last;
        __syncthreads();
        if (threadIdx.x == 0) last = arrive() == gridDim.x - 1;
        __syncthreads();
        if (last) {
            finish();
            if (threadIdx.x == 0) {
                state->arrived = 0;
                release(generation + 1);
            }
        } else if (threadIdx.x == 0) {
            while (acquired() == generation) {
            }
        }
        ++generation;
        __syncthreads();
    }

private:
    // The memory order that is needed: what a block wrote before it arrived is visible to all after their release.
    // (__threadfence() orders more and takes longer.)
    __device__ unsigned arrive() const {
        unsigned before;
        asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(&state->arrived) : "memory");
        return before;
    }
    __device__ void release(unsigned generation) const {
        asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(&state->generation), "r"(generation) : "memory");
    }
    __device__ unsigned acquired() const {
        unsigned generation;
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(generation) : "l"(&state->generation) : "memory");
        return generation;
    }
};

template <class Stage>
__device__ void run_part(Each<Stage> const& part) {
    constexpr Index lanes = lanes_of<Stage>();
    Range const mine = part_of_block(part.range);
    for (Index i = mine.begin + threadIdx.x / lanes; i < mine.end; i += repeat_threads / lanes) part.stage(i);
}

template <class Stage>
__device__ void run_phase(Each<Stage> const& phase, Barrier const& barrier, unsigned& generation) {
    if (phase.range.size() == 0) return;
    run_part(phase);
    barrier.wait(generation, [] {});
}
template <class A, class B>
__device__ void run_phase(Both<A, B> const& phase, Barrier const& barrier, unsigned& generation) {
    run_part(phase.a), run_part(phase.b);
    barrier.wait(generation, [] {});
}

template <class Stage, class Finish>
__device__ void run_phase(SumThen<Stage, Finish> const& phase, Barrier const& barrier, unsigned& generation) {
    using Values = decltype(phase.stage(Index{}));
    constexpr int N = int(std::tuple_size_v<Values>);
    constexpr Index lanes = lanes_of<Stage>();
    __shared__ double shared[repeat_threads / 32];
    double mine[N] = {};
    Range const part = part_of_block(phase.range);
    for (Index i = part.begin + threadIdx.x / lanes; i < part.end; i += repeat_threads / lanes) {
        Values const one = phase.stage(i);
        if (lanes > 1 && threadIdx.x % lanes != 0) continue;
        for (int k = 0; k < N; ++k) mine[k] += one[k];
    }
    for (int k = 0; k < N; ++k) {
        double const block = join_block<Add, repeat_threads>(mine[k], shared);
        if (threadIdx.x == 0) barrier.partial[blockIdx.x * N + k] = block;
    }
    barrier.wait(generation, [&] {
        Values all{};
        for (int k = 0; k < N; ++k) {
            double sum = 0;
            for (unsigned b = threadIdx.x; b < gridDim.x; b += repeat_threads)
                sum += __ldcg(barrier.partial + b * N + k);
            all[k] = join_block<Add, repeat_threads>(sum, shared);
        }
        if (threadIdx.x == 0) phase.finish(all);
    });
}

// One team of four warps per segment: values are joined by shuffles, then through shared memory.
template <class Stage, class Value>
__device__ void run_phase(Join<Stage, Value> const& phase, Barrier const& barrier, unsigned& generation) {
    constexpr unsigned team_warps = 4, team_threads = 32 * team_warps, teams = repeat_threads / team_threads;
    constexpr unsigned words = sizeof(Value) / 4;
    static_assert(sizeof(Value) % 4 == 0);
    __shared__ alignas(16) unsigned char memory[repeat_threads / 32 * sizeof(Value)];
    Value* const shared = reinterpret_cast<Value*>(memory);
    unsigned const team = threadIdx.x / team_threads, thread = threadIdx.x % team_threads, warp = threadIdx.x / 32;
    for (Index first = 0; first < phase.segments; first += gridDim.x * teams) {
        Index const s = first + blockIdx.x + gridDim.x * team;
        Value mine = Value::nothing();
        Index const end = s < phase.segments ? phase.first[s + 1] : 0;
        for (Index k = s < phase.segments ? phase.first[s] + thread : 0; k < end; k += team_threads)
            mine.join(phase.stage(k));
        for (int step = 16; step > 0; step /= 2) {
            Value other = mine;
            for (unsigned w = 0; w < words; ++w)
                reinterpret_cast<unsigned*>(&other)[w] =
                    __shfl_down_sync(~0u, reinterpret_cast<unsigned*>(&mine)[w], step);
            mine.join(other);
        }
        if (threadIdx.x % 32 == 0) shared[warp] = mine;
        __syncthreads();
        if (thread == 0 && s < phase.segments) {
            for (unsigned w = 1; w < team_warps; ++w) mine.join(shared[warp + w]);
            phase.out[s] = mine;
        }
        __syncthreads();
    }
    barrier.wait(generation, [] {});
}

template <class... Phases>
__device__ void run_phase(Sequence<Phases...> const& phases, Barrier const& barrier, unsigned& generation) {
    if constexpr (sizeof...(Phases) > 0) {
        run_phase(phases.first, barrier, generation);
        run_phase(phases.others, barrier, generation);
    }
}
// States and conditions change only within barriers: all threads of all blocks take the same branch.
template <class State, class... Phases>
__device__ void run_phase(While<State, Phases...> const& loop, Barrier const& barrier, unsigned& generation) {
    while (loop.state->goes_on()) run_phase(loop.phases, barrier, generation);
}
template <class Condition, class... Phases>
__device__ void run_phase(If<Condition, Phases...> const& choice, Barrier const& barrier, unsigned& generation) {
    if (choice.condition()) run_phase(choice.phases, barrier, generation);
}

template <class Loop>
__global__ void __launch_bounds__(repeat_threads, 1) repeat(Barrier const barrier, Loop const loop) {
    unsigned generation = *static_cast<unsigned volatile*>(&barrier.state->generation);
    run_phase(loop, barrier, generation);
}

// Groups few entries in one kernel: entries are counted, placed in arbitrary order, and then ranked within their
// groups. Each entry reads its whole group, which should be small (cells of a grid, touches of a particle). Entries
// with the key `groups` come last, in any order. `next` has room for all groups and one more, `placed` for all entries.
template <int threads>
__global__ void __launch_bounds__(threads, 1)
    group_few(Barrier const barrier, Index const* keys, Index count, Index groups, Index* next, Index* placed,
              Index* row, Index* order) {
    unsigned generation = *static_cast<unsigned volatile*>(&barrier.state->generation);
    Index const mine = blockIdx.x * threads + threadIdx.x, step = gridDim.x * threads;
    for (Index g = mine; g <= groups; g += step) next[g] = 0;
    barrier.wait(generation, [] {});
    for (Index k = mine; k < count; k += step) atomicAdd(next + keys[k], 1u);
    barrier.wait(generation, [&] {  // counts to starts
        __shared__ Index sums[threads / 32];
        Index const each = (groups + threads) / threads;
        Index const begin = min(threadIdx.x * each, groups + 1), end = min(begin + each, groups + 1);
        Index sum = 0;
        for (Index g = begin; g < end; ++g) sum += __ldcg(next + g);
        Index start = sum;  // inclusive sum up to this thread
        for (unsigned by = 1; by < 32; by *= 2) {
            Index const before = __shfl_up_sync(~0u, start, by);
            if (threadIdx.x % 32 >= by) start += before;
        }
        if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = start;
        __syncthreads();
        start -= sum;
        for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) start += sums[warp];
        for (Index g = begin; g < end; ++g) {
            Index const here = __ldcg(next + g);
            row[g] = next[g] = start;
            start += here;
        }
        __syncthreads();  // before one thread releases the other blocks
    });
    for (Index k = mine; k < count; k += step) placed[atomicAdd(next + keys[k], 1u)] = k;
    barrier.wait(generation, [] {});
    for (Index p = mine; p < count; p += step) {
        Index const k = placed[p], g = keys[k];
        if (g == groups) {
            order[p] = k;
            continue;
        }
        Index rank = row[g];
        for (Index q = row[g]; q < row[g + 1]; ++q) rank += placed[q] < k;
        order[rank] = k;
    }
}

// Whether lanes share a particle in a phase, as they do for few particles.
template <class Phase>
struct SharesParticles;
template <class Stage>
struct SharesParticles<Each<Stage>> : std::bool_constant<tells_of_few<Stage>()> {};
template <class Stage, class Finish>
struct SharesParticles<SumThen<Stage, Finish>> : std::bool_constant<tells_of_few<Stage>()> {};
template <class Stage, class Value>
struct SharesParticles<Join<Stage, Value>> : std::false_type {};
template <class A, class B>
struct SharesParticles<Both<A, B>> : std::disjunction<SharesParticles<A>, SharesParticles<B>> {};
template <class... Phases>
struct SharesParticles<Sequence<Phases...>> : std::disjunction<SharesParticles<Phases>...> {};
template <class State, class... Phases>
struct SharesParticles<While<State, Phases...>> : std::disjunction<SharesParticles<Phases>...> {};
template <class Condition, class... Phases>
struct SharesParticles<If<Condition, Phases...>> : std::disjunction<SharesParticles<Phases>...> {};

}  // namespace pliant::kernels
