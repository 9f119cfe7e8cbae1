// Every stage of Gerszewski's method on the GPU beside a plain loop on the CPU.
#include <stages/gerszewski_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfGerszewskisMethodAreThoseOfThePlainLoop) { compare_gerszewski<Cuda>(0, gerszewski_stages()); }

}  // namespace
}  // namespace pliant::test
