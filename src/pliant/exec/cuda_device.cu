#include <pliant/exec/cuda.hpp>
#include <pliant/exec/cuda_device.hpp>

namespace pliant {

bool built_with_cuda() { return true; }

std::string cuda_trouble(int device) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && device >= count)
        return "there is no GPU number " + std::to_string(device) + ", only 0 to " + std::to_string(count - 1);
    if (error == cudaSuccess) error = cudaSetDevice(device);
    cudaFuncAttributes attributes;
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernels::for_each<kernels::Count>);
    if (error == cudaSuccess) return "";
    cudaGetLastError();  // clears the error
    if (error == cudaErrorNoKernelImageForDevice) return "this build has no code for this kind of GPU";
    if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice)
        return std::string("no GPU was found, or its driver is too old (") + cudaGetErrorString(error) + ")";
    return std::string("no GPU can be used (") + cudaGetErrorString(error) + ")";
}

}  // namespace pliant
