// Every stage of every solver on oneTBB against a plain loop. The same comparison on a GPU is in tests/cuda/.
#include <pliant/exec/cpu.hpp>

#include "explicit_cases.hpp"
#include "fluid_cases.hpp"
#include "gerszewski_cases.hpp"
#include "implicit_cases.hpp"
#include "tables.hpp"
#include "xpbd_cases.hpp"

namespace pliant::test {

template <>
struct SharedMemory<Cpu> {
    static void* allocate(std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
    static void release(void* memory) { std::free(memory); }
    static void wait(char const*) {}
    template <class Phases>
    static constexpr bool fuses() {
        return false;
    }
};

namespace {

// A stage whose second run differs from its first.
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

TEST(Twin, FindsDifferencesAndOtherDecisions) {
    Fickle::calls = 0;
    Twin<Cpu>::findings.clear();
    {
        Twin<Cpu> twin(1);
        Twin<Cpu>::Buffer<Vec4> values;
        Twin<Cpu>::Buffer<Index> numbers;
        values.resize(10), numbers.resize(10);
        twin.for_each("fickle", {0, 10}, Fickle{values.data(), numbers.data()});
        EXPECT_EQ(values.data()[3][1], 2.002f);  // from the plain loop, which runs second
    }
    Finding const& found = Twin<Cpu>::findings["fickle"];
    EXPECT_NEAR(found.worst, 0.0002, 1e-6);  // 0.002 of the largest, 10
    EXPECT_EQ(found.otherwise, 1u);
    EXPECT_EQ(found.entries, 20u);
}

// A stage that fails only in its first run, on the machine, or only in its second, in the plain loop.
struct Failing {
    static inline int calls = 0;
    bool at_first;
    double value() const { return (calls++ < 10) == at_first ? std::nan("") : 1; }
};
struct FailingSum : Failing {
    std::array<double, 1> operator()(Index) const { return {value()}; }
};
struct FailingValue : Failing {
    double operator()(Index) const { return value(); }
};
struct FailingVector : Failing {
    Vec4 *high, *low;
    void operator()(Index i) const {
        high[i] = Vec4::of(float(value()), 1, 1, 1), low[i] = Vec4::of(1e-8f, float(i) * 1e-8f, 0, 0);
    }
};

TEST(Twin, FindsNans) {
    double const infinite = std::numeric_limits<double>::infinity();
    for (bool const at_first : {true, false}) {
        Twin<Cpu>::findings.clear();
        double largest = 0;
        {
            Twin<Cpu> twin(1);
            Twin<Cpu>::Buffer<Vec4> high, low;
            Twin<Cpu>::Buffer<double> to;
            high.resize(10), low.resize(10), to.resize(1);
            Failing::calls = 0;
            twin.sum("sum", {0, 10}, FailingSum{{at_first}});
            Failing::calls = 0;
            largest = twin.max("max", {0, 10}, 0, FailingValue{{at_first}});
            Failing::calls = 0;
            twin.max_to("max to", {0, 10}, 0, FailingValue{{at_first}}, to.data());
            Failing::calls = 0;
            twin.for_each("in two", {0, 10}, FailingVector{{at_first}, high.data(), low.data()});
        }
        EXPECT_EQ(std::isnan(largest), !at_first);  // from the plain loop
        EXPECT_EQ(Twin<Cpu>::findings["sum"].worst_sum, infinite);
        EXPECT_EQ(Twin<Cpu>::findings["max"].worst_sum, infinite);
        EXPECT_GT(Twin<Cpu>::findings["max to"].otherwise, 0u);
        Finding const& in_two = Twin<Cpu>::findings["in two"];
        EXPECT_TRUE(in_two.worst == infinite || in_two.otherwise > 0);
    }
}

TEST(StagesOnTheCpu, OfTheImplicitSolverMatchAPlainLoop) { compare_implicit<Cpu>(200000, 2, implicit_stages()); }

TEST(StagesOnTheCpu, OfTheImplicitSolverMatchAPlainLoopInTheLayoutForManyParticles) {
    compare_implicit<Cpu>(0, 2, implicit_stages());
}

TEST(StagesOnTheCpu, OfTheExplicitSolverMatchAPlainLoop) { compare_explicit<Cpu>(200000, 2, explicit_stages()); }

TEST(StagesOnTheCpu, OfThePositionBasedSolverMatchAPlainLoop) { compare_xpbd<Cpu>(200000, 2, xpbd_stages()); }

TEST(StagesOnTheCpu, OfGerszewskisMethodMatchAPlainLoop) { compare_gerszewski<Cpu>(2, gerszewski_stages()); }

TEST(StagesOnTheCpu, OfTheFluidSolverMatchAPlainLoop) { compare_fluid<Cpu>(2, fluid_stages()); }

}  // namespace
}  // namespace pliant::test
