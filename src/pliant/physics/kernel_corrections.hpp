// Gradient weights of SPH kernels, F_i = I + sum_j (u_j - u_i) (x) g_ij with displacements u, as corrections of the
// least-squares ones: g_ij = A_i^-1 w r_ij + c_ij. With the kernel W = (1 - q^2)^3, q = r / h (poly6), its gradient
// dW_ij = 6 (1 - q^2)^2 r_ij / h^2 at X_i, and all particles of one volume V:
//
//   uncorrected  V dW_ij with the factor 315 / 64 pi h^3: plain SPH
//   mls0         s_ij = (dW_ij - W_ij sum_k dW_ik / S) / S, S = sum_k W_ik with k = i: the gradient of W_ij / S, moving
//                least squares with a constant basis (Shepard's interpolation). Cao et al. 2023 print the correction
//                without the factor W_ij; with it units agree, and constants have no gradient (Bonet and Lok 1999)
//   corrected    L_i s_ij, L_i = (sum_j s_ij (x) r_ij)^-1: Cao et al. 2023, eq. 7 and 8
//   mls1         the gradient of moving least squares with the basis 1, x, y, z
//
// The last two reproduce linear functions: F is right for any affine motion, rotations among them. For the others the
// identity must be added, less what the weights already give: the defect I - sum_j r_ij (x) g_ij.
#pragma once

#include <pliant/neighbors/growth_stages.hpp>
#include <pliant/physics/rest.hpp>

namespace pliant {

enum class GradientKernel { least_squares, corrected, uncorrected, mls0, mls1 };

// A symmetric 4x4 system, by Gauss' method with pivots on the diagonal: returns false if it is nearly singular.
PLIANT_HD inline bool invert4(double (&a)[4][4], double (&inverse)[4][4]) {
    for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) inverse[p][q] = p == q ? 1 : 0;
    double const largest = a[0][0] + a[1][1] + a[2][2] + a[3][3];
    for (int p = 0; p < 4; ++p) {
        double const pivot = a[p][p];
        if (!(pivot > 1e-6 * largest)) return false;
        for (int q = 0; q < 4; ++q) a[p][q] /= pivot, inverse[p][q] /= pivot;
        for (int m = 0; m < 4; ++m) {
            double const by = m == p ? 0 : a[m][p];
            for (int q = 0; q < 4; ++q) a[m][q] -= by * a[p][q], inverse[m][q] -= by * inverse[p][q];
        }
    }
    return true;
}

// Writes c_ij for all bonds of i, their sum, and the defect.
template <class Bonds>
struct KernelCorrections {
    Bonds bonds;
    GradientKernel kernel;
    double body_radius, volume;  // [m], [m3]
    float const* growth;
    Sym3f const* A_inverse;
    Vec4 *corrections, *correction_sum;
    Mat3f* defect;  // null for kernels without

    PLIANT_HD void operator()(Index i) const {
        Weights const weights(*this, i);
        Vec3d sum;
        Mat3d reproduced{};
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3f c;
            if (weights.usable) {
                Vec3d const g = weights.of(near(i, slot));
                reproduced += outer(near(i, slot).r, g);
                c = cast<float>(g - cast<double>(A_inverse[i]) * cast<double>(a.xyz()));
            }
            corrections[slot] = Vec4::from(c);
            sum += cast<double>(c);
        }
        correction_sum[i] = Vec4::from(cast<float>(sum));
        if (defect != nullptr) defect[i] = weights.usable ? cast<float>(Mat3d::identity() - reproduced) : Mat3f{};
    }

