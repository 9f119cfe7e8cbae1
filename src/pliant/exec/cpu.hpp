// Work on the CPU through oneTBB. A stage is a struct whose operator()(Index i) is one particle's work. A stage that
// processes several particles at a time in vector registers also has run(begin, end), which is called instead.
//
// Work is divided into blocks of a fixed number of particles, and sums are formed per block and then over blocks in
// order: results do not depend on the number of threads.
#pragma once

#include <pliant/exec/parcel.hpp>
#include <pliant/exec/stage_time.hpp>
#include <pliant/exec/verbs.hpp>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace pliant {

class Cpu : public Verbs<Cpu> {
public:
    using Verbs<Cpu>::for_each, Verbs<Cpu>::sum, Verbs<Cpu>::sum_then, Verbs<Cpu>::max, Verbs<Cpu>::max_to;
    using Verbs<Cpu>::run, Verbs<Cpu>::select;
    template <class T>
    using Buffer = pliant::Buffer<T>;
    static constexpr Index slice = 1;  // particles whose bonds are stored column by column; here rows are separate
    static constexpr bool shares_host_memory = true;

    explicit Cpu(int threads = 0);  // 0: all cores
    Cpu(Cpu const&) = delete;
    Cpu& operator=(Cpu const&) = delete;
    ~Cpu();

    int threads();

    // stage(i) for every i of the range.
    template <class Stage>
    void for_each(char const* name, Range range, Stage const& stage) {
        Timer const timer(*this, name);
        for_each_block(range, call([&](Index, Index begin, Index end) { run_block(stage, begin, end); }));
    }

    // The same if each i is a lot of work.
    template <class Stage>
    void for_each_large(char const* name, Range range, Stage const& stage) {
        Timer const timer(*this, name);
        for_each_block(range, call([&](Index, Index begin, Index end) { run_block(stage, begin, end); }), 1);
    }

    // Sums what stage(i) returns, an std::array of N doubles.
    template <class Stage>
    auto sum(char const* name, Range range, Stage const& stage) {
        Timer const timer(*this, name);
        using Values = decltype(stage(Index{}));
        constexpr std::size_t count = std::tuple_size_v<Values>;
        partial_.resize(std::max(partial_.size(), block_count(range) * count));
        for_each_block(range, call([&](Index block, Index begin, Index end) {
                           Values const values = sum_block(stage, begin, end);
                           for (std::size_t k = 0; k < count; ++k) partial_[block * count + k] = values[k];
                       }));
        Values total{};
        for (std::size_t block = 0; block < block_count(range); ++block)
            for (std::size_t k = 0; k < count; ++k) total[k] += partial_[block * count + k];
        return total;
    }

    // The largest value that stage(i) returns, or `least` for an empty range. NaN counts as largest.
    template <class Stage>
    double max(char const* name, Range range, double least, Stage const& stage) {
        Timer const timer(*this, name);
        partial_.resize(std::max(partial_.size(), block_count(range)));
        for_each_block(range, call([&](Index block, Index begin, Index end) {
                           partial_[block] = max_block(stage, begin, end, least);
                       }));
        double largest = least;
        for (std::size_t block = 0; block < block_count(range); ++block) largest = larger(largest, partial_[block]);
        return largest;
    }

    // The same, written to *to in the executor's memory.
    template <class Stage>
    void max_to(char const* name, Range range, double least, Stage const& stage, double* to) {
        *to = max(name, range, least, stage);
    }

    // Sums what stage(i) returns and passes the sum to finish, which runs once, on the executor.
    template <class Stage, class Finish>
    void sum_then(char const* name, Range range, Stage const& stage, Finish const& finish) {
        finish(sum(name, range, stage));
    }

    // Waits for work() and returns the seconds it took on this machine.
    template <class Work>
    double time(char const*, Work const& work) {
        auto const begin = Profile::Clock::now();
        work();
        return std::chrono::duration<double>(Profile::Clock::now() - begin).count();
    }

    // Repeats the phases while state[0].goes_on(). Returns the state.
    template <class StateBuffer, class... Phases>
    auto repeat(char const* name, StateBuffer const& state, Phases const&... phases) {
        run(While{name, state.data(), sequence(phases...)});
        return *state.data();
    }

    template <class Stage, class Value>
    void run(Join<Stage, Value> const& phase) {
        for_each_large(phase.name, {0, phase.segments}, [&](Index s) {
            Value all = Value::nothing();
            for (Index k = phase.first[s]; k < phase.first[s + 1]; ++k) all.join(phase.stage(k));
            phase.out[s] = all;
        });
    }

    template <class State, class... Phases>
    void run(While<State, Phases...> const& loop) {
        while (loop.state->goes_on() && !stops()) run(loop.phases);
    }
    template <class Condition, class... Phases>
    void run(If<Condition, Phases...> const& choice) {
        if (choice.condition()) run(choice.phases);
    }

    // Work of a library that uses oneTBB itself, on the same threads.
    void isolate(std::function<void()> const& work);

    // counts[0..n) -> starts[0..n]: running sums from zero; returns the total. If the total does not fit into an Index,
    // the starts are useless and the caller must give up.
    static std::uint64_t scan(Index const* counts, Index n, Index* starts) {
        std::uint64_t total = 0;
        for (Index i = 0; i < n; ++i) {
            starts[i] = Index(total);
            total += counts[i];
        }
        starts[n] = Index(total);
        return total;
    }

