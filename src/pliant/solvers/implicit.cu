#include <pliant/exec/cuda.hpp>
#include <pliant/solvers/implicit_solver.hpp>

namespace pliant {
namespace {

// Works on its GPU whichever thread calls, and adds to a lack of memory how many particles would fit.
class ImplicitOnGpu final : public Implicit<Cuda> {
    using Base = Implicit<Cuda>;

public:
    ImplicitOnGpu(Model model, ImplicitSettings const& settings, int device)
        : Base(std::move(model), settings, device), device_(device) {}
    ~ImplicitOnGpu() override { cudaSetDevice(device_); }

    StepReport step(StepInput const& input) override {
        enter();
        try {
            return Base::step(input);
        } catch (DeviceMemoryError const& error) {
            throw SimulationError(advice(error, particle_count()));
        }
    }
    void read(ParticleReadout& out) override { enter(), Base::read(out); }
    Energies energies() override { return enter(), Base::energies(); }
    void save(Checkpoint& checkpoint) const override { enter(), Base::save(checkpoint); }
    void load(Checkpoint const& checkpoint) override { enter(), Base::load(checkpoint); }

    static std::string advice(DeviceMemoryError const& error, std::size_t particles) {
        constexpr double least = 2000;  // bytes that a particle takes at any rate
        double const needed = std::max(double(error.held + error.asked), least * double(particles));
        double const share = double(error.held + error.free_bytes) / needed;
        return std::string(error.what()) + "; the scene has " + std::to_string(particles) +
               " particles, and there is room for about " +
               std::to_string(std::size_t(0.9 * share * double(particles))) + ": ask for fewer, or use --device cpu";
    }

private:
    void enter() const { check_cuda(cudaSetDevice(device_), "start"); }
    int device_;
};

}  // namespace

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
    cudaGetLastError();  // it has been noticed
    if (error == cudaErrorNoKernelImageForDevice) return "this build has no code for this kind of GPU";
    if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice)
        return std::string("no GPU was found, or its driver is too old (") + cudaGetErrorString(error) + ")";
    return std::string("no GPU can be used (") + cudaGetErrorString(error) + ")";
}

std::unique_ptr<Solver> make_implicit_cuda(Model model, ImplicitSettings const& settings, int device) {
    std::size_t const particles = model.rest.size();
    try {
        return std::make_unique<ImplicitOnGpu>(std::move(model), settings, device);
    } catch (DeviceMemoryError const& error) {
        throw SimulationError(ImplicitOnGpu::advice(error, particles));
    }
}

}  // namespace pliant
