// An executor that does everything twice from the same inputs, in one plain loop on the host and on the machine under
// test, and compares all that was written. A solver made for it is a test of every stage that the solver has.
//
// Buffers lie in memory that both reach. All blocks of it are known: they are put back between the two runs and
// compared after them, so that what a stage writes is compared whatever it is, and so is what it should have left
// alone. The host's results are gone on with, and errors do not add up. Long loops are compared now and then.
#pragma once

#include <pliant/exec/parcel.hpp>
#include <pliant/exec/phases.hpp>
#include <pliant/exec/stage_time.hpp>

#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pliant::test {

// Memory for a machine and the host: allocate(bytes), release(pointer), and wait(stage) until the machine is done.
template <class Machine>
struct SharedMemory;

// What was found of one stage.
struct Finding {
    int calls = 0, compared = 0;
    double worst = 0;           // difference over the largest value of its quantity in the run
    double worst_sum = 0;       // the same of sums and maxima
    std::size_t entries = 0;    // of the arrays that differ at all
    std::size_t otherwise = 0;  // of them, those that were decided otherwise: another number, a contact more
};
using Findings = std::map<std::string, Finding>;

namespace twin {

struct Numbers {  // of one entry
    std::vector<std::pair<int, double>> reals;
    std::vector<std::uint64_t> exacts;
    void real(int quantity, double value) {
        if (std::abs(value) < 1e30)
            reals.emplace_back(quantity, value);
        else  // infinite, or what stands for nothing
            exacts.push_back(value > 0);
    }
    void exact(std::uint64_t value) { exacts.push_back(value); }
    void clear() { reals.clear(), exacts.clear(); }
};

struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0, entry = 0;
    bool vectors = false;  // of four floats
    void (*read)(std::byte const* entry, Numbers& numbers) = nullptr;
};

// All blocks in use, in the order in which they were taken.
inline std::vector<Block*>& blocks() {
    static std::vector<Block*> all;
    return all;
}

using Contents = std::vector<std::vector<std::byte>>;
inline Contents contents() {
    Contents all;
    for (Block const* b : blocks()) all.emplace_back(b->data, b->data + b->bytes);
    return all;
}
inline void put_back(Contents const& then) {
    for (std::size_t b = 0; b < then.size(); ++b)
        if (!then[b].empty()) std::memcpy(blocks()[b]->data, then[b].data(), then[b].size());
}

inline std::span<float const> floats(std::byte const* data, std::size_t bytes) {
    return {reinterpret_cast<float const*>(data), bytes / sizeof(float)};
}

// Whether `low` has what rounding left out of `high`: positions and displacements are kept in two floats.
inline bool is_low_part(std::span<float const> low, std::span<float const> high) {
    float largest = 0, rest = 0;
    for (std::size_t k = 0; k < low.size(); ++k)
        largest = std::max(largest, std::abs(high[k])), rest = std::max(rest, std::abs(low[k]));
    return rest <= 2e-6f * largest;  // some roundings have added up
}

// How far apart values of one quantity were in a run, and how large they were.
struct Spread {
    double off = 0, scale = 0;
    void take(double difference, double size) {
        off = std::max(off, std::abs(difference)), scale = std::max(scale, std::abs(size));
    }
    double share() const { return off > 0 ? off / std::max(scale, 1e-30) : 0; }
};
using Spreads = std::map<int, Spread>;  // by quantity

inline void compare_in_two(std::span<float const> low_there, std::span<float const> high_there,
                           std::span<float const> low, std::span<float const> high, Spread& spread) {
    for (std::size_t k = 0; k < low.size(); ++k)
        spread.take((double(high_there[k]) - high[k]) + (double(low_there[k]) - low[k]), high[k]);
}

inline void compare_block(Block const& block, std::byte const* there, std::byte const* before, Finding& finding,
                          Spreads& spreads) {
    std::size_t const count = block.bytes / block.entry;
    Numbers a, b, last;
    finding.entries += count;
    for (std::size_t e = 0; e < count; ++e) {
        a.clear(), b.clear(), last.clear();
        block.read(there + e * block.entry, a), block.read(block.data + e * block.entry, b);
        block.read(before + e * block.entry, last);
        bool const same_kind = a.exacts == b.exacts && a.reals.size() == b.reals.size();
        finding.otherwise += !same_kind;
        for (std::size_t k = 0; k < b.reals.size(); ++k) {
            auto const [quantity, value] = b.reals[k];
            spreads[quantity].take(same_kind ? a.reals[k].second - value : 0, value);
        }
        for (auto const& [quantity, value] : last.reals) spreads[quantity].take(0, value);
    }
}

