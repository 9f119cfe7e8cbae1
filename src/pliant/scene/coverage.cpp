// A point of the shape is lost when no particle lies within 1.5 spacings d of it: in a full lattice every point is
// within 0.87 d of a particle, and every point of a smooth surface within about 1.2 d. Points half a spacing apart are
// tested, except those deeper than 0.9 d, where the lattice is full.
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/scene/coverage.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double far = 1.5;           // spacings
constexpr double full = 0.9;          // spacings
constexpr double lost_volume = 0.01;  // share of the shape that is worth a warning
constexpr double lost_extent = 2;     // spacings

struct Lost {
    double share = 0;  // of the volume
    Vec3d somewhere;   // a point of it [m]
};

// Reads: all. Writes: lost of its layer of points, half a spacing apart.
struct MeasureLayer {
    Shape const& shape;
    Lattice const& particles;
    CellGrid const& near;
    std::int64_t first;  // layer, of those above and below the centre
    std::vector<Lost>& lost;

    bool is_near(Vec3d p) const {
        double const reach = far * particles.spacing;
        bool found = false;
        near.for_each_near(p,
                           [&](Index j) { found = found || norm_squared(particles.position[j] - p) < reach * reach; });
        return found;
    }
    void operator()(Index layer) const {
        double const d = particles.spacing, step = d / 2;
        Vec3d const half = half_extent(shape);
        auto const last = [&](double h) { return static_cast<std::int64_t>(std::floor(h / step)); };
        double const z = double(first + std::int64_t(layer));
        for (std::int64_t j = -last(half.y); j <= last(half.y); ++j)
            for (std::int64_t i = -last(half.x), next; i <= last(half.x); i = next) {
                Vec3d const p = step * Vec3d{double(i), double(j), z};
                double const distance = signed_distance(shape, p);
                double const free = distance > 0 ? distance : -full * d - distance;  // way to the nearest point to test
                next = i + std::max<std::int64_t>(1, static_cast<std::int64_t>(0.9 * free / step));
                if (distance >= 0 || free > 0 || is_near(p)) continue;
                lost[layer].share += step * step * step / volume(shape);
                lost[layer].somewhere = p;
            }
    }
};

Lost measure_lost(Shape const& shape, Lattice const& particles) {
    Cpu exec;
    CellGrid near;
    near.build(exec, {0, static_cast<Index>(particles.position.size())}, far * particles.spacing,
               [&](Index i) { return particles.position[i]; });
    auto const last = static_cast<std::int64_t>(std::floor(half_extent(shape).z / (particles.spacing / 2)));
    std::vector<Lost> lost(static_cast<std::size_t>(2 * last + 1));
    exec.for_each_large("lost parts", {0, static_cast<Index>(lost.size())},
                        MeasureLayer{shape, particles, near, -last, lost});
    Lost total;
    for (Lost const& one : lost) {
        total.share += one.share;
        if (one.share > 0) total.somewhere = one.somewhere;
    }
    return total;
}

// The largest gap between the shape and its outermost particles along an axis, and the axis.
std::pair<double, std::string> measure_short(Shape const& shape, Lattice const& particles) {
    Vec3d const half = half_extent(shape);
    std::pair<double, std::string> worst{0, ""};
    for (int k = 0; k < 3; ++k)
        for (double side : {-1., 1.}) {
            double outermost = -1e300;
            for (Vec3d p : particles.position) outermost = std::max(outermost, side * p[k]);
            double const gap = half[k] - outermost;
            if (gap > worst.first) worst = {gap, std::string(side < 0 ? "-" : "+") + "xyz"[k]};
        }
    return worst;
}

}  // namespace

std::string lost_parts(Shape const& shape, Lattice const& particles) {
    double const d = particles.spacing;
    std::string const advice = "; parts thinner than the spacing of " + rounded(d) +
                               " m fall between particles: use a smaller spacing, or more particles";
    Lost const lost = measure_lost(shape, particles);
    if (lost.share > lost_volume)
        return "about " + rounded(100 * lost.share) + " % of the volume holds no particles, such as around [" +
               rounded(lost.somewhere.x) + ", " + rounded(lost.somewhere.y) + ", " + rounded(lost.somewhere.z) +
               "] from its centre" + advice;
    auto const [gap, way] = measure_short(shape, particles);
    if (gap > lost_extent * d)
        return "the shape reaches " + rounded(gap) + " m further along " + way + " than its particles" + advice;
    return "";
}

}  // namespace pliant
