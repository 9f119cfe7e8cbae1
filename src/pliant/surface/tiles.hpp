// Particles sorted by the block of 8^3 grid nodes that holds them: all particles near a block are in the 27 around it.
#pragma once

#include <pliant/exec/sort.hpp>
#include <pliant/math/vec3.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>
#include <vector>

namespace pliant::surface {

using Block = std::array<std::int32_t, 3>;  // its first node is block_side * (i, j, k)
inline constexpr int block_side = 8;
inline constexpr int block_nodes = block_side * block_side * block_side;

inline std::uint64_t key_of(Block at) {  // 21 bits per axis, wrapping around
    auto const part = [](std::int32_t a) { return static_cast<std::uint64_t>(a) & 0x1fffff; };
    return part(at[0]) | part(at[1]) << 21 | part(at[2]) << 42;
}

template <class Visit>
void for_each_around(Block at, Visit const& visit) {  // visit(block, step to it), including `at` itself
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) visit(Block{at[0] + dx, at[1] + dy, at[2] + dz}, Block{dx, dy, dz});
}

class Tiles {
public:
    struct Tile {
        Block at;
        Index begin, end;  // of its particles
        Index size() const { return end - begin; }
    };

    Tiles(Cpu& exec, std::span<Vec3f const> position, double cell) {
        struct Entry {
            std::uint64_t key;
            Index index;
            bool operator<(Entry const& b) const { return key != b.key ? key < b.key : index < b.index; }
        };
        auto const block_of = [&](Vec3f p) {
            Block at;
            for (int k = 0; k < 3; ++k)
                at[std::size_t(k)] = std::int32_t(std::floor(double(p[k]) / (cell * block_side)));
            return at;
        };
        std::vector<Entry> entry(position.size());
        for (std::size_t i = 0; i < position.size(); ++i) entry[i] = {key_of(block_of(position[i])), Index(i)};
        parallel_sort(exec, entry);
        local_.reserve(position.size());
        for (std::size_t k = 0; k < entry.size(); ++k) {
            Vec3f const p = position[entry[k].index];
            Block const at = block_of(p);
            if (k == 0 || entry[k].key != entry[k - 1].key) {
                number_.emplace(entry[k].key, Index(tile_.size()));
                tile_.push_back({at, Index(k), Index(k)});
            }
            ++tile_.back().end;
            Vec3f local;
            for (int axis = 0; axis < 3; ++axis)
                local[axis] = float(double(p[axis]) / cell - double(block_side) * at[std::size_t(axis)]);
            local_.push_back(local);
        }
    }

    std::vector<Tile> const& tiles() const { return tile_; }
    std::size_t particle_count() const { return local_.size(); }
    Vec3f local(Index k) const { return local_[k]; }  // in cells from the first node of its block
    Tile const* find(Block at) const {
        auto const found = number_.find(key_of(at));
        return found == number_.end() ? nullptr : &tile_[found->second];
    }

    // visit(k, position in cells from the first node of `at`) for the particles in and around a block.
    template <class Visit>
    void for_each_near(Block at, Visit const& visit) const {
        for_each_around(at, [&](Block near, Block step) {
            Tile const* tile = find(near);
            if (!tile) return;
            Vec3f const shift = float(block_side) * Vec3f{float(step[0]), float(step[1]), float(step[2])};
            for (Index k = tile->begin; k < tile->end; ++k) visit(k, local_[k] + shift);
        });
    }

    // The same for the particles near a point `x` of that block, in cells from its first node: those of blocks that a
    // ball around it meets.
    template <class Visit>
    void for_each_within(Block at, Vec3f x, float radius, Visit const& visit) const {
        for_each_around(at, [&](Block near, Block step) {
            float away = 0;  // squared, from the block
            for (int k = 0; k < 3; ++k) {
                float const low = float(block_side * step[std::size_t(k)]), high = low + float(block_side);
                float const beyond = std::max({low - x[k], x[k] - high, 0.f});
                away += beyond * beyond;
            }
            Tile const* tile = away < radius * radius ? find(near) : nullptr;
            if (!tile) return;
            Vec3f const shift = float(block_side) * Vec3f{float(step[0]), float(step[1]), float(step[2])};
            for (Index k = tile->begin; k < tile->end; ++k) visit(local_[k] + shift);
        });
    }

private:
    std::vector<Tile> tile_;
    std::vector<Vec3f> local_;
    std::unordered_map<std::uint64_t, Index> number_;
};

}  // namespace pliant::surface
