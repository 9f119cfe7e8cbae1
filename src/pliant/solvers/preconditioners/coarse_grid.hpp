// The hats of the coarse level, on the host: grids over the rest positions of the bodies that deserve one, and the
// dense inverse of their matrix.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/physics/coarse.hpp>
#include <pliant/solvers/preconditioners/coarse_use.hpp>

#include <array>
#include <map>
#include <span>
#include <vector>

namespace pliant {

class CoarseGrid {
public:
    static constexpr int colours_along = 5;  // hats three cells apart do not couple in A_c if cells are wide enough
    static constexpr Index most_unknowns = 1500;

    // radius: of the kernel, in spacings.
    CoarseGrid(Model const& model, CoarseUse use, double radius, double tau);

    Index node_count() const { return Index(keys_.size()); }
    std::vector<Hats> const& hats() const { return hats_; }
    std::vector<std::uint8_t> const& colours() const { return colours_; }
    std::vector<Index> const& bodies() const { return body_; }  // one entry per particle
    // entries[first[a]] ... entries[first[a + 1] - 1] are the particles in the hat of node a.
    void rows(std::vector<Index>& first, std::vector<HatEntry>& entries) const;
    // X - mean X of its body, one entry per particle.
    static std::vector<Vec4> arms(Model const& model);

    // Adds a column to the matrix: y = W^T A W e, where e is one along `axis` at all nodes of `colour`.
    void take_column(int colour, int axis, std::span<VectorSum const> y);
    std::vector<double> const& matrix() const { return matrix_; }  // row by row
    // A_c^-1 in blocks, row by row. Consumes the matrix.
    std::vector<CoarseBlock> inverse();

private:
    struct Key {  // a node: its body and place in the body's grid
        int body;
        std::array<int, 3> at;
        auto operator<=>(Key const&) const = default;
    };

    bool place_hats(Model const& model, std::vector<bool> const& taken, double cell);

    std::map<Key, Index> nodes_;
    std::vector<Key> keys_;
    std::vector<Hats> hats_;
    std::vector<std::uint8_t> colours_;
    std::vector<Index> body_;
    std::vector<double> matrix_;
};

// a^-1 of a symmetric positive definite matrix of n x n, in place, by the sweep operator. Unknowns that depend on
// others get zero rows and columns.
void invert_symmetric(std::vector<double>& a, std::size_t n);

}  // namespace pliant
