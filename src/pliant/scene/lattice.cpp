// Boxes get whole cells: for a target count, the triple nx ny nz whose product is within 1 % of it and whose common
// spacing d (a least-squares fit of n_i d = size_i) fits the box best. Other shapes try spacings near cbrt(V / N), with
// a lattice point or a cell at the centre of each axis, which keeps mirror symmetry; the nearest spacing whose count is
// within 1 % wins.
// Rejected: shifting the lattice freely, which hits every count but makes a dropped ball roll.
#include <pliant/exec/cpu.hpp>
#include <pliant/scene/lattice.hpp>
#include <pliant/scene/shapes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

using Cells = std::array<std::int64_t, 3>;
constexpr double count_tolerance = 0.01;
constexpr double search_budget = 2e7;  // distances: a second or two, for shapes that reach no such count

Lattice filled_box(Cells const& cells, double spacing) {
    Lattice lattice{spacing, {}};
    auto const coordinate = [&](std::int64_t i, std::size_t axis) {
        return (static_cast<double>(i) + 0.5 - static_cast<double>(cells[axis]) / 2) * spacing;
    };
    lattice.position.reserve(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
    for (std::int64_t k = 0; k < cells[2]; ++k)
        for (std::int64_t j = 0; j < cells[1]; ++j)
            for (std::int64_t i = 0; i < cells[0]; ++i)
                lattice.position.push_back({coordinate(i, 0), coordinate(j, 1), coordinate(k, 2)});
    return lattice;
}

// The spacing at which a box would hold `target` cells if cells were divisible; thin axes count as one cell.
double ideal_spacing(Vec3d size, double target) {
    double low = 0, high = std::max({size.x, size.y, size.z});
    for (int i = 0; i < 200; ++i) {
        double const d = (low + high) / 2;
        double const count = std::max(1.0, size.x / d) * std::max(1.0, size.y / d) * std::max(1.0, size.z / d);
        (count > target ? low : high) = d;
    }
    return high;
}

struct BoxFit {
    Cells cells{1, 1, 1};
    double spacing = 0;
    double misfit = 0;       // largest |n_i d - size_i|, in cells
    double count_error = 0;  // relative

    // Within the tolerance the better shape wins; beyond it a cell of misfit weighs as much as 10 % of the count, since
    // 17^3 is a better cube of 5,000 particles than any triple that is nearer to 5,000.
    bool better_than(BoxFit const& other) const {
        bool const close = count_error <= count_tolerance, other_close = other.count_error <= count_tolerance;
        if (close != other_close) return close;
        if (!close) return count_error + 0.1 * misfit < other.count_error + 0.1 * other.misfit;
        if (std::abs(misfit - other.misfit) > 1e-9) return misfit < other.misfit;
        return count_error < other.count_error;
    }
};

BoxFit fit_box(Vec3d size, Cells const& cells, double ideal, double target) {
    BoxFit fit{cells, 0, 0, 0};
    auto const is_thin = [&](int k) { return cells[static_cast<std::size_t>(k)] == 1 && size[k] < ideal; };
    double above = 0, below = 0;  // d = sum n s / sum n^2
    for (int k = 0; k < 3; ++k) {
        double const n = static_cast<double>(cells[static_cast<std::size_t>(k)]);
        if (is_thin(k)) continue;
        above += n * size[k];
        below += n * n;
    }
    fit.spacing = below > 0 ? above / below : ideal;
    for (int k = 0; k < 3; ++k) {
        double const n = static_cast<double>(cells[static_cast<std::size_t>(k)]);
        if (!is_thin(k)) fit.misfit = std::max(fit.misfit, std::abs(n - size[k] / fit.spacing));
    }
    double const count = static_cast<double>(cells[0] * cells[1] * cells[2]);
    fit.count_error = std::abs(count - target) / target;
    return fit;
}

// The lattice points in a box around a shape, layer by layer: layers are looked at side by side.
class Layers {
public:
    // `shift` in cells: 0 puts a lattice point at the centre, 0.5 a cell.
    Layers(Shape const& shape, double d, Vec3d shift) : shape_(shape), d_(d) {
        Vec3d const half = half_extent(shape);
        for (int k = 0; k < 3; ++k) {
            std::size_t const a = static_cast<std::size_t>(k);
            auto const first = static_cast<std::int64_t>(std::ceil(-half[k] / d - shift[k]));
            auto const last = static_cast<std::int64_t>(std::floor(half[k] / d - shift[k]));
            for (std::int64_t i = first; i <= last; ++i) axis_[a].push_back((static_cast<double>(i) + shift[k]) * d);
        }
    }
    std::size_t count() const { return axis_[2].size(); }

    // Calls visit(p) for the points of the layer that lie in the shape; returns the number of distances evaluated.
    template <class Visit>
    double for_each_inside(std::size_t layer, Visit&& visit) const {
        // Slightly inwards, so that rounding cannot include a point on one side and exclude its mirror image.
        double const surface = -1e-9 * d_, z = axis_[2][layer];
        double work = 0;
        for (double y : axis_[1])
            for (std::size_t i = 0; i < axis_[0].size();) {
                // A distance decides all points of the row nearer than itself, which keeps thin rings cheap; a tenth
                // less, since deep in a mesh distances are not exact.
                double const distance = signed_distance(shape_, {axis_[0][i], y, z});
                auto const reach = std::max<std::size_t>(1, static_cast<std::size_t>(0.9 * std::abs(distance) / d_));
                std::size_t const end = std::min(i + reach, axis_[0].size());
                for (; distance < surface && i < end; ++i) visit(Vec3d{axis_[0][i], y, z});
                i = end;
                ++work;
            }
        return work;
    }

private:
    Shape const& shape_;
    double d_;
    std::array<std::vector<double>, 3> axis_;
};

struct Count {
    std::int64_t points = 0;
    double work = 0;  // distances evaluated
};

// Reads: layers. Writes: count of its layer.
struct CountLayer {
    Layers const& layers;
    std::vector<Count>& count;
    void operator()(Index layer) const {
        Count one;
        one.work = layers.for_each_inside(layer, [&](Vec3d) { ++one.points; });
        count[layer] = one;
    }
};

Count count_inside(Cpu& exec, Shape const& shape, double d, Vec3d shift) {
    Layers const layers(shape, d, shift);
    std::vector<Count> count(layers.count());
    exec.for_each_large("count points", {0, static_cast<Index>(count.size())}, CountLayer{layers, count});
    Count total;
    for (Count const& one : count) total.points += one.points, total.work += one.work;
    return total;
}

// Reads: layers. Writes: points of its layer.
struct FillLayer {
    Layers const& layers;
    std::vector<std::vector<Vec3d>>& point;
    void operator()(Index layer) const {
        layers.for_each_inside(layer, [&](Vec3d p) { point[layer].push_back(p); });
    }
};

Lattice points_inside(Cpu& exec, Shape const& shape, double d, Vec3d shift) {
    Layers const layers(shape, d, shift);
    std::vector<std::vector<Vec3d>> point(layers.count());
    exec.for_each_large("points", {0, static_cast<Index>(point.size())}, FillLayer{layers, point});
    Lattice lattice{d, {}};
    for (auto const& one : point) lattice.position.insert(lattice.position.end(), one.begin(), one.end());
    return lattice;
}

// Cells at the centre first; then placements that treat x and z alike, as round shapes do. Quarters break the mirror
// symmetry and are used only for counts that nothing else meets.
std::vector<Vec3d> const& placements() {
    static std::vector<Vec3d> const list = [] {
        std::vector<Vec3d> all{{.5, .5, .5}, {0, 0, 0},   {.5, 0, .5}, {0, .5, 0},
                               {0, .5, .5},  {.5, .5, 0}, {0, 0, .5},  {.5, 0, 0}};
        for (double y : {.25, .5, 0.})
            for (double x : {.5, 0., .25})
                for (double z : {.5, 0., .25})
                    if (x == .25 || y == .25 || z == .25) all.push_back({x, y, z});
        return all;
    }();
    return list;
}
constexpr std::size_t symmetric_placements = 4, mirrored_placements = 8;

struct Trial {
    double spacing = 0;
    Vec3d shift;
    double error = 1e300;  // |count - wanted|
    std::int64_t count = 0;
};

// The best of placements [first, last) at spacing d, if better than `best`. Returns the work done.
double try_placements(Cpu& exec, Shape const& shape, double d, double wanted, std::array<std::size_t, 2> range,
                      Trial& best) {
    double work = 0;
    for (std::size_t i = range[0]; i < range[1]; ++i) {
        Count const count = count_inside(exec, shape, d, placements()[i]);
        double const error = std::abs(static_cast<double>(count.points) - wanted);
        if (count.points > 0 && error < best.error) best = {d, placements()[i], error, count.points};
        work += count.work;
    }
    return work;
}

// Shapes thinner than a cell hold a single layer, whose count does not follow from the volume: returns the spacing, at
// least `d`, at which that layer has the count. From coarse to fine, since counting is expensive at spacings that are
// far too small.
double layer_spacing(Cpu& exec, Shape const& shape, double wanted, double d) {
    Vec3d const half = half_extent(shape), layer{.5, 0, .5};
    if (2 * half.y > 1.5 * d) return d;
    double low = d, high = 2 * std::max({half.x, half.z, d});
    for (int i = 0; i < 40; ++i) {
        double const middle = std::sqrt(low * high);
        bool const too_many = static_cast<double>(count_inside(exec, shape, middle, layer).points) > wanted;
        (too_many ? low : high) = middle;
    }
    return high;
}

}  // namespace