// What the machine wrote, `there`, and what the host has now.
inline void compare(Contents const& there, Contents const& before, Finding& finding,
                    std::map<Block const*, Spreads>& spreads) {
    auto const differs = [](Block const& b, std::vector<std::byte> const& other) {
        return b.bytes > 0 && std::memcmp(b.data, other.data(), b.bytes) != 0;
    };
    auto const low_part_of = [&](std::size_t low) {
        Block const& block = *blocks()[low];
        if (block.vectors)
            for (std::size_t high = 0; high < there.size(); ++high) {
                Block const& other = *blocks()[high];
                if (high == low || !other.vectors || other.bytes != block.bytes || !differs(other, before[high]))
                    continue;
                if (is_low_part(floats(block.data, block.bytes), floats(other.data, block.bytes)) &&
                    is_low_part(floats(there[low].data(), block.bytes), floats(there[high].data(), block.bytes)))
                    return high;
            }
        return low;
    };
    for (std::size_t b = 0; b < there.size(); ++b) {
        Block const& block = *blocks()[b];
        if (!differs(block, there[b])) continue;
        std::size_t const high = low_part_of(b);
        if (high == b) {
            compare_block(block, there[b].data(), before[b].data(), finding, spreads[&block]);
            continue;
        }
        compare_in_two(floats(there[b].data(), block.bytes), floats(there[high].data(), block.bytes),
                       floats(block.data, block.bytes), floats(blocks()[high]->data, block.bytes), spreads[&block][-1]);
    }
}

template <class Machine, class T>
class Buffer {
public:
    Buffer() {
        block_->entry = sizeof(T), block_->vectors = std::is_same_v<T, Vec4>;
        block_->read = [](std::byte const* entry, Numbers& numbers) {
            each_number(*reinterpret_cast<T const*>(entry), numbers);
        };
        blocks().push_back(block_.get());
    }
    Buffer(Buffer&& other) noexcept : Buffer() { swap(*this, other); }
    Buffer& operator=(Buffer other) noexcept {
        swap(*this, other);
        return *this;
    }
    ~Buffer() {
        blocks().erase(std::find(blocks().begin(), blocks().end(), block_.get()));
        SharedMemory<Machine>::release(memory_);
    }

    void resize(std::size_t size) {
        if (size > capacity_) {
            auto* const grown = static_cast<std::byte*>(SharedMemory<Machine>::allocate(size * sizeof(T)));
            if (size_ > 0) std::memcpy(grown, memory_, size_ * sizeof(T));
            SharedMemory<Machine>::release(memory_);
            memory_ = grown, capacity_ = size;
        }
        if (size > size_) std::memset(memory_ + size_ * sizeof(T), 0, (size - size_) * sizeof(T));
        size_ = size;
        block_->data = memory_, block_->bytes = size * sizeof(T);
    }
    void remake(std::size_t size) { resize(0), resize(size); }

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    T* data() { return reinterpret_cast<T*>(memory_); }
    T const* data() const { return reinterpret_cast<T const*>(memory_); }
    std::span<T const> span() const { return {data(), size_}; }
    friend void swap(Buffer& a, Buffer& b) noexcept {
        std::swap(a.block_, b.block_);
        std::swap(a.memory_, b.memory_);
        std::swap(a.size_, b.size_);
        std::swap(a.capacity_, b.capacity_);
    }

private:
    std::unique_ptr<Block> block_ = std::make_unique<Block>();
    std::byte* memory_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

struct Parcel : pliant::Parcel {
    using pliant::Parcel::add;
    template <class Machine, class T>
    void add(Buffer<Machine, T> const& buffer) {
        add(std::as_bytes(buffer.span()));
    }
    template <class Machine, class T>
    void add(Lasting<Buffer<Machine, T>> const& item) {
        add(item.buffer);
    }
};

}  // namespace twin

template <class Machine>
class Twin {
public:
    template <class T>
    using Buffer = twin::Buffer<Machine, T>;
    using Parcel = twin::Parcel;
    static constexpr Index slice = 32;
    static inline Index few_particles = 200000;  // set to 0 for the ways of many
    static constexpr bool shares_host_memory = false;
    static inline Findings findings;

    explicit Twin(int where) : machine_(where) {}
    Twin(Twin const&) = delete;
    ~Twin() {
        for (auto const& [stage, blocks] : spreads_)
            for (auto const& [block, quantities] : blocks)
                for (auto const& [quantity, spread] : quantities) {
                    double& worst = block == nullptr ? findings[stage].worst_sum : findings[stage].worst;
                    worst = std::max(worst, spread.share());
                }
    }

