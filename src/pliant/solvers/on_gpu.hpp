// A solver that works on its GPU whichever thread calls, and adds to a lack of memory how many particles would fit.
#pragma once

#include <pliant/error.hpp>
#include <pliant/exec/cuda.hpp>
#include <pliant/solvers/solver.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace pliant {

inline std::string advice_on_memory(DeviceMemoryError const& error, std::size_t particles) {
    constexpr double least = 2400;  // bytes that a particle takes at any rate
    double const needed = std::max(double(error.held + error.asked), least * double(particles));
    double const share = double(error.held + error.free_bytes) / needed;
    return std::string(error.what()) + "; the scene has " + std::to_string(particles) +
           " particles, and there is room for about " + std::to_string(std::size_t(0.9 * share * double(particles))) +
           ": ask for fewer, or use --device cpu";
}

template <class Base>
class OnGpu final : public Base {
public:
    template <class Settings>
    OnGpu(Model model, Settings const& settings, int device)
        : Base(std::move(model), settings, device), device_(device) {}
    ~OnGpu() override { cudaSetDevice(device_); }

    StepReport step(StepInput const& input) override {
        return advised([&] { return Base::step(input); });
    }
    double stable_dt() override {
        return advised([&] { return Base::stable_dt(); });
    }
    Later<ParticleReadout> read() override {
        return advised([&] { return Base::read(); });
    }
    Energies energies() override { return enter(), Base::energies(); }
    Later<Checkpoint> save() override {
        return advised([&] { return Base::save(); });
    }
    void load(Checkpoint const& checkpoint) override { enter(), Base::load(checkpoint); }

private:
    template <class Work>
    auto advised(Work const& work) {
        enter();
        try {
            return work();
        } catch (DeviceMemoryError const& error) {
            throw SimulationError(advice_on_memory(error, Base::particle_count()));
        }
    }
    void enter() const { check_cuda(cudaSetDevice(device_), "start"); }
    int device_;
};

template <class Method, class Settings>
std::unique_ptr<Solver> make_on_gpu(Model model, Settings const& settings, int device) {
    std::size_t const particles = model.rest.size();
    try {
        return std::make_unique<OnGpu<Method>>(std::move(model), settings, device);
    } catch (DeviceMemoryError const& error) {
        throw SimulationError(advice_on_memory(error, particles));
    }
}

}  // namespace pliant
