// Small closed meshes, and fixtures that write them to files.
#pragma once

#include <pliant/scene/read.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/triangle_mesh.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace pliant {

struct Soup {
    std::vector<Vec3d> vertex;
    std::vector<std::array<std::uint32_t, 3>> triangle;

    Soup scaled(Vec3d s) const {
        Soup result = *this;
        for (Vec3d& p : result.vertex) p = {p.x * s.x, p.y * s.y, p.z * s.z};
        return result;
    }
    Soup moved(Vec3d by) const {
        Soup result = *this;
        for (Vec3d& p : result.vertex) p += by;
        return result;
    }
    Soup turned_inside_out() const {
        Soup result = *this;
        for (auto& t : result.triangle) std::swap(t[1], t[2]);
        return result;
    }
    Soup with(Soup const& other) const {
        Soup result = *this;
        auto const first = static_cast<std::uint32_t>(vertex.size());
        result.vertex.insert(result.vertex.end(), other.vertex.begin(), other.vertex.end());
        for (auto const& t : other.triangle) result.triangle.push_back({first + t[0], first + t[1], first + t[2]});
        return result;
    }
};

inline Soup cube_soup() {  // edge 1, centred
    Soup cube;
    for (unsigned i = 0; i < 8; ++i)
        cube.vertex.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5});
    cube.triangle = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return cube;
}

inline Soup sphere_soup(int subdivisions) {  // radius 1; 20 x 4^n triangles
    double const g = (1 + std::sqrt(5.)) / 2;
    Soup s;
    s.vertex = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    s.triangle = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                  {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                  {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    for (Vec3d& p : s.vertex) p = normalized(p);
    for (int n = 0; n < subdivisions; ++n) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
        auto const middle = [&](std::uint32_t a, std::uint32_t b) {
            auto const [entry, is_new] =
                middles.emplace(std::minmax(a, b), static_cast<std::uint32_t>(s.vertex.size()));
            if (is_new) s.vertex.push_back(normalized(s.vertex[a] + s.vertex[b]));
            return entry->second;
        };
        std::vector<std::array<std::uint32_t, 3>> finer;
        for (auto const& [a, b, c] : s.triangle) {
            std::uint32_t const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        s.triangle = finer;
    }
    return s;
}

inline std::string off_text(Soup const& soup) {
    std::ostringstream text;
    text.precision(9);
    text << "OFF\n" << soup.vertex.size() << " " << soup.triangle.size() << " 0\n";
    for (Vec3d p : soup.vertex) text << p.x << " " << p.y << " " << p.z << "\n";
    for (auto const& t : soup.triangle) text << "3 " << t[0] << " " << t[1] << " " << t[2] << "\n";
    return text.str();
}

inline double exact_volume(Soup const& soup) {
    double sum = 0;
    for (auto const& t : soup.triangle) sum += dot(soup.vertex[t[0]], cross(soup.vertex[t[1]], soup.vertex[t[2]])) / 6;
    return sum;
}

// The distance to a triangle by its regions (C. Ericson, Real-Time Collision Detection, 5.1.5): a plain reference.
inline double triangle_distance(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
    auto const to_segment = [&](Vec3d u, Vec3d v) {
        double const t = std::min(1., std::max(0., dot(p - u, v - u) / norm_squared(v - u)));
        return norm(p - u - t * (v - u));
    };
    Vec3d const n = cross(b - a, c - a);
    bool const above =
        dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 && dot(cross(a - c, p - c), n) >= 0;
    if (above) return std::abs(dot(p - a, normalized(n)));
    return std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
}

inline double surface_distance(Soup const& soup, Vec3d p) {
    double nearest = 1e300;
    for (auto const& t : soup.triangle)
        nearest = std::min(nearest, triangle_distance(p, soup.vertex[t[0]], soup.vertex[t[1]], soup.vertex[t[2]]));
    return nearest;
}

class MeshTest : public ::testing::Test {
protected:
    std::filesystem::path const folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("pliant-mesh-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));

    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // The message for a file that is refused, without its path.
    std::string message(std::string const& name) const {
        std::string const text = message_of([&] { read_mesh(folder_ / name); });
        std::string const start = path(name) + ": ";
        return text.starts_with(start) ? text.substr(start.size()) : text;
    }

    std::string write(std::string const& name, std::string const& bytes) const {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
        return name;
    }
    std::string write(std::string const& name, Soup const& soup) const { return write(name, off_text(soup)); }

    // A scene beside the meshes: one body of the shape, with further keys.
    Scene scene(std::string const& shape, std::string const& keys, std::string const& rest = "") const {
        return read_scene_text(
            "[materials.m]\n[[bodies]]\nname = 'a'\nmaterial = 'm'\nshape = " + shape + "\n" + keys + "\n" + rest,
            folder_ / "s.toml");
    }
    std::string at(int line) const { return (folder_ / "s.toml").string() + ":" + std::to_string(line) + ": "; }
    std::string path(std::string const& name) const { return (folder_ / name).string(); }
};

}  // namespace pliant
