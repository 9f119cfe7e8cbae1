// Every stage of the explicit solver on the GPU, compared with a plain loop on the CPU.
#include <stages/explicit_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfTheExplicitSolverMatchThePlainLoopWhenLanesShareParticles) {
    compare_explicit<Cuda>(Cuda::few_particles, 0, explicit_stages());
}

TEST_F(StagesOnTheGpu, OfTheExplicitSolverMatchThePlainLoopInTheLayoutForManyParticles) {
    compare_explicit<Cuda>(0, 0, explicit_stages());
}

}  // namespace
}  // namespace pliant::test
