#include <gtest/gtest.h>
#include <pliant/surface/level_set_surface.hpp>
#include <surface/band_change.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <random>

namespace pliant::surface {
namespace {

constexpr double d = 0.05;  // spacing [m]

Frame frame_of(std::vector<Vec3d> const& position) {
    Frame frame;
    for (Vec3d x : position) frame.position.push_back(cast<float>(x));
    std::size_t const n = position.size();
    frame.velocity.resize(n);
    frame.channels = {{"von_mises", "Pa", 1, std::vector<float>(n)}, {"plastic_strain", "", 1, std::vector<float>(n)}};
    frame.body.resize(n), frame.id.resize(n);
    std::iota(frame.id.begin(), frame.id.end(), 0u);
    return frame;
}

std::vector<Vec3d> box(int nx, int ny, int nz) {
    std::vector<Vec3d> position;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                position.push_back(d * Vec3d{i + 0.5 - 0.5 * nx, j + 0.5 - 0.5 * ny, k + 0.5 - 0.5 * nz});
    return position;
}
std::vector<Vec3d> cube(int across) { return box(across, across, across); }

std::vector<Vec3d> ball(int radius) {  // in spacings
    std::vector<Vec3d> position;
    for (Vec3d x : cube(2 * radius + 2))
        if (norm(x) < radius * d) position.push_back(x);
    return position;
}

std::vector<Vec3d> turned(std::vector<Vec3d> position) {
    double const c = std::cos(0.5), s = std::sin(0.5);
    for (Vec3d& x : position) {
        x = {c * x.x - s * x.y, s * x.x + c * x.y, x.z};
        x = {x.x, c * x.y - s * x.z, s * x.y + c * x.z};
    }
    return position;
}

std::vector<Vec3d> moved(std::vector<Vec3d> position, Vec3d by) {
    for (Vec3d& x : position) x += by;
    return position;
}

LevelSetSurface surface_of(Frame const& frame, int threads = 2) {
    Cpu exec(threads);
    std::vector<double> const spacing(frame.body.empty() ? 1 : frame.body.back() + 1, d);
    return level_set_surface(exec, frame, spacing, {}, Bands::keep);
}
LevelSetSurface surface_of(std::vector<Vec3d> const& position) { return surface_of(frame_of(position)); }

double volume(SurfaceMesh const& mesh) {
    double sum = 0;
    for (std::size_t k = 0; k < mesh.corner.size(); k += 3) {
        auto const at = [&](std::size_t c) { return cast<double>(mesh.position[mesh.corner[k + c]]); };
        sum += dot(at(0), cross(at(1), at(2))) / 6;
    }
    return sum;
}

// Every edge belongs to two triangles that traverse it in opposite directions.
bool closed(SurfaceMesh const& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
    for (std::size_t k = 0; k < mesh.corner.size(); ++k) {
        std::uint32_t const a = mesh.corner[k], b = mesh.corner[k % 3 == 2 ? k - 2 : k + 1];
        balance[std::minmax(a, b)] += a < b ? 1 : -1;
    }
    return std::all_of(balance.begin(), balance.end(), [](auto const& e) { return e.second == 0; });
}

// Vertices - edges + faces: 2 for a surface in one piece without holes or handles.
long euler_characteristic(SurfaceMesh const& mesh) {
    long const triangles = long(mesh.corner.size() / 3);
    return long(mesh.position.size()) - triangles * 3 / 2 + triangles;
}

// Angles between the normals of neighbouring triangles [degrees], sorted.
std::vector<double> dihedral_angles(SurfaceMesh const& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Vec3d> normal_at;
    std::vector<double> angles;
    for (std::size_t k = 0; k < mesh.corner.size(); ++k) {
        std::size_t const first = k - k % 3;
        auto const at = [&](std::size_t c) { return cast<double>(mesh.position[mesh.corner[first + c]]); };
        Vec3d const twice = cross(at(1) - at(0), at(2) - at(0)), normal = twice / norm(twice);
        std::uint32_t const a = mesh.corner[k], b = mesh.corner[k % 3 == 2 ? first : k + 1];
        auto const [entry, is_new] = normal_at.emplace(std::minmax(a, b), normal);
        if (!is_new)
            angles.push_back(180 / std::numbers::pi * std::acos(std::clamp(dot(normal, entry->second), -1.0, 1.0)));
    }
    std::sort(angles.begin(), angles.end());
    return angles;
}

// Distances of vertices to their nearest particles, in spacings: the smallest and the largest.
std::pair<double, double> distances_to_particles(SurfaceMesh const& mesh, std::vector<Vec3d> const& position) {
    double least = 1e9, greatest = 0;
    for (Vec3f v : mesh.position) {
        double nearest = 1e300;
        for (Vec3d x : position) nearest = std::min(nearest, norm_squared(cast<double>(v) - x));
        least = std::min(least, std::sqrt(nearest) / d);
        greatest = std::max(greatest, std::sqrt(nearest) / d);
    }
    return {least, greatest};
}

TEST(LevelSetSurface, OfACubeHasItsVolumeWithinThreePercentHoweverItIsTurned) {
    for (int across : {8, 14, 20})
        for (bool turn : {false, true}) {
            auto const position = turn ? turned(cube(across)) : cube(across);
            double const expected = std::pow(across * d, 3);
            EXPECT_NEAR(volume(surface_of(position).mesh) / expected, 1, 0.03) << across << (turn ? " turned" : "");
        }
}

TEST(LevelSetSurface, OfACubeKeepsEdgesAndFlatFaces) {
    int const across = 14;
    double const half = 0.5 * across * d;
    double at_edge = 0, off_face = 0;
    for (Vec3f v : surface_of(cube(across)).mesh.position) {
        double const x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
        if (z < 0.5 * half) at_edge = std::max(at_edge, std::min(x, y));  // the best at the four upright edges
        if (std::max(y, z) < 0.5 * half) off_face = std::max(off_face, std::abs(x - half));
    }
    // A fillet of radius 1.5 d misses the edge by 1.5 d (1 - 1/sqrt 2) = 0.44 d on each axis.
    EXPECT_LT((half - at_edge) / d, 0.44);
    EXPECT_LT(off_face / d, 0.15);  // half a cell is 0.25
}

TEST(LevelSetSurface, OfABallShowsNeitherParticlesNorTheLattice) {
    int const radius = 12;
    double sum = 0, squares = 0;
    SurfaceMesh const mesh = surface_of(ball(radius)).mesh;
    for (Vec3f v : mesh.position) {
        double const off = norm(cast<double>(v)) / d - radius;
        sum += off, squares += off * off;
    }
    double const n = double(mesh.position.size()), mean = sum / n;
    EXPECT_LT(std::sqrt(squares / n - mean * mean), 0.12);  // lattice cells that are in or out give 0.29 d RMS
    EXPECT_NEAR(volume(mesh), 4.0 / 3 * std::numbers::pi * std::pow(radius * d, 3), 0.03 * volume(mesh));
    // On a true sphere of this size, normals half a spacing apart differ by 2.4 degrees; on spheres of half a spacing
    // around particles, by tens of degrees.
    std::vector<double> const bends = dihedral_angles(mesh);
    EXPECT_LT(bends[bends.size() * 99 / 100], 8);
    EXPECT_LT(bends.back(), 20);
}

TEST(LevelSetSurface, IsClosedInOnePieceAndWithoutHolesForDenseParticles) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shift(-0.25, 0.25);
    auto shaken = cube(12);  // as irregular as blue noise
    for (Vec3d& x : shaken) x += d * Vec3d{shift(random), shift(random), shift(random)};
    for (auto const& position : {cube(12), turned(cube(12)), ball(8), shaken, box(30, 6, 3)}) {
        SurfaceMesh const mesh = surface_of(position).mesh;
        EXPECT_TRUE(closed(mesh));
        EXPECT_EQ(euler_characteristic(mesh), 2);
    }
}

TEST(LevelSetSurface, StaysWholeAtTwiceTheLength) {
    auto position = cube(12);
    for (Vec3d& x : position) x = {2 * x.x, x.y / std::sqrt(2.0), x.z / std::sqrt(2.0)};
    SurfaceMesh const mesh = surface_of(position).mesh;
    EXPECT_TRUE(closed(mesh));
    EXPECT_EQ(euler_characteristic(mesh), 2);
    EXPECT_NEAR(volume(mesh) / std::pow(12 * d, 3), 1, 0.05);
}

TEST(LevelSetSurface, LiesWithinOneSpacingOfTheParticleSpheres) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> place(-12 * d, 12 * d);
    auto position = cube(6);
    for (auto const& rod : {moved(box(12, 1, 1), {0, 10 * d, 0}), moved(box(9, 9, 1), {0, 0, 12 * d})})
        position.insert(position.end(), rod.begin(), rod.end());
    for (int k = 0; k < 60; ++k) position.push_back({place(random), place(random), place(random)});  // spray
    auto torn = cube(8);  // and a body pulled apart in the middle
    for (Vec3d& x : torn) x.x *= 1 + 2 * std::exp(-x.x * x.x / (d * d));
    for (auto const& particles : {position, torn}) {
        auto const [least, greatest] = distances_to_particles(surface_of(particles).mesh, particles);
        EXPECT_LT(greatest, 1.5);  // spheres of half a spacing, plus one spacing
        EXPECT_GT(least, 0.05);    // the inner radius minus what the volume correction removes
    }
}

