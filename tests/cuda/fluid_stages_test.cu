// Every stage of the fluid solver on the GPU, compared with a plain loop on the CPU.
#include <stages/fluid_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfTheFluidSolverMatchThePlainLoop) { compare_fluid<Cuda>(0, fluid_stages()); }

}  // namespace
}  // namespace pliant::test
