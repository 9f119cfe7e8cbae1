// The baseline: the product as Zhou et al. 2013 (sec. 3.3) store it. For every particle i, every k bonded to it, and k
// = i, the 6x3 block of eq. 19,
//   L_ik e_d = sym(R_i^T e_d (x) g_ik),   g_ik = A_i^-1 w r_ik,   g_ii = -sum_k g_ik,
// is stored in compressed sparse rows: 18 floats and a column index. Strains are 6-vectors (xx, yy, zz, xy, xz, yz),
// and
//   q = M p + tau^2 L^T C V L p                                                         (eq. 24 times the mass)
// takes two products with sparse matrices; the second uses the transpose, which is also stored, so that both gather.
//
// Optimised to run at memory speed: a block is three columns of six floats, loaded eight at a time (the last two belong
// to the next column and end up in lanes that are dropped), with three FMAs per block in either pass and two sets of
// accumulators, reading only streams and the gathered vector. The pattern is symmetric, so L and L^T share their index.
#pragma once

#include <cstring>

#include "bond_product.hpp"

namespace pliant::benchmarks {

struct Six {
    using Lanes = float __attribute__((vector_size(32)));
    Lanes v;  // the last two lanes are zero

    static Lanes load(float const* from) {  // reads eight, whatever their alignment
        Lanes v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
};

struct BlockRows {
    static constexpr std::size_t floats = 18;  // per block
    Index const* row;
    Index const* column;
    float const* blocks;
};

// L_ik or, for the transpose, L_ki: R and g are those of the particle whose strain it gives.
inline void write_block(Mat3f const& R, Vec3f g, float* block) {
    for (int d = 0; d < 3; ++d) {
        Vec3f const a{R(d, 0), R(d, 1), R(d, 2)};  // R^T e_d
        float const column[6] = {a.x * g.x,
                                 a.y * g.y,
                                 a.z * g.z,
                                 0.5f * (a.x * g.y + a.y * g.x),
                                 0.5f * (a.x * g.z + a.z * g.x),
                                 0.5f * (a.y * g.z + a.z * g.y)};
        std::memcpy(block + 6 * d, column, sizeof column);
    }
}

// Writes row i of L and of its transpose, the diagonal block first.
struct WriteBlocks {
    BondView bonds;
    Sym3f const* A_inverse;
    Vec4 const* offset_sum;
    Mat3f const* R;
    Index const* row;
    float *L, *L_transposed;

    void operator()(Index i) const {
        std::size_t at = BlockRows::floats * row[i];
        Vec3f const own = -(A_inverse[i] * offset_sum[i].xyz());
        write_block(R[i], own, L + at);
        write_block(R[i], own, L_transposed + at);
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec3f const a = bonds.weighted_offset(slot).xyz();
            at += BlockRows::floats;
            write_block(R[i], A_inverse[i] * a, L + at);
            write_block(R[j], -(A_inverse[j] * a), L_transposed + at);
        }
    }
};

// stress_i = V C sum_k L_ik p_k.
struct StressOfBlocks {
    BlockRows L;
    Vec4 const* p;
    Six C[6];  // columns of C V
    Six* stress;

    void operator()(Index i) const {
        Six::Lanes even[3]{}, odd[3]{};
        auto const add = [&](Six::Lanes* sum, std::size_t k) {
            float const* const block = L.blocks + BlockRows::floats * k;
            Vec4 const& pk = p[L.column[k]];
            for (int d = 0; d < 3; ++d) sum[d] += Six::load(block + 6 * d) * pk[d];
        };
        std::size_t k = L.row[i];
        std::size_t const end = L.row[i + 1];
        for (; k + 1 < end; k += 2) add(even, k), add(odd, k + 1);
        if (k < end) add(even, k);
        Six::Lanes const strain = (even[0] + odd[0]) + (even[1] + odd[1]) + (even[2] + odd[2]);
        Six::Lanes result{};
        for (int c = 0; c < 6; ++c) result += C[c].v * strain[c];
        stress[i].v = result;
    }
};

// q_i = m p_i + tau^2 sum_k L_ki^T stress_k, and {p.q}.
struct ForceOfBlocks {
    BlockRows L_transposed;
    Six const* stress;
    float const* mass;
    float tau_squared;
    Vec4 const* p;
    Vec4* q;

