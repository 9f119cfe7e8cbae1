// Position-based dynamics of a tetrahedral mesh with the strain energy of each element as its constraint, after Bender,
// Koschier, Charrier and Weber, "Position-based simulation of continuous materials" (Computers & Graphics 44, 2014):
// what Cao et al. 2023 improve on. For comparisons; not part of the product.
//
//   fem_pbd MESH YOUNG POISSON DENSITY SUBSTEPS ITERATIONS SECONDS HOLD_ABOVE
//
// reads MESH.node and MESH.ele as TetGen writes them [m], holds all vertices above y = HOLD_ABOVE, lets the rest hang
// under its weight, and prints how far the centre of mass has sunk, mean over the last four of ten tenths, and the time
// of an iteration. St. Venant-Kirchhoff; 60 frames per second; one thread: the sweep is Gauss and Seidel's.
#include <pliant/math/mat3.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using pliant::Mat3d;
using pliant::Vec3d;

struct Tet {
    int v[4];
    Mat3d rest_inverse;  // of the edges at rest
    double volume;       // [m3]
};

struct Mesh {
    std::vector<Vec3d> x;
    std::vector<Tet> tets;
    std::vector<double> weight;  // inverse mass; 0: held
};

[[noreturn]] void stop(std::string const& why) {
    std::fprintf(stderr, "fem_pbd: %s\n", why.c_str());
    std::exit(1);
}

// The numbers of a file, without its comments.
std::vector<double> numbers(std::string const& file) {
    std::ifstream stream(file);
    if (!stream) stop("cannot read " + file);
    std::vector<double> all;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        for (double number; words >> number;) all.push_back(number);
    }
    return all;
}

Mat3d edges(std::vector<Vec3d> const& x, Tet const& t) {
    return {{x[t.v[0]] - x[t.v[3]], x[t.v[1]] - x[t.v[3]], x[t.v[2]] - x[t.v[3]]}};
}

Mesh read(std::string const& name, double density, double hold_above) {
    Mesh mesh;
    auto const node = numbers(name + ".node"), ele = numbers(name + ".ele");
    std::size_t const stride = 4 + std::size_t(node[2]) + std::size_t(node[3]);
    for (std::size_t k = 0; k < std::size_t(node[0]); ++k) {
        double const* const row = &node[4 + k * stride];
        mesh.x.push_back({row[1], row[2], row[3]});
    }
    int const first = int(node[4]);
    std::vector<double> mass(mesh.x.size());
    for (std::size_t k = 0; k < std::size_t(ele[0]); ++k) {
        double const* const row = &ele[3 + k * (5 + std::size_t(ele[2]))];
        Tet t;
        for (int c = 0; c < 4; ++c) t.v[c] = int(row[1 + c]) - first;
        Mat3d const D = edges(mesh.x, t);
        t.volume = std::abs(pliant::determinant(D)) / 6;
        t.rest_inverse = pliant::inverse(D);
        for (int v : t.v) mass[std::size_t(v)] += 0.25 * density * t.volume;
        mesh.tets.push_back(t);
    }
    for (std::size_t k = 0; k < mass.size(); ++k) mesh.weight.push_back(mesh.x[k].y > hold_above ? 0 : 1 / mass[k]);
    return mesh;
}

struct Law {  // St. Venant-Kirchhoff
    double mu, lambda;

    double energy(Mat3d const& F, Mat3d& P) const {
        Mat3d const E = 0.5 * (transpose(F) * F - Mat3d::identity());
        double const t = trace(E);
        P = F * (2 * mu * E + lambda * t * Mat3d::identity());
        return mu * inner(E, E) + 0.5 * lambda * t * t;
    }
};

// Moves the four vertices along the gradient of C = V Psi by -C / sum w |grad C|^2.
void project(Mesh const& mesh, Tet const& t, Law const& law, std::vector<Vec3d>& x) {
    Mat3d P;
    double const C = t.volume * law.energy(edges(x, t) * t.rest_inverse, P);
    Mat3d const G = t.volume * P * transpose(t.rest_inverse);
    Vec3d const gradient[4] = {G[0], G[1], G[2], -1.0 * (G[0] + G[1] + G[2])};
    double sum = 0;
    for (int c = 0; c < 4; ++c) sum += mesh.weight[std::size_t(t.v[c])] * norm_squared(gradient[c]);
    if (sum < 1e-30) return;
    for (int c = 0; c < 4; ++c) {
        auto const v = std::size_t(t.v[c]);
        x[v] -= mesh.weight[v] * C / sum * gradient[c];
    }
}

double center(Mesh const& mesh, std::vector<Vec3d> const& x) {  // height [m]
    double sum = 0, volume = 0;
    for (Tet const& t : mesh.tets) {
        volume += t.volume;
        for (int v : t.v) sum += 0.25 * t.volume * x[std::size_t(v)].y;
    }
    return sum / volume;
}

}  // namespace

int main(int count, char** words) {
    if (count != 9) stop("give MESH YOUNG POISSON DENSITY SUBSTEPS ITERATIONS SECONDS HOLD_ABOVE");
    double const young = std::atof(words[2]), poisson = std::atof(words[3]), seconds = std::atof(words[7]);
    int const substeps = std::atoi(words[5]), iterations = std::atoi(words[6]);
    Law const law{young / (2 + 2 * poisson), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
    Mesh const mesh = read(words[1], std::atof(words[4]), std::atof(words[8]));
    std::vector<Vec3d> x = mesh.x, v(x.size()), y;
    double const dt = 1 / (60. * substeps), start = center(mesh, x);
    int const steps = int(seconds / dt);
    double sunk = 0, spent = 0;
    int samples = 0;
    for (int k = 0; k < steps; ++k) {
        y = x;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (mesh.weight[i] > 0) x[i] += dt * (v[i] + dt * Vec3d{0, -9.81, 0});
        auto const begin = std::chrono::steady_clock::now();
        for (int it = 0; it < iterations; ++it)
            for (Tet const& t : mesh.tets) project(mesh, t, law, x);
        spent += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        for (std::size_t i = 0; i < x.size(); ++i) v[i] = (x[i] - y[i]) / dt;
        if (k >= steps * 6 / 10) sunk += start - center(mesh, x), ++samples;
    }
    std::printf("%zu vertices, %zu tetrahedra: centre sinks by %.4g mm; %.3g us per vertex and iteration\n", x.size(),
                mesh.tets.size(), 1e3 * sunk / samples, 1e6 * spent / (double(steps) * iterations * double(x.size())));
}
