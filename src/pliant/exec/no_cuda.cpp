// Replaces cuda_device.cu in a build without CUDA.
#include <pliant/exec/cuda_device.hpp>

namespace pliant {

bool built_with_cuda() { return false; }

std::string cuda_trouble(int) { return "this build has no GPU support"; }

}  // namespace pliant