// Fractions of a spacing by which bodies are shifted through the grid, whose cells are half a spacing.
constexpr double shifts[] = {0, 0.0625, 0.125, 0.1875, 0.25, 0.31, 0.4};
Vec3d shifted(double by) { return by * d * Vec3d{1, 0.7, 1}; }

TEST(LevelSetSurface, ShowsALoneParticleAsASphereOfItsVolumeWhereverItLies) {
    for (double by : shifts) {
        SurfaceMesh const mesh = surface_of(std::vector<Vec3d>{shifted(by)}).mesh;
        EXPECT_TRUE(closed(mesh));
        EXPECT_NEAR(volume(mesh) / (d * d * d), 1, 0.3) << by;  // a sphere two and a half cells wide
    }
}

TEST(LevelSetSurface, OfThinBodiesIsWholeWhereverTheyLie) {
    struct Thin {
        std::vector<Vec3d> position;
        double tolerance;  // of the volume: the best that two cells of thickness can do
    };
    for (auto const& [position, tolerance] :
         {Thin{box(20, 20, 1), 0.35}, Thin{turned(box(20, 20, 1)), 0.35}, Thin{box(20, 20, 2), 0.2},
          Thin{turned(box(20, 20, 2)), 0.2}, Thin{box(20, 20, 3), 0.03}, Thin{box(20, 2, 2), 0.2},
          Thin{box(20, 1, 1), 0.5}, Thin{turned(box(20, 1, 1)), 0.5}})
        for (double by : shifts) {
            SurfaceMesh const mesh = surface_of(moved(position, shifted(by))).mesh;
            EXPECT_TRUE(closed(mesh));
            EXPECT_EQ(euler_characteristic(mesh), 2) << position.size() << " particles, " << by;  // one piece, no holes
            EXPECT_NEAR(volume(mesh) / (double(position.size()) * d * d * d), 1, tolerance)
                << position.size() << " particles, " << by;
        }
}

