// What a user reads when the GPU's memory does not suffice, and that the advice holds.
#include <cuda_runtime_api.h>
#include <pliant/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include "gpu.hpp"

#include <string>

namespace pliant::test {
namespace {

class GpuMemory : public OnGpu {};

// A cube of about so many particles that falls freely.
Scene cube_of(double particles) {
    double const spacing = 1 / std::cbrt(particles);
    return read_scene_text(
        "duration = 0.1\n[materials.jelly]\npreset = \"jelly\"\n[[bodies]]\nname = \"cube\"\n"
        "material = \"jelly\"\nshape = { box = [1, 1, 1] }\nspacing = " +
            std::to_string(spacing) + "\n",
        "cube.toml", {});
}

TEST_F(GpuMemory, ALackOfItSaysHowManyParticlesWouldFitAndSoManyDo) {
    { Simulation const warm(cube_of(1000), Device::cuda()); }  // what the driver takes for itself is taken
    std::size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    void* taken = nullptr;
    std::size_t const left = std::size_t{300} << 20;
    ASSERT_EQ(cudaMalloc(&taken, free_bytes - left), cudaSuccess);
    double room = 0;
    try {
        Simulation simulation(cube_of(500000), Device::cuda());
        ADD_FAILURE() << "half a million particles in 300 MiB";
    } catch (SimulationError const& error) {
        std::string const text = error.what();
        std::size_t const at = text.find("room for about ");
        ASSERT_NE(at, std::string::npos) << text;
        room = std::stod(text.substr(at + 15));
        EXPECT_NE(text.find("--device cpu"), std::string::npos) << text;
    }
    EXPECT_GT(room, 0.5 * double(left) / 2400);  // bytes of an elastic particle
    EXPECT_LT(room, double(left) / 2000);
    Simulation simulation(cube_of(0.9 * room), Device::cuda());
    EXPECT_TRUE(simulation.advance());
    cudaFree(taken);
}

}  // namespace
}  // namespace pliant::test
