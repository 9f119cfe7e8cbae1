// The stages of Lanczos' method for the largest eigenvalue of M^-1 K, whose vectors are orthogonal in the product
// x . M y. Each is the work of one particle.
#pragma once

#include <pliant/physics/elastic.hpp>

namespace pliant {

// An arbitrary start vector, the same in every run: each component is a hash of its number. Writes z_i.
struct AnyVector {
    Vec4* z;

    PLIANT_HD void operator()(Index i) const {
        z[i] = Vec4::of(number(3 * i), number(3 * i + 1), number(3 * i + 2), 0);
    }

private:
    PLIANT_HD static float number(std::uint32_t n) {  // in [-1, 1)
        n = (n ^ 61u ^ (n >> 16)) * 9u;
        n = (n ^ (n >> 4)) * 0x27d4eb2du;
        n ^= n >> 15;
        return float(n >> 8) * (2.f / 16777216.f) - 1.f;
    }
};

struct MassNorm {  // {z . M z}
    Vec4 const* z;
    float const* mass;
    PLIANT_HD std::array<double, 1> operator()(Index i) const { return {double(mass[i]) * double(dot3(z[i], z[i]))}; }
};

struct Scale {
    float by;
    Vec4* z;
    PLIANT_HD void operator()(Index i) const { z[i] = by * z[i]; }
};

// K z, from the stresses of z. Writes product_i.
template <class Bonds>
struct StiffnessProduct {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Linearization linear;
    TouchRows touches;
    Vec4* product;
    PLIANT_HD void operator()(Index i) const { product[i] = touches.sum(i) - force_of_stress(bonds, i, linear); }
};

struct Dot {  // {a . b}
    Vec4 const *a, *b;
    PLIANT_HD std::array<double, 1> operator()(Index i) const { return {double(dot3(a[i], b[i]))}; }
};

// The next vector before scaling: M^-1 K z - alpha z - beta last. It overwrites the last one.
struct NextLanczosVector {
    Vec4 const *product, *z;
    float const* mass;
    float alpha, beta;
    Vec4* last;

    PLIANT_HD void operator()(Index i) const { last[i] = (1 / mass[i]) * product[i] - alpha * z[i] - beta * last[i]; }
};

}  // namespace pliant
