// Levels of hats for the preconditioner, for bodies that flow or are too many for a dense second level
// (physics/coarse.hpp): corrections on grids of wider and wider cells.
//
//   z = S P S r + S s sum_l W_l c_l D_l^-1 W_l^T s S r                                   (Bramble, Pasciak and Xu 1990)
//
// A column of W_l is a trilinear hat on a grid over the positions of this step, with cells twice as wide at each level,
// and D_l holds the diagonal blocks of W_l^T (M + tau^2 K) W_l. Hats of one level are sums of hats of the level below,
// so only the finest level is restricted from particles and interpolated to them; each further level costs an eighth of
// the one below. Nothing is kept from step to step: bodies may flow, split and weld. An infinite grid is folded into a
// box: where it overlaps itself, two distant hats become one, which costs iterations but is never wrong.
//
// D_l follows from the matter in the cells around a node, as if it were spread evenly in each; no product is needed.
// c_l is a quarter, because hats overlap, times the share of stiffness in D_l: a level whose cells are so wide that
// inertia outweighs K adds nothing to the blocks P. s_i is the share of a particle as in physics/coarse.hpp.
//
// A plastic armadillo of 50,000 particles during its impact, whose waves cross 18 spacings per step: 129 iterations per
// step without levels, 64 with c = 1, 59 with a quarter, 71 with an eighth. A cube gains a factor of five. Thin parts
// gain less: hats wider than a finger cannot bend it. Tried and rejected: D_l without the directions that constraints
// take (as many iterations).
#pragma once

#include <pliant/physics/coarse.hpp>

#include <bit>
#include <cstdint>

namespace pliant {

// The position of a cell's corner along an axis: 0 or 1.
PLIANT_HD inline int along(int corner, int axis) { return corner >> axis & 1; }

struct FoldedGrid {  // cells, each with the node at its low corner
    int bits[3] = {0, 0, 0};

    PLIANT_HD Index size() const { return Index(1) << (bits[0] + bits[1] + bits[2]); }
    PLIANT_HD Index at(int x, int y, int z) const {
        return ((Index(z) & mask(2)) << (bits[0] + bits[1])) | ((Index(y) & mask(1)) << bits[0]) | (Index(x) & mask(0));
    }
    struct Place {
        int x, y, z;
    };
    PLIANT_HD Place place(Index n) const {
        return {int(n & mask(0)), int((n >> bits[0]) & mask(1)), int(n >> (bits[0] + bits[1]))};
    }
    // Corner k of the cell at x, y, z, or the k-th of the eight cells that start there.
    PLIANT_HD Index corner(int x, int y, int z, int k) const {
        return at(x + along(k, 0), y + along(k, 1), z + along(k, 2));
    }
    PLIANT_HD FoldedGrid coarser() const { return {{bits[0] - 1, bits[1] - 1, bits[2] - 1}}; }

private:
    PLIANT_HD Index mask(int axis) const { return (Index(1) << bits[axis]) - 1; }
};

// The position of a particle in its cell. 9 bits per axis are plenty for a preconditioner, as long as restriction and
// interpolation use the same. They are stored in the fourth float of the residual that particles bring to their cells
// (as a float, 27 bits are below 1e-33).
struct WithinCell {
    std::uint32_t bits = 0;

    PLIANT_HD static WithinCell of(Vec3d within) {  // 0 to 1
        auto const part = [](double a) { return std::uint32_t(a < 1 ? 512 * a : 511); };
        return {part(within.x) | part(within.y) << 9 | part(within.z) << 18};
    }
    PLIANT_HD static WithinCell beside(Vec4 value) { return {std::bit_cast<std::uint32_t>(value[3])}; }
    PLIANT_HD Vec4 with(Vec4 value) const { return Vec4::from(value.xyz(), std::bit_cast<float>(bits)); }

    PLIANT_HD float hat(int corner) const {
        float weight = 1;
        for (int axis = 0; axis < 3; ++axis) {
            float const at = (float(bits >> 9 * axis & 511) + 0.5f) / 512;
            weight *= along(corner, axis) ? at : 1 - at;
        }
        return weight;
    }
};

// The cell of a particle, and its position in the cell.
struct PlaceInCells {
    Vec4d const* place;
    double inverse_cell;
    FoldedGrid grid;
    Index* cell;
    WithinCell* within;

