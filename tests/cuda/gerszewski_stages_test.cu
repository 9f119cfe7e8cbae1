// Every stage of Gerszewski's method on the GPU, compared with a plain loop on the CPU.
#include <stages/gerszewski_cases.hpp>

#include "stages.hpp"

namespace pliant::test {
namespace {

TEST_F(StagesOnTheGpu, OfGerszewskisMethodMatchThePlainLoop) { compare_gerszewski<Cuda>(0, gerszewski_stages()); }

}  // namespace
}  // namespace pliant::test
