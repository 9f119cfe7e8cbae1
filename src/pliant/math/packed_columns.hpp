// A 3x3 matrix in 32 bytes, for machines on which the cost of a gather is its bytes: on an H200 this is one memory
// sector, while nine floats in rows of four (ThreeColumns) touch two.
//
// The last four bits of eight entries store all bits of the ninth. The eight are read unmasked: the foreign bits change
// them by at most 2e-6 of their value.
#pragma once

#include <pliant/math/vec4.hpp>

#include <cstdint>
#include <cstring>

namespace pliant {
inline namespace PLIANT_LANES {

struct PackedColumns {
    Vec4 half[2];  // loaded four numbers at a time

    PLIANT_HD static PackedColumns of(ThreeColumns const& m) {
        std::uint32_t const last = bits(m.c[2][2]);
        float entry[8];
        for (int k = 0; k < 8; ++k) entry[k] = number((bits(m.c[k / 3][k % 3]) & ~15u) | ((last >> 4 * k) & 15u));
        return {{Vec4::of(entry[0], entry[1], entry[2], entry[3]), Vec4::of(entry[4], entry[5], entry[6], entry[7])}};
    }
    PLIANT_HD ThreeColumns columns() const {
        Vec4 const a = half[0], b = half[1];
        std::uint32_t last = 0;
        for (int k = 0; k < 4; ++k) last |= (bits(a[k]) & 15u) << 4 * k | (bits(b[k]) & 15u) << 4 * (k + 4);
        return {{Vec4::of(a[0], a[1], a[2], 0), Vec4::of(a[3], b[0], b[1], 0), Vec4::of(b[2], b[3], number(last), 0)}};
    }

private:
    PLIANT_HD static std::uint32_t bits(float number) {
        std::uint32_t word;
        std::memcpy(&word, &number, sizeof word);
        return word;
    }
    PLIANT_HD static float number(std::uint32_t word) {
        float number;
        std::memcpy(&number, &word, sizeof number);
        return number;
    }
};

// Stresses as products store them.
PLIANT_HD inline ThreeColumns const& columns_of(ThreeColumns const& m) { return m; }
PLIANT_HD inline ThreeColumns columns_of(PackedColumns const& m) { return m.columns(); }
PLIANT_HD inline void store(ThreeColumns& to, ThreeColumns const& m) { to = m; }
PLIANT_HD inline void store(PackedColumns& to, ThreeColumns const& m) { to = PackedColumns::of(m); }

}  // namespace PLIANT_LANES
}  // namespace pliant
