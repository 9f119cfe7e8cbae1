// Every stage of the implicit solver on the GPU, compared with a plain loop on the CPU.
#include <stages/implicit_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfTheImplicitSolverMatchThePlainLoopWhenLanesShareParticles) {
    compare_implicit<Cuda>(Cuda::few_particles, 0, implicit_stages());
}

// As with more than 200,000 particles: slices, one thread per particle, loops as launches.
TEST_F(StagesOnTheGpu, OfTheImplicitSolverMatchThePlainLoopInTheLayoutForManyParticles) {
    compare_implicit<Cuda>(0, 0, implicit_stages());
}

}  // namespace
}  // namespace pliant::test