TEST(LevelSetSurface, OfATremblingBodyMovesLessThanAFractionOfASpacing) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> tremble(-0.01, 0.01);  // in spacings: far more than at rest
    for (auto const& position : {cube(12), turned(cube(12)), ball(8)}) {
        auto shaken = position;
        for (Vec3d& x : shaken) x += d * Vec3d{tremble(random), tremble(random), tremble(random)};
        EXPECT_LT(test::change(surface_of(position).band[0], surface_of(shaken).band[0], d), 0.05);
    }
}

TEST(LevelSetSurface, MovesAlongWithItsBody) {
    auto const position = turned(cube(10));
    double const whole = std::pow(10 * d, 3);
    double const first = volume(surface_of(position).mesh) / whole;
    for (double step : {0.1, 0.2, 0.3, 0.4}) {  // in spacings; a cell of the grid is 0.5
        SurfaceMesh const mesh = surface_of(moved(position, step * d * Vec3d{1, 0.6, 0.3})).mesh;
        EXPECT_NEAR(volume(mesh) / whole, first, 0.003);
    }
}

TEST(LevelSetSurface, IsTheSameForAnyNumberOfThreads) {
    Frame const frame = frame_of(turned(cube(10)));
    SurfaceMesh const one = surface_of(frame, 1).mesh, two = surface_of(frame, 2).mesh;
    ASSERT_EQ(one.position.size(), two.position.size());
    EXPECT_TRUE(std::equal(one.position.begin(), one.position.end(), two.position.begin()));
    EXPECT_EQ(one.corner, two.corner);
}

