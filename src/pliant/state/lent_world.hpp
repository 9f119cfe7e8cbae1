// Colliders and grips of handles during a step, in memory that stages can read. Distance grids of meshes never change
// and are uploaded once.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/contact/handle.hpp>

#include <map>
#include <span>
#include <vector>

namespace pliant {

template <class Exec>
class LentWorld {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Collider const* now(Exec& exec, std::vector<Collider> const& colliders) { return lend(exec, now_, colliders); }
    Collider const* next(Exec& exec, std::vector<Collider> const& colliders) { return lend(exec, next_, colliders); }
    // Those of the last call of next(), which had these.
    Collider const* next_lent(std::vector<Collider> const& colliders) const {
        return Exec::shares_host_memory ? colliders.data() : next_.data();
    }
    Grip const* grips(Exec& exec, std::vector<Grip> const& grips) { return exec.lend(grips_, grips); }

private:
    Collider const* lend(Exec& exec, Array<Collider>& there, std::vector<Collider> const& colliders) {
        if constexpr (Exec::shares_host_memory) {
            return colliders.data();
        } else {
            std::vector<Collider> moved = colliders;
            for (Collider& c : moved) {
                if (c.kind != ColliderKind::mesh) continue;
                Array<float>& values = distances_[c.grid.value];
                std::size_t const nodes = std::size_t(c.grid.nodes_x) * c.grid.nodes_y * c.grid.nodes_z;
                if (values.size() == 0) exec.upload(values, std::span(c.grid.value, nodes));
                c.grid.value = values.data();
            }
            return exec.lend(there, moved);
        }
    }

    Array<Collider> now_, next_;
    Array<Grip> grips_;
    std::map<float const*, Array<float>> distances_;  // of meshes, by their address on the host
};

}  // namespace pliant
