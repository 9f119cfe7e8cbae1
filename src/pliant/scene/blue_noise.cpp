// Blue noise by relaxation: one random point in each cell of a lattice, then points push one another apart,
//   x_i += 0.2 d sum_j (1 - r_ij / R)^2 n_ij,   R = 1.6 d,
// and a point nearer to the surface than d / 2 is moved back to that depth, so that the outer layer follows the
// surface: the cells of its particles end there. Where the shape is thinner than d, points go as deep as they can
// without crowding: less depth is asked of points whose nearest neighbour is nearer than 0.75 d. Points that end up
// nearer than 0.7 d to another are left out, up to half a percent of all.
// Each round reads only the positions of the previous one (gather only), so the result does not depend on the number of
// threads.
// Rejected: starting from the lattice itself, where the pushes balance and nothing moves; Lloyd's cells, far more
// expensive for the same spread; asking for d / 2 everywhere, which crowds the points of a thin tip at its root (0.36 d
// apart).
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/neighbors/near_lists.hpp>
#include <pliant/neighbors/order.hpp>
#include <pliant/scene/blue_noise.hpp>
#include <pliant/scene/shapes.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace pliant {
namespace {

constexpr int rounds = 60;
constexpr double reach = 1.6;     // radius R of a push, in spacings
constexpr double skin = 0.25;     // added to the search radius, in spacings, since neighbour lists serve several rounds
constexpr double longest = 0.15;  // move per round, in spacings
constexpr double nearest = 0.7;   // distance of two points allowed at the end, in spacings
constexpr double left_out = 0.005;

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

// One random point in each cell of the bounding box, kept if it lies in the shape; then points are added or removed
// until there are `count`.
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
    for (int tries = 0; points.empty() && tries < 1'000'000; ++tries) {  // slender shape, few particles
        Vec3d const q = random.vector(), p{(2 * q.x - 1) * half.x, (2 * q.y - 1) * half.y, (2 * q.z - 1) * half.z};
        if (signed_distance(shape, p) < 0) points.push_back(p);
    }
    if (points.empty()) return points;
    std::size_t const first = points.size();
    for (int tries = 0; points.size() < count && tries < 100'000'000; ++tries) {  // near a point that is already inside
        Vec3d const p = points[random.below(first)] + 2 * d * (random.vector() - Vec3d{0.5, 0.5, 0.5});
        if (signed_distance(shape, p) < 0) points.push_back(p);
    }
    while (points.size() > count) {
        std::swap(points[random.below(points.size())], points.back());
        points.pop_back();
    }
    return points;
}

using Neighbours = NearLists<Cpu>;

struct WithinRadius {  // fills the neighbour lists
    CellGrid const& grid;
    Vec3d const* x;
    double radius_squared;

    template <class Emit>
    void operator()(Index i, Emit const& emit) const {
        grid.for_each_near(x[i], [&](Index j) {
            if (j != i && norm_squared(x[i] - x[j]) < radius_squared) emit(j);
        });
    }
};

void find(Cpu& exec, std::vector<Vec3d> const& x, double radius, Neighbours& near) {
    Range const all{0, Index(x.size())};
    CellGrid grid;
    grid.build(exec, all, radius, [&](Index i) { return x[i]; });
    near.build(exec, all.size(), WithinRadius{grid, x.data(), radius * radius});
}

// Reads positions and neighbours, writes `after` and depth_left.
struct Relax {
    Shape const& shape;
    Neighbours::View near;
    double d;
    Vec3d const* before;
    Vec3d* after;
    double* depth_left;  // how far a point may move before it can come too near to the surface

    void operator()(Index i) const {
        Vec3d const x = before[i];
        Vec3d push;
        double const radius = reach * d, inverse = 1 / radius;
        double closest = radius;
        for (Index k = 0; k < near.count(i); ++k) {
            Vec3d const away = x - before[near.neighbor(near.slot(i, k))];
            double const squared = norm_squared(away);
            if (squared >= radius * radius || squared == 0) continue;
            double const r = std::sqrt(squared), left = 1 - inverse * r;
            push += (left * left / r) * away;
            closest = std::min(closest, r);
        }
        Vec3d move = 0.2 * d * push;
        double const length = norm(move);
        if (length > longest * d) move *= longest * d / length;
        double const room = std::clamp((closest / d - 0.55) / 0.2, 0.1, 1.0);
        depth_left[i] -= norm(move);
        if (depth_left[i] > 0) {
            after[i] = x + move;
            return;
        }
        after[i] = settled(x, x + move, 0.5 * d * room);
        depth_left[i] = 0.9 * depth(after[i]) - 0.5 * d;  // deep in a mesh, distances are not exact
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

    // At least `wanted` deep, or as deep as a few steps inwards lead.
    Vec3d settled(Vec3d from, Vec3d x, double wanted) const {
        double deep = depth(x);
        for (int tries = 0; tries < 4 && deep < 0.999 * wanted; ++tries) {
            Vec3d const in = inward(x);
            double step = wanted - deep;
            Vec3d next = x + step * in;
            double deeper = depth(next);
            for (int halvings = 0; halvings < 4 && deeper <= deep; ++halvings) {  // overshot the middle of a thin part
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

void leave_out_crowded(Cpu& exec, std::vector<Vec3d>& x, double d) {
    Neighbours lists;
    find(exec, x, nearest * d, lists);
    Neighbours::View const near = lists.view();
    std::vector<bool> out(x.size());
    auto const most = static_cast<std::size_t>(left_out * static_cast<double>(x.size()));
    std::size_t count = 0;
    for (Index i = 0; i < x.size(); ++i)
        for (Index k = 0; k < near.count(i); ++k)
            if (count < most && !out[i] && !out[near.neighbor(near.slot(i, k))]) {
                out[i] = true;
                ++count;
            }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!out[i]) x[kept++] = x[i];
    x.resize(kept);
}

}  // namespace

Lattice blue_noise(Shape const& shape, std::int64_t count) {
    double const d = std::cbrt(volume(shape) / static_cast<double>(count));
    Lattice result{d, scattered(shape, d, static_cast<std::size_t>(count))};
    Cpu exec;
    std::vector<Vec3d> after;  // ordered so that neighbours in space are near in memory
    for (Index k : space_filling_order(exec, result.position, d)) after.push_back(result.position[k]);
    result.position = after;
    std::vector<double> depth_left(after.size());
    Neighbours near;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Vec3d> const& before = result.position;
        bool const is_due = round < 10 ? round % 2 == 0 : round % 10 == 0;
        if (is_due) find(exec, before, (reach + skin) * d, near);
        exec.for_each("relax", {0, static_cast<Index>(after.size())},
                      Relax{shape, near.view(), d, before.data(), after.data(), depth_left.data()});
        std::swap(result.position, after);
    }
    leave_out_crowded(exec, result.position, d);
    return result;
}

}  // namespace pliant
