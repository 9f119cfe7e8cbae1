// What --device means, with and without a GPU.
#include <pliant/data/error.hpp>
#include <pliant/exec/cuda_device.hpp>
#include <pliant/setup/choose_device.hpp>

#include <gtest/gtest.h>

namespace pliant::test {
namespace {

std::string refusal(std::string const& name) {
    try {
        choose_device(name);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(ChosenDevice, MustHaveAKnownName) {
    for (char const* name :
         {"", "gpu", "CUDA", "cuda1", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:1:2", "cpu:0", "cuda:99999999999"})
        EXPECT_EQ(refusal(name),
                  std::string{"--device "} + name + ": use auto, cpu, cuda or cuda:1 for the second GPU");
}

TEST(ChosenDevice, IsTheCpuIfAskedForAndAGpuOnlyIfThereIsOne) {
    EXPECT_EQ(choose_device("cpu"), (std::tuple<int, std::string>{-1, ""}));
    std::string const trouble = cuda_trouble(0);
    auto const [chosen, notice] = choose_device("auto");
    EXPECT_EQ(chosen, trouble.empty() ? 0 : -1);
    // A build without CUDA gives no notice.
    EXPECT_EQ(notice, trouble.empty() || !built_with_cuda() ? "" : "runs on the CPU: " + trouble);
    std::string const refused = trouble.empty() ? "" : "--device cuda: " + trouble + "; use --device cpu or auto";
    EXPECT_EQ(refusal("cuda"), refused);
    EXPECT_TRUE(refusal("cuda:99").starts_with("--device cuda:99: ")) << refusal("cuda:99");
}

}  // namespace
}  // namespace pliant::test
