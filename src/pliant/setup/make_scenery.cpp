#include <pliant/scene/shapes.hpp>
#include <pliant/scene/tessellate.hpp>
#include <pliant/setup/colliders.hpp>
#include <pliant/setup/make_scenery.hpp>

#include <algorithm>
#include <cstdio>

namespace pliant {
namespace {

constexpr double cells_across = 24;  // along the longest side of a shape; a circle then has 75 sides

std::string word_of(Shape const& shape) {
    static constexpr char const* words[] = {"plane", "sphere", "box",  "cylinder", "torus",
                                            "star",  "points", "mesh", "sheet"};
    static_assert(std::size(words) == std::variant_size_v<Shape>);
    return words[shape.index()];
}

// The file of the first collider with this shape; planes have none.
std::string mesh_file(Scene const& scene, Shape const& shape) {
    if (std::holds_alternative<PlaneShape>(shape)) return "";
    auto const& all = scene.colliders;
    auto const first = std::find_if(all.begin(), all.end(), [&](ColliderSpec const& c) { return c.shape == shape; });
    char name[40];
    std::snprintf(name, sizeof name, "colliders/%05d.ply", static_cast<int>(first - all.begin()));
    return name;
}

SurfaceMesh surface_of(PolygonMesh const& polygons) {
    SurfaceMesh mesh;
    for (Vec3d p : polygons.vertex) mesh.position.push_back(cast<float>(p));
    mesh.velocity.resize(mesh.position.size());
    mesh.body.resize(mesh.position.size());
    mesh.corner = polygons.corner;
    mesh.polygon_end = polygons.polygon_end;
    mesh.uv = polygons.uv;
    mesh.corner_uv = polygons.corner_uv;
    return mesh;
}

}  // namespace

Scenery make_scenery(Scene const& scene) {
    Scenery scenery{scene.title, scene.gravity, scene.fps, scene.output.surface, {}};
    for (ColliderSpec const& c : scene.colliders) {
        ColliderPose const pose = pose_of(c);
        scenery.colliders.push_back({word_of(c.shape), mesh_file(scene, c.shape), pose.center, pose.rotation,
                                     c.motion.velocity, c.motion.spin, c.motion.from, c.motion.until, c.motion.path});
    }
    return scenery;
}

std::vector<std::pair<std::string, SurfaceMesh>> collider_meshes(Scene const& scene) {
    std::vector<std::pair<std::string, SurfaceMesh>> meshes;
    for (ColliderSpec const& c : scene.colliders) {
        std::string const file = mesh_file(scene, c.shape);
        auto const known = [&](auto const& entry) { return entry.first == file; };
        if (file.empty() || std::any_of(meshes.begin(), meshes.end(), known)) continue;
        Vec3d const half = half_extent(c.shape);
        double const edge = 2 * std::max({half.x, half.y, half.z}) / cells_across;
        meshes.emplace_back(file, surface_of(tessellate(c.shape, edge)));
    }
    return meshes;
}

}  // namespace pliant
