// A solver that works on its GPU whichever thread calls it, and reports how many particles would fit when memory runs
// out.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/exec/cuda.hpp>
#include <pliant/solvers/solver.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace pliant {

// The least memory that all particles need, as stated by the method [bytes].
template <class Options>
double least_bytes(Model const& model, Options const& options) {
    double sum = 0;
    for (BodyModel const& body : model.bodies) sum += double(body.range.size()) * options.least_bytes(body);
    return sum;
}

inline std::string advice_on_memory(DeviceMemoryError const& error, std::size_t particles, double least) {
    double const needed = std::max(double(error.held + error.asked), least);
    double const share = double(error.held + error.free_bytes) / needed;
    return std::string(error.what()) + "; the scene has " + std::to_string(particles) +
           " particles, and there is room for about " + std::to_string(std::size_t(0.9 * share * double(particles))) +
           ": ask for fewer, or use --device cpu";
}

template <class Base>
class OnGpu final : public Base {
public:
    template <class Options>
    OnGpu(Model model, Options const& options, int device, double least)
        : Base(std::move(model), options, device), device_(device), least_bytes_(least) {}
    ~OnGpu() override { cudaSetDevice(device_); }

    StepReport step(StepInput const& input) override {
        return advised([&] { return Base::step(input); });
    }
    double stable_dt() override {
        return advised([&] { return Base::stable_dt(); });
    }
    Measurement measure() override {
        return advised([&] { return Base::measure(); });
    }
    void regroup(std::vector<std::uint32_t> const& handles) override {
        advised([&] { Base::regroup(handles); });
    }
    Later<Checkpoint> save() override {
        return advised([&] { return Base::save(); });
    }
    void load(Checkpoint const& checkpoint) override {
        advised([&] { Base::load(checkpoint); });
    }

private:
    template <class Work>
    auto advised(Work const& work) {
        enter();
        try {
            return work();
        } catch (DeviceMemoryError const& error) {
            throw SimulationError(advice_on_memory(error, Base::particle_count(), least_bytes_));
        }
    }
    void enter() const { check_cuda(cudaSetDevice(device_), "start"); }
    int device_;
    double least_bytes_;
};

template <class Method, class Options>
std::unique_ptr<Solver> make_on_gpu(Model model, Options const& options, int device) {
    std::size_t const particles = model.rest.size();
    double const least = least_bytes(model, options);
    try {
        return std::make_unique<OnGpu<Method>>(std::move(model), options, device, least);
    } catch (DeviceMemoryError const& error) {
        throw SimulationError(advice_on_memory(error, particles, least));
    }
}

}  // namespace pliant
