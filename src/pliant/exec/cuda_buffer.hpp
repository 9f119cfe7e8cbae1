// A block of GPU memory that behaves like Buffer: grows through resize(), new entries are all-zero bytes. Returned
// blocks, except large ones, are kept for reuse: work runs in order on one stream, so this needs no synchronisation,
// while freeing memory through the driver stops all work. (Its own pools, cudaMallocAsync, are not available in every
// virtual machine.)
#pragma once

#include <pliant/exec/cuda_error.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

namespace pliant {

class DeviceMemory {
public:
    struct Block {
        void* data = nullptr;
        std::size_t bytes = 0;
    };

    static Block take(std::size_t bytes) {
        std::lock_guard const lock(mutex_);
        bytes = (bytes + 511) / 512 * 512;
        int device = 0;
        check_cuda(cudaGetDevice(&device), "allocate");
        auto const found = spare_.lower_bound({device, bytes});
        if (found != spare_.end() && found->first.first == device && found->first.second <= bytes + bytes / 4) {
            Block const block{found->second, found->first.second};
            spare_.erase(found);
            held_ += block.bytes;
            return block;
        }
        Block block{nullptr, bytes};
        cudaError_t error = cudaMalloc(&block.data, bytes);
        if (error == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // clears the error
            for (auto const& [key, data] : spare_) cudaFree(data);
            spare_.clear();
            error = cudaMalloc(&block.data, bytes);
        }
        if (error == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            std::size_t free_bytes = 0, total = 0;
            cudaMemGetInfo(&free_bytes, &total);
            throw DeviceMemoryError(bytes, held_, free_bytes);
        }
        check_cuda(error, "allocate");
        held_ += bytes;
        return block;
    }
    static void give_back(Block block) {
        if (block.data == nullptr) return;
        std::lock_guard const lock(mutex_);
        int device = 0;
        cudaGetDevice(&device);
        held_ -= block.bytes;
        if (block.bytes > large)
            cudaFree(block.data);
        else
            spare_.insert({{device, block.bytes}, block.data});
    }

private:
    static constexpr std::size_t large = std::size_t{1} << 26;  // rarely returned, and needed elsewhere

    static inline std::mutex mutex_;
    static inline std::size_t held_ = 0;
    static inline std::multimap<std::pair<int, std::size_t>, void*> spare_;  // by device and size
};

template <class T>
class DeviceBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain values");

public:
    DeviceBuffer() = default;
    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(*this, other); }
    DeviceBuffer& operator=(DeviceBuffer other) noexcept {
        swap(*this, other);
        return *this;
    }
    ~DeviceBuffer() { DeviceMemory::give_back(block_); }

    void resize(std::size_t size) {
        if (size > capacity_) {
            // A buffer that grows repeatedly (touches) gets spare room; one that is allocated once gets exactly what it
            // asks for.
            std::size_t const capacity = capacity_ == 0 ? size : std::max(size, capacity_ + capacity_ / 4);
            DeviceMemory::Block const block = DeviceMemory::take(capacity * sizeof(T));
            T* const grown = static_cast<T*>(block.data);
            if (size_ > 0)
                check_cuda(cudaMemcpyAsync(grown, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice, cudaStreamLegacy),
                           "resize");
            DeviceMemory::give_back(block_);
            block_ = block;
            data_ = grown;
            capacity_ = capacity;
        }
        if (size > size_)
            check_cuda(cudaMemsetAsync(data_ + size_, 0, (size - size_) * sizeof(T), cudaStreamLegacy), "resize");
        size_ = size;
    }

    // The same for contents that will be rewritten completely: nothing is kept.
    void remake(std::size_t size) {
        if (size > capacity_) size_ = 0, resize(size);
        size_ = size;
    }

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    T* data() { return data_; }  // the host must not read it
    T const* data() const { return data_; }
    friend void swap(DeviceBuffer& a, DeviceBuffer& b) noexcept {
        std::swap(a.block_, b.block_);
        std::swap(a.data_, b.data_);
        std::swap(a.size_, b.size_);
        std::swap(a.capacity_, b.capacity_);
    }

private:
    DeviceMemory::Block block_;
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

// Host memory that the GPU can read, write and copy to and from at full speed.
class PinnedMemory {
public:
    PinnedMemory() = default;
    PinnedMemory(PinnedMemory const&) = delete;
    PinnedMemory& operator=(PinnedMemory const&) = delete;
    ~PinnedMemory() { cudaFreeHost(data_); }

    void* at_least(std::size_t bytes) {
        if (bytes > bytes_) {
            cudaFreeHost(data_);
            data_ = nullptr, bytes_ = 0;
            check_cuda(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault), "pinned memory");
            bytes_ = bytes;
        }
        return data_;
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace pliant
