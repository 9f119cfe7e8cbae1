// Block-Jacobi: only the inverse diagonal blocks of the system. They are formed when the system is linearised
// (physics/step.hpp), and touches add to them, so there is nothing to do here.
#pragma once

#include <pliant/exec/phases.hpp>
#include <pliant/physics/conjugate_gradients.hpp>

#include <cstdint>

namespace pliant {

class BlockJacobi {
public:
    static constexpr bool has_levels = false;
    static constexpr bool spreads = true;

    template <class System>
    void set_up(System&, float) {}
    void place(Vec4d const*, Domain const&) {}
    void form(SystemView const&) {}
    Direction<NoLevels> direction(SystemView const& on) const { return {on, {}}; }
    std::uint64_t bytes() const { return 0; }
};

}  // namespace pliant
