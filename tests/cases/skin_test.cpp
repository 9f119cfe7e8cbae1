// Skins of whole runs, during the strongest deformation: smooth, and without spikes.
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/setup/make_skin.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

namespace pliant::test {

using namespace surface;

namespace {

bool have(char const* model) { return std::filesystem::exists(models_folder() / model); }

// The largest distance of a vertex from its nearest particle, in spacings.
double farthest_vertex(SurfaceMesh const& mesh, Frame const& frame, double spacing) {
    Cpu exec;
    CellGrid grid;
    grid.build(exec, {0, Index(frame.position.size())}, 4 * spacing,
               [&](Index i) { return cast<double>(frame.position[i]); });
    double farthest = 0;
    for (Vec3f const& x : mesh.position) {
        double nearest = 1e300;
        grid.for_each_near(cast<double>(x),
                           [&](Index k) { nearest = std::min(nearest, double(norm(frame.position[k] - x))); });
        farthest = std::max(farthest, nearest / spacing);
    }
    return farthest;
}

// How far the particles that carry a vertex have moved apart: the largest stretch of a pair that was closer than 1.5
// spacings.
double particle_stretch(SkinWeights const& weights, std::size_t vertex, Frame const& first, Frame const& now,
                        double spacing) {
    double largest = 1;
    for (std::size_t k = weights.begin[vertex]; k < weights.begin[vertex + 1]; ++k)
        for (std::size_t l = k + 1; l < weights.begin[vertex + 1]; ++l) {
            std::uint32_t const p = weights.particle[k], q = weights.particle[l];
            double const apart = double(norm(first.position[p] - first.position[q]));
            if (apart > 1.5 * spacing) continue;
            largest = std::max(largest, double(norm(now.position[p] - now.position[q])) / apart);
        }
    return largest;
}

// The largest stretch of an edge of the skin, relative to that of the particles around it.
double excess_stretch(Skin const& skin, Frame const& first, Frame const& now, double spacing) {
    SurfaceMesh const rest = skin.move(first), mesh = skin.move(now);
    double largest = 0;
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        std::size_t const begin = mesh.polygon_begin(p), n = mesh.polygon_end[p] - begin;
        for (std::size_t k = 0; k < n; ++k) {
            std::uint32_t const i = mesh.corner[begin + k], j = mesh.corner[begin + (k + 1) % n];
            double const before = double(norm(rest.position[i] - rest.position[j]));
            double const stretch = double(norm(mesh.position[i] - mesh.position[j])) / before;
            if (stretch > largest)
                largest = std::max(largest, stretch / particle_stretch(skin.weights(), i, first, now, spacing));
        }
    }
    return largest;
}

void expect_smooth_skin(std::string const& name, std::vector<std::string> const& overrides) {
    Scene const scene = read_scene(std::string(PLIANT_SCENES_DIR) + "/" + name + ".toml", overrides);
    Simulation simulation(scene, Device::cpu(2));
    Frame const first = simulation.frame();
    std::vector<BodySummary> const bodies = simulation.summary().bodies;
    double const spacing = bodies[0].spacing;
    Skin const skin = make_skin(scene, first, bodies);
    EXPECT_LT(skin.weights().amplification(), 4.2);  // measured: 3.2 to 3.8; never above 5
    double const at_rest = farthest_vertex(skin.move(first), first, spacing);
    for (Frame const& frame : simulation.frames()) {
        if (frame.index % 4 != 0) continue;
        // Finger tips lie up to 2.5 spacings from all particles. They stay about as far (0.6 farther in one frame was
        // measured, where a soft finger is stretched in the impact); a spike would not.
        EXPECT_LT(farthest_vertex(skin.move(frame), frame, spacing), at_rest + 0.8) << frame.index;
        // Measured: up to 2.3, and 3.2 in one frame with other rounding.
        EXPECT_LT(excess_stretch(skin, first, frame, spacing), 4) << frame.index;
    }
}

TEST(Skin, OfASoftArmadilloHasNoSpikes) {
    if (!have("armadillo.off")) GTEST_SKIP() << "run `make models`";
    expect_smooth_skin("armadillo-soft", {"bodies.0.particles=3000", "duration=0.65"});
}

TEST(Skin, OfASoftBunnyHasNoSpikes) {
    if (!have("bunny00.off")) GTEST_SKIP() << "run `make models`";
    expect_smooth_skin("bunny-soft", {"bodies.0.particles=3000", "duration=0.7"});
}

TEST(Skin, OfThePapersArmadilloKeepsItsMesh) {
    if (!have("armadillo.off")) GTEST_SKIP() << "run `make models`";
    Scene const scene = read_scene(std::string(PLIANT_SCENES_DIR) + "/armadillo-soft.toml");
    Simulation const simulation(scene, Device::cpu(2));
    Skin const skin = make_skin(scene, simulation.frame(), simulation.summary().bodies);
    SurfaceMesh const mesh = skin.move(simulation.frame());
    EXPECT_EQ(mesh.position.size(), 26002u);  // as the file's first lines say
    EXPECT_EQ(mesh.polygon_count(), 52000u);
    EXPECT_NEAR(skin.weights().amplification(), 3.7, 0.3);  // measured: 3.68; half of all vertices are below 1.6
}

}  // namespace
}  // namespace pliant::test
