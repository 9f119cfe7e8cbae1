// Work on the CPU through oneTBB. A stage is a struct whose operator()(Index i) is one particle's work.
//
// Work is cut into blocks of a fixed number of particles, whatever the number of threads, and sums are formed per block
// and then over blocks in order: results do not depend on the number of threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <pliant/exec/buffer.hpp>

#include <array>
#include <chrono>
#include <vector>

namespace pliant {

struct StageTime {
    char const* name;
    double seconds = 0;
    std::uint64_t calls = 0;
};

class Cpu {
public:
    template <class T>
    using Buffer = pliant::Buffer<T>;

    explicit Cpu(int threads = 0)  // 0: all cores
        : arena_(threads > 0 ? threads : tbb::task_arena::automatic) {}

    int threads() { return arena_.max_concurrency(); }

    // stage(i) for every i of the range.
    template <class Stage>
    void for_each(char const* name, Range range, Stage const& stage) {
        Timer const timer(*this, name);
        for_each_block(range, [&](Index, Index begin, Index end) { run_block(stage, begin, end); });
    }

    // The same where every i is much work by itself.
    template <class Stage>
    void for_each_large(char const* name, Range range, Stage const& stage) {
        Timer const timer(*this, name);
        arena_.execute([&] {
            tbb::parallel_for(tbb::blocked_range<Index>(range.begin, range.end), [&](auto const& part) {
                for (Index i = part.begin(); i < part.end(); ++i) run_block(stage, i, i + 1);
            });
        });
    }

    // Sums what stage(i) returns, an std::array of N doubles.
    template <class Stage>
    auto sum(char const* name, Range range, Stage const& stage) {
        Timer const timer(*this, name);
        using Values = decltype(stage(Index{}));
        constexpr std::size_t count = std::tuple_size_v<Values>;
        partial_.resize(std::max(partial_.size(), block_count(range) * count));
        for_each_block(range, [&](Index block, Index begin, Index end) {
            Values const values = sum_block(stage, begin, end);
            for (std::size_t k = 0; k < count; ++k) partial_[block * count + k] = values[k];
        });
        Values total{};
        for (std::size_t block = 0; block < block_count(range); ++block)
            for (std::size_t k = 0; k < count; ++k) total[k] += partial_[block * count + k];
        return total;
    }

    // The largest of what stage(i) returns, and `least` for an empty range. NaN counts as largest.
    template <class Stage>
    double max(char const* name, Range range, double least, Stage const& stage) {
        Timer const timer(*this, name);
        partial_.resize(std::max(partial_.size(), block_count(range)));
        for_each_block(
            range, [&](Index block, Index begin, Index end) { partial_[block] = max_block(stage, begin, end, least); });
        double largest = least;
        for (std::size_t block = 0; block < block_count(range); ++block) largest = larger(largest, partial_[block]);
        return largest;
    }

    template <class T>
    void sort(T* begin, T* end) {
        arena_.execute([&] { tbb::parallel_sort(begin, end); });
    }

    // Work of a library that uses oneTBB itself, on the same threads.
    template <class Work>
    void isolate(Work const& work) {
        arena_.execute(work);
    }

    // counts[0..n) -> starts[0..n]: running sums from zero; returns the total.
    static Index scan(Index const* counts, Index n, Index* starts) {
        Index total = 0;
        for (Index i = 0; i < n; ++i) {
            starts[i] = total;
            total += counts[i];
        }
        return starts[n] = total;
    }

    std::vector<StageTime> const& profile() const { return profile_; }

private:
    static constexpr Index block_size = 256;  // particles; small enough to balance 2,744 of them over two threads

    // One block's work. Never inlined: oneTBB calls its body from two places, and the compiler may fuse multiplications
    // and additions differently in two inlined copies; then results would depend on which thread took a block.
    template <class Stage>
    [[gnu::noinline]] static void run_block(Stage const& stage, Index begin, Index end) {
        for (Index i = begin; i < end; ++i) stage(i);
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

    static double larger(double a, double b) { return b > a || b != b ? b : a; }

    static std::size_t block_count(Range range) { return (range.size() + block_size - 1) / block_size; }

    template <class Body>
    void for_each_block(Range range, Body const& body) {
        if (range.size() == 0) return;
        arena_.execute([&] {
            tbb::parallel_for(tbb::blocked_range<Index>(0, Index(block_count(range))), [&](auto const& blocks) {
                for (Index block = blocks.begin(); block < blocks.end(); ++block) {
                    Index const begin = range.begin + block * block_size;
                    body(block, begin, std::min(begin + block_size, range.end));
                }
            });
        });
    }

    using Clock = std::chrono::steady_clock;
    class Timer {
    public:
        Timer(Cpu& cpu, char const* name) : cpu_(cpu), name_(name), start_(Clock::now()) {}
        Timer(Timer const&) = delete;
        ~Timer() {
            double const seconds = std::chrono::duration<double>(Clock::now() - start_).count();
            for (StageTime& stage : cpu_.profile_) {
                if (stage.name == name_) {
                    stage.seconds += seconds;
                    ++stage.calls;
                    return;
                }
            }
            cpu_.profile_.push_back({name_, seconds, 1});
        }

    private:
        Cpu& cpu_;
        char const* name_;
        Clock::time_point start_;
    };

    tbb::task_arena arena_;
    std::vector<double> partial_;  // block sums; grows to its final size in the first step
    std::vector<StageTime> profile_;
};

}  // namespace pliant
