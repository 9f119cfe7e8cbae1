// Whether there is a GPU that can be used. In a build without CUDA there never is.
#pragma once

#include <string>

namespace pliant {

bool built_with_cuda();
std::string cuda_trouble(int device);  // why that GPU cannot be used; empty: it can

}  // namespace pliant
