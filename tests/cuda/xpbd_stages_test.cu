// Every stage of the position-based solver on the GPU, compared with a plain loop on the CPU.
#include <stages/xpbd_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfThePositionBasedSolverMatchThePlainLoopWhenLanesShareParticles) {
    compare_xpbd<Cuda>(Cuda::few_particles, 0, xpbd_stages());
}

TEST_F(StagesOnTheGpu, OfThePositionBasedSolverMatchThePlainLoopInTheLayoutForManyParticles) {
    compare_xpbd<Cuda>(0, 0, xpbd_stages());
}

}  // namespace
}  // namespace pliant::test
