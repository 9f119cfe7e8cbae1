// Shared by the tests of io/: a temporary folder, and small frames with known values.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

namespace pliant::test {

class TemporaryFolder {
public:
    explicit TemporaryFolder(std::filesystem::path const& parent = std::filesystem::temp_directory_path()) {
        std::string name = (parent / "pliant-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;
    std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
    std::filesystem::path const& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline std::string file_bytes(std::filesystem::path const& path) {
    std::ifstream stream{path, std::ios::binary};
    EXPECT_TRUE(stream) << path;
    return {std::istreambuf_iterator<char>{stream}, {}};
}

inline void overwrite(std::filesystem::path const& path, std::string const& bytes) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

inline std::size_t file_count(std::filesystem::path const& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder}, {}));
}

// Three particles of two bodies; F counts 1 to 9 row by row on the first of them.
inline Frame small_frame(int index = 7) {
    Frame frame;
    frame.index = index;
    frame.time = index / 60.0;
    frame.position = {{0, 1, 2}, {3.5f, -4.25f, 5}, {1e-9f, 1e9f, 0.1f}};
    frame.velocity = {{10, 11, 12}, {-13, 14, -15}, {0.5f, 0.25f, 0.125f}};
    frame.id = {0, 1, 2};
    frame.body = {0, 0, 1};
    frame.channels = {{"von_mises", "Pa", 1, {0, 1.5e3f, std::numeric_limits<float>::quiet_NaN()}},
                      {"plastic_strain", "", 1, {0, 0.01f, 2}}};
    frame.stats.frame = index;
    frame.stats.time = frame.time;
    return frame;
}

inline Frame small_frame_with_F() {
    Frame frame = small_frame();
    Channel F{"F", "", 9, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
    for (int k = 0; k < 2; ++k) F.values.insert(F.values.end(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
    frame.channels.push_back(F);
    return frame;
}

inline Frame small_frame_with_stress() {
    Frame frame = small_frame_with_F();
    Channel stress{"stress", "Pa", 6, {}};
    for (int k = 0; k < 18; ++k) stress.values.push_back(0.5f * static_cast<float>(k) - 3);
    frame.channels.push_back(stress);
    return frame;
}

// A pyramid with vertices of two bodies: a square base and four triangles; it rises at 1 m/s and its tip is pulled.
inline SurfaceMesh small_surface(int index = 7) {
    SurfaceMesh mesh;
    mesh.index = index;
    mesh.time = index / 60.0;
    auto const rise = static_cast<float>(mesh.time);
    mesh.position = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0.5f, 1.5f, 0.5f}};
    for (Vec3f& x : mesh.position) x.y += rise;
    mesh.position[4].y += rise;
    mesh.velocity = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 2, 0}};
    mesh.body = {0, 0, 0, 0, 1};
    mesh.channels = {{"von_mises", "Pa", 1, {0, 100, 200, 300, 1.5e6f}},
                     {"plastic_strain", "", 1, {0, 0.125f, 0.25f, 0.1f, 3}}};
    mesh.corner = {0, 1, 2, 3, 0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
    mesh.polygon_end = {4, 7, 10, 13, 16};
    return mesh;
}

// One texture coordinate per vertex.
inline SurfaceMesh textured_surface(int index = 7) {
    SurfaceMesh mesh = small_surface(index);
    mesh.uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5f, 0.25f}};
    mesh.corner_uv = mesh.corner;
    return mesh;
}

// The tip has another texture coordinate in the last triangle, as along a seam.
inline SurfaceMesh seamed_surface(int index = 7) {
    SurfaceMesh mesh = textured_surface(index);
    mesh.uv.push_back({0.75f, 0.5f});
    mesh.corner_uv[14] = 5;
    return mesh;
}

inline FrameStats stats_row(int index) {
    FrameStats row;
    row.frame = index;
    row.time = index / 60.0;
    row.steps = static_cast<std::uint64_t>(index) * 9;
    row.cg_iterations = static_cast<std::uint64_t>(index) * 100;
    row.wall_ms = 0.1 * index;
    row.kinetic_energy = 1.0 / 3;
    row.elastic_energy = -2.5e-17;
    row.potential_energy = 1e300;
    row.center_of_mass = {0.1, 0.2, 0.3};
    row.penetration = 0.05;
    row.solves = static_cast<std::uint64_t>(index) * 10;
    row.backtracks = static_cast<std::uint64_t>(index) * 3;
    row.halvings = static_cast<std::uint64_t>(index) * 2;
    row.probes = {{{1, 2, 1.0 / 3}, {-4, 5e-9, 6}, 7.5 * index}};
    if (index > 0) row.forces = {{{0.1, -1e-7, 1.0 / 3}, {0, 2, 3}}, {{4, 5, 6}, {7, 8.5, 9}}, {{1, 0, 0}, {0, 0, 1}}};
    return row;
}

inline Checkpoint small_checkpoint(int last_frame = 2) {
    Checkpoint checkpoint;
    checkpoint.scene_text = "title = \"two cubes\"\nduration = 1\n";
    checkpoint.arrays.push_back({"x", {std::byte{1}, std::byte{2}, std::byte{3}}});
    checkpoint.arrays.push_back({"nothing", {}});
    checkpoint.arrays.push_back({"v", std::vector<std::byte>(1000, std::byte{42})});
    for (int frame = 0; frame <= last_frame; ++frame) checkpoint.stats.push_back(stats_row(frame));
    return checkpoint;
}

}  // namespace pliant::test
