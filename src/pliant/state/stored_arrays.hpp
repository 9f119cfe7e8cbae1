// Converts the stored state of a solver to the bytes of a checkpoint and back: buffers of an executor, vectors and
// single numbers.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/data/frame.hpp>
#include <pliant/data/later.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace pliant {

template <class Exec>
struct StoredArrays {
    using Parcel = typename Exec::Parcel;
    static void add(Parcel& parcel, float const& value) { parcel.add(std::as_bytes(std::span(&value, 1))); }
    template <class T>
    static void add(Parcel& parcel, std::vector<T> const& values) {
        parcel.add(std::as_bytes(std::span(values)));
    }
    template <class Buffer>
    static void add(Parcel& parcel, Buffer const& buffer) {
        parcel.add(buffer);
    }

    // Saves the current state of everything that `Self::for_each_stored` visits.
    template <class Self>
    static Later<Checkpoint> save(Exec& exec, Self const& self) {
        auto const parcel = exec.parcel("checkpoint");
        std::vector<std::string> names;
        Self::for_each_stored(
            [&](char const* name, auto const& stored) {
                names.push_back(name);
                add(*parcel, stored);
            },
            self);
        parcel->send();
        return [parcel, names](Checkpoint& checkpoint) {
            parcel->open();
            for (std::size_t k = 0; k < names.size(); ++k) checkpoint.arrays.push_back({names[k], parcel->take(k)});
        };
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

    // Loads each array that a solver stores, by name.
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
