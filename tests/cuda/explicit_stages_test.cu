// Every stage of the explicit solver on the GPU beside a plain loop on the CPU.
#include <stages/explicit_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfTheExplicitSolverAreThoseOfThePlainLoopWhereLanesShareParticles) {
    compare_explicit<Cuda>(Cuda::few_particles, 0, explicit_stages());
}

TEST_F(StagesOnTheGpu, OfTheExplicitSolverAreThoseOfThePlainLoopInTheWayOfManyParticles) {
    compare_explicit<Cuda>(0, 0, explicit_stages());
}

}  // namespace
}  // namespace pliant::test
