// Tests that need a GPU report that they are skipped if there is none.
#pragma once

#include <pliant/exec/cuda_device.hpp>

#include <gtest/gtest.h>

namespace pliant::test {

class OnGpu : public testing::Test {
protected:
    void SetUp() override {
        std::string const trouble = cuda_trouble(0);
        if (!trouble.empty()) GTEST_SKIP() << trouble;
    }
};

}  // namespace pliant::test
