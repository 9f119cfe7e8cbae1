#include <pliant/data/error.hpp>
#include <pliant/exec/cuda_device.hpp>
#include <pliant/setup/choose_device.hpp>

#include <charconv>

namespace pliant {
namespace {

// 0 for "cuda", 1 for "cuda:1", -1 for a name of no GPU.
int gpu_number(std::string const& name) {
    if (name == "cuda") return 0;
    if (!name.starts_with("cuda:")) return -1;
    int number = -1;
    char const* const end = name.data() + name.size();
    auto const [stop, error] = std::from_chars(name.data() + 5, end, number);
    return error == std::errc{} && stop == end ? number : -1;
}

}  // namespace

std::tuple<int, std::string> choose_device(std::string const& name) {
    if (name == "cpu") return {-1, ""};
    bool const automatic = name == "auto";
    int const number = automatic ? 0 : gpu_number(name);
    if (number < 0) throw InputError("--device " + name + ": use auto, cpu, cuda or cuda:1 for the second GPU");
    std::string const trouble = cuda_trouble(number);
    if (trouble.empty()) return {number, ""};
    if (!automatic) throw InputError("--device " + name + ": " + trouble + "; use --device cpu or auto");
    return {-1, built_with_cuda() ? "runs on the CPU: " + trouble : ""};
}

std::future<std::tuple<int, std::string>> choose_device_meanwhile(std::string const& name) {
    bool const quick = !built_with_cuda() || name == "cpu" || (name != "auto" && gpu_number(name) < 0);
    if (!quick) return std::async(std::launch::async, choose_device, name);
    std::promise<std::tuple<int, std::string>> known;
    known.set_value(choose_device(name));
    return known.get_future();
}

}  // namespace pliant
