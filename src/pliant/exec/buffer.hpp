// A fixed block of memory for particle data, aligned to cache lines. Grows only through resize().
#pragma once

#include <pliant/math/real.hpp>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace pliant {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain values");

public:
    Buffer() = default;
    explicit Buffer(std::size_t size) { resize(size); }
    Buffer(Buffer&& other) noexcept { swap(*this, other); }
    Buffer& operator=(Buffer other) noexcept {
        swap(*this, other);
        return *this;
    }

    // Keeps the old contents as far as they fit; new entries are all-zero bytes.
    void resize(std::size_t size) {
        if (size > capacity_) {
            std::unique_ptr<T[], Free> grown(allocate(size));
            if (size_ > 0) std::memcpy(static_cast<void*>(grown.get()), data_.get(), size_ * sizeof(T));
            data_ = std::move(grown);
            capacity_ = size;
        }
        if (size > size_) std::memset(static_cast<void*>(data_.get() + size_), 0, (size - size_) * sizeof(T));
        size_ = size;
    }

    // The same for contents that will be rewritten completely: nothing is kept or zeroed.
    void remake(std::size_t size) {
        if (size > capacity_) {
            data_.reset(allocate(size));
            capacity_ = size;
        }
        size_ = size;
    }

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    T* data() { return data_.get(); }
    T const* data() const { return data_.get(); }
    T& operator[](std::size_t i) { return assert(i < size_), data_[i]; }
    T const& operator[](std::size_t i) const { return assert(i < size_), data_[i]; }
    std::span<T> span() { return {data(), size_}; }
    std::span<T const> span() const { return {data(), size_}; }
    friend void swap(Buffer& a, Buffer& b) noexcept {
        std::swap(a.data_, b.data_);
        std::swap(a.size_, b.size_);
        std::swap(a.capacity_, b.capacity_);
    }

private:
    // Large blocks ask for huge pages: the gathers of a product touch many pages, and page table misses cost more than
    // cache misses.
    static constexpr std::size_t huge_page = std::size_t{1} << 21;

    static T* allocate(std::size_t size) {
        std::size_t const alignment = size * sizeof(T) >= huge_page ? huge_page : 64;
        std::size_t const rounded = (size * sizeof(T) + alignment - 1) / alignment * alignment;
        void* const p = std::aligned_alloc(alignment, rounded);
        if (p == nullptr) throw std::bad_alloc();
#ifdef __linux__
        if (alignment == huge_page) ::madvise(p, rounded, MADV_HUGEPAGE);  // only a hint
#endif
        return static_cast<T*>(p);
    }
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace pliant
