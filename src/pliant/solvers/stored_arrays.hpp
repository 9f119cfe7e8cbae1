// What a solver keeps as bytes of a checkpoint and back: buffers of an executor, vectors and single numbers.
#pragma once

#include <pliant/error.hpp>
#include <pliant/solvers/solver.hpp>

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

    // Visitors of what a solver stores, each by its name.
    struct Save {
        Exec const& exec;
        Checkpoint& checkpoint;
        template <class Stored>
        void operator()(char const* name, Stored const& stored) const {
            auto const bytes = bytes_of(exec, stored);
            checkpoint.arrays.push_back({name, {bytes.begin(), bytes.end()}});
        }
    };
    struct Load {
        Exec& exec;
        Checkpoint const& checkpoint;
        template <class Stored>
        void operator()(char const* name, Stored& to) const {
            for (Checkpoint::Array const& stored : checkpoint.arrays)
                if (stored.name == name) return take(exec, stored.bytes, to);
            throw InputError(std::string("the checkpoint lacks the array '") + name + "': run without --resume");
        }
    };
};

}  // namespace pliant
