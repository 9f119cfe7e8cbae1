// A run for other programs to read: a textured ball that moves along x and grows along y, frame by frame.
#pragma once

#include <pliant/io/run_directory.hpp>

#include <io/fixtures.hpp>

#include <cmath>
#include <numbers>

namespace pliant::test {

inline constexpr int ball_frames = 5;
inline constexpr double ball_fps = 24;
inline constexpr int rings = 8, sectors = 12;  // of the mesh: 7 rings of vertices and two poles
inline constexpr float ball_radius = 0.5f;
inline Vec3f ball_center(int frame) { return {0.25f * static_cast<float>(frame), 1, -0.5f}; }
inline float ball_growth(int frame) { return 1 + 0.125f * static_cast<float>(frame); }
inline constexpr Vec3f ball_velocity{6, 0, 0};  // 0.25 m in 1/24 s

inline Vec3f ball_point(int frame, int ring, int sector) {
    double const polar = std::numbers::pi * ring / rings, turn = 2 * std::numbers::pi * sector / sectors;
    Vec3d const unit{std::sin(polar) * std::cos(turn), std::cos(polar), -std::sin(polar) * std::sin(turn)};
    Vec3f const scaled{static_cast<float>(unit.x), ball_growth(frame) * static_cast<float>(unit.y),
                       static_cast<float>(unit.z)};
    return ball_center(frame) + ball_radius * scaled;
}

// Quads, and triangles at the poles. The texture has a seam: vertices of sector 0 have two coordinates.
inline SurfaceMesh ball_surface(int frame) {
    SurfaceMesh mesh;
    mesh.index = frame;
    mesh.time = frame / ball_fps;
    auto const vertex = [](int ring, int sector) {
        if (ring == 0) return 0u;
        if (ring == rings) return 1u;
        return static_cast<std::uint32_t>(2 + (ring - 1) * sectors + sector % sectors);
    };
    auto const uv = [](int ring, int sector) { return static_cast<std::uint32_t>(ring * (sectors + 1) + sector); };
    mesh.position = {ball_point(frame, 0, 0), ball_point(frame, rings, 0)};
    for (int ring = 1; ring < rings; ++ring)
        for (int sector = 0; sector < sectors; ++sector) mesh.position.push_back(ball_point(frame, ring, sector));
    for (int ring = 0; ring <= rings; ++ring)
        for (int sector = 0; sector <= sectors; ++sector)
            mesh.uv.push_back({static_cast<float>(sector) / sectors, 1 - static_cast<float>(ring) / rings});
    auto const add_corner = [&](int ring, int sector) {
        mesh.corner.push_back(vertex(ring, sector));
        mesh.corner_uv.push_back(uv(ring, sector));
    };
    for (int ring = 0; ring < rings; ++ring)
        for (int sector = 0; sector < sectors; ++sector) {
            add_corner(ring, sector);
            add_corner(ring + 1, sector);
            if (ring + 1 < rings) add_corner(ring + 1, sector + 1);
            if (ring > 0) add_corner(ring, sector + 1);
            mesh.polygon_end.push_back(static_cast<std::uint32_t>(mesh.corner.size()));
        }
    std::size_t const count = mesh.position.size();
    mesh.velocity.assign(count, ball_velocity);
    mesh.body.assign(count, 1);
    mesh.channels = {{"von_mises", "Pa", 1, {}}, {"plastic_strain", "", 1, std::vector<float>(count, 0.125f)}};
    for (std::size_t i = 0; i < count; ++i) mesh.channels[0].values.push_back(100 * static_cast<float>(i));
    return mesh;
}

// Distances to the ball before it grows, within three cells of its surface.
inline NarrowBand ball_band(int frame) {
    NarrowBand band;
    band.cell = 0.0625;
    band.width = static_cast<float>(3 * band.cell);
    for (int i = -16; i <= 48; ++i)
        for (int j = 0; j <= 32; ++j)
            for (int k = -24; k <= 8; ++k) {
                auto const cell = static_cast<float>(band.cell);
                Vec3f const x{cell * static_cast<float>(i), cell * static_cast<float>(j), cell * static_cast<float>(k)};
                float const distance = norm(x - ball_center(frame)) - ball_radius;
                if (std::abs(distance) >= band.width) continue;
                band.node.push_back({i, j, k});
                band.distance.push_back(distance);
                band.velocity.push_back(ball_velocity);
            }
    return band;
}

// Particles at the vertices of the mesh.
inline Frame ball_particles(int frame) {
    SurfaceMesh const mesh = ball_surface(frame);
    Frame result;
    result.index = mesh.index, result.time = mesh.time;
    result.position = mesh.position, result.velocity = mesh.velocity;
    result.body = mesh.body, result.channels = mesh.channels;
    for (std::uint32_t i = 0; i < mesh.position.size(); ++i) result.id.push_back(i);
    return result;
}

inline void write_ball_run(std::filesystem::path const& path, std::vector<std::string> const& particles,
                           std::vector<std::string> const& meshes) {
    RunDirectory directory{path, RunOutput{particles, meshes, ball_fps, 'Y'}};
    directory.start_over();
    Checkpoint checkpoint;
    Summary summary;
    summary.bodies.resize(2);
    for (BodySummary& body : summary.bodies) body.spacing = 0.125;
    for (int frame = 0; frame < ball_frames; ++frame) {
        Frame const points = ball_particles(frame);
        SurfaceMesh const mesh = ball_surface(frame);
        NarrowBand const band = ball_band(frame);
        FrameStats& row = checkpoint.stats.emplace_back();
        row.frame = frame, row.time = points.time;
        directory.store(points, summary, checkpoint, {&mesh, {&band, 1}});
    }
    directory.finish();
}

}  // namespace pliant::test
