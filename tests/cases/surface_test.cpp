// Surfaces of whole runs.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>
#include <pliant/surface/level_set_surface.hpp>
#include <surface/band_change.hpp>

namespace pliant::test {
namespace {

NarrowBand level_set(Frame const& frame, double spacing) {
    Cpu exec(2);
    return surface::level_set_surface(exec, frame, {&spacing, 1}, {}, surface::Bands::keep).band.at(0);
}

TEST(SurfaceOfARun, OfABodyAtRestDoesNotFlicker) {
    // At 1e6 Pa the cube is still after two seconds; steps of a quarter of a frame damp its swing.
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