    PLIANT_HD void operator()(Index i) const {
        Vec3d const at = inverse_cell * place[i].xyz();
        Vec3d const low{std::floor(at.x), std::floor(at.y), std::floor(at.z)};
        within[i] = WithinCell::of(at - low);
        auto const folded = [](double a) { return int(std::int64_t(a) & 0xffff); };
        cell[i] = grid.at(folded(low.x), folded(low.y), folded(low.z));
    }
};

struct CellMatter {             // within a cell
    float mass, mu, lambda_mu;  // [kg], mu V and (lambda + mu) V [J]

    PLIANT_HD static CellMatter nothing() { return {0, 0, 0}; }
    PLIANT_HD void add(CellMatter const& other) { mass += other.mass, mu += other.mu, lambda_mu += other.lambda_mu; }
};

// The matter of the cells at the finest level, each particle weighted by its share squared.
struct MatterOfCell {
    Index const *row, *order;  // particles of a cell
    float const *mass, *share;
    ElasticCoefficients const* coefficients;
    CellMatter* matter;

    PLIANT_HD void operator()(Index c) const {
        CellMatter sum = CellMatter::nothing();
        for (Index k = row[c]; k < row[c + 1]; ++k) {
            Index const i = order[k];
            float const part = share[i] * share[i];
            ElasticCoefficients const e = coefficients[i];
            sum.add({part * mass[i], part * 0.5f * e.mu2, part * (e.lambda + 0.5f * e.mu2)});
        }
        matter[c] = sum;
    }
};

// The matter of wider cells: eight cells of the level below form one.
struct MatterOfWiderCell {
    FoldedGrid fine, grid;
    CellMatter const* fine_matter;
    CellMatter* matter;

    PLIANT_HD void operator()(Index c) const {
        auto const [x, y, z] = grid.place(c);
        CellMatter sum = CellMatter::nothing();
        for (int k = 0; k < 8; ++k) sum.add(fine_matter[fine.corner(2 * x, 2 * y, 2 * z, k)]);
        matter[c] = sum;
    }
};

// c D^-1 of a node, from the eight cells around it. Means over a cell, in units of the cell width: a hat squared 1/27,
// its squared derivative along each axis 1/9, and the product of its derivatives along two axes +-1/12.
struct InverseOfNode {
    FoldedGrid grid;
    CellMatter const* matter;
    float tau_squared, inverse_cell;
    Sym3f* inverse;

    PLIANT_HD void operator()(Index n) const {
        auto const [x, y, z] = grid.place(n);
        float const scale = tau_squared * inverse_cell * inverse_cell;
        float mass = 0;
        Sym3f K = Sym3f::scaled_identity(0);
        for (int k = 0; k < 8; ++k) {
            CellMatter const m = matter[grid.corner(x - 1, y - 1, z - 1, k)];
            float const even = scale * (m.mu / 3 + m.lambda_mu / 9), uneven = scale * m.lambda_mu / 12;
            auto const sign = [&](int a, int b) { return along(k, a) == along(k, b) ? uneven : -uneven; };
            mass += m.mass / 27;
            K += Sym3f{even, even, even, sign(0, 1), sign(0, 2), sign(1, 2)};
        }
        float const stiffness = trace(K) / 3;
        Sym3f const none = Sym3f::scaled_identity(0);
        inverse[n] = stiffness > 0
                         ? (0.25f * stiffness / (stiffness + mass)) * scaled_inverse(Sym3f::scaled_identity(mass) + K)
                         : none;
    }
};

// What the particles of a cell bring to its corners. Lanes share the corners.
template <class Shared>
struct CornersOfCell {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    static_assert(8 % lanes == 0);
    Index const *row, *order, *filled;  // particles of a cell, cells that have particles
    Vec4 const* open;
    Vec4* corners;  // eight for each cell

    PLIANT_HD void operator()(Index f) const {
        constexpr Index own = 8 / Shared::step();
        Index const c = filled[f];
        Vec4 sums[own];
        for (Index k = 0; k < own; ++k) sums[k] = Vec4::zero();
        for (Index at = row[c]; at < row[c + 1]; ++at) {
            Vec4 const value = open[order[at]];
            WithinCell const within = WithinCell::beside(value);
            for (Index k = 0; k < own; ++k) sums[k] += within.hat(int(corner(k))) * value;
        }
        for (Index k = 0; k < own; ++k) corners[8 * f + corner(k)] = sums[k];
    }

private:
    PLIANT_HD static Index corner(Index k) { return Shared::lane() + k * Shared::step(); }
};

// Which cells have particles: at the finest level, and at the others from the level below.
struct FlagFilled {
    Index const* row;
    std::uint8_t* flag;
    Index* slot;

