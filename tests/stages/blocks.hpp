// All memory that stages under test can write to, block by block, and the comparison of two versions of it.
#pragma once

#include <pliant/exec/parcel.hpp>

#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pliant::test {

// Memory for both machine and host: allocate(bytes), release(pointer), and wait(stage) until the machine is done. Also
// fuses<Phases>(): whether the machine makes one kernel of a loop of these phases.
template <class Machine>
struct SharedMemory;

// Findings about one stage.
struct Finding {
    int calls = 0, compared = 0;
    double worst = 0;           // difference relative to the largest value of its quantity in the run
    double worst_sum = 0;       // the same for sums and maxima
    std::size_t entries = 0;    // entries of the arrays that differ at all
    std::size_t otherwise = 0;  // entries decided otherwise: another integer, one more contact
};
using Findings = std::map<std::string, Finding>;

namespace twin {

struct Numbers {  // of one entry
    std::vector<std::pair<int, double>> reals;
    std::vector<std::uint64_t> exacts;
    void real(int quantity, double value) {
        if (std::abs(value) < 1e30)
            reals.emplace_back(quantity, value);
        else  // infinite, or a marker for no value
            exacts.push_back(std::isnan(value) ? 2 : value > 0);
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

// All blocks in use, in order of allocation.
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

// Whether `low` holds the rounding error of `high`: displacements are kept as two floats.
inline bool is_low_part(std::span<float const> low, std::span<float const> high) {
    float largest = 0, rest = 0;
    for (std::size_t k = 0; k < low.size(); ++k)
        largest = std::max(largest, std::abs(high[k])), rest = std::max(rest, std::abs(low[k]));
    return rest <= 2e-6f * largest;  // a few roundings have added up
}

// How far apart the values of one quantity were in a run, and how large they were.
struct Spread {
    double off = 0, scale = 0;
    void take(double difference, double size) {
        if (!std::isfinite(difference)) difference = std::numeric_limits<double>::infinity();  // NaN equals nothing
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

// Compares what the machine wrote, `there`, with what the host has now.
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

}  // namespace pliant::test
