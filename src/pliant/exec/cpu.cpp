#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <pliant/exec/cpu.hpp>

namespace pliant {

struct Cpu::Arena : tbb::task_arena {
    explicit Arena(int threads) : tbb::task_arena(threads > 0 ? threads : automatic) {}
};

Cpu::Cpu(int threads) : arena_(std::make_unique<Arena>(threads)) {}
Cpu::~Cpu() = default;

int Cpu::threads() { return arena_->max_concurrency(); }

void Cpu::isolate(std::function<void()> const& work) { arena_->execute(work); }

void Cpu::for_each_block(Range range, BlockWork work, Index size) {
    if (range.size() == 0) return;
    arena_->execute([&] {
        tbb::parallel_for(tbb::blocked_range<Index>(0, (range.size() + size - 1) / size), [&](auto const& blocks) {
            for (Index block = blocks.begin(); block < blocks.end(); ++block) {
                Index const begin = range.begin + block * size;
                work.run(work.body, block, begin, std::min(begin + size, range.end));
            }
        });
    });
}

void Cpu::sort_order(char const* name, Buffer<std::uint64_t> const& keys, Buffer<Index>& order) {
    Timer const timer(*this, name);
    order.resize(keys.size());
    for (Index k = 0; k < keys.size(); ++k) order[k] = k;
    arena_->execute([&] {
        tbb::parallel_sort(order.data(), order.data() + order.size(),
                           [&](Index a, Index b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
    });
}

}  // namespace pliant
