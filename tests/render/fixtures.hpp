// Small meshes, scenes and measures for the tests of pictures.
#pragma once

#include <pliant/render/draw.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::test {

using namespace render;

// The six faces of a box as quads with shared corners: 8 vertices.
inline SurfaceMesh box_mesh(Vec3f size, Vec3f center, std::uint32_t body = 0) {
    SurfaceMesh mesh;
    for (int k = 0; k < 8; ++k)
        mesh.position.push_back(center + Vec3f{(k & 1 ? 0.5f : -0.5f) * size.x, (k & 2 ? 0.5f : -0.5f) * size.y,
                                               (k & 4 ? 0.5f : -0.5f) * size.z});
    mesh.corner = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    mesh.polygon_end = {4, 8, 12, 16, 20, 24};
    mesh.body.assign(8, body);
    mesh.velocity.resize(8);
    mesh.channels = {{"von_mises", "Pa", 1, std::vector<float>(8)}, {"plastic_strain", "", 1, std::vector<float>(8)}};
    return mesh;
}

// A ball of quads, 2 n of them around and n from pole to pole.
inline SurfaceMesh ball_mesh(float radius, Vec3f center, int n) {
    SurfaceMesh mesh;
    float const step = std::numbers::pi_v<float> / float(n);
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 2 * n; ++j) {
            float const a = step * float(i), b = step * float(j);
            mesh.position.push_back(center +
                                    radius * Vec3f{std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b)});
        }
    auto const vertex = [&](int i, int j) { return std::uint32_t(i * 2 * n + j % (2 * n)); };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 2 * n; ++j) {
            for (auto const v : {vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)})
                mesh.corner.push_back(v);
            mesh.polygon_end.push_back(std::uint32_t(mesh.corner.size()));
        }
    mesh.body.assign(mesh.position.size(), 0);
    return mesh;
}

inline SceneryCollider plane_through_origin(Vec3d normal) {
    SceneryCollider plane;
    plane.shape = "plane";
    Vec3d const a = std::abs(normal.y) < 0.9 ? normalized(cross(normal, Vec3d{0, 1, 0})) : Vec3d{1, 0, 0};
    plane.rotation = {{a, normal, cross(a, normal)}};
    return plane;
}

inline Scenery scenery_with_ground() {
    Scenery scenery;
    scenery.colliders.push_back(plane_through_origin({0, 1, 0}));
    return scenery;
}

inline RenderSettings small_picture(int width = 160, int height = 120) {
    RenderSettings settings;
    settings.width = width;
    settings.height = height;
    settings.threads = 2;
    return settings;
}

inline float luminance(Vec3f c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }

// The light of the pixel that shows a point.
inline float light_at(Image const& image, Camera const& camera, Vec3d point) {
    auto const [x, y] = project(camera, image.width, image.height, point);
    return luminance(
        image.pixel[image.index(std::clamp(int(x), 0, image.width - 1), std::clamp(int(y), 0, image.height - 1))]);
}

}  // namespace pliant::test
