// An executor that does everything twice from the same inputs, in a plain loop on the host and on the machine under
// test, and compares all that was written. A solver made for it is a test of every stage of that solver.
//
// Buffers lie in memory that both can reach. All blocks of it are known: they are restored between the two runs and
// compared afterwards, so everything that a stage writes is compared, and also what it should have left alone. The run
// continues with the host's results, so errors do not add up. Long loops are compared only now and then.
#pragma once

#include <pliant/exec/stage_time.hpp>
#include <pliant/exec/verbs.hpp>

#include "blocks.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pliant::test {

template <class Machine>
class Twin : public Verbs<Twin<Machine>> {
public:
    using Verbs<Twin>::for_each, Verbs<Twin>::sum, Verbs<Twin>::sum_then, Verbs<Twin>::max, Verbs<Twin>::max_to;
    using Verbs<Twin>::run, Verbs<Twin>::select;
    template <class T>
    using Buffer = twin::Buffer<Machine, T>;
    using Parcel = twin::Parcel;
    static constexpr Index slice = 32;
    static inline Index few_particles = 200000;  // set to 0 for the layout of many particles
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
    // The lanes of a machine share the list of a particle, while the host's single lane has its own: lists of pairs are
    // compared as sets, and the machine makes its lists with its own counts.
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
        Buffer<Index> counts, start, kept;
        Buffer<NearPair> pairs;
        counts.resize(slots), start.resize(slots + 1), kept.resize(slots * most_kept);
        CountNear<Around, Grid, Shared> const count{stage.around, stage.grid, stage.taking_part, counts.data(),
                                                    kept.data()};
        machine_.for_each(name, range, count);
        SharedMemory<Machine>::wait(name);
        pairs.resize(scan(counts.data(), slots, start.data()));
        ListNear<Around, Grid, Shared> const list{stage.around, stage.grid,  stage.taking_part,
                                                  start.data(), kept.data(), pairs.data()};
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
            for (Index i = range.begin; i < range.end; ++i) here = larger(here, double(stage(i)));
        };
        if (both(
                name, [&] { there = machine_.max(name, range, least, stage); }, plain_max))
            note_sum(name, 0, there, here);
        return here;
    }

    template <class Stage>
    void max_to(char const* name, Range range, double least, Stage const& stage, double* to) {
        both(
            name, [&] { machine_.max_to(name, range, least, stage, to); },
            [&] {
                *to = least;
                for (Index i = range.begin; i < range.end; ++i) *to = larger(*to, double(stage(i)));
            });
    }

    template <class Work>
    double time(char const* name, Work const& work) {
        return machine_.time(name, work);
    }

    // Alternately phase by phase, and as a whole as the machine does it: one kernel, or launches with loops and
    // conditions in them.
    template <class StateBuffer, class... Phases>
    auto repeat(char const* name, StateBuffer const& state, Phases const&... phases) {
        if (repeats_++ % 2 == 0) {
            while (state.data()->goes_on()) (run(phases), ...);
            return *state.data();
        }
        both(
            "whole solve", [&] { machine_.repeat(name, state, phases...); },
            [&] {
                run_plainly(While{name, state.data(), sequence(phases...)});
            });
        // The remaining residual is rounding: of the state only integers and flags are compared.
        for (twin::Block const* block : twin::blocks())
            if (block->data == reinterpret_cast<std::byte const*>(state.data())) spreads_["whole solve"].erase(block);
        return *state.data();
    }

    // Two iterations phase by phase, then three as the machine runs loops, then to the end. Where loops are launches,
    // one launch more is made than iterations are needed.
    template <class State, class... Phases>
    void run(While<State, Phases...> const& loop) {
        auto& s = const_cast<State&>(*loop.state);
        for (int k = 0; k < 2 && s.goes_on(); ++k) run(loop.phases);
        if (s.goes_on()) {
            int const most = s.most;
            s.most = s.iterations + 3;
            both(
                loop.name, [&] { run_on_machine(loop); }, [&] { run_plainly(loop); });
            s.most = most;
            if (s.state == State::exhausted) s.settle();
        }
        run_plainly(loop);
    }
    // Alternately phase by phase, and as the machine does it.
    template <class Condition, class... Phases>
    void run(If<Condition, Phases...> const& choice) {
        if (choices_++ % 2 == 0) {
            if (choice.condition()) run(choice.phases);
            return;
        }
        both(
            "if due", [&] { machine_.run(choice); },
            [&] {
                if (choice.condition()) run_plainly(choice.phases);
            });
    }
    template <class Stage, class Value>
    void run(Join<Stage, Value> const& phase) {
        both(
            phase.name, [&] { machine_.run(phase); }, [&] { run_plainly(phase); });
    }
    // Verbs that work on whole arrays have their own tests (verbs_test).
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
    template <std::same_as<IndexList> List>
    void select(char const*, List list, std::uint8_t const* flags, Buffer<Index>& selected) {
        std::vector<Index> chosen;
        for (Index k = 0; k < list.size(); ++k)
            if (flags[list.indices[k]] != 0) chosen.push_back(list.indices[k]);
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
    // Returns whether the results were compared.
    bool both(char const* name, std::function<void()> const& on_machine, std::function<void()> const& on_host) {
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
    template <class State, class... Phases>
    void run_on_machine(While<State, Phases...> const& loop) {
        if constexpr (SharedMemory<Machine>::template fuses<Sequence<Phases...>>())
            machine_.repeat(loop.name, StateAt<State>{loop.state}, loop.phases);
        else
            machine_.run(While{loop.name, loop.state, loop.phases});
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

    template <class... Phases>
    static void run_plainly(Sequence<Phases...> const& phases) {
        if constexpr (sizeof...(Phases) > 0) run_plainly(phases.first), run_plainly(phases.others);
    }
    template <class State, class... Phases>
    static void run_plainly(While<State, Phases...> const& loop) {
        while (loop.state->goes_on()) run_plainly(loop.phases);
    }

    template <class Condition, class... Phases>
    static void run_plainly(If<Condition, Phases...> const& choice) {
        if (choice.condition()) run_plainly(choice.phases);
    }
    static double larger(double a, double b) { return b > a || b != b ? b : a; }  // NaN counts as the largest

    template <class State>
    struct StateAt {  // acts as a buffer of one
        State const* at;
        State const* data() const { return at; }
    };

    Machine machine_;
    int choices_ = 0, repeats_ = 0;
    std::map<std::string, std::map<twin::Block const*, twin::Spreads>> spreads_;
};

}  // namespace pliant::test