    // The i of the range, or of the list, with flags[i] != 0, in order.
    void select(char const* name, Range range, std::uint8_t const* flags, Buffer<Index>& selected) {
        select_from(name, range, flags, selected, [](Index i) { return i; });
    }
    template <std::same_as<IndexList> List>
    void select(char const* name, List list, std::uint8_t const* flags, Buffer<Index>& selected) {
        select_from(name, list.entries(), flags, selected, [&](Index k) { return list.indices[k]; });
    }

    // order[row[g]] ... order[row[g + 1] - 1] are the k with keys[k] == g, in order. A key may be `groups`: its entries
    // come last, in any order, and belong to no row.
    void group(char const* name, Buffer<Index> const& keys, Index groups, Buffer<Index>& row, Buffer<Index>& order) {
        Timer const timer(*this, name);
        row.resize(groups + 1), order.resize(keys.size());
        std::fill(row.span().begin(), row.span().end(), 0);
        for (Index key : keys.span()) ++row[key];
        for (Index g = 0, total = 0; g <= groups; ++g) total += std::exchange(row[g], total);
        for (Index k = 0; k < keys.size(); ++k) order[row[keys[k]]++] = k;
        for (Index g = groups; g > 0; --g) row[g] = row[g - 1];
        row[0] = 0;
    }

    // order = the k in ascending order of keys[k]; equal keys keep their order.
    void sort_order(char const* name, Buffer<std::uint64_t> const& keys, Buffer<Index>& order);

    // Copies between host memory and buffers, and between buffers.
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
        std::fill(buffer.span().begin(), buffer.span().end(), value);
    }
    // Makes host values readable by stages, as long as neither the values nor the buffer change.
    template <class T>
    T const* lend(Buffer<T>&, std::vector<T> const& values) {
        return values.data();
    }
    // The contents of a buffer, valid until it changes or until the next call.
    template <class T>
    std::span<T const> on_host(Buffer<T> const& buffer) const {
        return buffer.span();
    }

    // The current contents of buffers, for later use (exec/parcel.hpp).
    using Parcel = pliant::Parcel;
    std::shared_ptr<Parcel> parcel(char const*) const { return std::make_shared<Parcel>(); }
    void wait_for_parcels() const {}
    std::size_t parcel_bytes() const { return 0; }

    std::vector<StageTime> const& profile() const { return profile_.stages(); }

private:
    static constexpr Index block_size = 256;  // particles; small enough to balance 2,744 of them over two threads

    // The work of one block. Never inlined: oneTBB calls its body from two places, and the compiler may fuse
    // multiplications and additions differently in two inlined copies; results would then depend on which thread ran a
    // block.
    template <class Stage>
    [[gnu::noinline]] static void run_block(Stage const& stage, Index begin, Index end) {
        if constexpr (requires { stage.run(begin, end); }) {
            stage.run(begin, end);
        } else {
            for (Index i = begin; i < end; ++i) stage(i);
        }
    }
    template <class Stage>
    [[gnu::noinline]] static auto sum_block(Stage const& stage, Index begin, Index end) {
        decltype(stage(begin)) values{};
        for (Index i = begin; i < end; ++i) {
            auto const one = stage(i);
            for (std::size_t k = 0; k < one.size(); ++k) values[k] += one[k];
        }
        return values;
    }
    template <class Stage>
    [[gnu::noinline]] static double max_block(Stage const& stage, Index begin, Index end, double least) {
        for (Index i = begin; i < end; ++i) least = larger(least, double(stage(i)));
        return least;
    }

    template <class Particle>
    void select_from(char const* name, Range entries, std::uint8_t const* flags, Buffer<Index>& selected,
                     Particle const& particle) {
        Timer const timer(*this, name);
        Index count = 0;
        for (Index k = entries.begin; k < entries.end; ++k) count += flags[particle(k)] != 0;
        selected.resize(count);
        for (Index k = entries.begin, next = 0; k < entries.end; ++k)
            if (flags[particle(k)] != 0) selected[next++] = particle(k);
    }

    static double larger(double a, double b) { return b > a || b != b ? b : a; }

    static std::size_t block_count(Range range) { return (range.size() + block_size - 1) / block_size; }

    // body(block, begin, end) without its type: what divides work over threads is compiled once, not for each stage.
    struct BlockWork {
        void const* body;
        void (*run)(void const* body, Index block, Index begin, Index end);
    };
    template <class Body>
    static BlockWork call(Body const& body) {
        return {&body, [](void const* of, Index block, Index begin, Index end) {
                    (*static_cast<Body const*>(of))(block, begin, end);
                }};
    }
    void for_each_block(Range range, BlockWork work, Index size = block_size);

    class Timer {
    public:
        Timer(Cpu& cpu, char const* name) : cpu_(cpu), name_(name), start_(Profile::Clock::now()) {}
        Timer(Timer const&) = delete;
        ~Timer() { cpu_.profile_.add(name_, start_); }

    private:
        Cpu& cpu_;
        char const* name_;
        Profile::Clock::time_point start_;
    };

    struct Arena;
    std::unique_ptr<Arena> arena_;
    std::vector<double> partial_;  // block sums; grows to its final size in the first step
    Profile profile_;
};

}  // namespace pliant
