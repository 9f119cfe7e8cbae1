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

// A stage that does not do the same twice.
struct Fickle {
    static inline int calls = 0;
    Vec4* values;
    Index* numbers;
    void operator()(Index i) const {
        bool const first = calls++ < 10;
        values[i] = Vec4::of(float(i), first ? 2.f : 2.002f, 0, 10);
        numbers[i] = first && i == 3 ? 7 : 8;
    }
};

TEST(Twin, FindsWhatDiffersAndWhatIsDecidedOtherwise) {
    Fickle::calls = 0;
    Twin<Cpu>::findings.clear();
    {
        Twin<Cpu> twin(1);
        Twin<Cpu>::Buffer<Vec4> values;
        Twin<Cpu>::Buffer<Index> numbers;
        values.resize(10), numbers.resize(10);
        twin.for_each("fickle", {0, 10}, Fickle{values.data(), numbers.data()});
        EXPECT_EQ(values.data()[3][1], 2.002f);  // the plain loop's, which comes second
    }
    Finding const& found = Twin<Cpu>::findings["fickle"];
    EXPECT_NEAR(found.worst, 0.0002, 1e-6);  // 0.002 of the largest, 10
    EXPECT_EQ(found.otherwise, 1u);
    EXPECT_EQ(found.entries, 20u);
}

TEST(StagesOnTheCpu, OfTheImplicitSolverAreThoseOfAPlainLoop) { compare_implicit<Cpu>(200000, 2, implicit_stages()); }

TEST(StagesOnTheCpu, OfTheImplicitSolverAreThoseOfAPlainLoopInTheLayoutOfMany) {
    compare_implicit<Cpu>(0, 2, implicit_stages());
}

TEST(StagesOnTheCpu, OfTheExplicitSolverAreThoseOfAPlainLoop) { compare_explicit<Cpu>(200000, 2, explicit_stages()); }

TEST(StagesOnTheCpu, OfGerszewskisMethodAreThoseOfAPlainLoop) { compare_gerszewski<Cpu>(2, gerszewski_stages()); }

}  // namespace
}  // namespace pliant::test
