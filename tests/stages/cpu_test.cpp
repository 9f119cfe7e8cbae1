// Every stage of every solver on oneTBB beside a plain loop. The same comparison on a GPU is in tests/cuda/.
#include <pliant/exec/cpu.hpp>

#include "explicit_cases.hpp"
#include "gerszewski_cases.hpp"
#include "implicit_cases.hpp"
#include "tables.hpp"

namespace pliant::test {

template <>
struct SharedMemory<Cpu> {
    static void* allocate(std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
    static void release(void* memory) { std::free(memory); }
    static void wait(char const*) {}
};

namespace {

TEST(StagesOnTheCpu, OfTheImplicitSolverAreThoseOfAPlainLoop) { compare_implicit<Cpu>(200000, 2, implicit_stages()); }

TEST(StagesOnTheCpu, OfTheImplicitSolverAreThoseOfAPlainLoopInTheLayoutOfMany) {
    compare_implicit<Cpu>(0, 2, implicit_stages());
}

TEST(StagesOnTheCpu, OfTheExplicitSolverAreThoseOfAPlainLoop) { compare_explicit<Cpu>(200000, 2, explicit_stages()); }

TEST(StagesOnTheCpu, OfGerszewskisMethodAreThoseOfAPlainLoop) { compare_gerszewski<Cpu>(2, gerszewski_stages()); }

}  // namespace
}  // namespace pliant::test
