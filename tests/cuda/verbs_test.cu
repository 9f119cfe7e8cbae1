// The verbs of Cuda against those of Cpu: the same stages give the same answers; bonds and grids are made on both.
#include <pliant/contact/look_around.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/exec/cuda.hpp>
#include <pliant/neighbors/bonds.hpp>

#include "gpu.hpp"

#include <random>

namespace pliant::test {
namespace {

// Empty, one, around a warp and a block, and a prime number that spans many blocks.
constexpr Index sizes[] = {0, 1, 31, 32, 33, 127, 128, 129, 20011, 100003, 1000003};

std::vector<double> values_of_many_sizes(Index size) {
    std::mt19937 engine(size);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(size);
    for (double& value : values) value = uniform(engine) * std::pow(10., 4 * uniform(engine));
    return values;
}

struct Double {
    Index* to;
    PLIANT_HD void operator()(Index i) const { to[i] = 2 * i + 1; }
};
struct ValueAndSquare {
    double const* values;
    PLIANT_HD std::array<double, 2> operator()(Index i) const { return {values[i], values[i] * values[i]}; }
};
struct Value {
    double const* values;
    PLIANT_HD double operator()(Index i) const { return values[i]; }
};
struct Keep {
    double* to;
    PLIANT_HD void operator()(std::array<double, 2> const& sums) const { to[0] = sums[0], to[1] = sums[1]; }
};
struct Bounds {
    double low, high;
    PLIANT_HD static Bounds nothing() { return {1e300, -1e300}; }
    PLIANT_HD void join(Bounds const& o) { low = std::min(low, o.low), high = std::max(high, o.high); }
};
struct BoundsOf {
    double const* values;
    PLIANT_HD Bounds operator()(Index i) const { return {values[i], values[i]}; }
};

class CudaExecutor : public OnGpu {};

TEST_F(CudaExecutor, ForEachVisitsEveryIndexOfTheRangeAndNoOther) {
    Cuda exec(0);
    for (Index size : sizes) {
        Cuda::Buffer<Index> out;
        out.resize(size + 300);
        exec.for_each("double", {100, 100 + size}, Double{out.data()});
        auto const values = exec.on_host(out);
        for (Index i = 0; i < values.size(); ++i)
            ASSERT_EQ(values[i], i >= 100 && i < 100 + size ? 2 * i + 1 : 0) << i << " of " << size;
    }
}

// A stage whose lanes share a particle: each adds its part, and the sum is written by all alike.
struct SharedByLanes {
    using Team = Lanes<8>;
    static constexpr Index lanes = Team::lanes;
    Index* to;
    PLIANT_HD void operator()(Index i) const {
        double parts = 0;
        for (Index k = Team::lane(); k < 16; k += Team::step()) parts += double(i) + k;
        to[i] = Index(Team::join<double>(parts));
    }
};

TEST_F(CudaExecutor, ListsGiveWhatTheCpuGives) {
    Cuda exec(0);
    Cpu cpu(2);
    for (Index size : {1u, 33u, 20011u, 1000003u}) {
        std::vector<Index> listed;
        for (Index i = 1; i < size + 1; i += 3) listed.push_back(i);
        std::vector<double> const values = values_of_many_sizes(size + 1);
        Cuda::Buffer<Index> list, out, lanes, selected;
        Cuda::Buffer<double> there, sums;
        Cuda::Buffer<std::uint8_t> flags;
        std::vector<std::uint8_t> even(size + 1);
        for (Index i = 0; i <= size; i += 2) even[i] = 1;
        exec.upload(list, listed), exec.upload(there, values), exec.upload(flags, even);
        out.resize(size + 1), lanes.resize(size + 1), sums.resize(2);
        IndexList const on{list.data(), Index(listed.size())}, here{listed.data(), Index(listed.size())};

        exec.for_each("double", on, Double{out.data()});
        exec.for_each("lanes", on, SharedByLanes{lanes.data()});
        auto const doubled = exec.on_host(out);
        for (Index i = 0; i <= size; ++i) ASSERT_EQ(doubled[i], i % 3 == 1 ? 2 * i + 1 : 0) << i;
        auto const shared = exec.on_host(lanes);
        for (Index i = 0; i <= size; ++i) ASSERT_EQ(shared[i], i % 3 == 1 ? 16 * i + 120 : 0) << i;

        auto const expected = cpu.sum("sum", here, ValueAndSquare{values.data()});
        auto const found = exec.sum("sum", on, ValueAndSquare{there.data()});
        exec.run(sum_of("sum", on, ValueAndSquare{there.data()}, Keep{sums.data()}));
        auto const kept = exec.on_host(sums);
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_NEAR(found[k], expected[k], 1e-12 * expected[1]);  // double sums in another order
            EXPECT_EQ(kept[k], found[k]);
        }
        EXPECT_EQ(exec.max("max", on, -1e9, Value{there.data()}), cpu.max("max", here, -1e9, Value{values.data()}));
        exec.select("even", on, flags.data(), selected);
        Buffer<Index> expected_selection;
        cpu.select("even", here, even.data(), expected_selection);
        auto const chosen = exec.on_host(selected);
        EXPECT_TRUE(std::equal(chosen.begin(), chosen.end(), expected_selection.span().begin(),
                               expected_selection.span().end()));
    }
}

TEST_F(CudaExecutor, SumsAreRightAndTheSameEveryTime) {
    Cuda exec(0);
    Cpu cpu(1);
    for (Index size : sizes) {
        auto const values = values_of_many_sizes(size);
        Cuda::Buffer<double> there, kept;
        exec.upload(there, values), kept.resize(2);
        auto const sum = exec.sum("sum", {0, size}, ValueAndSquare{there.data()});
        auto const expected = cpu.sum("sum", {0, size}, ValueAndSquare{values.data()});
        double magnitude = 0;
        for (double v : values) magnitude += std::abs(v);
        EXPECT_NEAR(sum[0], expected[0], 1e-13 * magnitude) << size;  // about a thousand additions of 1e-16 each
        EXPECT_NEAR(sum[1], expected[1], 1e-13 * expected[1]) << size;
        for (int again = 0; again < 3; ++again) {
            exec.sum_then("sum", {0, size}, ValueAndSquare{there.data()}, Keep{kept.data()});
            EXPECT_EQ(exec.on_host(kept)[0], sum[0]);
            EXPECT_EQ(exec.on_host(kept)[1], sum[1]);
        }
    }
}

TEST_F(CudaExecutor, MaximumIsExact) {
    Cuda exec(0);
    for (Index size : sizes) {
        auto const values = values_of_many_sizes(size);
        Cuda::Buffer<double> there;
        exec.upload(there, values);
        double expected = -1e9;
        for (double v : values) expected = std::max(expected, v);
        EXPECT_EQ(exec.max("max", {0, size}, -1e9, Value{there.data()}), expected) << size;
    }
}

TEST_F(CudaExecutor, JoinsSegments) {
    Cuda exec(0);
    auto const values = values_of_many_sizes(5000);
    std::vector<Index> const first{0, 0, 1, 130, 4999, 5000};
    Cuda::Buffer<double> there;
    Cuda::Buffer<Index> first_there;
    Cuda::Buffer<Bounds> out;
    exec.upload(there, values), exec.upload(first_there, first);
    exec.join("join", first_there.data(), 5, BoundsOf{there.data()}, out);
    auto const bounds = exec.on_host(out);
    for (std::size_t s = 0; s < 5; ++s) {
        Bounds expected = Bounds::nothing();
        for (Index k = first[s]; k < first[s + 1]; ++k) expected.join({values[k], values[k]});
        EXPECT_EQ(bounds[s].low, expected.low);
        EXPECT_EQ(bounds[s].high, expected.high);
    }
}

TEST_F(CudaExecutor, ScansSelectsSortsAndGroupsAsTheCpuDoes) {
    Cuda gpu(0);
    Cpu cpu(1);
    for (Index size : sizes) {
        std::mt19937 engine(size);
        std::vector<Index> counts(size), places(size);
        std::vector<std::uint8_t> flags(size);
        std::vector<std::uint64_t> keys(size);
        for (Index i = 0; i < size; ++i) {
            counts[i] = Index(engine() % 51), places[i] = Index(engine() % 7001), flags[i] = engine() % 3 == 0;
            keys[i] = (std::uint64_t(engine()) << 32 | engine()) % 100000 << 40;  // many equal ones, high bits set
        }
        auto const answers = [&](auto& exec) {
            using Exec = std::decay_t<decltype(exec)>;
            typename Exec::template Buffer<Index> numbers, starts, selected, order, row, grouped;
            typename Exec::template Buffer<std::uint8_t> flag;
            typename Exec::template Buffer<std::uint64_t> key;
            exec.upload(numbers, counts), exec.upload(flag, flags), exec.upload(key, keys);
            starts.resize(size + 1);
            std::vector<Index> all{Index(exec.scan(numbers.data(), size, starts.data()))};
            exec.select("select", {0, size}, flag.data(), selected);
            exec.sort_order("sort", key, order);
            auto const take = [&](auto const& part, std::size_t count) {
                auto const values = exec.on_host(part);
                all.insert(all.end(), values.begin(), values.begin() + std::ptrdiff_t(count));
            };
            for (auto* part : {&starts, &selected, &order}) take(*part, part->size());
            for (auto const& [groups, group_of] : {std::pair{Index{50}, &counts}, {Index{7000}, &places}}) {
                exec.upload(numbers, *group_of);
                exec.group("group", numbers, groups, row, grouped);
                take(row, groups + 1);
                take(grouped, all.back());  // entries of no group come last, under the number after the last group
            }
            return all;
        };
        EXPECT_EQ(answers(gpu), answers(cpu)) << size;
    }
}

TEST_F(CudaExecutor, ScansToASumThatDoesNotFitIntoAnIndex) {
    Cuda gpu(0);
    Cuda::Buffer<Index> counts, starts;
    gpu.upload(counts, std::vector<Index>(3, Index{1} << 31));
    starts.resize(4);
    EXPECT_EQ(gpu.scan(counts.data(), 3, starts.data()), std::uint64_t{3} << 31);
}

// At the limits between one kernel and a sort, and with all entries in one group.
TEST_F(CudaExecutor, GroupsAsTheCpuDoesWhateverTheNumbers) {
    Cuda gpu(0);
    Cpu cpu(1);
    struct Case {
        Index count, groups, keys;
    };
    for (auto const [count, groups, keys] : {Case{65536, 65535, 65536}, Case{65537, 65535, 65536},
                                             Case{65536, 65536, 65537}, Case{3000, 10, 1}, Case{5, 60000, 60001}}) {
        std::mt19937 engine(count + groups);
        std::vector<Index> key(count);
        for (Index& k : key) k = Index(engine() % keys);
        auto const answers = [&](auto& exec) {
            typename std::decay_t<decltype(exec)>::template Buffer<Index> there, row, order;
            exec.upload(there, key);
            exec.group("group", there, groups, row, order);
            auto const rows = exec.on_host(row);
            std::vector<Index> all(rows.begin(), rows.end());
            auto const listed = exec.on_host(order);
            all.insert(all.end(), listed.begin(), listed.begin() + std::ptrdiff_t(all.back()));
            return all;
        };
        EXPECT_EQ(answers(gpu), answers(cpu)) << count << " in " << groups;
    }
}

// The nearest of the targets offered, as the lanes that share a group find them.
struct NearestOf {
    using Shared = Lanes<most_targets>;
    static constexpr Index lanes = Shared::lanes;
    Index offered;  // per group
    double const* squared;
    Index *count, *particle;

