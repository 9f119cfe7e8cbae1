// The nearest vertices come from the R-tree of Boost, which only this file includes.
#include <pliant/data/error.hpp>
#include <pliant/math/eigen3.hpp>
#include <pliant/scene/direction_field.hpp>
#include <pliant/scene/ply_points.hpp>

#define BOOST_ALLOW_DEPRECATED_HEADERS  // by Boost itself
#include <boost/geometry.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>

#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

namespace pliant {
namespace {

namespace index = boost::geometry::index;
using Point = boost::geometry::model::point<double, 3, boost::geometry::cs::cartesian>;
using Entry = std::pair<Point, std::size_t>;
constexpr unsigned nearest_vertices = 8;

Point point_of(Vec3d p) { return {p.x, p.y, p.z}; }

// FNV-1a over the bits of the numbers.
void add_to(std::uint64_t& hash, Vec3d v) {
    for (int k = 0; k < 3; ++k) hash = (hash ^ std::bit_cast<std::uint64_t>(v[k])) * 0x100000001b3u;
}

Vec3d principal_axis(Sym3d const& sum) {
    Eigen3<double> const e = eigen3(sum);
    int largest = 0;
    for (int k = 1; k < 3; ++k)
        if (e.value[k] > e.value[largest]) largest = k;
    return normalized(e.vector[largest]);
}

}  // namespace

std::vector<Vec3d> DirectionField::at(std::vector<Vec3d> const& places) const {
    std::vector<Entry> entries;
    for (std::size_t v = 0; v < place.size(); ++v) entries.emplace_back(point_of(place[v]), v);
    index::rtree<Entry, index::quadratic<16>> const tree(entries);
    std::vector<Vec3d> result;
    std::vector<Entry> near;
    for (Vec3d const& p : places) {
        near.clear();
        tree.query(index::nearest(point_of(p), nearest_vertices), std::back_inserter(near));
        double farthest = 0;
        for (Entry const& entry : near) farthest = std::max(farthest, norm_squared(place[entry.second] - p));
        Sym3d sum = Sym3d::scaled_identity(0);
        double weights = 0, directed = 0;
        for (Entry const& entry : near) {
            Vec3d const b = direction[entry.second];
            double const w = 1 / (norm_squared(place[entry.second] - p) + 1e-12 * farthest + 1e-300);
            sum += w * Sym3d::outer(b);
            weights += w, directed += w * norm_squared(b);
        }
        result.push_back(directed > 0.5 * weights ? principal_axis((1 / directed) * sum) : Vec3d{});
    }
    return result;
}

DirectionField read_direction_field(std::filesystem::path const& file, std::string const& property, Vec3d middle,
                                    double scale) {
    PlyVectors const read = read_ply_vectors(file, property);
    DirectionField field;
    field.property = property;
    field.fingerprint = 0xcbf29ce484222325u;
    bool any = false;
    for (std::size_t v = 0; v < read.place.size(); ++v) {
        Vec3d const b = read.vector[v];
        any = any || norm(b) > 0;
        field.place.push_back(scale * (read.place[v] - middle));
        field.direction.push_back(norm(b) > 0 ? normalized(b) : Vec3d{});
        add_to(field.fingerprint, field.place.back()), add_to(field.fingerprint, field.direction.back());
    }
    if (!any) throw InputError(file.string() + ": all directions \"" + property + "\" are zero");
    return field;
}

}  // namespace pliant
