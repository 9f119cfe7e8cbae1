// Work on lists of particles: the same stages as on ranges, for the listed particles alone.
#include <pliant/exec/cpu.hpp>

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace pliant {
namespace {

struct AddOne {
    int* to;
    void operator()(Index i) const { to[i] += 1; }
};
struct Itself {
    std::array<double, 1> operator()(Index i) const { return {double(i)}; }
};
struct ItselfAsNumber {
    double operator()(Index i) const { return double(i); }
};
struct KeepSum {
    double* to;
    void operator()(std::array<double, 1> const& sum) const { *to = sum[0]; }
};
struct Blocked {  // a stage that takes several particles at once if they are consecutive
    int* to;
    void operator()(Index i) const { to[i] += 1; }
    void run(Index begin, Index end) const {
        for (Index i = begin; i < end; ++i) to[i] += 100;
    }
};

constexpr Index count = 1000;

std::vector<Index> every_third() {
    std::vector<Index> list;
    for (Index i = 1; i < count; i += 3) list.push_back(i);
    return list;
}
IndexList as_list(std::vector<Index> const& indices) { return {indices.data(), Index(indices.size())}; }
double sum_of(std::vector<Index> const& indices) { return std::accumulate(indices.begin(), indices.end(), 0.); }

TEST(Domain, AStageRunsOnceForEachListedParticleAndForNoOther) {
    Cpu exec(2);
    std::vector<Index> const list = every_third();
    std::vector<int> touched(count, 0);
    exec.for_each("list", as_list(list), AddOne{touched.data()});
    for (Index i = 0; i < count; ++i) EXPECT_EQ(touched[i], i % 3 == 1 ? 1 : 0) << i;
}

TEST(Domain, SumsAndMaximaAreThoseOfTheListedParticles) {
    std::vector<Index> const list = every_third();
    for (int threads : {1, 2}) {
        Cpu exec(threads);
        EXPECT_EQ(exec.sum("list", as_list(list), Itself{})[0], sum_of(list));
        EXPECT_EQ(exec.max("list", as_list(list), 0, ItselfAsNumber{}), double(list.back()));
        double kept = 0, largest = 0;
        exec.sum_then("list", as_list(list), Itself{}, KeepSum{&kept});
        exec.max_to("list", as_list(list), 0, ItselfAsNumber{}, &largest);
        EXPECT_EQ(kept, sum_of(list));
        EXPECT_EQ(largest, double(list.back()));
    }
}

TEST(Domain, AnEmptyListDoesNothing) {
    Cpu exec(2);
    int touched = 0;
    exec.for_each("none", IndexList{}, AddOne{&touched});
    EXPECT_EQ(touched, 0);
    EXPECT_EQ(exec.sum("none", IndexList{}, Itself{})[0], 0);
    EXPECT_EQ(exec.max("none", IndexList{}, 7, ItselfAsNumber{}), 7);
}

TEST(Domain, SelectingFromAListKeepsItsOrder) {
    Cpu exec(2);
    std::vector<Index> const list = every_third();
    std::vector<std::uint8_t> flags(count, 0);
    for (Index i = 0; i < count; i += 2) flags[i] = 1;
    Buffer<Index> selected;
    exec.select("even", as_list(list), flags.data(), selected);
    std::vector<Index> expected;
    for (Index i : list)
        if (i % 2 == 0) expected.push_back(i);
    EXPECT_EQ(std::vector<Index>(selected.span().begin(), selected.span().end()), expected);
}

TEST(Domain, ARangeOrAListCanBeChosenAtRunTime) {
    Cpu exec(2);
    std::vector<Index> const list = every_third();
    Domain const all = Range{0, count}, some = as_list(list);
    EXPECT_EQ(all.size(), count);
    EXPECT_EQ(some.size(), list.size());
    EXPECT_FALSE(all.listed());
    EXPECT_TRUE(some.listed());
    EXPECT_EQ(exec.sum("all", all, Itself{})[0], 0.5 * count * (count - 1));
    EXPECT_EQ(exec.sum("some", some, Itself{})[0], sum_of(list));
    EXPECT_EQ(exec.max("some", some, 0, ItselfAsNumber{}), double(list.back()));
    std::vector<std::uint8_t> const flags(count, 1);
    Buffer<Index> selected;
    exec.select("some", some, flags.data(), selected);
    EXPECT_EQ(selected.size(), list.size());
    exec.select("all", all, flags.data(), selected);
    EXPECT_EQ(selected.size(), count);
    std::vector<int> touched(count, 0);
    exec.for_each("some", some, AddOne{touched.data()});
    EXPECT_EQ(std::accumulate(touched.begin(), touched.end(), 0), int(list.size()));
}

TEST(Domain, PhasesTakeListsToo) {
    Cpu exec(2);
    std::vector<Index> const list = every_third();
    std::vector<int> touched(count, 0);
    double kept = 0;
    exec.run(sequence(each_of("list", as_list(list), AddOne{touched.data()}),
                      pliant::sum_of("list", as_list(list), Itself{}, KeepSum{&kept})));
    EXPECT_EQ(std::accumulate(touched.begin(), touched.end(), 0), int(list.size()));
    EXPECT_EQ(kept, sum_of(list));
}

TEST(Domain, StagesThatTakeSeveralParticlesAtOnceTakeListedOnesOneByOne) {
    Cpu exec(2);
    std::vector<Index> const list = every_third();
    std::vector<int> touched(count, 0);
    exec.for_each("list", as_list(list), Blocked{touched.data()});
    for (Index i = 0; i < count; ++i) EXPECT_EQ(touched[i], i % 3 == 1 ? 1 : 0) << i;
    exec.for_each("range", {0, count}, Blocked{touched.data()});
    EXPECT_EQ(touched[0], 100);
}

struct BlockedToo : Blocked {  // the same, and listed ones too
    void run_listed(Index const* list, Index size) const {
        for (Index k = 0; k < size; ++k) to[list[k]] += 100;
    }
};

TEST(Domain, AStageMayTakeListedParticlesSideBySideToo) {
    Cpu exec(2);
    std::vector<Index> const list = every_third();
    std::vector<int> touched(count, 0);
    exec.for_each("list", as_list(list), BlockedToo{{touched.data()}});
    for (Index i = 0; i < count; ++i) EXPECT_EQ(touched[i], i % 3 == 1 ? 100 : 0) << i;
    exec.for_each("all", Domain(Range{0, count}), BlockedToo{{touched.data()}});
    EXPECT_EQ(touched[0], 100);
    EXPECT_EQ(touched[1], 200);
}

struct WithLanes {
    static constexpr Index lanes = 8;
    static constexpr bool waits_for_gather = true;
    void operator()(Index) const {}
};
struct WithLanesForFew : WithLanes {
    static constexpr bool few_anyway = true;
};
static_assert(lanes_of<Listed<WithLanes>>() == 8 && gathers<Listed<WithLanes>>() && tells_of_few<Listed<WithLanes>>());
static_assert(!tells_of_few<Listed<WithLanesForFew>>() && !tells_of_few<Listed<AddOne>>());

}  // namespace
}  // namespace pliant
