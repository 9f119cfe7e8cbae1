// Bodies on lattices to search for touches, and a probe over a slab.
#pragma once

#include <pliant/contact/look_around.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/state/particle_contact.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace pliant::test {

inline constexpr double radius = 2.5;  // of the kernel, in spacings: the default

inline double degrees_between(Vec3d a, Vec3d b) {
    return std::atan2(norm(cross(a, b)), dot(a, b)) * 180 / 3.14159265358979323846;
}

struct Lattice {
    int x, y, z;  // particles along each axis
    double spacing;
    Vec3d corner;  // of the first particle
};

inline std::vector<Vec3d> points_of(Lattice const& l) {
    std::vector<Vec3d> points;
    for (int x = 0; x < l.x; ++x)
        for (int y = 0; y < l.y; ++y)
            for (int z = 0; z < l.z; ++z)
                points.push_back(l.corner + l.spacing * Vec3d{double(x), double(y), double(z)});
    return points;
}

// What is found around one particle.
struct FoundTouches {
    int count = 0;
    Touch touch[4];
    float start[4];  // true gap at w = 0 [m]
    TouchTarget targets[4][most_targets];
};

// Bodies at rest, bonded, with their surfaces; `at` may be moved away from the rest positions.
class Bodies {
public:
    std::vector<Vec4d> at;
    std::vector<Vec4> u, normal;
    std::vector<std::uint8_t> on_surface;
    std::vector<std::uint32_t> body;

    Range add(std::vector<Vec3d> const& points, double spacing) {
        Range const range{Index(rest_.size()), Index(rest_.size() + points.size())};
        neighborhoods_.push_back({range, radius * spacing});
        spacing_.push_back(spacing);
        for (Vec3d p : points) {
            rest_.push_back(p);
            at.push_back(Vec4d::from(p));
            distance_.push_back(float(0.5 * spacing));
            body.push_back(std::uint32_t(neighborhoods_.size() - 1));
        }
        return range;
    }

    void bond() {
        bonds_.build(exec_, rest_, neighborhoods_);
        u.assign(rest_.size(), Vec4::zero());
        double const threshold = 0.5 * (lattice_weight_beneath(radius, 0) + lattice_weight_beneath(radius, 1));
        on_surface.clear();
        BondView const view = bonds_.view();
        for (Index i = 0; i < rest_.size(); ++i) {
            double weights = 0;
            for (Index k = 0; k < view.count(i); ++k) weights += view.weighted_offset(view.slot(i, k))[3];
            on_surface.push_back(weights < threshold);
        }
        find_normals();
    }

    void find_normals() {
        std::vector<Index> all;
        for (Index i = 0; i < at.size(); ++i) all.push_back(i);
        normal.assign(at.size(), Vec4::zero());
        SurfaceNormal<BondView> const stage{
            bonds_.view(), lattice_weight_beneath(radius, 0), all.data(), at.data(), distance_.data(), normal.data()};
        for (Index i = 0; i < at.size(); ++i)
            if (on_surface[i]) stage(i);
    }

    FoundTouches around(Index i, bool weld = false) { return around(i, Looks{}, weld); }

    // Touches of the first of these looks that finds any, one per body.
    FoundTouches around(Index i, Looks looks, bool weld = false) {
        Index const n = Index(at.size());
        double widest = 0;
        for (double d : spacing_) widest = std::max(widest, d);
        BodySweep box = BodySweep::nothing();
        for (Index k = 0; k < n; ++k) box.join(BodySweep::of(at[k].xyz(), cast<double>(u[k].xyz())));
        double const slack = box.approach(box) * looks.half(), reach = Surfaces::widest_reach * widest + slack;
        SurfaceMotion const motion{at.data(), u.data(), 0.002, looks.middle()};
        BoxGrid<Cpu> grid;
        grid.build(
            exec_, n, BoxCells::over(box.low, box.high, reach, n),
            [&](Index k) {
                return GridPoint{motion.at(k), k, body[k]};
            },
            true);
        std::vector<std::uint8_t> const welds(spacing_.size(), weld), meets_itself(spacing_.size(), 1);
        Surfaces const surfaces{normal.data(), distance_.data(), body.data(), motion};
        LookAround<BondView> const look{.bonds = bonds_.view(),
                                        .on_surface = on_surface.data(),
                                        .welds = welds.data(),
                                        .meets_itself = meets_itself.data(),
                                        .surfaces = surfaces,
                                        .looks = looks,
                                        .farthest = reach,
                                        .farthest_centers = 1.001 * widest + slack};
        std::vector<NearPair> pairs;
        look.for_each_candidate<Lanes<1>>(grid.view(), i, [&](Index j) { pairs.push_back({i, j, body[j]}); });
        FoundTouches found;
        for (std::uint32_t b = 0; b < spacing_.size(); ++b) {
            int const c = found.count;
            found.count += look.find<Lanes<1>>(i, b, pairs.data(), pairs.data() + pairs.size(), found.touch[c],
                                               found.start[c], found.targets[c]);
        }
        return found;
    }

    BondView bonds() const { return bonds_.view(); }
    Cpu& exec() { return exec_; }
    // The same bodies as a solver gets them.
    Model model() const {
        Model m;
        m.rest = rest_;
        m.velocity.resize(rest_.size()), m.handles.resize(rest_.size());
        for (std::size_t b = 0; b < spacing_.size(); ++b) {
            double const volume = spacing_[b] * spacing_[b] * spacing_[b];
            m.bodies.push_back({neighborhoods_[b].body, make_material({}), {}, spacing_[b], volume, 1000 * volume});
        }
        return m;
    }

private:
    Cpu exec_{1};
    Bonds bonds_;
    std::vector<Vec3d> rest_;
    std::vector<float> distance_;
    std::vector<double> spacing_;
    std::vector<Bonds::Neighborhood> neighborhoods_;
};

inline constexpr double d = 0.1;

// A slab of 16 x 5 x 16 particles with its top layer at y = 0, and a lone particle of another body.
struct ProbeOverSlab : Bodies {
    static constexpr int side = 16, layers = 5;
    double D;  // contact distance
    Index probe;

    explicit ProbeOverSlab(double probe_spacing = d) : D(0.5 * (d + probe_spacing)) {
        add(points_of({side, layers, side, d, {0, -(layers - 1) * d, 0}}), d);
        probe = add({{0, 9, 0}}, probe_spacing).begin;
        bond();
    }
    FoundTouches found_at(Vec3d x) {
        at[probe] = Vec4d::from(x);
        return around(probe);
    }
};

}  // namespace pliant::test
