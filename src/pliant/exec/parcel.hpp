// What buffers hold at one moment, for whoever wants it later, on any thread, while the executor works on: items are
// added in order, the parcel is sent, and opened where it is wanted. On the CPU each item is copied when it is added;
// exec/cuda_parcel.hpp is the way out of a GPU.
#pragma once

#include <pliant/exec/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pliant {

// A buffer that nobody writes to before Exec::wait_for_parcels(): it needs no copy of its own on the device.
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

    void open() {}  // waits until all of it is there
    template <class T>
    std::span<T const> values(std::size_t item) const {
        return {reinterpret_cast<T const*>(items_[item].data()), items_[item].size() / sizeof(T)};
    }
    std::vector<std::byte> take(std::size_t item) {  // once
        Buffer<std::byte> const taken = std::move(items_[item]);
        return {taken.span().begin(), taken.span().end()};
    }

private:
    std::vector<Buffer<std::byte>> items_;
};

}  // namespace pliant
