// A snapshot of buffers that can be read later, on any thread, while the executor continues to work: items are added in
// order, the parcel is sent, and opened where it is needed. On the CPU each item is copied when it is added;
// exec/cuda_parcel.hpp copies out of a GPU.
#pragma once

#include <pliant/exec/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pliant {

// A buffer that nobody overwrites before Exec::wait_for_parcels(): it need not be copied aside on the device.
template <class Buffer>
struct Lasting {
    Buffer const& buffer;
};
template <class Buffer>
Lasting(Buffer const&) -> Lasting<Buffer>;

class Parcel {
public:
    void add(std::span<std::byte const> bytes) {
        Buffer<std::byte>& item = items_.emplace_back();  // aligned for any type
        item.remake(bytes.size());
        std::copy(bytes.begin(), bytes.end(), item.data());
    }
    template <class T>
    void add(Buffer<T> const& buffer) {
        add(std::as_bytes(buffer.span()));
    }
    template <class T>
    void add(Lasting<Buffer<T>> const& item) {
        add(item.buffer);
    }
    void send() {}

    void open() {}  // waits until all items have arrived
    template <class T>
    std::span<T const> values(std::size_t item) const {
        return {reinterpret_cast<T const*>(items_[item].data()), items_[item].size() / sizeof(T)};
    }
    std::vector<std::byte> take(std::size_t item) {  // may be called once per item
        Buffer<std::byte> const taken = std::move(items_[item]);
        return {taken.span().begin(), taken.span().end()};
    }

private:
    std::vector<Buffer<std::byte>> items_;
};

}  // namespace pliant
