// What a solver keeps as bytes of a checkpoint and back: buffers of an executor, vectors and single numbers.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace pliant {

template <class Exec>
struct StoredArrays {
    static std::span<std::byte const> bytes_of(Exec const&, float const& value) {
        return std::as_bytes(std::span(&value, 1));
    }
    template <class T>
    static std::span<std::byte const> bytes_of(Exec const&, std::vector<T> const& values) {
        return std::as_bytes(std::span(values));
    }
    template <class Buffer>
    static std::span<std::byte const> bytes_of(Exec const& exec, Buffer const& buffer) {  // until the next call
        return std::as_bytes(exec.on_host(buffer));
    }

    static void take(Exec&, std::vector<std::byte> const& bytes, float& value) {
        if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    }
    template <class T>
    static void take(Exec&, std::vector<std::byte> const& bytes, std::vector<T>& values) {
        values.resize(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    }
    template <class Buffer>
    static void take(Exec& exec, std::vector<std::byte> const& bytes, Buffer& buffer) {
        using T = std::remove_cvref_t<decltype(*buffer.data())>;
        exec.upload(buffer, std::span(reinterpret_cast<T const*>(bytes.data()), bytes.size() / sizeof(T)));
    }
};

}  // namespace pliant
