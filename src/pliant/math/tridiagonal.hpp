// The largest eigenvalue of a small symmetric tridiagonal matrix without negative eigenvalues, as it arises in Lanczos'
// method: the entries beside the diagonal are positive, and so are all components of the eigenvector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pliant {

struct LargestEigenpair {
    double value = 0;
    double last = 0;  // last component of the unit eigenvector
};

// By power iteration: the matrix has a few dozen rows, and its largest eigenvalues differ by some per cent.
inline LargestEigenpair largest_eigenpair(std::vector<double> const& diagonal, std::vector<double> const& beside) {
    std::size_t const n = diagonal.size();
    std::vector<double> s(n, 1 / std::sqrt(double(n))), t(n);
    double value = 0;
    for (int round = 0; round < 3000; ++round) {
        for (std::size_t k = 0; k < n; ++k) {
            t[k] = diagonal[k] * s[k];
            if (k > 0) t[k] += beside[k - 1] * s[k - 1];
            if (k + 1 < n) t[k] += beside[k] * s[k + 1];
        }
        double size = 0;
        for (double x : t) size += x * x;
        size = std::sqrt(size);
        if (!(size > 0)) return {};
        for (std::size_t k = 0; k < n; ++k) s[k] = t[k] / size;
        if (std::abs(size - value) <= 1e-14 * size) break;
        value = size;
    }
    return {value, std::abs(s.back())};
}

}  // namespace pliant
