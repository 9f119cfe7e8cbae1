// Whole runs on the GPU compared with the CPU: centres of mass agree within a tenth of a spacing, iterations within 5%
// if the case is not chaotic.
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include <cases/records.hpp>
#include <cases/two_blocks.hpp>

#include "gpu.hpp"

#include <cstdlib>

namespace pliant::test {
namespace {

std::string scenes() {
    char const* const given = std::getenv("PLIANT_SCENES_DIR");
    return given != nullptr ? given : PLIANT_SCENES_DIR;
}

struct Course {
    std::vector<FrameStats> stats;
    Frame last;
    Summary summary;
    Checkpoint checkpoint;

    std::uint64_t iterations() const {
        std::uint64_t sum = 0;
        for (FrameStats const& s : stats) sum += s.cg_iterations;
        return sum;
    }
};

Course run(Scene const& scene, Device const& device, int frames) {
    Course result;
    Simulation simulation(scene, device);
    result.stats.push_back(simulation.frame().stats);
    for (int f = 0; f < frames && !simulation.finished(); ++f) {
        simulation.advance();
        result.stats.push_back(simulation.frame().stats);
    }
    result.last = simulation.frame();
    result.summary = simulation.summary();
    result.checkpoint = simulation.checkpoint();
    return result;
}

void expect_alike(Scene const& scene, int frames, double spacings, double iterations) {
    Course const gpu = run(scene, Device::cuda(), frames), cpu = run(scene, Device::cpu(), frames);
    EXPECT_EQ(gpu.summary.device, "cuda");
    double const d = cpu.summary.bodies[0].spacing;
    ASSERT_EQ(gpu.stats.size(), cpu.stats.size());
    for (std::size_t f = 0; f < cpu.stats.size(); ++f) {
        ASSERT_LT(norm(gpu.stats[f].center_of_mass - cpu.stats[f].center_of_mass), spacings * d) << "frame " << f;
        double const energy = std::abs(cpu.stats[0].potential_energy) + cpu.stats[f].elastic_energy;
        ASSERT_NEAR(gpu.stats[f].elastic_energy, cpu.stats[f].elastic_energy, 0.02 * energy) << "frame " << f;
    }
    EXPECT_NEAR(double(gpu.iterations()), double(cpu.iterations()), iterations * double(cpu.iterations()) + 3);
    double worst = 0;
    for (std::size_t i = 0; i < cpu.last.position.size(); ++i)
        worst = std::max(worst, double(norm(gpu.last.position[i] - cpu.last.position[i])));
    EXPECT_LT(worst, 5 * spacings * d) << "the particle that is farthest off";
    std::printf(
        "  %d frames: %llu and %llu iterations on GPU and CPU, worst particle off by %.2g spacings, %.3g and %.3g "
        "ms per step\n",
        frames, static_cast<unsigned long long>(gpu.iterations()), static_cast<unsigned long long>(cpu.iterations()),
        worst / d, gpu.summary.step_ms, cpu.summary.step_ms);
}

Scene bundled(std::string const& name, std::vector<std::string> const& overrides = {}) {
    return read_scene(scenes() + "/" + name + ".toml", overrides);
}

// `step`: the line that sets dt, if the method needs one.
std::string two_blocks_at(std::string const& material, std::string const& step) {
    TwoBlocks blocks{"duration = 1.0\nfps = 60\n" + step, material};
    blocks.lower_size = "particles = 1500", blocks.upper_size = "particles = 1000";
    return blocks.scene();
}

std::string two_blocks(std::string const& material) { return two_blocks_at(material, "dt = 0.002"); }

class GpuRun : public OnGpu {};

TEST_F(GpuRun, DropsTheCubeAsTheCpuDoes) { expect_alike(bundled("cube-drop"), 30, 0.1, 0.05); }

TEST_F(GpuRun, BendsTheCantileverAsTheCpuDoes) {
    expect_alike(bundled("cantilever", {"bodies.0.particles=4000"}), 20, 0.1, 0.05);
}

TEST_F(GpuRun, DropsTheCubeExplicitlyAsTheCpuDoes) {
    expect_alike(bundled("cube-drop", {"method=explicit", "dt=stable"}), 30, 0.1, 0);
}

TEST_F(GpuRun, HoldsTwoBodiesApartExplicitlyAsTheCpuDoes) {
    expect_alike(read_scene_text(two_blocks("preset = \"jelly\""), "blocks.toml", {"method=explicit", "dt=stable"}), 20,
                 0.1, 0);
}

TEST_F(GpuRun, FlowsExplicitlyAsTheCpuDoes) {
    expect_alike(bundled("cubes-plastic", {"method=explicit", "dt=stable", "bodies.0.particles=1500"}), 30, 0.1, 0);
}

TEST_F(GpuRun, DropsTheCubeByPositionsAsTheCpuDoes) {
    expect_alike(bundled("cube-drop", {"method=xpbd", "dt=stable"}), 30, 0.1, 0);
}

TEST_F(GpuRun, HoldsTwoBodiesApartByPositionsAsTheCpuDoes) {
    expect_alike(read_scene_text(two_blocks("preset = \"jelly\""), "blocks.toml", {"method=xpbd", "dt=stable"}), 20,
                 0.1, 0);
}

TEST_F(GpuRun, FollowsThePapersRestStateAsTheCpuDoes) {
    expect_alike(bundled("cube-drop", {"solver.rest=updated"}), 8, 0.1, 0.05);
}

TEST_F(GpuRun, FitsToSecondOrderAsTheCpuDoes) { expect_alike(bundled("cube-drop", {"solver.order=2"}), 20, 0.1, 0.05); }

TEST_F(GpuRun, FlowsAsTheCpuDoes) {
    expect_alike(bundled("cubes-plastic", {"bodies.0.particles=1500"}), 40, 0.1, 0.05);
}

TEST_F(GpuRun, HoldsTwoBodiesApartAsTheCpuDoes) {
    expect_alike(read_scene_text(two_blocks("preset = \"rubber\""), "blocks.toml", {}), 30, 0.1, 0.1);
}

TEST_F(GpuRun, WeldsDoughAsTheCpuDoes) {
    expect_alike(read_scene_text(two_blocks("preset = \"dough\"\nweld = true"), "dough.toml", {}), 20, 0.1, 0.1);
}

TEST_F(GpuRun, ThrowsTwentyBodiesOnAPileWithoutHarm) {  // chaotic: centre of mass within two spacings
    expect_alike(bundled("pile"), 40, 2, 0.3);
}

// A step of an explicit method is a fraction of a millisecond: a few frames are hundreds of steps.
TEST_F(GpuRun, ComposesGradientsAsTheCpuDoes) {
    expect_alike(read_scene_text("method = \"gerszewski\"\n" + two_blocks_at("preset = \"dough\"", ""), "g.toml", {}),
                 6, 0.1, 0.05);
}

TEST_F(GpuRun, AddsStrainsAndPullsThirtyNeighborsAsTheCpuDoes) {
    std::string const scene = "method = \"gerszewski\"\n" + two_blocks_at("young = 1e5", "");
    expect_alike(read_scene_text(scene, "g.toml", {"solver.strain=additive"}), 4, 0.1, 0.05);
    expect_alike(read_scene_text(scene, "g.toml", {"solver.radius=2.5", "solver.neighbors=0"}), 4, 0.1, 0.05);
}

TEST_F(GpuRun, LeavesFramesAsTheyWereWhileStepsGoOn) {
    expect_records_to_hold(read_scene_text(two_blocks("preset = \"dough\"\nweld = true"), "dough.toml", {}),
                           Device::cuda(), 12);
    expect_records_to_hold(
        read_scene_text(two_blocks("preset = \"jelly\""), "blocks.toml", {"method=explicit", "dt=stable"}),
        Device::cuda(), 6);
}

TEST_F(GpuRun, GivesTheSameTwiceToTheLastBit) {
    Scene const scene = read_scene_text(two_blocks("preset = \"rubber\""), "blocks.toml", {});
    Course const one = run(scene, Device::cuda(), 10), two = run(scene, Device::cuda(), 10);
    ASSERT_EQ(one.last.position.size(), two.last.position.size());
    for (std::size_t i = 0; i < one.last.position.size(); ++i) ASSERT_EQ(one.last.position[i], two.last.position[i]);
}

TEST_F(GpuRun, GoesOnFromACheckpointAsIfNothingHadHappened) {
    Scene const scene = read_scene_text(two_blocks("preset = \"dough\"\nweld = true"), "dough.toml", {});
    Course const whole = run(scene, Device::cuda(), 10);
    Simulation resumed(scene, Device::cuda());
    resumed.restore(run(scene, Device::cuda(), 6).checkpoint);
    while (resumed.frame().index < 10) resumed.advance();
    for (std::size_t i = 0; i < whole.last.position.size(); ++i)
        ASSERT_EQ(whole.last.position[i], resumed.frame().position[i]);
}

TEST_F(GpuRun, GoesOnElsewhereFromACheckpoint) {
    Scene const scene = read_scene_text(two_blocks("preset = \"dough\"\nweld = true"), "dough.toml", {});
    auto const go_on = [&](Device const& first, Device const& then) {
        Simulation resumed(scene, then);
        resumed.restore(run(scene, first, 6).checkpoint);
        while (resumed.frame().index < 10) resumed.advance();
        return resumed.frame().position;
    };
    Course const whole = run(scene, Device::cuda(), 10);
    double const d = whole.summary.bodies[0].spacing;
    auto const on_cpu = go_on(Device::cuda(), Device::cpu()), on_gpu = go_on(Device::cpu(), Device::cuda());
    for (std::size_t i = 0; i < whole.last.position.size(); ++i) {  // rounding after 36 steps of contact
        ASSERT_LT(norm(whole.last.position[i] - on_cpu[i]), 0.01 * d);
        ASSERT_LT(norm(whole.last.position[i] - on_gpu[i]), 0.01 * d);
    }
}

}  // namespace
}  // namespace pliant::test
