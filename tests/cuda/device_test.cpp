// What --device means with a GPU. What holds everywhere is in tests/cases/device_test.cpp.
#include <pliant/data/error.hpp>
#include <pliant/setup/choose_device.hpp>

#include "gpu.hpp"

namespace pliant::test {
namespace {

class ChosenGpu : public OnGpu {};

TEST_F(ChosenGpu, IsTheFirstUnlessItsNumberIsGiven) {
    for (char const* name : {"auto", "cuda", "cuda:0"})
        EXPECT_EQ(choose_device(name), (std::tuple<int, std::string>{0, ""})) << name;
    EXPECT_EQ(std::get<0>(choose_device("cpu")), -1);
}

TEST_F(ChosenGpu, MustBeThere) {
    try {
        choose_device("cuda:99");
        FAIL() << "a hundred GPUs";
    } catch (InputError const& error) {
        EXPECT_TRUE(std::string{error.what()}.starts_with("--device cuda:99: there is no GPU number 99, only 0 to "))
            << error.what();
    }
}

TEST_F(ChosenGpu, IsTheSecondWhereThereIsOne) {
    if (!cuda_trouble(1).empty()) GTEST_SKIP() << cuda_trouble(1);
    EXPECT_EQ(choose_device("cuda:1"), (std::tuple<int, std::string>{1, ""}));
}

}  // namespace
}  // namespace pliant::test