private:
    struct Near {
        Vec3d r;        // [m]
        double W;       // poly6
        Vec3d slope;    // dW [1/m]
        double radius;  // [m]
    };
    PLIANT_HD Near near(Index i, Index slot) const {
        Vec4 const a = bonds.weighted_offset(slot);
        double const h = body_radius * double(pair_growth(growth, i, bonds.neighbor(slot)));
        Vec3d const q = (1 / (double(a[3]) * h)) * cast<double>(a.xyz());
        double const left = std::max(0., 1 - norm_squared(q));
        return {h * q, left * left * left, (6 * left * left / h) * q, h};
    }

    struct Weights {
        GradientKernel kernel;
        bool usable = true;
        double scale = 1;  // of a slope
        double S = 1;      // sum of W, the particle's own included
        Vec3d mean;        // sum of slopes over S
        Mat3d L = Mat3d::identity();
        double b[4] = {}, db[3][4] = {};  // mls1: first row of the inverse moments, and its derivatives

        PLIANT_HD Weights(KernelCorrections const& of, Index i) : kernel(of.kernel) {
            usable = dimensions(cast<double>(of.A_inverse[i])) == 3;  // else F is completed (elastic.hpp)
            if (!usable || kernel == GradientKernel::uncorrected) {
                scale = of.volume * 315 / (64 * 3.14159265358979323846);
                return;
            }
            Vec3d slopes;
            for (Index k = 0; k < of.bonds.count(i); ++k) {
                Near const n = of.near(i, of.bonds.slot(i, k));
                S += n.W, slopes += n.slope;
            }
            mean = slopes / S;
            if (kernel == GradientKernel::corrected) correct(of, i);
            if (kernel == GradientKernel::mls1) fit(of, i);
        }

        PLIANT_HD Vec3d of(Near const& n) const {
            if (kernel == GradientKernel::uncorrected) return (scale / (n.radius * n.radius * n.radius)) * n.slope;
            if (kernel == GradientKernel::mls1) return fitted(n);
            return L * shepard(n);
        }

    private:
        PLIANT_HD Vec3d shepard(Near const& n) const { return (n.slope - n.W * mean) / S; }

        PLIANT_HD void correct(KernelCorrections const& of, Index i) {
            Mat3d sum{};
            double size = 0;
            for (Index k = 0; k < of.bonds.count(i); ++k) {
                Near const n = of.near(i, of.bonds.slot(i, k));
                sum += outer(shepard(n), n.r);
                size += norm(shepard(n)) * norm(n.r);
            }
            usable = determinant(sum) > 1e-4 * size * size * size / 27;  // not a sheet, a rod or a lone particle
            if (usable) L = inverse(sum);
        }

        // phi_j = b.p_j W_j, p_j = (1, X_j - X), b = M^-1 e_0, M = sum_j W_j p_j p_j^T; derivatives by X at X_i. In
        // units of the radius, so that all entries of M are alike.
        PLIANT_HD void fit(KernelCorrections const& of, Index i) {
            double M[4][4] = {}, dM[3][4][4] = {};
            M[0][0] = 1;  // the particle itself
            for (int k = 0; k < 3; ++k) dM[k][0][k + 1] = dM[k][k + 1][0] = -1;
            for (Index s = 0; s < of.bonds.count(i); ++s) {
                Near const n = of.near(i, of.bonds.slot(i, s));
                double p[4], slope[3];
                basis(n, of.body_radius, p, slope);
                for (int a = 0; a < 4; ++a)
                    for (int c = 0; c < 4; ++c) {
                        M[a][c] += n.W * p[a] * p[c];
                        for (int k = 0; k < 3; ++k) {
                            dM[k][a][c] += slope[k] * p[a] * p[c];
                            if (a == k + 1) dM[k][a][c] -= n.W * p[c];
                            if (c == k + 1) dM[k][a][c] -= n.W * p[a];
                        }
                    }
            }
            double inverse[4][4];
            usable = invert4(M, inverse);
            for (int a = 0; a < 4 && usable; ++a) b[a] = inverse[a][0];
            for (int k = 0; k < 3 && usable; ++k)
                for (int a = 0; a < 4; ++a)
                    for (int c = 0; c < 4; ++c)
                        for (int e = 0; e < 4; ++e) db[k][a] -= inverse[a][c] * dM[k][c][e] * b[e];
            scale = of.body_radius;
        }
        PLIANT_HD Vec3d fitted(Near const& n) const {
            double p[4], slope[3], g[3];
            basis(n, scale, p, slope);
            for (int k = 0; k < 3; ++k) {
                g[k] = -b[k + 1] * n.W;
                for (int a = 0; a < 4; ++a) g[k] += (db[k][a] * n.W + b[a] * slope[k]) * p[a];
            }
            return (1 / scale) * Vec3d{g[0], g[1], g[2]};
        }
        PLIANT_HD static void basis(Near const& n, double radius, double (&p)[4], double (&slope)[3]) {
            p[0] = 1;
            for (int k = 0; k < 3; ++k) p[k + 1] = n.r[k] / radius, slope[k] = n.slope[k] * radius;
        }
    };
};

}  // namespace pliant
