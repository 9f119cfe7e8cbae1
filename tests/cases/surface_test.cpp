// Surfaces of whole runs.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>
#include <pliant/surface/level_set_surface.hpp>

#include <map>

namespace pliant::test {
namespace {

NarrowBand level_set(Frame const& frame, double spacing) {
    Cpu exec(2);
    return level_set_surface(exec, frame, {&spacing, 1}, {}, Bands::keep).band.at(0);
}

// How far the surface differs, in spacings: |phi_a - phi_b| is that distance where |grad phi| = 1.
double change(NarrowBand const& a, NarrowBand const& b, double spacing) {
    std::map<std::array<std::int32_t, 3>, float> values;
    for (std::size_t i = 0; i < b.node.size(); ++i) values[b.node[i]] = b.distance[i];
    double largest = 0;
    for (std::size_t i = 0; i < a.node.size(); ++i) {
        if (std::abs(a.distance[i]) > 0.5 * spacing) continue;
        auto const found = values.find(a.node[i]);
        largest = std::max(largest, found == values.end() ? 1e9 : std::abs(a.distance[i] - found->second) / spacing);
    }
    return largest;
}

TEST(SurfaceOfARun, OfABodyAtRestDoesNotFlicker) {
    // 1e6 Pa lies still after two seconds; steps of a quarter of a frame take its swing out.
    Scene const scene = read_scene(std::string(PLIANT_SCENES_DIR) + "/cube-drop.toml",
                                   {"materials.soft.young=1e6", "dt=0.004166666666666667", "duration=2.5"});
    Simulation simulation(scene, Device::cpu(2));
    double const spacing = simulation.summary().bodies[0].spacing;
    while (simulation.frame().time < 2.4) simulation.advance();
    NarrowBand last = level_set(simulation.frame(), spacing);
    int frames = 0;
    for (; !simulation.finished(); ++frames) {
        simulation.advance();
        NarrowBand const next = level_set(simulation.frame(), spacing);
        EXPECT_LT(change(last, next, spacing), 0.05);
        last = next;
    }
    EXPECT_GE(frames, 5);
}

}  // namespace
}  // namespace pliant::test