    template <class Stage>
    void for_each(char const* name, Range range, Stage const& stage) {
        both(
            name, [&] { machine_.for_each(name, range, stage); }, [&] { plainly(range, stage); });
    }
    // The lanes of a machine share the list of a particle, which the host's one lane has for itself: lists of pairs are
    // compared as sets, the machine's made with its own counts.
    template <class Around, class Grid, class Shared>
    void for_each(char const*, Range range, CountNear<Around, Grid, Shared> const& stage) {
        plainly(range, stage);
    }
    template <class Around, class Grid, class Shared>
    void for_each(char const* name, Range range, ListNear<Around, Grid, Shared> const& stage) {
        plainly(range, stage);
        Finding& finding = findings[name];
        ++finding.calls, ++finding.compared;
        Index const slots = range.end * Shared::lanes;
        Buffer<Index> counts, start;
        Buffer<NearPair> pairs;
        counts.resize(slots), start.resize(slots + 1);
        CountNear<Around, Grid, Shared> const count{stage.around, stage.grid, stage.taking_part, counts.data()};
        machine_.for_each(name, range, count);
        SharedMemory<Machine>::wait(name);
        pairs.resize(scan(counts.data(), slots, start.data()));
        ListNear<Around, Grid, Shared> const list{stage.around, stage.grid, stage.taking_part, start.data(),
                                                  pairs.data()};
        machine_.for_each(name, range, list);
        SharedMemory<Machine>::wait(name);
        for (Index s = range.begin; s < range.end; ++s) {
            auto const of = [&](Index const* first, NearPair const* all) {
                std::vector<std::pair<Index, std::uint32_t>> listed;
                for (Index k = first[s * Shared::lanes]; k < first[(s + 1) * Shared::lanes]; ++k)
                    listed.emplace_back(all[k].target, all[k].body);
                std::sort(listed.begin(), listed.end());
                return listed;
            };
            auto const here = of(stage.start, stage.pairs), there = of(start.data(), pairs.data());
            finding.entries += here.size();
            if (here != there) ++finding.otherwise;
        }
    }

    template <class Stage>
    auto sum(char const* name, Range range, Stage const& stage) {
        decltype(stage(Index{})) there{}, here{};
        bool const compared = both(
            name, [&] { there = machine_.sum(name, range, stage); }, [&] { here = plain_sum(range, stage); });
        for (std::size_t k = 0; compared && k < here.size(); ++k) note_sum(name, int(k), there[k], here[k]);
        return here;
    }
    template <class Stage, class Finish>
    void sum_then(char const* name, Range range, Stage const& stage, Finish const& finish) {
        both(
            name, [&] { machine_.sum_then(name, range, stage, finish); }, [&] { finish(plain_sum(range, stage)); });
    }
    template <class Stage>
    double max(char const* name, Range range, double least, Stage const& stage) {
        double there = least, here = least;
        auto const plain_max = [&] {
            for (Index i = range.begin; i < range.end; ++i) here = std::max(here, double(stage(i)));
        };
        if (both(
                name, [&] { there = machine_.max(name, range, least, stage); }, plain_max))
            note_sum(name, 0, there, here);
        return here;
    }

    // Two iterations phase by phase, then three as the machine does loops, then to the end.
    template <class StateBuffer, class... Phases>
    auto repeat(char const* name, StateBuffer const& state, int&, Phases const&... phases) {
        auto& s = const_cast<CgScalars&>(*state.data());
        for (int k = 0; k < 2 && s.goes_on(); ++k) (run(phases), ...);
        if (s.goes_on()) {
            int const most = s.most;
            int ahead = 5;  // more than will be needed
            s.most = s.iterations + 3;
            both(
                name, [&] { machine_.repeat(name, state, ahead, phases...); },
                [&] {
                    while (s.goes_on()) (run_plainly(phases), ...);
                });
            s.most = most;
            if (s.state == CgScalars::exhausted) s.settle();
        }
        while (s.goes_on()) (run_plainly(phases), ...);
        return s;
    }

    template <class Stage>
    void run(Each<Stage> const& phase) {
        for_each(phase.name, phase.range, phase.stage);
    }
    template <class Stage, class Finish>
    void run(SumThen<Stage, Finish> const& phase) {
        sum_then(phase.name, phase.range, phase.stage, phase.finish);
    }
    template <class A, class B>
    void run(Both<A, B> const& phase) {
        run(phase.a), run(phase.b);
    }
    template <class Stage, class Value>
    void run(Join<Stage, Value> const& phase) {
        both(
            phase.name, [&] { machine_.run(phase); }, [&] { run_plainly(phase); });
    }
    template <class Stage, class Value>
    void join(char const* name, Index const* first, Index segments, Stage const& stage, Buffer<Value>& out) {
        out.resize(segments);
        run(Join{name, first, segments, stage, out.data()});
    }

