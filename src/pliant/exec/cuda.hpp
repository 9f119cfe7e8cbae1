// Work on an NVIDIA GPU: the verbs of Cpu, implemented with CUDA and CUB. A stage is the same struct; kernels are named
// after stages.
//
// All work runs in order on one stream. for_each, sum_then, join and copies between buffers return at once; sum, max,
// select, scan and on_host wait, because they return a result to the host. A failure is noticed at the next wait, whose
// stage is named in the error. With PLIANT_CUDA_SYNC=1 every stage is waited for: errors then name the exact stage, and
// the profile has true times (otherwise those of the launch). A loop that repeat runs as one kernel counts as one
// stage.
#pragma once

#include <pliant/exec/cuda_buffer.hpp>
#include <pliant/exec/cuda_kernels.hpp>
#include <pliant/exec/cuda_parcel.hpp>
#include <pliant/exec/cuda_together.hpp>
#include <pliant/exec/stage_time.hpp>
#include <pliant/exec/verbs.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace pliant {

class Cuda : public Verbs<Cuda> {
public:
    using Verbs<Cuda>::for_each, Verbs<Cuda>::sum, Verbs<Cuda>::sum_then, Verbs<Cuda>::max, Verbs<Cuda>::max_to;
    using Verbs<Cuda>::run, Verbs<Cuda>::select;
    template <class T>
    using Buffer = DeviceBuffer<T>;
    static constexpr Index slice = 32;              // particles of a warp, whose bonds are stored column by column
    static constexpr Index few_particles = 200000;  // below this kernels are short, and their number dominates the time
    static constexpr bool shares_host_memory = false;

    explicit Cuda(int device) : waits_(asked_to_wait()) {
        check_cuda(cudaSetDevice(device), "start");
        check_cuda(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "start");
        cudaFuncAttributes kernel{};  // as compiled: a newer GPU may run code made for an older one
        check_cuda(cudaFuncGetAttributes(&kernel, kernels::for_each<kernels::Count>), "start");
        starts_early_ = kernel.ptxVersion >= 90;
        ended_.resize(1), barrier_.resize(1);
        check_cuda(cudaHostAlloc(&result_, sizeof(Result), cudaHostAllocMapped), "start");
        check_cuda(cudaStreamCreateWithFlags(&way_out_, cudaStreamNonBlocking), "start");
        check_cuda(cudaEventCreateWithFlags(&has_come_, cudaEventDisableTiming), "start");
        check_cuda(cudaEventCreate(&begun_), "start");
        check_cuda(cudaEventCreate(&ended_at_), "start");
    }
    Cuda(Cuda const&) = delete;
    Cuda& operator=(Cuda const&) = delete;
    ~Cuda() {
        parcels_.clear();
        cudaStreamDestroy(way_out_);
        for (cudaEvent_t event : {has_come_, begun_, ended_at_}) cudaEventDestroy(event);
        cudaFreeHost(result_);
    }

    template <class Stage>
    void for_each(char const* name, Range range, Stage const& stage) {
        if (range.size() == 0) return;
        Timer const timer(*this, name);
        std::size_t const all = std::size_t(range.size()) * lanes_of<Stage>();
        unsigned const threads = all < 100000 ? 64 : 128;  // few particles: spread over all multiprocessors
        unsigned const blocks = unsigned((all + threads - 1) / threads);
        launch(name, blocks, threads, kernels::for_each<Stage>, range.begin, range.end, stage);
    }

    template <class Stage>
    auto sum(char const* name, Range range, Stage const& stage) {
        using Values = decltype(stage(Index{}));
        constexpr int count = int(std::tuple_size_v<Values>);
        Values values{};
        if (range.size() == 0) return values;
        Timer const timer(*this, name);
        reduce<kernels::Add, count>(name, range, stage, kernels::WriteTo<count>{result_->sums}, 0);
        wait(name);
        for (int k = 0; k < count; ++k) values[std::size_t(k)] = result_->sums[k];
        return values;
    }