    PLIANT_HD void operator()(Index c) const {
        flag[c] = row[c] != row[c + 1];
        slot[c] = no_slot;
    }
    static constexpr Index no_slot = ~Index{0};
};
struct FlagWider {
    FoldedGrid fine, grid;
    std::uint8_t const* fine_flag;
    std::uint8_t* flag;

    PLIANT_HD void operator()(Index c) const {
        auto const [x, y, z] = grid.place(c);
        std::uint8_t any = 0;
        for (int k = 0; k < 8; ++k) any |= fine_flag[fine.corner(2 * x, 2 * y, 2 * z, k)];
        flag[c] = any;
    }
};
struct NumberFilled {
    Index const* filled;
    Index* slot;
    PLIANT_HD void operator()(Index f) const { slot[filled[f]] = f; }
};

// Nodes whose hats contain particles. (In a box around an armadillo these are a twentieth of all nodes.)
struct FlagNodes {
    FoldedGrid grid;
    std::uint8_t const* filled;
    std::uint8_t* flag;

    PLIANT_HD void operator()(Index n) const {
        auto const [x, y, z] = grid.place(n);
        std::uint8_t any = 0;
        for (int k = 0; k < 8; ++k) any |= filled[grid.at(x - along(k, 0), y - along(k, 1), z - along(k, 2))];
        flag[n] = any;
    }
};

// W_0^T open of a node, from the cells around it.
struct RestrictToNode {
    FoldedGrid grid;
    Index const* slot;  // number of a cell among the filled ones
    Vec4 const* corners;
    Vec4* y;

    PLIANT_HD void operator()(Index n) const {
        auto const [x, y1, z] = grid.place(n);
        Vec4 sum = Vec4::zero();
        for (int k = 0; k < 8; ++k) {
            Index const f = slot[grid.at(x - along(k, 0), y1 - along(k, 1), z - along(k, 2))];
            if (f != FlagFilled::no_slot) sum += corners[8 * f + Index(k)];
        }
        y[n] = sum;
    }
};

// y of a level from the level below.
struct RestrictToWider {
    FoldedGrid fine, grid;
    Vec4 const* fine_y;
    Vec4* y;

    PLIANT_HD void operator()(Index n) const {
        auto const [x, y1, z] = grid.place(n);
        Vec4 sum = Vec4::zero();
        for (int c = -1; c <= 1; ++c)
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a) {
                    float const weight = (a == 0 ? 1 : 0.5f) * (b == 0 ? 1 : 0.5f) * (c == 0 ? 1 : 0.5f);
                    sum += weight * fine_y[fine.at(2 * x + a, 2 * y1 + b, 2 * z + c)];
                }
        y[n] = sum;
    }
};

// c = D^-1 y, plus the correction interpolated from the wider level.
struct CorrectNode {
    FoldedGrid grid;
    Sym3f const* inverse;
    Vec4 const* wider;  // null: none
    Vec4* y_then_c;

    PLIANT_HD void operator()(Index n) const {
        Vec4 sum = Vec4::from(inverse[n] * y_then_c[n].xyz());
        if (wider != nullptr) {
            auto const [x, y, z] = grid.place(n);
            FoldedGrid const coarse = grid.coarser();
            for (int k = 0; k < 8; ++k) {
                if ((along(k, 0) > (x & 1)) || (along(k, 1) > (y & 1)) || (along(k, 2) > (z & 1))) continue;
                float const weight = (x & 1 ? 0.5f : 1) * (y & 1 ? 0.5f : 1) * (z & 1 ? 0.5f : 1);
                sum += weight * wider[coarse.corner(x / 2, y / 2, z / 2, k)];
            }
        }
        y_then_c[n] = sum;
    }
};

// s S r, with the particle's position in its cell.
struct SharedResidual {
    Constraint const* constraints;
    float const* share;
    WithinCell const* within;
    Vec4 const* r;
    Vec4* open;

    PLIANT_HD void operator()(Index i) const { open[i] = within[i].with(share[i] * constraints[i].filter(r[i])); }
};

// s W_0 c.
struct PyramidCorrection {
    float const* share;
    FoldedGrid grid;
    Index const* cell;
    WithinCell const* within;
    Vec4 const* c;

    PLIANT_HD Vec4 operator()(Index i) const {
        auto const [x, y, z] = grid.place(cell[i]);
        WithinCell const w = within[i];
        Vec4 sum = Vec4::zero();
        for (int k = 0; k < 8; ++k) sum += w.hat(k) * c[grid.corner(x, y, z, k)];
        return share[i] * sum;
    }
};

}  // namespace pliant
