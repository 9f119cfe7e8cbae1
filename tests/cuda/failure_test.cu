// What a user reads if something fails on the GPU. After a failure the GPU stays unusable until the process ends, so
// each case has its own process.
#include <pliant/data/error.hpp>
#include <pliant/exec/cuda.hpp>

#include "gpu.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace pliant::test {
namespace {

struct Tame {
    Index* to;
    PLIANT_HD void operator()(Index i) const { to[i] = i; }
};
struct Wild {  // writes four tebibytes past the end
    Index* to;
    PLIANT_HD void operator()(Index i) const { to[(std::size_t{1} << 40) + i] = i; }
};

class CudaFailureDeathTest : public OnGpu {
protected:
    void SetUp() override {
        OnGpu::SetUp();
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

// Ends the process with exit code 3 and the message.
[[noreturn]] void fail(char const* sync) {
    ::setenv("PLIANT_CUDA_SYNC", sync, 1);
    try {
        Cuda exec(0);
        Cuda::Buffer<Index> out;
        out.resize(10);
        exec.for_each("wild", {0, 10}, Wild{out.data()});
        exec.for_each("tame", {0, 10}, Tame{out.data()});
        exec.on_host(out);
    } catch (SimulationError const& error) {
        std::fputs(error.what(), stderr);
        ::_exit(3);
    }
    ::_exit(0);
}

TEST_F(CudaFailureDeathTest, AFailingStageIsNamedIfEveryStageIsWaitedFor) {
    EXPECT_EXIT(fail("1"), testing::ExitedWithCode(3), "CUDA failed in stage 'wild' or one before it: ");
}

// The value "0" does not turn it on.
TEST_F(CudaFailureDeathTest, AFailureIsNoticedAtTheNextWaitAndSaysHowToFindTheStage) {
    for (char const* sync : {"", "0"})
        EXPECT_EXIT(fail(sync), testing::ExitedWithCode(3),
                    "CUDA failed in stage '(tame|download)' or one before it: .*PLIANT_CUDA_SYNC=1");
}

}  // namespace
}  // namespace pliant::test