    template <class Stage, class Finish>
    void sum_then(char const* name, Range range, Stage const& stage, Finish const& finish) {
        using Values = decltype(stage(Index{}));
        Timer const timer(*this, name);
        reduce<kernels::Add, int(std::tuple_size_v<Values>)>(name, range, stage, finish, 0);
    }

    // Uses the GPU's clock, so that earlier launches do not count; calls must not be nested. If repeat is one kernel,
    // steps are so short that this would take a fortieth of their time, and the host's clock is used.
    template <class Work>
    double time(char const* name, Work const& work) {
        if (fused_) {
            auto const begin = Profile::Clock::now();
            work();
            return std::chrono::duration<double>(Profile::Clock::now() - begin).count();
        }
        check_cuda(cudaEventRecord(begun_, cudaStreamLegacy), name);
        work();
        check_cuda(cudaEventRecord(ended_at_, cudaStreamLegacy), name);
        check_cuda(cudaEventSynchronize(ended_at_), name);
        float ms = 0;
        check_cuda(cudaEventElapsedTime(&ms, begun_, ended_at_), name);
        return 1e-3 * double(ms);
    }

    // For few particles (shared by lanes): one kernel for the whole loop, with barriers between phases. For many: one
    // launch per phase.
    template <class StateBuffer, class... Phases>
    auto repeat(char const* name, StateBuffer const& state, Phases const&... phases) {
        While const loop{name, state.data(), sequence(phases...)};
        fused_ = kernels::SharesParticles<decltype(loop.phases)>::value;
        if constexpr (kernels::SharesParticles<decltype(loop.phases)>::value) {
            repeat_fused(name, loop);
            return look(name, state.data());
        } else {
            auto now = look(name, state.data());
            while (now.goes_on() && !this->stops()) run(loop.phases), now = look(name, state.data());
            return now;
        }
    }

    template <class Stage>
    double max(char const* name, Range range, double least, Stage const& stage) {
        if (range.size() == 0) return least;
        Timer const timer(*this, name);
        reduce<kernels::Largest, 1>(name, range, kernels::AsArray<Stage>{stage}, kernels::WriteTo<1>{result_->sums},
                                    least);
        wait(name);
        return result_->sums[0];
    }

    template <class Stage>
    void max_to(char const* name, Range range, double least, Stage const& stage, double* to) {
        Timer const timer(*this, name);
        reduce<kernels::Largest, 1>(name, range, kernels::AsArray<Stage>{stage}, kernels::WriteTo<1>{to}, least);
    }

    // An iteration is launched while the last one is still running, before it is known whether it is needed; if not, it
    // does nothing. So within a loop the GPU does not wait for the host, at the cost of one empty iteration.
    template <class State, class... Phases>
    void run(While<State, Phases...> const& loop) {
        auto const body = kernels::guarded(kernels::GoesOn<State>{loop.state}, loop.phases);
        bool goes_on = true;
        while (goes_on) {
            send(loop.name, loop.state);
            run(body);
            goes_on = sent<State>(loop.name).goes_on() && !this->stops();
        }
    }
    template <class Condition, class... Phases>
    void run(If<Condition, Phases...> const& choice) {
        run(kernels::guarded(choice.condition, choice.phases));
    }
    template <class Stage, class Value>
    void run(Join<Stage, Value> const& phase) {
        if (phase.segments == 0) return;
        Timer const timer(*this, phase.name);
        launch(phase.name, phase.segments, kernels::join_threads, kernels::join<Stage, Value>, phase.first, phase.stage,
               phase.out);
    }

    std::uint64_t scan(Index const* counts, Index n, Index* starts) {
        check_cuda(cudaMemsetAsync(starts, 0, sizeof(Index), cudaStreamLegacy), "scan");
        if (n == 0) return 0;
        auto const to = thrust::make_tabulate_output_iterator(kernels::WriteStart{starts + 1, n - 1, &result_->total});
        with_scratch("scan", [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveScanInit(scratch, bytes, counts, to, cuda::std::plus<>{}, std::uint64_t{0},
                                                      n, cudaStreamLegacy);
        });
        wait("scan");
        return result_->total;
    }

