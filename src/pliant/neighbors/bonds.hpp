// Who is bonded to whom. A bond keeps the rest offset of its pair and its weight; both ends share them, since
// r_ji = -r_ij and w_ji = w_ij, so one 16-byte vector {w r_ij, w} serves both passes of a product with the stiffness.
// Rows are contiguous a particle; a row lists its neighbours in ascending order.
//
// Two methods need gradient weights that are not the same at both ends: second-order fits, and the paper's rest state.
// They write theirs as A_i^-1 w r_ij + c_ij and keep c_ij and -c_ji beside the bond (corrections); who has none pays
// nothing.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/math/vec4.hpp>
#include <pliant/neighbors/cell_grid.hpp>

#include <algorithm>
#include <span>

namespace pliant {

// What stages see. They walk slot(i, 0) ... slot(i, count(i) - 1) and do not know how slots are laid out.
template <bool with_corrections>
struct BondViewOf {
    static constexpr bool corrected = with_corrections;
    Index const* row;
    Index const* neighbors;
    Vec4 const* offsets;
    Vec4 const* corrections;           // c_ij
    Vec4 const* corrections_opposite;  // -c_ji

    PLIANT_HD Index count(Index i) const { return row[i + 1] - row[i]; }
    PLIANT_HD Index slot(Index i, Index k) const { return row[i] + k; }
    PLIANT_HD Index neighbor(Index slot) const { return neighbors[slot]; }
    PLIANT_HD Vec4 weighted_offset(Index slot) const { return offsets[slot]; }  // {w r_ij, w}
    PLIANT_HD bool bonded(Index i, Index j) const {                             // rows are in ascending order
        Index low = row[i], high = row[i + 1];
        while (low < high) {
            Index const middle = (low + high) / 2;
            if (neighbors[middle] == j) return true;
            neighbors[middle] < j ? low = middle + 1 : high = middle;
        }
        return false;
    }
    PLIANT_HD bool share_neighbor(Index i, Index j) const {  // whether they have one in common
        Index a = row[i], b = row[j];
        while (a < row[i + 1] && b < row[j + 1]) {
            if (neighbors[a] == neighbors[b]) return true;
            neighbors[a] < neighbors[b] ? ++a : ++b;
        }
        return false;
    }
    PLIANT_HD Vec4 correction(Index slot) const { return corrections[slot]; }
    PLIANT_HD Vec4 correction_opposite(Index slot) const { return corrections_opposite[slot]; }
};

using BondView = BondViewOf<false>;
using CorrectedBondView = BondViewOf<true>;

class Bonds {
public:
    struct Neighborhood {
        Range body;
        double radius;  // [m]
    };

    // Bonds all pairs of a body that are nearer than its radius at rest. Bodies follow one another from particle 0 on.
    void build(Cpu& exec, std::span<Vec3d const> rest, std::span<Neighborhood const> bodies) {
        CellGrid grid;
        auto const bonds_of = [&](double radius) {
            double const reach = bond_reach(radius), reach_squared = reach * reach;
            return [&grid, &rest, radius, reach_squared](Index i, auto const& emit) {
                grid.for_each_near(rest[i], [&](Index j) {
                    Vec3d const r = rest[j] - rest[i];
                    double const squared = norm_squared(r);
                    if (j == i || squared > reach_squared) return;
                    emit(j, [&] {
                        double const w = kernel_weight(std::sqrt(squared), radius);
                        return Vec4::from(cast<float>(w * r), float(w));
                    });
                });
            };
        };
        for (auto const& [body, radius] : bodies) {
            grid.build(exec, body, radius, [&](Index i) { return rest[i]; });
            count_rows(exec, body, bonds_of(radius));
        }
        for (auto const& [body, radius] : bodies) {
            grid.build(exec, body, radius, [&](Index i) { return rest[i]; });
            write_rows(exec, body, bonds_of(radius));
        }
        finish_rebuild();
        next_row_ = {}, next_neighbors_ = {}, next_offsets_ = {};
    }

    // Bonds of all bodies anew, from the present ones and from where particles are now. For every particle i of a body,
    //   keep(i, j, bond) gives the bond to j that takes the place of the present one,
    //   near(i, visit)   calls visit(j) for every particle j that may become a neighbour of i, and
    //   take(i, j)       gives the bond to such a j that i had none with.
    // Bonds whose weight is below least_weight are left out. keep, near and take must say the same of (j, i), with the
    // opposite offset.
    template <class Keep, class Near, class Take>
    void rebuild(Cpu& exec, Range body, Keep const& keep, Near const& near, Take const& take) {
        auto const bonds_of = [&](Index i, auto const& emit) {
            Index const *begin = neighbors_.data() + row_[i], *end = neighbors_.data() + row_[i + 1];
            for (Index const* j = begin; j < end; ++j) {
                Vec4 const bond = keep(i, *j, offsets_[j - neighbors_.data()]);
                if (bond[3] >= float(least_weight)) emit(*j, [&] { return bond; });
            }
            near(i, [&](Index j) {
                if (j == i || std::binary_search(begin, end, j)) return;
                Vec4 const bond = take(i, j);
                if (bond[3] >= float(least_weight)) emit(j, [&] { return bond; });
            });
        };
        count_rows(exec, body, bonds_of);
        write_rows(exec, body, bonds_of);
    }

