// The facade: a scene and a device in, frames out. The only virtual boundary lies behind it (one call per step).
//
//   auto simulation = Simulation{read_scene(path), Device::automatic()};
//   for (Frame const& frame : simulation.frames()) write_frame(directory, frame);
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/hand.hpp>
#include <pliant/data/neighborhoods.hpp>
#include <pliant/scene/scene.hpp>

#include <atomic>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace pliant {

struct Device {
    std::string name = "auto";  // auto | cpu | cuda | cuda:1 ...
    int threads = 0;            // 0: all cores
    static Device automatic() { return {}; }
    static Device cpu(int threads = 0) { return {"cpu", threads}; }
    static Device cuda() { return {"cuda", 0}; }
};

std::string version();

// What would run, without running it (pliant check).
struct Plan {
    std::uint64_t particles = 0, bonds = 0, bytes = 0, steps = 0;
    int frames = 0;
    double dt = 0;         // of the first frame, if steps may change [s]
    double stable_dt = 0;  // the largest stable step at the start [s]; 0: any is stable
    std::vector<BodySummary> bodies;
    std::vector<BodyNeighborhoods> neighborhoods;  // of each body; empty for methods without bonds
};

// What a run shows of a frame, ready to be written.
struct FrameRecord {
    std::shared_ptr<Frame const> frame;
    Summary summary;
};

class Simulation {
public:
    // `told` hears what the set-up is about to do, in a few words: it may take long.
    using Told = std::function<void(std::string const&)>;
    Simulation(Scene scene, Device device, Told const& told = {});
    ~Simulation();
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    Frame const& frame() const;  // the present frame, until the next one; frame 0 right after construction
    int frame_index() const;     // its index, without waiting for its particles
    bool finished() const;       // the present frame is the last one
    int last_frame() const;      // index of the last frame of the scene
    // Runs to the next frame. Returns false when `stop` is raised meanwhile: the state of the last whole step is kept,
    // but no frame is made. Throws SimulationError when the steps cannot be made small enough.
    bool advance(std::atomic<bool> const* stop = nullptr);
    bool advance(std::function<bool()> const& stop);  // asked after each step
    // What a person does from the present frame to the next one: to be called before each advance() while the hand is
    // not free, and once when it is free again. The same calls at the same frames give the same run, bit for bit.
    void hold(Hand const& hand);
    // Goes on from the present frame with another value of keys of materials, solver, gravity, handles or colliders.
    // Throws InputError if the particles would be others.
    void change(Scene scene);
    Vec3d ball() const;  // where the ball of the hand is [m]
    // Whether frames are to hold stresses, which take long to find; yes, until told otherwise. The present frame gets
    // them at once, and the run does not depend on it. A scene with probes has them always.
    void offer_stress(bool wanted);

    // The present frame as it is to be stored. The function may be called on another thread while this one advances: it
    // waits for data that are still being copied. It must be called once, before the simulation ends.
    std::function<FrameRecord()> record() const;
    // The state at the present frame, from which a run can go on. It is copied now, but put together only when the
    // function is called, which may be on another thread, later, or never.
    std::function<std::shared_ptr<Checkpoint const>()> kept() const;

    std::vector<std::string> const& warnings() const;  // about the scene: it runs, but may not be what was meant
    std::string device_notice() const;                 // one line when `auto` fell back to the CPU, else empty
    std::string device() const;                        // cpu | cuda | cuda:1 ...
    int threads() const;
    Summary summary() const;
    Plan plan() const;
    // Where the time went: stage, seconds, calls.
    struct StageTime {
        std::string stage;
        double seconds;
        std::uint64_t calls;
    };
    std::vector<StageTime> stage_times() const;
    double cg_seconds() const;        // in iterations of conjugate gradients
    Checkpoint checkpoint() const;    // of the present frame
    void restore(Checkpoint const&);  // throws InputError when it belongs to another scene

    // for (Frame const& frame : simulation.frames()): the present frame, then every further one.
    class FrameIterator;
    struct Frames;
    Frames frames();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

class Simulation::FrameIterator {
public:
    explicit FrameIterator(Simulation* simulation) : simulation_(simulation) {}
    Frame const& operator*() const { return simulation_->frame(); }
    FrameIterator& operator++() {
        if (simulation_->finished() || !simulation_->advance()) simulation_ = nullptr;
        return *this;
    }
    bool operator==(std::default_sentinel_t) const { return simulation_ == nullptr; }

private:
    Simulation* simulation_;
};

struct Simulation::Frames {
    Simulation* simulation;
    FrameIterator begin() { return FrameIterator{simulation}; }
    std::default_sentinel_t end() { return {}; }
};

inline Simulation::Frames Simulation::frames() { return {this}; }

}  // namespace pliant