    void select(char const* name, Range range, std::uint8_t const* flags, Buffer<Index>& selected) {
        select_from(name, range.size(), thrust::counting_iterator<Index>(range.begin), flags + range.begin, selected);
    }
    template <std::same_as<IndexList> List>
    void select(char const* name, List list, std::uint8_t const* flags, Buffer<Index>& selected) {
        select_from(name, list.count, list.indices, thrust::make_permutation_iterator(flags, list.indices), selected);
    }

    void group(char const* name, Buffer<Index> const& keys, Index groups, Buffer<Index>& row, Buffer<Index>& order) {
        Index const count = Index(keys.size());
        if (count > 0 && count <= most_few && groups < most_few) return group_few(name, keys, groups, row, order);
        int bits = 1;
        while (bits < 32 && groups >> bits != 0) ++bits;
        sort_pairs(name, keys, sorted_, order, bits);
        row.remake(groups + 1);
        for_each(name, {0, groups + 1}, kernels::FirstOfGroup{sorted_.data(), count, row.data()});
    }

    void sort_order(char const* name, Buffer<std::uint64_t> const& keys, Buffer<Index>& order) {
        sort_pairs(name, keys, sorted_keys_, order, 64);
    }

    template <class T>
    void upload(Buffer<T>& to, std::span<std::type_identity_t<T> const> from) {
        to.resize(from.size());
        if (from.empty()) return;
        check_cuda(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, cudaStreamLegacy),
                   "upload");
    }
    template <class T>
    void copy(T const* from, std::size_t count, Buffer<T>& to) {
        to.resize(count);
        if (count == 0) return;
        check_cuda(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToDevice, cudaStreamLegacy),
                   "copy");
    }
    template <class T>
    void fill(Buffer<T>& buffer, T value) {
        for_each("fill", {0, Index(buffer.size())}, kernels::Fill<T>{value, buffer.data()});
    }
    template <class T>
    T const* lend(Buffer<T>& buffer, std::vector<T> const& values) {
        upload(buffer, std::span<T const>(values));
        return buffer.data();
    }
    template <class T>
    std::span<T const> on_host(Buffer<T> const& buffer) const {
        return on_host(buffer.data(), buffer.size());
    }
    template <class T>
    std::span<T const> on_host(T const* from, std::size_t count) const {
        std::size_t const bytes = count * sizeof(T);
        T const* const there = static_cast<T const*>(staging_.at_least(std::max<std::size_t>(bytes, 4096)));
        if (bytes > 0)
            check_cuda(cudaMemcpyAsync(const_cast<T*>(there), from, bytes, cudaMemcpyDefault, cudaStreamLegacy),
                       "download");
        wait("download");
        return {there, count};
    }

    // Arrays copied to the host while work continues (exec/parcel.hpp). A parcel that was opened and released is
    // reused: pinned memory is slow to allocate.
    using Parcel = CudaParcel;
    std::shared_ptr<Parcel> parcel(char const* name) {
        for (auto const& known : parcels_)
            if (known->name() == name && known.use_count() == 1) {
                std::atomic_thread_fence(std::memory_order_acquire);  // its reader has released it
                known->clear();
                return known;
            }
        return parcels_.emplace_back(std::make_shared<Parcel>(name, way_out_));
    }
    // Makes the stream wait for all parcels: later work may then overwrite Lasting buffers.
    void wait_for_parcels() const {
        for (auto const& parcel : parcels_)
            check_cuda(cudaStreamWaitEvent(cudaStreamLegacy, parcel->there(), 0), "parcels");
    }
    std::size_t parcel_bytes() const {
        std::size_t total = 0;
        for (auto const& parcel : parcels_) total += parcel->bytes();
        return total;
    }

    std::vector<StageTime> const& profile() const { return profile_.stages(); }

