#include <pliant/choose_device.hpp>
#include <pliant/error.hpp>
#include <pliant/solvers/implicit.hpp>

#include <cstdlib>

namespace pliant {

std::tuple<int, std::string> choose_device(std::string const& name) {
    if (name == "cpu") return {-1, ""};
    bool const automatic = name == "auto";
    int const number = name.starts_with("cuda:") ? std::atoi(name.c_str() + 5) : 0;
    if (!automatic && name != "cuda" && !name.starts_with("cuda:"))
        throw InputError("--device " + name + ": use auto, cpu, cuda or cuda:1 for the second GPU");
    std::string const trouble = cuda_trouble(number);
    if (trouble.empty()) return {number, ""};
    if (!automatic) throw InputError("--device " + name + ": " + trouble + "; use --device cpu or auto");
    return {-1, built_with_cuda() ? "runs on the CPU: " + trouble : ""};
}

}  // namespace pliant