    std::array<double, 1> operator()(Index i) const {
        Six::Lanes even[3]{}, odd[3]{};
        auto const add = [&](Six::Lanes* sum, std::size_t k) {
            float const* const block = L_transposed.blocks + BlockRows::floats * k;
            Six::Lanes const s = stress[L_transposed.column[k]].v;
            for (int d = 0; d < 3; ++d) sum[d] += Six::load(block + 6 * d) * s;
        };
        std::size_t k = L_transposed.row[i];
        std::size_t const end = L_transposed.row[i + 1];
        for (; k + 1 < end; k += 2) add(even, k), add(odd, k + 1);
        if (k < end) add(even, k);
        Vec3f force;
        for (int d = 0; d < 3; ++d) {
            Six::Lanes const s = even[d] + odd[d];
            force[d] = ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
        }
        q[i] = mass[i] * p[i] + tau_squared * Vec4::from(force);
        return {double(dot3(p[i], q[i]))};
    }
};

class BlockProduct {
public:
    BlockProduct(Cpu& exec, BondProduct& same, Beam const& beam) : exec_(exec), same_(same), all_(same.all()) {
        BondView const bonds = same.bonds();
        row_.resize(all_.size() + 1);
        for (Index i = 0; i < all_.size(); ++i) row_[i + 1] = row_[i] + 1 + bonds.count(i);
        column_.resize(row_[all_.size()]);
        for (Index i = 0; i < all_.size(); ++i) {
            column_[row_[i]] = i;
            for (Index k = 0; k < bonds.count(i); ++k) column_[row_[i] + 1 + k] = bonds.neighbor(bonds.slot(i, k));
        }
        L_.resize(BlockRows::floats * column_.size() + 2);  // the last load reads two more
        L_transposed_.resize(L_.size());
        stress_.resize(all_.size());
        q_.resize(all_.size());

        Corotated const law(beam.material);
        float const V = float(beam.volume);
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) C_[c].v[k] = V * law.lambda + (c == k ? 2 * V * law.mu : 0);
            C_[c + 3].v[c + 3] = 4 * V * law.mu;  // each shear strain represents two entries of the tensor
        }
    }

    // Called once per step, when rotations have changed.
    void write() {
        exec_.for_each("blocks: write", all_,
                       WriteBlocks{same_.bonds(), same_.A_inverse(), same_.offset_sum(), same_.R(), row_.data(),
                                   L_.data(), L_transposed_.data()});
    }

    double apply(float tau_squared) {  // returns p.q
        StressOfBlocks stage{{row_.data(), column_.data(), L_.data()}, same_.p(), {}, stress_.data()};
        std::copy_n(C_, 6, stage.C);
        exec_.for_each("blocks: stress", all_, stage);
        return exec_.sum("blocks: force", all_,
                         ForceOfBlocks{{row_.data(), column_.data(), L_transposed_.data()},
                                       stress_.data(),
                                       same_.mass(),
                                       tau_squared,
                                       same_.p(),
                                       q_.data()})[0];
    }

    double bytes_read() const {
        double const pass = double(L_.bytes() + column_.bytes() + row_.bytes());
        double const vectors = 2.0 * sizeof(Vec4) + sizeof(Six) + sizeof(float);  // p twice, stress, m
        return 2 * pass + vectors * all_.size();
    }
    double bytes_kept(bool with_transpose) const {
        double const blocks = double(L_.bytes()) * (with_transpose ? 2 : 1);
        return blocks + double(column_.bytes() + row_.bytes() + stress_.bytes()) + double(sizeof(float)) * all_.size();
    }
    Vec4 const* q() const { return q_.data(); }

private:
    Cpu& exec_;
    BondProduct& same_;
    Range all_;
    Buffer<Index> row_, column_;
    Buffer<float> L_, L_transposed_;
    Buffer<Six> stress_;
    Buffer<Vec4> q_;
    Six C_[6]{};  // columns of C V
};

}  // namespace pliant::benchmarks