private:
    struct Result {  // what the GPU returns to the host
        double sums[8];
        Index count;
        std::uint64_t total;  // of a scan
    };

    static bool asked_to_wait() {
        char const* const word = std::getenv("PLIANT_CUDA_SYNC");
        return word != nullptr && *word != '\0' && std::strcmp(word, "0") != 0;
    }

    // For kernels that begin with kernels::await_last().
    template <class... Parameters, class... Arguments>
    void launch(char const* name, unsigned blocks, unsigned threads, void (*kernel)(Parameters...),
                Arguments const&... arguments) const {
        cudaLaunchAttribute early{};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = blocks, config.blockDim = threads, config.stream = cudaStreamLegacy;
        config.attrs = &early, config.numAttrs = starts_early_ ? 1 : 0;
        check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), name);
        if (waits_) wait(name);
    }
    void wait(char const* name) const { check_cuda(cudaStreamSynchronize(cudaStreamLegacy), name); }

    template <class Op, int count, class Stage, class Finish>
    void reduce(char const* name, Range range, Stage const& stage, Finish const& finish, double nothing) {
        constexpr Index threads = kernels::reduce_threads;
        // Particles per block: few particles are spread over the whole GPU.
        constexpr Index least = lanes_of<Stage>() > 1 ? 256 / lanes_of<Stage>() : 128;
        Index const blocks = std::clamp<Index>((range.size() + least - 1) / least, 1, Index(kernels::reduce_blocks));
        if (partial_.size() < std::size_t(blocks) * count)
            partial_.resize(std::size_t(kernels::reduce_blocks) * std::max(count, 8));
        launch(name, blocks, threads, kernels::reduce<Op, count, Stage, Finish>, range.begin, range.end, stage, finish,
               nothing, partial_.data(), ended_.data());
    }

    template <class State>
    State look(char const* name, State const* state) {
        Timer const timer(*this, name);
        State* const there = static_cast<State*>(staging_.at_least(std::max<std::size_t>(sizeof(State), 4096)));
        check_cuda(cudaMemcpyAsync(there, state, sizeof(State), cudaMemcpyDeviceToHost, cudaStreamLegacy), name);
        wait(name);
        return *there;
    }

    // send() copies a state to the host while work continues; sent() waits for it and returns it.
    template <class State>
    void send(char const* name, State const* state) {
        void* const there = sent_.at_least(std::max<std::size_t>(sizeof(State), 4096));
        check_cuda(cudaMemcpyAsync(there, state, sizeof(State), cudaMemcpyDeviceToHost, cudaStreamLegacy), name);
        check_cuda(cudaEventRecord(has_come_, cudaStreamLegacy), name);
    }
    template <class State>
    State sent(char const* name) {
        Timer const timer(*this, name);
        check_cuda(cudaEventSynchronize(has_come_), name);
        return *static_cast<State const*>(sent_.at_least(0));
    }

    template <class Loop>
    void repeat_fused(char const* name, Loop const& loop) {
        auto* const kernel = kernels::repeat<Loop>;
        int blocks_each = 0;
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, kernels::repeat_threads, 0),
                   name);
        unsigned const blocks = unsigned(multiprocessors_ * std::max(blocks_each, 1));
        if (partial_.size() < std::size_t(blocks) * 8) partial_.resize(std::size_t(kernels::reduce_blocks) * 8);
        launch_together(name, blocks, kernel, loop);
    }

    // A kernel whose blocks wait for each other.
    template <class... Parameters, class... Arguments>
    void launch_together(char const* name, unsigned blocks, void (*kernel)(kernels::Barrier, Parameters...),
                         Arguments const&... arguments) {
        cudaLaunchConfig_t config{};
        config.gridDim = blocks, config.blockDim = kernels::repeat_threads, config.stream = cudaStreamLegacy;
        cudaLaunchAttribute together{};
        together.id = cudaLaunchAttributeCooperative, together.val.cooperative = 1;
        config.attrs = &together, config.numAttrs = 1;
        check_cuda(cudaLaunchKernelEx(&config, kernel, kernels::Barrier{barrier_.data(), partial_.data()},
                                      static_cast<Parameters>(arguments)...),
                   name);
        if (waits_) wait(name);
    }

    // Up to this size, one kernel groups entries in half the time of a sort.
    static constexpr Index most_few = 65536;
    void group_few(char const* name, Buffer<Index> const& keys, Index groups, Buffer<Index>& row,
                   Buffer<Index>& order) {
        Timer const timer(*this, name);
        Index const count = Index(keys.size());
        row.remake(groups + 1), order.remake(count);
        if (next_.size() < groups + 1) next_.resize(groups + 1);
        if (sorted_.size() < count) sorted_.resize(count);
        Index const blocks = std::clamp<Index>(std::max(count, groups) / kernels::repeat_threads, 1, multiprocessors_);
        launch_together(name, blocks, kernels::group_few<kernels::repeat_threads>, keys.data(), count, groups,
                        next_.data(), sorted_.data(), row.data(), order.data());
    }

    template <class Particles, class Flags>
    void select_from(char const* name, Index count, Particles particles, Flags flags, Buffer<Index>& selected) {
        Timer const timer(*this, name);
        selected.remake(count);
        if (count == 0) return;
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceSelect::Flagged(scratch, bytes, particles, flags, selected.data(), &result_->count, count,
                                              cudaStreamLegacy);
        });
        wait(name);
        selected.resize(result_->count);
    }

    // CUB's convention: a first call returns how much scratch memory it needs.
    template <class Work>
    void with_scratch(char const* name, Work const& work) {
        std::size_t bytes = 0;
        check_cuda(work(nullptr, bytes), name);
        if (scratch_.size() < bytes) scratch_.resize(bytes);
        check_cuda(work(scratch_.data(), bytes), name);
        if (waits_) wait(name);
    }

    template <class Key>
    void sort_pairs(char const* name, Buffer<Key> const& keys, Buffer<Key>& sorted, Buffer<Index>& order, int bits) {
        Index const n = Index(keys.size());
        order.remake(n);
        if (n == 0) return;
        Timer const timer(*this, name);
        if (sorted.size() < n) sorted.resize(n);
        if (counting_.size() < n) {
            counting_.resize(n);
            for_each("count", {0, Index(counting_.size())}, kernels::Count{counting_.data()});
        }
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted.data(), counting_.data(),
                                                   order.data(), n, 0, bits, cudaStreamLegacy);
        });
    }

    class Timer {
    public:
        Timer(Cuda& cuda, char const* name) : cuda_(cuda), name_(name), start_(Profile::Clock::now()) {}
        Timer(Timer const&) = delete;
        ~Timer() { cuda_.profile_.add(name_, start_); }

    private:
        Cuda& cuda_;
        char const* name_;
        Profile::Clock::time_point start_;
    };

    bool waits_;
    int multiprocessors_ = 1;
    bool starts_early_ = false;
    bool fused_ = false;  // the last loop ran as one kernel
    Result* result_ = nullptr;
    Buffer<double> partial_;
    Buffer<unsigned> ended_;  // number of finished blocks of a reduction
    Buffer<kernels::BarrierState> barrier_;
    Buffer<unsigned char> scratch_;
    Buffer<Index> counting_, sorted_, next_;
    Buffer<std::uint64_t> sorted_keys_;
    mutable PinnedMemory staging_;
    PinnedMemory sent_;
    cudaEvent_t has_come_ = nullptr, begun_ = nullptr, ended_at_ = nullptr;
    cudaStream_t way_out_ = nullptr;
    std::vector<std::shared_ptr<Parcel>> parcels_;
    Profile profile_;
};

}  // namespace pliant