Lattice box_with_spacing(Vec3d size, double spacing) {
    Cells cells{};
    for (int k = 0; k < 3; ++k)
        cells[static_cast<std::size_t>(k)] = std::max<std::int64_t>(1, std::llround(size[k] / spacing));
    return filled_box(cells, spacing);
}

Lattice box_with_count(Vec3d size, std::int64_t target) {
    double const wanted = static_cast<double>(target), ideal = ideal_spacing(size, wanted);
    std::array<int, 3> axis{0, 1, 2};  // the longest last: its number of cells follows from the other two
    std::stable_sort(axis.begin(), axis.end(), [&](int a, int b) { return size[a] < size[b]; });
    auto const low = [&](int k) { return std::max<std::int64_t>(1, std::llround(0.85 * size[k] / ideal) - 1); };
    auto const high = [&](int k) { return std::llround(1.15 * size[k] / ideal) + 1; };
    BoxFit best;
    best.count_error = 1e300;
    for (std::int64_t a = low(axis[0]); a <= high(axis[0]); ++a)
        for (std::int64_t b = low(axis[1]); b <= high(axis[1]); ++b) {
            std::int64_t const c = std::llround(wanted / static_cast<double>(a * b));
            for (std::int64_t last = std::max<std::int64_t>(1, c - 1); last <= c + 1; ++last) {
                Cells cells{};
                cells[static_cast<std::size_t>(axis[0])] = a;
                cells[static_cast<std::size_t>(axis[1])] = b;
                cells[static_cast<std::size_t>(axis[2])] = last;
                BoxFit const fit = fit_box(size, cells, ideal, wanted);
                bool const fits = fit.misfit <= 1 || target < 27;
                if (fits && fit.better_than(best)) best = fit;
            }
        }
    return filled_box(best.cells, best.spacing);
}