    PLIANT_HD void operator()(Index g) const {
        TouchGroup<Shared> group;
        for (Index first = 0; first < offered; first += Shared::step()) {
            Index const k = g * offered + first + Shared::lane();
            bool const any = first + Shared::lane() < offered && squared[k] > 2;
            group.offer(any, k, any ? squared[k] : 0);
        }
        for (Index k = 0; k < group.own(); ++k) particle[g * most_targets + Shared::lane() + k] = group.particle[k];
        count[g] = group.count + (group.count > 0 ? 100 * group.nearest() : 0);
    }
};

TEST_F(CudaExecutor, LanesShareTheNearestTargetsThatOneThreadFinds) {
    Cuda gpu(0);
    Cpu cpu(1);
    std::mt19937 engine(11);
    for (Index offered : {1, 9, 16, 17, 40}) {
        Index const groups = 301;
        std::vector<double> squared(groups * offered);
        for (double& value : squared) value = double(engine() % 9);  // many as far as others, some not offered
        auto const answers = [&](auto& exec) {
            using Exec = std::decay_t<decltype(exec)>;
            typename Exec::template Buffer<double> there;
            typename Exec::template Buffer<Index> count, particle;
            exec.upload(there, squared);
            count.resize(groups), particle.resize(groups * most_targets);
            exec.for_each("nearest", {0, groups}, NearestOf{offered, there.data(), count.data(), particle.data()});
            std::vector<Index> all;
            for (auto* part : {&count, &particle}) {
                auto const values = exec.on_host(*part);
                all.insert(all.end(), values.begin(), values.end());
            }
            return all;
        };
        EXPECT_EQ(answers(gpu), answers(cpu)) << offered;
    }
}

TEST_F(CudaExecutor, BuffersGrowKeepingWhatTheyHeldAndZeroingTheRest) {
    Cuda exec(0);
    Cuda::Buffer<int> buffer;
    exec.upload(buffer, std::vector<int>{1, 2, 3});
    buffer.resize(2), buffer.resize(1000);
    auto const values = exec.on_host(buffer);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 2);
    for (std::size_t i = 2; i < 1000; ++i) ASSERT_EQ(values[i], 0);
    exec.fill(buffer, 7);
    for (int value : exec.on_host(buffer)) ASSERT_EQ(value, 7);
}

