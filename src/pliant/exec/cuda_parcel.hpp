// Copies arrays out of a GPU while it continues to work: items are copied aside on the device, in order with the work,
// and from there a second stream copies them to pinned memory. If the device has no room for that, they are copied
// directly to the host, and later work waits.
#pragma once

#include <pliant/exec/cuda_buffer.hpp>
#include <pliant/exec/parcel.hpp>

#include <cstring>
#include <string_view>

namespace pliant {

class CudaParcel {
public:
    CudaParcel(char const* name, cudaStream_t way_out) : name_(name), way_out_(way_out) {
        check_cuda(cudaGetDevice(&device_), name_);
        check_cuda(cudaEventCreateWithFlags(&aside_, cudaEventDisableTiming), name_);
        check_cuda(cudaEventCreateWithFlags(&there_, cudaEventDisableTiming | cudaEventBlockingSync), name_);
    }
    CudaParcel(CudaParcel const&) = delete;
    CudaParcel& operator=(CudaParcel const&) = delete;
    ~CudaParcel() {
        cudaEventSynchronize(there_);  // no copy into memory about to be freed may be in progress
        cudaEventDestroy(aside_);
        cudaEventDestroy(there_);
    }

    std::string_view name() const { return name_; }
    cudaEvent_t there() const { return there_; }
    std::size_t bytes() const { return stage_.bytes(); }  // on the device

    void clear() {
        open();
        items_.clear(), kept_.clear();
    }
    void add(std::span<std::byte const> bytes) {
        items_.push_back({nullptr, bytes.size(), kept_.size(), Where::host});
        kept_.insert(kept_.end(), bytes.begin(), bytes.end());
    }
    template <class T>
    void add(DeviceBuffer<T> const& buffer) {
        items_.push_back({buffer.data(), buffer.size() * sizeof(T), 0, Where::aside});
    }
    template <class T>
    void add(Lasting<DeviceBuffer<T>> const& item) {
        items_.push_back({item.buffer.data(), item.buffer.size() * sizeof(T), 0, Where::lasting});
    }

    void send() {
        std::size_t const staged = lay_out(Where::aside, 0), total = lay_out(Where::lasting, staged);
        if (total > room_) room_ = total + total / 8;  // the numbers of touches and bonds change
        here_ = static_cast<std::byte*>(pinned_.at_least(room_));
        bool const aside = room_aside(staged);
        cudaStream_t const stream = aside ? way_out_ : cudaStreamLegacy;
        if (aside) {
            for (Item const& item : items_)
                if (item.where == Where::aside) copy(stage_.data() + item.offset, item, cudaStreamLegacy);
            check_cuda(cudaEventRecord(aside_, cudaStreamLegacy), name_);
            check_cuda(cudaStreamWaitEvent(way_out_, aside_, 0), name_);
            if (staged > 0)
                check_cuda(cudaMemcpyAsync(here_, stage_.data(), staged, cudaMemcpyDeviceToHost, way_out_), name_);
        }
        for (Item const& item : items_)
            if (item.where == Where::lasting || (item.where == Where::aside && !aside))
                copy(here_ + item.offset, item, stream);
        check_cuda(cudaEventRecord(there_, stream), name_);
    }

    void open() const {
        check_cuda(cudaSetDevice(device_), name_);
        check_cuda(cudaEventSynchronize(there_), name_);
    }
    template <class T>
    std::span<T const> values(std::size_t k) const {
        Item const& item = items_[k];
        std::byte const* const begin = (item.where == Where::host ? kept_.data() : here_) + item.offset;
        return {reinterpret_cast<T const*>(begin), item.bytes / sizeof(T)};
    }
    std::vector<std::byte> take(std::size_t k) const {
        auto const bytes = values<std::byte>(k);
        return {bytes.begin(), bytes.end()};
    }

private:
    enum class Where { host, aside, lasting };
    struct Item {
        void const* from;
        std::size_t bytes, offset;
        Where where;
    };

    // Assigns offsets to the items of one kind, from `begin` on; returns the end.
    std::size_t lay_out(Where where, std::size_t begin) {
        for (Item& item : items_) {
            if (item.where != where) continue;
            item.offset = begin;
            begin += (item.bytes + 255) / 256 * 256;
        }
        return begin;
    }

    // Uses at most half of the free memory: later steps may need more than now.
    bool room_aside(std::size_t bytes) {
        if (bytes <= stage_.size()) return true;
        std::size_t free_bytes = 0, all = 0;
        check_cuda(cudaMemGetInfo(&free_bytes, &all), name_);
        if (free_bytes < 2 * bytes) return false;
        try {
            stage_ = {};
            stage_.remake(bytes + bytes / 8);
        } catch (DeviceMemoryError const&) {  // enough is free, but not in one piece
            return false;
        }
        return true;
    }

    void copy(std::byte* to, Item const& item, cudaStream_t stream) const {
        if (item.bytes > 0) check_cuda(cudaMemcpyAsync(to, item.from, item.bytes, cudaMemcpyDefault, stream), name_);
    }

    char const* name_;
    cudaStream_t way_out_;
    int device_ = 0;
    cudaEvent_t aside_ = nullptr, there_ = nullptr;  // events: copied aside, all on the host
    std::vector<Item> items_;
    std::vector<std::byte> kept_;  // items that were already on the host
    DeviceBuffer<std::byte> stage_;
    PinnedMemory pinned_;
    std::size_t room_ = 0;
    std::byte* here_ = nullptr;
};

}  // namespace pliant