    // Rows of a body that keep as they are while others are rebuilt.
    void carry_over(Range body) {
        start_rows(body, [&](Index i) { return row_[i + 1] - row_[i]; });
        make_room(body);
        std::copy_n(neighbors_.data() + row_[body.begin], row_[body.end] - row_[body.begin],
                    next_neighbors_.data() + next_row_[body.begin]);
        std::copy_n(offsets_.data() + row_[body.begin], row_[body.end] - row_[body.begin],
                    next_offsets_.data() + next_row_[body.begin]);
    }

    // Ends a series of rebuild and carry_over that has gone through all bodies in order.
    void finish_rebuild() {
        next_neighbors_.resize(next_row_[next_row_.size() - 1]);
        next_offsets_.resize(next_neighbors_.size());
        swap(row_, next_row_);
        swap(neighbors_, next_neighbors_);
        swap(offsets_, next_offsets_);
    }

    bool share_neighbor(Index i, Index j) const { return view().share_neighbor(i, j); }

    void make_corrections() {
        corrections_.resize(neighbors_.size());
        corrections_opposite_.resize(neighbors_.size());
    }
    Vec4* corrections() { return corrections_.data(); }
    Vec4* corrections_opposite() { return corrections_opposite_.data(); }

    template <bool corrected = false>
    BondViewOf<corrected> view() const {
        return {row_.data(), neighbors_.data(), offsets_.data(), corrections_.data(), corrections_opposite_.data()};
    }
    Index size() const { return Index(neighbors_.size()); }
    std::size_t bytes() const {
        return row_.bytes() + neighbors_.bytes() + offsets_.bytes() + counts_.bytes() + next_row_.bytes() +
               next_neighbors_.bytes() + next_offsets_.bytes() + corrections_.bytes() + corrections_opposite_.bytes();
    }

    // For checkpoints: the three arrays that the rest follows from.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("bond rows", self.row_);
        visit("bond neighbors", self.neighbors_);
        visit("bond offsets", self.offsets_);
    }

private:
    template <class Count>
    void start_rows(Range body, Count const& count) {
        next_row_.resize(body.end + 1);
        for (Index i = body.begin; i < body.end; ++i) next_row_[i + 1] = next_row_[i] + count(i);
    }

    void make_room(Range body) {
        next_neighbors_.resize(std::max<std::size_t>(next_neighbors_.size(), next_row_[body.end]));
        next_offsets_.resize(next_neighbors_.size());
    }

    // bonds_of(i, emit) calls emit(j, bond) for each bond of i; bond() gives its offset and weight when they are
    // wanted.
    template <class BondsOf>
    void count_rows(Cpu& exec, Range body, BondsOf const& bonds_of) {
        counts_.resize(body.size());
        exec.for_each("bonds: count", body, [&](Index i) {
            Index count = 0;
            bonds_of(i, [&](Index, auto const&) { ++count; });
            counts_[i - body.begin] = count;
        });
        start_rows(body, [&](Index i) { return counts_[i - body.begin]; });
    }

    template <class BondsOf>
    void write_rows(Cpu& exec, Range body, BondsOf const& bonds_of) {
        make_room({body.begin, Index(next_row_.size() - 1)});
        exec.for_each("bonds: write", body, [&](Index i) {
            Index slot = next_row_[i];
            bonds_of(i, [&](Index j, auto const& bond) {
                Index place = slot++;  // insertion keeps the row sorted; most bonds come in order
                for (; place > next_row_[i] && next_neighbors_[place - 1] > j; --place) {
                    next_neighbors_[place] = next_neighbors_[place - 1];
                    next_offsets_[place] = next_offsets_[place - 1];
                }
                next_neighbors_[place] = j;
                next_offsets_[place] = bond();
            });
        });
    }

    Buffer<Index> row_, neighbors_, counts_;
    Buffer<Vec4> offsets_, corrections_, corrections_opposite_;
    Buffer<Index> next_row_, next_neighbors_;  // being written, then swapped
    Buffer<Vec4> next_offsets_;
};

}  // namespace pliant