TEST(LevelSetSurface, CarriesTheValuesOfTheParticlesBelow) {
    Frame frame = frame_of(cube(10));
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        frame.velocity[i] = {1 + frame.position[i].y, 0, 0};
        frame.channels[0].values[i] = 100 * frame.position[i].x;
        frame.channels[1].values[i] = 0.5f;
    }
    SurfaceMesh const mesh = surface_of(frame).mesh;
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
        // A mean over particles within two spacings, all on one side: it lags by about one spacing.
        EXPECT_NEAR(mesh.velocity[i].x, 1 + mesh.position[i].y, 1.5 * d);
        EXPECT_NEAR(mesh.channel("von_mises")->values[i], 100 * mesh.position[i].x, 100 * 1.5 * d);
        EXPECT_NEAR(mesh.channel("plastic_strain")->values[i], 0.5, 1e-5);
    }
}

TEST(LevelSetSurface, CarriesNumbersAndVectorsOfAnyName) {
    Frame frame = frame_of(cube(6));
    frame.channels = {{"density", "kg/m3", 1, {}}, {"slip", "", 9, {}}, {"heat_flow", "W/m2", 3, {}}};
    for (Vec3f x : frame.position) {
        frame.channels[0].values.push_back(1000 + x.y);
        frame.channels[1].values.insert(frame.channels[1].values.end(), 9, 1.f);
        frame.channels[2].values.insert(frame.channels[2].values.end(), {1, x.x, -2});
    }
    SurfaceMesh const mesh = surface_of(frame).mesh;
    ASSERT_EQ(mesh.channels.size(), 2u);  // matrices are left out: their mean says little
    EXPECT_EQ(mesh.channels[0].unit, "kg/m3");
    EXPECT_EQ(mesh.channels[1].components, 3);
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
        EXPECT_NEAR(mesh.channel("density")->values[i], 1000 + mesh.position[i].y, 1.5 * d + 1e-3);
        EXPECT_NEAR(mesh.channel("heat_flow")->values[3 * i], 1, 1e-5);
        EXPECT_NEAR(mesh.channel("heat_flow")->values[3 * i + 1], mesh.position[i].x, 1.5 * d);
        EXPECT_NEAR(mesh.channel("heat_flow")->values[3 * i + 2], -2, 1e-5);
    }
}

TEST(LevelSetSurface, KeepsTouchingBodiesApart) {
    auto position = cube(6);
    auto const other = moved(cube(6), {6 * d, 0, 0});
    position.insert(position.end(), other.begin(), other.end());
    Frame frame = frame_of(position);
    std::fill(frame.body.begin() + 216, frame.body.end(), 1u);
    LevelSetSurface const surface = surface_of(frame);
    ASSERT_EQ(surface.band.size(), 2u);
    EXPECT_EQ(euler_characteristic(surface.mesh), 4);  // two pieces
    EXPECT_TRUE(std::is_sorted(surface.mesh.body.begin(), surface.mesh.body.end()));
    EXPECT_EQ(surface.mesh.body.back(), 1u);
}

// Two fluids beside each other: no crease between them, and each has its part of the surface.
TEST(LevelSetSurface, OfMixingBodiesIsOne) {
    auto position = box(20, 10, 10);
    Frame frame = frame_of(position);
    for (std::size_t i = 0; i < position.size(); ++i) frame.body[i] = (i / 7) % 2;  // well mixed
    Cpu exec(2);
    std::vector<double> const spacing{d, d};
    LevelSetSurface const surface = level_set_surface(exec, frame, spacing, {}, Bands::keep, Bodies::mixing);
    EXPECT_EQ(surface.band.size(), 1u);
    EXPECT_TRUE(closed(surface.mesh));
    EXPECT_EQ(euler_characteristic(surface.mesh), 2);
    EXPECT_NEAR(volume(surface.mesh) / (2000 * d * d * d), 1, 0.03);
    auto const of_second = double(std::count(surface.mesh.body.begin(), surface.mesh.body.end(), 1u));
    EXPECT_NEAR(of_second / double(surface.mesh.body.size()), 0.5, 0.1);
}

TEST(LevelSetSurface, IsAsGoodFarFromTheOrigin) {
    auto const near = cube(8), far = moved(near, {200, -300, 400});  // floats there have a precision of 1e-5 m
    EXPECT_NEAR(volume(surface_of(near).mesh), volume(surface_of(far).mesh), 0.01 * volume(surface_of(near).mesh));
}

TEST(LevelSetSurface, OfNoParticlesIsEmpty) {
    LevelSetSurface const surface = surface_of(Frame{});
    EXPECT_TRUE(surface.mesh.position.empty());
    EXPECT_TRUE(surface.mesh.corner.empty());
}

}  // namespace
}  // namespace pliant::surface
