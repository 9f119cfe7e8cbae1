// Cells of a third of the spacing locate the surface to a few percent of a spacing; a body of few particles still gets
// 48 cells along its longest side. A collider gets cells of half the smallest spacing, and at least 64 along its
// longest side. Limits on memory make cells wider and are never an error by themselves: 5 10^7 nodes (200 MB) for a
// body, 256^3 for a collider, whose values are read in every step.
//
// A surface without an inside, such as a sheet thinner than a cell, still has nodes within half a cell of it, which
// count as area x cell / 4 of volume: less than twice that counts as no inside.
#include <pliant/data/error.hpp>
#include <pliant/scene/cloth_surface.hpp>
#include <pliant/scene/level_set.hpp>
#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/scene/voxelize.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace pliant {
namespace {

constexpr double body_nodes = 5e7, collider_nodes = 256. * 256 * 256;
constexpr double volume_tolerance = 0.05;  // between triangles and level set

double cube(double a) { return a * a * a; }

double longest_side(MeshShape const& shape) {
    Vec3d const half = half_extent(shape);
    return 2 * std::max({half.x, half.y, half.z});
}

class Voxelizer {
public:
    explicit Voxelizer(Scene& scene) : scene_(scene) {}

    void body(BodySpec& body) {
        auto& shape = std::get<MeshShape>(body.shape);
        std::string const name = where(scene_, body.line) + "body \"" + body.name + "\": ";
        double const longest = longest_side(shape), volume = estimated_volume(shape);
        double d = body.spacing ? *body.spacing : std::cbrt(volume / static_cast<double>(*body.particles));
        if (volume / cube(d) > 1.05 * particle_limit) d = longest;  // sampling will refuse this: no need for detail
        double const cell = within(body_nodes, shape, std::min(d / 3, longest / 48));
        if (cell > 3 * d)
            throw InputError(name + "the mesh is too long and thin for particles of " + rounded(d) +
                             " m: its level set would have cells of " + rounded(cell) + " m; use a wider spacing");
        fill(shape, cell, Reach::inside, name);
    }

    void collider(ColliderSpec& collider, std::size_t index, double smallest_spacing) {
        auto& shape = std::get<MeshShape>(collider.shape);
        std::string const name = where(scene_, collider.line) + "colliders." + std::to_string(index) + ": ";
        double const wanted = std::min(smallest_spacing / 2, longest_side(shape) / 64);
        double const cell = within(collider_nodes, shape, wanted);
        bool const is_new = fill(shape, cell, Reach::everywhere, name);
        if (is_new && cell > smallest_spacing)
            warnings.push_back(name + "the mesh's distances are kept on cells of " + rounded(cell) +
                               " m, wider than the smallest spacing of " + rounded(smallest_spacing) +
                               " m: finer detail is lost; cut the mesh into several colliders to keep it");
    }

    std::vector<std::string> warnings;

private:
    // The volume that decides the spacing. Triangles that are not oriented consistently do not define one.
    static double estimated_volume(MeshShape const& shape) {
        if (shape.mesh->consistent) return shape.mesh->volume * cube(shape.scale);
        double const cell = longest_side(shape) / 64;
        return std::max(make_level_set(*shape.mesh, shape.scale, cell, Reach::inside).volume, cube(cell));
    }

    static double within(double node_limit, MeshShape const& shape, double cell) {
        for (double nodes; (nodes = level_set_nodes(*shape.mesh, shape.scale, cell)) > node_limit;)
            cell *= 1.01 * std::cbrt(nodes / node_limit);
        return cell;
    }

    // False when the level set existed already: its warnings have been given.
    bool fill(MeshShape& shape, double cell, Reach reach, std::string const& name) {
        auto const [entry, is_new] = made_.emplace(std::tuple{shape.mesh.get(), shape.scale, cell, reach}, shape);
        if (is_new) {
            MeshShape& made = entry->second;
            made.level_set = std::make_shared<LevelSet const>(make_level_set(*shape.mesh, shape.scale, cell, reach));
            check(made, name);
        }
        shape = entry->second;
        return is_new;
    }

    // Sets the volume: the triangles' own where they agree with the level set, which misses a little at sharp edges.
    void check(MeshShape& shape, std::string const& name) {
        TriangleMesh const& mesh = *shape.mesh;
        double const cell = shape.level_set->cell, inside = shape.level_set->volume;
        double const exact = mesh.volume * cube(shape.scale), area = mesh.area * shape.scale * shape.scale;
        if (inside < 0.5 * cell * area)
            throw InputError(name + mesh.file.string() + " has no inside at this resolution: it is about " +
                             rounded(2 * exact / area) + " m thick, its level set has cells of " + rounded(cell) +
                             " m; use a smaller spacing, or more particles");
        warn_of_mesh(shape, name);
        shape.volume = inside;
        if (!mesh.consistent) return;
        double const ratio = inside / exact;
        if (std::abs(ratio - 1) <= volume_tolerance)
            shape.volume = exact;
        else
            warnings.push_back(name + mesh.file.string() + " holds " + rounded(inside) +
                               " m3, but its triangles enclose " + rounded(exact) + " m3: " +
                               (ratio > 1 ? "closed surfaces inside others are filled up"
                                          : "parts overlap, which count once, or are thinner than " + rounded(cell) +
                                                " m, which are lost; then use a smaller spacing, or more particles"));
    }

    void warn_of_mesh(MeshShape const& shape, std::string const& name) {
        for (std::string const& warning : shape.mesh->warnings) warnings.push_back(name + warning);
        double const longest = longest_side(shape);
        if (shape.scale == 1 && (longest > 100 || longest < 1e-3))
            warnings.push_back(name + shape.mesh->file.string() + " is " + rounded(longest) +
                               " m long, taken in metres; give its height [m], or a scale (0.001 for millimetres)");
    }

    Scene& scene_;
    std::map<std::tuple<TriangleMesh const*, double, double, Reach>, MeshShape> made_;
};

double spacing_of(BodySpec const& body) {
    return body.spacing ? *body.spacing : std::cbrt(volume(body.shape) / static_cast<double>(*body.particles));
}

double cloth_spacing(BodySpec const& body) {
    return body.spacing ? *body.spacing : std::sqrt(surface_area(body.shape) / static_cast<double>(*body.particles));
}

}  // namespace

std::vector<std::string> make_level_sets(Scene& scene) {
    Voxelizer voxelizer(scene);
    double smallest = 1e300;
    for (BodySpec& body : scene.bodies) {
        bool const cloth = find_method(scene.method)->cloth;
        if (std::holds_alternative<MeshShape>(body.shape) && !cloth) voxelizer.body(body);
        smallest = std::min(smallest, cloth ? cloth_spacing(body) : spacing_of(body));
    }
    for (std::size_t i = 0; i < scene.colliders.size(); ++i)
        if (std::holds_alternative<MeshShape>(scene.colliders[i].shape))
            voxelizer.collider(scene.colliders[i], i, smallest);
    return voxelizer.warnings;
}

}  // namespace pliant
