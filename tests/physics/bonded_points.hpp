// Points bonded to those within a kernel radius of 2.5, with all that a stage reads of bonds. For tests.
#pragma once

#include <pliant/math/kernel.hpp>
#include <pliant/math/sym3.hpp>
#include <pliant/math/vec4.hpp>
#include <pliant/neighbors/bond_view.hpp>

#include <vector>

namespace pliant::test {

struct BondedPoints {
    std::vector<Vec3d> rest;
    std::vector<Index> row{0}, neighbor;
    std::vector<Vec4> offset, offset_sum;
    std::vector<Sym3f> A_inverse;

    Index size() const { return Index(rest.size()); }
    BondView bonds() const { return {{row.data()}, neighbor.data(), offset.data(), nullptr, nullptr}; }

    void bond() {
        for (Index i = 0; i < size(); ++i) bond(i);
    }

private:
    void bond(Index i) {
        Sym3d A = Sym3d::scaled_identity(0);
        Vec4 sum = Vec4::zero();
        for (Index j = 0; j < size(); ++j) {
            Vec3d const r = rest[j] - rest[i];
            double const w = kernel_weight(norm(r), 2.5);
            if (j == i || w < least_weight) continue;
            neighbor.push_back(j), offset.push_back(Vec4::from(cast<float>(w * r), float(w)));
            A += w * Sym3d::outer(r), sum += offset.back();
        }
        row.push_back(Index(neighbor.size()));
        A_inverse.push_back(cast<float>(scaled_inverse(A))), offset_sum.push_back(sum);
    }
};

}  // namespace pliant::test
