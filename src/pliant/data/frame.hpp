// The output of a run: plain host data, the only data that writers, surfaces and pictures see.
#pragma once

#include <pliant/data/channel.hpp>
#include <pliant/math/mat3.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pliant {

struct Energies {
    double kinetic = 0, elastic = 0;  // [J]
};

// What particles do to a collider or a handle, on average over a frame.
struct Wrench {
    Vec3d force;   // [N]
    Vec3d torque;  // about its centre [N m]
    bool operator==(Wrench const&) const = default;
};

// What a probe reads at a frame: of one particle, or the mean or an extremum of several.
struct ProbeReading {
    Vec3d position, velocity;  // [m], [m/s]
    double von_mises = 0;      // [Pa]
    bool operator==(ProbeReading const&) const = default;
};

// Of a probe that reads every step.
struct StepReading {
    double time = 0;  // [s]
    std::uint32_t probe = 0;
    ProbeReading reading;
};

// What one body does to another, on average over a frame.
struct PairForce {
    std::uint32_t on = 0, by = 0;  // bodies
    Wrench wrench;                 // its torque is about the origin
    bool operator==(PairForce const&) const = default;
};

// One row of stats.csv.
struct FrameStats {
    int frame = 0;
    double time = 0;                  // [s]
    std::uint64_t steps = 0;          // since the last frame
    std::uint64_t cg_iterations = 0;  // since the last frame
    double wall_ms = 0;               // computing time since the last frame
    double kinetic_energy = 0;        // [J]
    double elastic_energy = 0;        // [J]
    double potential_energy = 0;      // [J], zero at the origin
    Vec3d center_of_mass;             // [m]
    double penetration = 0;           // deepest over all particles, in spacings
    std::uint64_t solves = 0;         // linear solves since the last frame
    std::uint64_t backtracks = 0;     // times that a solve's displacement was shortened since the last frame
    std::uint64_t halvings = 0;       // steps that were refused and cut in two since the last frame
    std::vector<ProbeReading> probes = {};
    std::vector<Wrench> forces = {};  // on colliders, then handles; none at the start, or if the method has none
    std::vector<PairForce> pair_forces = {};  // of bodies that touch, if wanted
    bool operator==(FrameStats const&) const = default;
};

// A particle that has lost a bond to a blade, and where it was then.
struct CutMark {
    std::uint32_t particle = 0;  // its id
    std::uint32_t cut = 0;       // number of the blade in the scene
    Vec3f at;                    // along the plane of the blade, from where its centre began, and above the plane [m]
    bool operator==(CutMark const&) const = default;
};

// All arrays hold one entry per particle, in the order of `id` (0, 1, 2 ... in every frame).
struct Frame {
    int index = 0;                // 0 is the start
    double time = 0;              // [s]
    std::vector<Vec3f> position;  // [m]
    std::vector<Vec3f> velocity;  // [m/s]
    std::vector<std::uint32_t> id;
    std::vector<std::uint32_t> body;  // index into Summary::bodies
    std::vector<Channel> channels;    // of the method; and "F", the elastic deformation gradient, if requested
    FrameStats stats;
    std::vector<CutMark> cut_marks;          // of all cuts so far; not one per particle
    std::vector<StepReading> step_readings;  // of probes that read every step, since the last frame

    Channel const* channel(std::string_view name) const { return find_channel(channels, name); }  // null: none
};

struct BodySummary {
    std::string name;
    std::uint64_t particles = 0;
    double spacing = 0;            // [m]
    double mass = 0;               // [kg]
    Vec3d center;                  // of mass [m]
    Vec3d velocity;                // of the centre [m/s]
    Vec3d spin;                    // of the best-fitting rigid motion [rad/s]
    Vec3d bounds_min, bounds_max;  // of particle centres [m]
    double volume_ratio = 1;       // volume now over volume at the start
    double shape_error = 0;        // RMS distance from the rigidly fitted initial shape, in spacings
    double max_plastic_strain = 0;
    double kinetic_energy = 0, elastic_energy = 0;  // [J]
    Mat3d rotation = Mat3d::identity();             // of the best-fitting rigid motion since the start
};

// summary.json
struct Summary {
    std::string version, method, device;
    int threads = 0;
    std::uint64_t particles = 0;
    int frames = 0;  // written so far, including the start
    std::uint64_t steps = 0, cg_iterations = 0;
    double dt = 0;       // [s]; that of the last frame if steps may change
    double wall_s = 0;   // computing time
    double step_ms = 0;  // wall_s over steps
    std::uint64_t peak_memory_bytes = 0;
    bool finished = false;
    std::uint64_t retries = 0;  // steps that were halved and repeated because their solve failed
    std::uint64_t solves = 0, backtracks = 0, halvings = 0;  // as in FrameStats, of all frames
    double active_mean = 1;   // share of the particles that moved, the mean over all steps; with restraint
    bool restrained = false;  // whether there is restraint
    std::vector<BodySummary> bodies;
    std::vector<std::pair<std::string, std::string>> channels;  // of the frames: name and unit
    double residual = -1;  // of a static run: forces out of balance, as a share of the loads; negative: of no such run
    double stable_dt = 0;  // the largest stable step, as last estimated [s]; 0: any step is stable
};

// Everything needed to continue a run bit for bit: named byte arrays. Written and read by io/, filled by the solver.
struct Checkpoint {
    struct Array {
        std::string name;
        std::vector<std::byte> bytes;
    };
    std::string scene_text;  // canonical text of the scene it belongs to (scene/canonical.hpp)
    std::vector<Array> arrays;
    std::vector<FrameStats> stats;  // of all frames so far; the last one is the frame of this checkpoint
};

}  // namespace pliant
