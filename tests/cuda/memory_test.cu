// What a user reads if the GPU's memory is too small, and that following the advice works.
#include <cuda_runtime_api.h>
#include <pliant/data/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include "gpu.hpp"

#include <string>

namespace pliant::test {
namespace {

class GpuMemory : public OnGpu {};

constexpr char const* elastic = "preset = \"jelly\"\n";
constexpr char const* flowing = "young = 1e4\nplasticity = \"flow\"\nyield_stress = 10\nflow_rate = 100\n";

// A cube of about this many particles that falls on a floor.
Scene cube_of(double particles, std::string const& material = elastic, std::vector<std::string> const& more = {}) {
    double const spacing = 1 / std::cbrt(particles);
    return read_scene_text("duration = 0.1\n[materials.m]\n" + material +
                               "[[bodies]]\nname = \"cube\"\nmaterial = \"m\"\nshape = { box = [1, 1, 1] }\n"
                               "position = [0, 0.501, 0]\nvelocity = [0, -2, 0]\nspacing = " +
                               std::to_string(spacing) + "\n[[colliders]]\nshape = { plane = [0, 1, 0], offset = 0 }\n",
                           "cube.toml", more);
}

// Takes all of the GPU's memory except `left` bytes.
class Shortage {
public:
    explicit Shortage(std::size_t left) {
        { Simulation const warm(cube_of(1000), Device::cuda()); }  // so that the driver has taken its own share
        std::size_t free_bytes = 0, total = 0;
        cudaMemGetInfo(&free_bytes, &total);
        EXPECT_EQ(cudaMalloc(&taken_, free_bytes - left), cudaSuccess);
    }
    Shortage(Shortage const&) = delete;
    ~Shortage() { cudaFree(taken_); }

private:
    void* taken_ = nullptr;
};

// The number of particles that a message says would fit.
double room_said(Scene const& scene) {
    try {
        Simulation simulation(scene, Device::cuda());
        while (!simulation.finished()) simulation.advance();
        ADD_FAILURE() << "so many particles in so little memory";
    } catch (SimulationError const& error) {
        std::string const text = error.what();
        EXPECT_NE(text.find("--device cpu"), std::string::npos) << text;
        std::size_t const at = text.find("room for about ");
        if (at != std::string::npos) return std::stod(text.substr(at + 15));
        ADD_FAILURE() << text;
    }
    return 0;
}

constexpr std::size_t left = std::size_t{300} << 20;

TEST_F(GpuMemory, TooLittleSaysHowManyParticlesWouldFitAndThatManyDo) {
    Shortage const shortage(left);
    double const room = room_said(cube_of(500000));
    EXPECT_GT(room, 0.5 * double(left) / 2500);  // bytes per elastic particle
    EXPECT_LT(room, double(left) / 2000);
    Simulation simulation(cube_of(0.9 * room), Device::cuda());
    EXPECT_TRUE(simulation.advance());
}

// Bonds that follow the flow take more memory, but only later: 100,000 particles fit at first, and then run out of it.
TEST_F(GpuMemory, TheAdviceHoldsForBodiesThatFlow) {
    Shortage const shortage(left);
    double const room = room_said(cube_of(500000, flowing)), later = room_said(cube_of(100000, flowing));
    for (double const said : {room, later}) EXPECT_GT(said, 0.5 * double(left) / 5300);
    // The run below shows that it is not too much. (More than `left` is free: memory that earlier tests have released.)
    Simulation simulation(cube_of(0.9 * room, flowing), Device::cuda());
    while (!simulation.finished()) EXPECT_TRUE(simulation.advance());
    EXPECT_GT(simulation.summary().bodies[0].max_plastic_strain, 0.1);  // bonds are refreshed at 0.05
}

TEST_F(GpuMemory, TheAdviceHoldsForGerszewskisMethod) {
    std::vector<std::string> const method{"method=gerszewski"};
    Shortage const shortage(left);
    double const room = room_said(cube_of(1000000, elastic, method));
    EXPECT_GT(room, 0.5 * double(left) / 1000);
    Simulation simulation(cube_of(0.9 * room, elastic, method), Device::cuda());
    EXPECT_TRUE(simulation.advance());
}

TEST_F(GpuMemory, TheEstimateForBodiesThatFlowIsWhatTheyTake) {
    Simulation simulation(cube_of(50000, flowing), Device::cuda());
    double const foreseen = double(simulation.plan().bytes);
    while (!simulation.finished()) simulation.advance();
    std::printf("  %.4g bytes per particle foreseen, %.4g taken\n", foreseen / double(simulation.plan().particles),
                double(simulation.plan().bytes) / double(simulation.plan().particles));
    EXPECT_NEAR(double(simulation.plan().bytes), foreseen,
                0.25 * foreseen);  // with frames and checkpoints in transit
}

}  // namespace
}  // namespace pliant::test
