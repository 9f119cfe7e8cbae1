// CUDA failures as exceptions that say where they occurred and what to do.
#pragma once

#include <cuda_runtime_api.h>
#include <pliant/data/error.hpp>

#include <cstddef>
#include <string>

namespace pliant {

// The GPU is out of memory. The solver adds how many particles would fit.
class DeviceMemoryError : public SimulationError {
public:
    DeviceMemoryError(std::size_t bytes_asked, std::size_t bytes_held, std::size_t bytes_free)
        : SimulationError(std::string("the GPU is out of memory: ") + mebibytes(bytes_asked) + " were asked for, " +
                          mebibytes(bytes_held) + " are held and " + mebibytes(bytes_free) + " are free"),
          asked(bytes_asked),
          held(bytes_held),
          free_bytes(bytes_free) {}
    std::size_t asked, held, free_bytes;

private:
    static std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }
};

inline void check_cuda(cudaError_t error, char const* stage) {
    if (error == cudaSuccess) return;
    throw SimulationError(
        std::string("CUDA failed in stage '") + stage + "' or one before it: " + cudaGetErrorString(error) +
        "; with PLIANT_CUDA_SYNC=1 in the environment every stage is waited for and named, --device cpu "
        "runs without a GPU");
}

}  // namespace pliant
