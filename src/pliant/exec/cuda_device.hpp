// Whether there is a usable GPU. In a build without CUDA there never is.
#pragma once

#include <string>

namespace pliant {

bool built_with_cuda();
std::string cuda_trouble(int device);  // why this GPU cannot be used; empty if it can

}  // namespace pliant
