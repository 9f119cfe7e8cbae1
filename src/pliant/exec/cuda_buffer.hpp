// A block of the GPU's memory, with the manners of Buffer: grows through resize(), new entries are all-zero bytes.
// Memory comes from the driver's pool, where what was freed waits to be used again. Work is in order on one stream, so
// nothing here has to wait.
#pragma once

#include <pliant/exec/cuda_error.hpp>

#include <type_traits>
#include <utility>

namespace pliant {

struct DeviceMemory {  // of this process
    static inline std::size_t held = 0;

    static void* allocate(std::size_t bytes) {
        void* p = nullptr;
        cudaError_t const error = cudaMallocAsync(&p, bytes, cudaStreamLegacy);
        if (error == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // it has been noticed
            std::size_t free_bytes = 0, total = 0;
            cudaMemGetInfo(&free_bytes, &total);
            throw DeviceMemoryError(bytes, held, free_bytes);
        }
        check_cuda(error, "allocate");
        held += bytes;
        return p;
    }
    static void release(void* p, std::size_t bytes) {
        if (p == nullptr) return;
        cudaFreeAsync(p, cudaStreamLegacy);
        held -= bytes;
    }
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
    ~DeviceBuffer() { DeviceMemory::release(data_, bytes()); }

    void resize(std::size_t size) {
        if (size > capacity_) {
            // What grows again and again (touches) gets room to spare; what is made once gets what it asks for.
            std::size_t const capacity = capacity_ == 0 ? size : std::max(size, capacity_ + capacity_ / 4);
            T* const grown = static_cast<T*>(DeviceMemory::allocate(capacity * sizeof(T)));
            if (size_ > 0)
                check_cuda(cudaMemcpyAsync(grown, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice, cudaStreamLegacy),
                           "resize");
            DeviceMemory::release(data_, bytes());
            data_ = grown;
            capacity_ = capacity;
        }
        if (size > size_)
            check_cuda(cudaMemsetAsync(data_ + size_, 0, (size - size_) * sizeof(T), cudaStreamLegacy), "resize");
        size_ = size;
    }

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    T* data() { return data_; }  // not for the host to read
    T const* data() const { return data_; }
    friend void swap(DeviceBuffer& a, DeviceBuffer& b) noexcept {
        std::swap(a.data_, b.data_);
        std::swap(a.size_, b.size_);
        std::swap(a.capacity_, b.capacity_);
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

// Memory of the host that the GPU can read and write, and copy to and from at full speed.
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
