// Random rotations and matrices for the tests; every set has a fixed seed, so failures are reproducible.
#pragma once

#include <pliant/math/mat3.hpp>

#include <cmath>
#include <random>

namespace pliant {

class RandomMatrices {
public:
    explicit RandomMatrices(unsigned seed) : engine_(seed) {}

    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
    Vec3d vector(double low = -1, double high = 1) {
        double const x = between(low, high), y = between(low, high);
        return {x, y, between(low, high)};
    }
    Mat3d matrix() {
        Vec3d const a = vector(), b = vector();
        return {{a, b, vector()}};
    }
    Vec3d direction() {  // unit length
        for (;;) {
            Vec3d const a = vector();
            double const length = norm(a);
            if (length > 0.1 && length <= 1) return a / length;
        }
    }
    Mat3d rotation() {
        Vec3d const x = direction();
        Vec3d other = direction();
        while (norm(cross(x, other)) < 0.1) other = direction();
        Vec3d const z = normalized(cross(x, other));
        return {{x, cross(z, x), z}};
    }
    // U diag(s) V^T with random rotations U, V.
    Mat3d with_singular_values(Vec3d s) {
        Mat3d const U = rotation();
        return U * Mat3d::diagonal(s) * transpose(rotation());
    }

private:
    std::mt19937 engine_;
};

// The largest difference between entries of a and b.
template <class T>
double largest_difference(Mat3<T> const& a, Mat3<T> const& b) {
    double largest = 0;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
            double const difference = std::abs(double(a(r, c)) - double(b(r, c)));
            if (!(difference <= largest)) largest = difference;  // keeps NaN, too
        }
    return largest;
}

}  // namespace pliant
