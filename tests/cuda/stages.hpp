// Host memory that the GPU can also reach, for stages that run on both (tests/stages/twin.hpp).
#pragma once

#include <pliant/exec/cuda.hpp>

#include <stages/tables.hpp>

#include "gpu.hpp"

namespace pliant::test {

template <>
struct SharedMemory<Cuda> {
    static void* allocate(std::size_t bytes) {
        void* memory = nullptr;
        check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "shared memory");
        return memory;
    }
    static void release(void* memory) { cudaFreeHost(memory); }
    static void wait(char const* stage) { check_cuda(cudaStreamSynchronize(cudaStreamLegacy), stage); }
    template <class Phases>
    static constexpr bool fuses() {
        return kernels::SharesParticles<Phases>::value;
    }
};

class StagesOnTheGpu : public OnGpu {};

}  // namespace pliant::test