Lattice shape_with_spacing(Shape const& shape, double spacing) {
    double const wanted = volume(shape) / (spacing * spacing * spacing);
    Vec3d const half = half_extent(shape);
    if (wanted < 0.5 && 2 * std::max({half.x, half.y, half.z}) < spacing) return {spacing, {}};
    Cpu exec;
    Trial best;
    try_placements(exec, shape, spacing, wanted, {0, mirrored_placements}, best);
    return best.count > 0 ? points_inside(exec, shape, spacing, best.shift) : Lattice{spacing, {}};
}

Lattice shape_with_count(Shape const& shape, std::int64_t target) {
    Cpu exec;
    double const wanted = static_cast<double>(target);
    double const ideal = layer_spacing(exec, shape, wanted, std::cbrt(volume(shape) / wanted));
    std::size_t const all = placements().size();
    std::array<std::array<std::size_t, 2>, 3> const passes{
        {{0, symmetric_placements}, {symmetric_placements, mirrored_placements}, {mirrored_placements, all}}};
    double work = 0;
    Trial best;
    for (auto const& pass : passes)
        for (int k = 0; k <= 80; ++k) {  // spacings ideal, +0.125 %, -0.125 %, ... up to 5 %
            double const d = ideal * (1 + 0.00125 * ((k + 1) / 2) * (k % 2 ? 1 : -1));
            work += try_placements(exec, shape, d, wanted, pass, best);
            bool const good_enough = best.error <= count_tolerance * wanted || (best.count > 0 && work > search_budget);
            if (good_enough) return points_inside(exec, shape, best.spacing, best.shift);
        }
    return best.count > 0 ? points_inside(exec, shape, best.spacing, best.shift) : Lattice{ideal, {}};
}

}  // namespace pliant
