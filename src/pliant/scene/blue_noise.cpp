// Blue noise by relaxation: one random point in each cell of a lattice, then points push one another apart,
//   x_i += 0.2 d sum_j (1 - r_ij / R)^2 n_ij,   R = 1.6 d,
// and whoever comes nearer to the surface than d / 2 is put back to that depth, so that the outer layer follows the
// surface: its particles' cells end there. Where the shape is thinner than d, points stay as deep as they can.
// Each round reads the last one's positions (gather only), so the result does not depend on the number of threads.
// Rejected: starting from the lattice itself, which is a balance of the pushes and stays; Lloyd's cells, dearer by far
// for the same spread; no wall at d / 2, with which the pushes press a third of all points into the surface.
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/scene/blue_noise.hpp>
#include <pliant/scene/shapes.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace pliant {
namespace {

constexpr int rounds = 80;
constexpr double reach = 1.6;     // of a push, in spacings
constexpr double longest = 0.15;  // move in one round, in spacings

// Uniform in [0, 1) with the same bits everywhere: std::uniform_real_distribution may differ between libraries.
class Random {
public:
    double next() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
    Vec3d vector() {
        double const x = next(), y = next(), z = next();
        return {x, y, z};
    }
    std::size_t below(std::size_t n) { return std::min(n - 1, static_cast<std::size_t>(next() * double(n))); }

private:
    std::mt19937_64 bits_{20130719};
};

// A random point in each cell of the bounding box, where it falls into the shape; then some more or fewer.
std::vector<Vec3d> scattered(Shape const& shape, double d, std::size_t count) {
    Random random;
    std::vector<Vec3d> points;
    Vec3d const half = half_extent(shape);
    auto const cells = [&](double h) { return std::max<std::int64_t>(1, std::llround(std::ceil(2 * h / d))); };
    for (std::int64_t k = 0; k < cells(half.z); ++k)
        for (std::int64_t j = 0; j < cells(half.y); ++j)
            for (std::int64_t i = 0; i < cells(half.x); ++i) {
                Vec3d const p = d * (Vec3d{double(i), double(j), double(k)} + random.vector()) - half;
                if (signed_distance(shape, p) < 0) points.push_back(p);
            }
    if (points.empty()) return points;
    std::size_t const first = points.size();
    for (int tries = 0; points.size() < count && tries < 100'000'000; ++tries) {  // beside one that is in already
        Vec3d const p = points[random.below(first)] + 2 * d * (random.vector() - Vec3d{0.5, 0.5, 0.5});
        if (signed_distance(shape, p) < 0) points.push_back(p);
    }
    while (points.size() > count) {
        std::swap(points[random.below(points.size())], points.back());
        points.pop_back();
    }
    return points;
}

// Reads positions and the grid, writes `after`.
struct Relax {
    Shape const& shape;
    CellGrid const& near;
    double d;
    Vec3d const* before;
    Vec3d* after;

    void operator()(Index i) const {
        Vec3d const x = before[i];
        Vec3d push;
        near.for_each_near(x, [&](Index j) {
            Vec3d const away = x - before[j];
            double const r = norm(away), left = 1 - r / (reach * d);
            if (j != i && r > 0 && left > 0) push += (left * left / r) * away;
        });
        Vec3d move = 0.2 * d * push;
        double const length = norm(move);
        if (length > longest * d) move *= longest * d / length;
        after[i] = settled(x, x + move);
    }

private:
    double depth(Vec3d x) const { return -signed_distance(shape, x); }

    Vec3d inward(Vec3d x) const {
        Vec3d direction;
        double const h = 0.1 * d;
        for (int k = 0; k < 3; ++k) {
            Vec3d step;
            step[k] = h;
            direction[k] = depth(x + step) - depth(x - step);
        }
        double const length = norm(direction);
        return length > 0 ? direction / length : direction;
    }

    // At least d / 2 deep, or as deep as a few steps inwards lead.
    Vec3d settled(Vec3d from, Vec3d x) const {
        double deep = depth(x);
        for (int tries = 0; tries < 4 && deep < 0.5 * d * (1 - 1e-3); ++tries) {
            Vec3d const in = inward(x);
            double step = 0.5 * d - deep;
            Vec3d next = x + step * in;
            double deeper = depth(next);
            for (int halvings = 0; halvings < 4 && deeper <= deep; ++halvings) {  // past the middle of a thin part
                step /= 2;
                next = x + step * in;
                deeper = depth(next);
            }
            if (deeper <= deep) break;
            x = next;
            deep = deeper;
        }
        return deep > 0 ? x : from;
    }
};

}  // namespace

Lattice blue_noise(Shape const& shape, std::int64_t count) {
    double const d = std::cbrt(volume(shape) / static_cast<double>(count));
    Lattice result{d, scattered(shape, d, static_cast<std::size_t>(count))};
    std::vector<Vec3d> after = result.position;
    Cpu exec;
    CellGrid near;
    Range const all{0, static_cast<Index>(after.size())};
    for (int round = 0; round < rounds; ++round) {
        std::vector<Vec3d> const& before = result.position;
        near.build(exec, all, reach * d, [&](Index i) { return before[i]; });
        exec.for_each("relax", all, Relax{shape, near, d, before.data(), after.data()});
        std::swap(result.position, after);
    }
    return result;
}

}  // namespace pliant