    // Verbs that work on whole arrays have tests of their own (verbs_test).
    std::uint64_t scan(Index const* counts, Index n, Index* starts) {
        std::uint64_t total = 0;
        for (Index i = 0; i < n; ++i) starts[i] = Index(total), total += counts[i];
        starts[n] = Index(total);
        return total;
    }
    void select(char const*, Range range, std::uint8_t const* flags, Buffer<Index>& selected) {
        std::vector<Index> chosen;
        for (Index i = range.begin; i < range.end; ++i)
            if (flags[i] != 0) chosen.push_back(i);
        upload(selected, chosen);
    }
    void group(char const*, Buffer<Index> const& keys, Index groups, Buffer<Index>& row, Buffer<Index>& order) {
        std::vector<Index> first(groups + 1), list(keys.size());
        for (Index k = 0; k < keys.size(); ++k) list[k] = k;
        std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) { return keys.data()[a] < keys.data()[b]; });
        for (Index g = 0; g <= groups; ++g)
            first[g] =
                Index(std::partition_point(list.begin(), list.end(), [&](Index k) { return keys.data()[k] < g; }) -
                      list.begin());
        upload(row, first), upload(order, list);
    }
    void sort_order(char const*, Buffer<std::uint64_t> const& keys, Buffer<Index>& order) {
        std::vector<Index> list(keys.size());
        for (Index k = 0; k < keys.size(); ++k) list[k] = k;
        std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) { return keys.data()[a] < keys.data()[b]; });
        upload(order, list);
    }

    template <class T>
    void upload(Buffer<T>& to, std::span<std::type_identity_t<T> const> from) {
        copy(from.data(), from.size(), to);
    }
    template <class T>
    void copy(T const* from, std::size_t count, Buffer<T>& to) {
        to.resize(count);
        if (count > 0) std::memcpy(static_cast<void*>(to.data()), from, count * sizeof(T));
    }
    template <class T>
    void fill(Buffer<T>& buffer, T value) {
        std::fill(buffer.data(), buffer.data() + buffer.size(), value);
    }
    template <class T>
    T const* lend(Buffer<T>& buffer, std::vector<T> const& values) {
        upload(buffer, values);
        return buffer.data();
    }
    template <class T>
    std::span<T const> on_host(Buffer<T> const& buffer) const {
        return buffer.span();
    }
    std::shared_ptr<Parcel> parcel(char const*) const { return std::make_shared<Parcel>(); }
    void wait_for_parcels() const {}
    std::size_t parcel_bytes() const { return 0; }
    std::vector<StageTime> const& profile() const { return machine_.profile(); }

private:
    // Returns whether it was compared.
    template <class OnMachine, class OnHost>
    bool both(char const* name, OnMachine const& on_machine, OnHost const& on_host) {
        Finding& finding = findings[name];
        bool const compared = finding.calls < 30 || finding.calls % 37 == 0;
        ++finding.calls;
        if (!compared) return on_host(), false;
        twin::Contents const before = twin::contents();
        on_machine();
        SharedMemory<Machine>::wait(name);
        twin::Contents const there = twin::contents();
        twin::put_back(before);
        on_host();
        twin::compare(there, before, finding, spreads_[name]);
        ++finding.compared;
        return true;
    }
    void note_sum(char const* name, int k, double there, double here) {
        spreads_[name][nullptr][k].take(there - here, here);
    }

    template <class Stage>
    static void plainly(Range range, Stage const& stage) {
        for (Index i = range.begin; i < range.end; ++i) stage(i);
    }
    template <class Stage>
    static auto plain_sum(Range range, Stage const& stage) {
        decltype(stage(Index{})) total{};
        for (Index i = range.begin; i < range.end; ++i) {
            auto const one = stage(i);
            for (std::size_t k = 0; k < one.size(); ++k) total[k] += one[k];
        }
        return total;
    }
    template <class Stage>
    static void run_plainly(Each<Stage> const& phase) {
        plainly(phase.range, phase.stage);
    }
    template <class Stage, class Finish>
    static void run_plainly(SumThen<Stage, Finish> const& phase) {
        phase.finish(plain_sum(phase.range, phase.stage));
    }
    template <class A, class B>
    static void run_plainly(Both<A, B> const& phase) {
        run_plainly(phase.a), run_plainly(phase.b);
    }
    template <class Stage, class Value>
    static void run_plainly(Join<Stage, Value> const& phase) {
        for (Index s = 0; s < phase.segments; ++s) {
            Value all = Value::nothing();
            for (Index k = phase.first[s]; k < phase.first[s + 1]; ++k) all.join(phase.stage(k));
            phase.out[s] = all;
        }
    }

    Machine machine_;
    std::map<std::string, std::map<twin::Block const*, twin::Spreads>> spreads_;
};

}  // namespace pliant::test
