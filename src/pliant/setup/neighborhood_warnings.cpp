// How many particles would do: a plate of thickness t holds a single layer of particles as long as t is below their
// spacing d, since the outer ones lie d / 2 beneath the surface. Two layers t - d apart make good neighbourhoods, of
// condition 30, from t = 1.25 d on; with the scatter of blue noise, from about 1.5 d on. A limb, which is thin in two
// directions, takes 2 d. So N grows by (1.5 d / t)^3 or (2 d / t)^3, with the t of which a quarter of the places around
// poor particles are thinner: the narrowest may have been bridged by larger radii, and the ends of tips and rims are
// thin at any spacing.
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/scene/words.hpp>
#include <pliant/setup/neighborhood_warnings.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double tolerated = 0.001;         // share of a body
constexpr std::size_t tolerated_count = 2;  // in a small body
constexpr double plate = 1.5, limb = 2;     // thickness that makes good neighbourhoods, in spacings
constexpr std::size_t most_measured = 100;  // particles around which the thickness is measured
constexpr std::size_t most_grouped = 2000;  // particles; more are described together

struct Part {
    Vec3d center;
    double size = 0;  // longest side of its bounding box [m]
    std::size_t particles = 0;
};

Part part_of(std::vector<Vec3d> const& points) {
    Vec3d low = points.front(), high = low;
    for (Vec3d const& p : points)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    Vec3d const extent = high - low;
    return {0.5 * (low + high), std::max({extent.x, extent.y, extent.z}), points.size()};
}

// The largest group of points of which each is nearer than `reach` to another.
Part largest_part(std::vector<Vec3d> points, double reach) {
    if (points.size() > most_grouped) return part_of(points);
    Part largest;
    while (!points.empty()) {
        std::vector<Vec3d> group{points.back()};
        points.pop_back();
        for (std::size_t k = 0; k < group.size(); ++k) {
            auto const far = [&](Vec3d const& p) { return norm_squared(p - group[k]) > reach * reach; };
            auto const near = std::partition(points.begin(), points.end(), far);
            group.insert(group.end(), near, points.end());
            points.erase(near, points.end());
        }
        if (group.size() > largest.particles) largest = part_of(group);
    }
    return largest;
}

// Twice the largest depth within half a spacing: a single layer is no farther from the middle of a thin part, and
// farther along it the part may be thicker [m].
double thickness(Shape const& shape, Vec3d const start, double spacing) {
    Vec3d p = start;
    double depth = -signed_distance(shape, p);
    for (double step = spacing / 4; step > spacing / 50; step /= 2) {
        for (int moves = 0; moves < 8; ++moves) {
            Vec3d deepest = p;
            double most = depth;
            for (int k = 0; k < 3; ++k)
                for (double side : {-step, step}) {
                    Vec3d q = p;
                    q[k] += side;
                    if (norm(q - start) > spacing / 2) continue;
                    if (double const there = -signed_distance(shape, q); there > most) most = there, deepest = q;
                }
            if (most == depth) break;
            p = deepest, depth = most;
        }
    }
    return 2 * depth;
}

std::string round_number(double number) {  // upwards to two digits
    double const unit = std::pow(10, std::max(0., std::floor(std::log10(number)) - 1));
    return std::to_string(std::int64_t(std::ceil(number / unit - 1e-9) * unit));
}

// Whether a part is thin in two directions: of 26 directions, matter extends farther than its thickness t in fewer than
// 6. (In a plate there are 8 or more, in a limb 2 or up to 4 if it lies aslant.)
bool is_limb(Shape const& shape, Vec3d p, double t) {
    int inside = 0;
    for (int direction = 0; direction < 27; ++direction) {
        Vec3d const way{direction % 3 - 1., direction / 3 % 3 - 1., direction / 9 - 1.};
        if (norm_squared(way) > 0) inside += signed_distance(shape, p + 1.2 * t / norm(way) * way) < 0;
    }
    return inside < 6;
}

struct Thinness {
    double t;        // of which a quarter of all places is thinner [m]
    double spacing;  // that would do [m]
};

Thinness thinness_around(std::vector<Vec3d> const& points, BodySpec const& spec, Model const& model,
                         BodyModel const& body) {
    Mat3d const back = transpose(rotation_matrix(spec.rotation));
    double const reach = 2.5 * body.spacing;
    std::vector<double> thick;
    std::size_t limbs = 0;
    for (std::size_t k = 0; k < points.size(); k += 1 + points.size() / most_measured)
        for (Index i = body.range.begin; i < body.range.end; ++i)
            if (norm_squared(model.rest[i] - points[k]) < reach * reach) {
                Vec3d const p = back * (model.rest[i] - spec.position);
                thick.push_back(thickness(spec.shape, p, body.spacing));
                limbs += is_limb(spec.shape, p, thick.back());
            }
    auto const quarter = thick.begin() + std::ptrdiff_t(thick.size() / 4);
    std::nth_element(thick.begin(), quarter, thick.end());
    double const t = std::max(*quarter, 0.1 * body.spacing), wanted = 2 * limbs > thick.size() ? limb : plate;
    return {t, std::min(t / wanted, 0.9 * body.spacing)};
}

std::string advice(BodySpec const& spec, std::vector<Vec3d> const& points, Model const& model, BodyModel const& body) {
    if (std::holds_alternative<PointsShape>(spec.shape)) return ": it needs more points there";
    auto const [t, d] = thinness_around(points, spec, model, body);
    std::string const thin = ", which is about " + rounded(t) + " m thick at a spacing of " + rounded(body.spacing) +
                             " m: they have too few neighbours, or neighbours in a plane. ";
    if (spec.spacing) return thin + "A spacing of " + rounded(d) + " m would do";
    return thin + "About " + round_number(body.range.size() * std::pow(body.spacing / d, 3)) + " particles would do";
}

}  // namespace

std::vector<std::string> neighborhood_warnings(Scene const& scene, Model const& model,
                                               std::vector<BodyNeighborhoods> const& bodies) {
    std::vector<std::string> warnings;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodyModel const& body = model.bodies[b];
        std::vector<Index> poor = bodies[b].poor;
        if (2 * bodies[b].thin.size() < body.range.size())
            poor.insert(poor.end(), bodies[b].thin.begin(), bodies[b].thin.end());
        if (double(poor.size()) <= tolerated * body.range.size() || poor.size() <= tolerated_count) continue;
        std::vector<Vec3d> points;
        for (Index i : poor) points.push_back(model.rest[i]);
        Part const part = largest_part(points, 5 * body.spacing);
        BodySpec const& spec = scene.bodies[b];
        warnings.push_back(where(scene, spec.line) + "body \"" + spec.name + "\": " + std::to_string(poor.size()) +
                           " particles have poor neighbourhoods, " + std::to_string(part.particles) +
                           " of them in a part of " + rounded(part.size + body.spacing) + " m near [" +
                           rounded(part.center.x) + ", " + rounded(part.center.y) + ", " + rounded(part.center.z) +
                           "]" + advice(spec, points, model, body));
    }
    return warnings;
}

}  // namespace pliant
