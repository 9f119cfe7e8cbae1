// Who is bonded to whom. A bond keeps the rest offset of its pair and its weight; both ends share them, since
// r_ji = -r_ij and w_ji = w_ij, so one 16-byte vector {w r_ij, w} serves both passes of a product with the stiffness.
// Rows are contiguous a particle; a row lists its neighbours in ascending order.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/math/vec4.hpp>
#include <pliant/neighbors/cell_grid.hpp>

#include <span>

namespace pliant {

// What stages see. They walk slot(i, 0) ... slot(i, count(i) - 1) and do not know how slots are laid out.
struct BondView {
    Index const* row;
    Index const* neighbors;
    Vec4 const* offsets;

    PLIANT_HD Index count(Index i) const { return row[i + 1] - row[i]; }
    PLIANT_HD Index slot(Index i, Index k) const { return row[i] + k; }
    PLIANT_HD Index neighbor(Index slot) const { return neighbors[slot]; }
    PLIANT_HD Vec4 weighted_offset(Index slot) const { return offsets[slot]; }  // {w r_ij, w}
};

class Bonds {
public:
    // Bonds all pairs of one body that are nearer than `radius` at rest. Bodies come one after the other, in order.
    void add_body(Cpu& exec, std::span<Vec3d const> rest, Range body, double radius) {
        CellGrid grid;
        grid.build(exec, body, radius, [&](Index i) { return rest[i]; });
        auto const weight_of = [&](Index i, Index j) { return kernel_weight(norm(rest[j] - rest[i]), radius); };

        counts_.resize(body.size());
        exec.for_each("bond count", body, [&](Index i) {
            Index count = 0;
            grid.for_each_near(rest[i], [&](Index j) { count += j != i && weight_of(i, j) >= least_weight; });
            counts_[i - body.begin] = count;
        });
        Index start = row_.size() == 0 ? 0 : row_[body.begin];
        row_.resize(body.end + 1);
        for (Index i = body.begin; i <= body.end; ++i) {
            row_[i] = start;
            if (i < body.end) start += counts_[i - body.begin];
        }
        neighbors_.resize(start);
        offsets_.resize(start);
        exec.for_each("bond fill", body, [&](Index i) {
            Index* const begin = neighbors_.data() + row_[i];
            Index* end = begin;
            grid.for_each_near(rest[i], [&](Index j) {
                if (j != i && weight_of(i, j) >= least_weight) *end++ = j;
            });
            std::sort(begin, end);
            for (Index* j = begin; j < end; ++j) {
                double const w = weight_of(i, *j);
                offsets_[j - neighbors_.data()] = Vec4::from(cast<float>(w * (rest[*j] - rest[i])), float(w));
            }
        });
    }

    BondView view() const { return {row_.data(), neighbors_.data(), offsets_.data()}; }
    Index size() const { return Index(neighbors_.size()); }
    std::size_t bytes() const { return row_.bytes() + neighbors_.bytes() + offsets_.bytes() + counts_.bytes(); }

private:
    Buffer<Index> row_, neighbors_, counts_;
    Buffer<Vec4> offsets_;
};

}  // namespace pliant