TEST_F(CudaExecutor, MakesTheSameBondsAsTheCpu) {
    std::vector<Vec3d> rest;
    std::mt19937 engine(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int n = 0; n < 3001; ++n) rest.push_back({uniform(engine), uniform(engine) - 3, 100 + uniform(engine)});
    std::vector<Neighborhood> const bodies{{{0, 1717}, 0.4}, {{1717, 3001}, 0.5}};  // cut inside a slice
    Cuda gpu(0);
    Cpu cpu(1);
    BondsOf<Cuda> on_gpu;
    Bonds on_cpu;
    on_gpu.build(gpu, rest, bodies), on_cpu.build(cpu, rest, bodies);
    auto const there = on_gpu.view();
    BondView const here = on_cpu.view();
    Cuda::Buffer<Index> found;
    // Rows are compared through the view, as stages see them.
    auto const copy = [&](auto const* from, std::size_t count) {
        using T = std::decay_t<decltype(*from)>;
        Cuda::Buffer<T> buffer;
        gpu.copy(from, count, buffer);
        auto const values = gpu.on_host(buffer);
        return std::vector<T>(values.begin(), values.end());
    };
    auto const counts = copy(there.counts, rest.size());
    auto const start = copy(there.start, (rest.size() - 1 >> there.shift) + 1);
    auto const neighbors = copy(there.neighbors, on_gpu.size());
    auto const offsets = copy(there.offsets, on_gpu.size());
    for (Index i = 0; i < rest.size(); ++i) {
        ASSERT_EQ(counts[i], here.count(i)) << i;
        for (Index k = 0; k < here.count(i); ++k) {
            Index const width = 1u << there.shift, slot = start[i / width] + width * k + i % width;
            ASSERT_EQ(neighbors[slot], here.neighbor(here.slot(i, k)));
            for (int c = 0; c < 4; ++c)  // the libraries' sines differ
                ASSERT_NEAR(offsets[slot][c], here.weighted_offset(here.slot(i, k))[c], 1e-7);
        }
    }
}

}  // namespace
}  // namespace pliant::test
