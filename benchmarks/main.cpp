// Measures building the bonds, a product with the stiffness, the search for touches and a whole step, for different
// numbers of particles, and compares the product with the paper's stored blocks. Every benchmark takes its own samples
// and reports medians, also in the time column. README.md explains each counter.
#include <benchmark/benchmark.h>
#include <pliant/scene/read.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/voxelize.hpp>
#include <pliant/simulation.hpp>
#include <pliant/state/particle_contact.hpp>
#include <pliant/surface/level_set_surface.hpp>

#include <cstdio>
#include <fstream>

#include "stored_blocks.hpp"

namespace pliant::benchmarks {
namespace {

using benchmark::State;

constexpr float tau_squared = 0.002f * 0.002f;  // [s2]

// Both products on a small jittered lattice, with K alone: their times are comparable only if they agree.
bool products_agree() {
    Cpu exec;
    Beam beam = make_beam(exec, {16, 8});
    std::mt19937 random(2);
    std::uniform_real_distribution<double> jitter(-0.2 * beam.spacing, 0.2 * beam.spacing);
    for (Vec3d& X : beam.rest) X += Vec3d{jitter(random), jitter(random), jitter(random)};
    BondProduct bonds(exec, beam, 0);
    BlockProduct blocks(exec, bonds, beam);
    std::fill_n(bonds.mass(), beam.rest.size(), 0.f);
    blocks.write();
    bonds.apply(1);
    blocks.apply(1);
    double difference = 0, size = 0;
    for (Index i = 0; i < beam.rest.size(); ++i) {
        difference += norm_squared(cast<double>((bonds.q()[i] - blocks.q()[i]).xyz()));
        size += norm_squared(cast<double>(bonds.q()[i].xyz()));
    }
    double const relative = std::sqrt(difference / size);
    benchmark::AddCustomContext("difference of the two products", std::to_string(relative * 1e6) + "e-6");
    if (relative < 5e-4) return true;  // bonds have 11-bit weights, blocks 24-bit
    std::fprintf(stderr, "bonds and stored blocks give different products: relative difference %g\n", relative);
    return false;
}

struct ReadChunk {
    static constexpr std::size_t floats = 4096;
    float const* data;
    std::array<double, 1> operator()(Index chunk) const {
        Six::Lanes sum[4]{};
        for (std::size_t k = 0; k < floats; k += 32)
            for (std::size_t lane = 0; lane < 4; ++lane) sum[lane] += Six::load(data + chunk * floats + k + 8 * lane);
        Six::Lanes const all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        return {double(all[0] + all[1] + all[2] + all[3] + all[4] + all[5] + all[6] + all[7])};
    }
};

// The read bandwidth of all cores together: the reference for the products.
void read_bandwidth(State& state, std::size_t bytes) {
    Cpu exec;
    Buffer<float> data(bytes / sizeof(float));
    Range const chunks{0, Index(data.size() / ReadChunk::floats)};
    std::vector<double> samples;
    for (int sample = 0; sample < 15; ++sample)
        samples.push_back(
            seconds_of([&] { benchmark::DoNotOptimize(exec.sum("read", chunks, ReadChunk{data.data()})); }));
    for (auto _ : state) state.SetIterationTime(median(samples));
    state.counters["GB_per_s"] = double(data.bytes()) / median(samples) * 1e-9;
    state.counters["threads"] = exec.threads();
}

void build_bonds(State& state, BeamSize size) {
    Cpu exec;
    Beam const beam = make_beam(exec, size);
    Bonds::Neighborhood const body{{0, Index(beam.rest.size())}, beam.radius()};
    std::vector<double> samples, grid_samples;
    double bonds_per_particle = 0, bytes = 0;
    for (int sample = 0; sample < (size.particles() > 50000 ? 7 : 21); ++sample) {
        Bonds bonds;
        samples.push_back(seconds_of([&] { bonds.build(exec, beam.rest, {&body, 1}); }));
        CellGrid grid;
        grid_samples.push_back(
            seconds_of([&] { grid.build(exec, body.body, body.radius, [&](Index i) { return beam.rest[i]; }); }));
        bonds_per_particle = double(bonds.size()) / double(beam.rest.size());
        bytes = double(bonds.bytes());
    }
    double const seconds = median(samples), n = double(beam.rest.size());
    for (auto _ : state) state.SetIterationTime(seconds);
    state.counters["ns_per_particle"] = 1e9 * seconds / n;
    state.counters["ns_per_bond"] = 1e9 * seconds / (n * bonds_per_particle);
    state.counters["bonds_per_particle"] = bonds_per_particle;
    state.counters["bytes_per_particle"] = bytes / n;
    state.counters["grid_ms"] = 1e3 * median(grid_samples);
}

// Both products in turn: a batch of ours, then a batch of the other, each after an untimed product, as in a solve.
void product(State& state, BeamSize size) {
    Cpu exec;
    Beam const beam = make_beam(exec, size);
    BondProduct bonds(exec, beam, beam.zero_energy);
    BlockProduct blocks(exec, bonds, beam);
    std::vector<double> write_samples, ours, stored, ratios;
    for (int sample = 0; sample < 3; ++sample) write_samples.push_back(seconds_of([&] { blocks.write(); }));
    auto const batch_of = [&](auto& one, std::vector<double>& samples) {
        double const first = seconds_of([&] { one.apply(tau_squared); });
        int const count = std::clamp(int(0.02 / first), 1, 50);
        samples.push_back(seconds_of([&] {
                              for (int k = 0; k < count; ++k) benchmark::DoNotOptimize(one.apply(tau_squared));
                          }) /
                          count);
    };
    for (int round = 0; round < 25; ++round) {
        batch_of(bonds, ours);
        batch_of(blocks, stored);
        ratios.push_back(stored.back() / ours.back());
    }
    double const n = double(beam.rest.size()), seconds = median(ours), stored_seconds = median(stored);
    for (auto _ : state) state.SetIterationTime(seconds);
    state.counters["fastest_ms"] = 1e3 * *std::min_element(ours.begin(), ours.end());
    state.counters["ns_per_particle"] = 1e9 * seconds / n;
    state.counters["ns_per_bond"] = 1e9 * seconds / bonds.bond_count();
    state.counters["bytes_per_particle"] = bonds.bytes_kept() / n;
    state.counters["read_per_particle"] = bonds.bytes_read() / n;
    state.counters["GB_per_s"] = 1e-9 * bonds.bytes_read() / seconds;
    state.counters["stored_ms"] = 1e3 * stored_seconds;
    state.counters["stored_fastest_ms"] = 1e3 * *std::min_element(stored.begin(), stored.end());
    state.counters["stored_bytes_L"] = blocks.bytes_kept(false) / n;
    state.counters["stored_bytes_L_LT"] = blocks.bytes_kept(true) / n;
    state.counters["stored_read"] = blocks.bytes_read() / n;
    state.counters["stored_GB_per_s"] = 1e-9 * blocks.bytes_read() / stored_seconds;
    state.counters["stored_write_ms"] = 1e3 * median(write_samples);
    state.counters["stored_over_ours"] = median(ratios);
}

// Two blocks, one on top of the other with misaligned lattices, approaching by a tenth of a spacing.
struct FacingBlocks {
    Model model;
    Bonds bonds;
    std::vector<Vec4d> place;
    std::vector<Vec4> u;
    double radius = 0;  // of the kernel, in spacings
    double surface = 0;

    FacingBlocks(Cpu& exec, int side) {
        Beam const block = make_beam(exec, {side, side});
        Index const n = Index(block.rest.size());
        double const d = block.spacing;
        radius = block.radius_in_spacings;
        surface = 2 * (std::pow(side, 3) - std::pow(side - 2, 3));
        for (Vec3d const by : {Vec3d{}, Vec3d{0.3 * d, side * d, 0.4 * d}}) {
            Index const begin = Index(model.rest.size());
            for (Vec3d X : block.rest) model.rest.push_back(X + by);
            model.bodies.push_back({{begin, begin + n},
                                    make_material(block.material),
                                    block.material,
                                    d,
                                    block.volume,
                                    block.material.density * block.volume});
        }
        model.velocity.resize(model.rest.size()), model.handles.resize(model.rest.size());
        Bonds::Neighborhood const bodies[] = {{{0, n}, block.radius()}, {{n, 2 * n}, block.radius()}};
        bonds.build(exec, model.rest, bodies);
        for (Vec3d X : model.rest) place.push_back(Vec4d::from(X));
        u.assign(n, Vec4::zero());
        u.resize(2 * std::size_t(n), Vec4::of(0, float(-0.1 * d), 0, 0));
    }
};

// The search for touches in one step, and finding the surface, which is only needed when bonds have changed.
void touches(State& state, int side) {
    Cpu exec;
    FacingBlocks const blocks(exec, side);
    Particles<Cpu> const particles(exec, blocks.model);
    ParticleContact<Cpu> contact(exec, blocks.model, particles, blocks.radius);
    std::vector<double> surface_samples, search_samples;
    for (int sample = 0; sample < 21; ++sample) {
        surface_samples.push_back(seconds_of([&] { contact.find_surface(blocks.bonds.view()); }));
        search_samples.push_back(seconds_of([&] {
            contact.search(blocks.bonds.view(), blocks.place.data(), blocks.u.data(), TimeScheme::euler(0.002));
        }));
    }
    double touching = 0;
    for (Index i = 0; i < blocks.place.size(); ++i) touching += contact.rows()[i] < contact.rows()[i + 1];
    double const n = double(blocks.place.size()), seconds = median(search_samples);
    for (auto _ : state) state.SetIterationTime(seconds);
    state.counters["ns_per_particle"] = 1e9 * seconds / n;
    state.counters["ns_per_surface_particle"] = 1e9 * seconds / blocks.surface;
    state.counters["surface_ns_per_particle"] = 1e9 * median(surface_samples) / n;
    state.counters["fastest_ms"] = 1e3 * *std::min_element(search_samples.begin(), search_samples.end());
    state.counters["on_surface"] = blocks.surface;
    state.counters["touching"] = touching;
}

void whole_step(State& state, BeamSize size) {
    constexpr int steps = 25;
    static double ns_at_20480 = 0;
    Simulation simulation(beam_scene(size), Device::automatic());
    std::vector<double> step_samples, iteration_samples;
    double iterations = 0, in_solves = 0, in_steps = 0;
    for (int step = 0; step < steps; ++step) {
        double const before = simulation.cg_seconds();
        simulation.advance();
        FrameStats const& stats = simulation.frame().stats;
        double const spent = simulation.cg_seconds() - before;
        step_samples.push_back(1e-3 * stats.wall_ms / double(stats.steps));
        if (stats.cg_iterations > 0) iteration_samples.push_back(spent / double(stats.cg_iterations));
        iterations += double(stats.cg_iterations) / steps;
        in_solves += spent;
        in_steps += 1e-3 * stats.wall_ms;
    }
    Plan const plan = simulation.plan();
    double const n = double(plan.particles), seconds = median(step_samples), iteration = median(iteration_samples);
    double const ns = 1e9 * iteration / n;
    if (plan.particles == 20480) ns_at_20480 = ns;
    for (auto _ : state) state.SetIterationTime(seconds);
    state.counters["iterations_per_step"] = iterations;
    state.counters["iteration_ms"] = 1e3 * iteration;
    state.counters["solve_share"] = in_solves / in_steps;
    state.counters["bytes_per_particle"] = double(plan.bytes) / n;
    state.counters["ns_per_particle"] = 1e9 * seconds / n;
    state.counters["ns_per_bond"] = 1e9 * seconds / double(plan.bonds);
    state.counters["ns_per_particle_iteration"] = ns;
    if (ns_at_20480 > 0) state.counters["iteration_vs_20480"] = ns / ns_at_20480;
}

// Peak memory of the process since the last call with forget = true [bytes].
double peak_memory(bool forget) {
    if (forget) std::ofstream{"/proc/self/clear_refs"} << '5';
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return 1024 * std::atof(line.c_str() + 6);
    return 0;
}

// The level-set surface of the armadillo at rest.
void surface(State& state, int particles) {
    static double ns_at_20000 = 0;
    Cpu exec;
    Scene scene = read_scene(std::string{PLIANT_SCENES_DIR} + "/armadillo-soft.toml",
                             {"bodies.0.particles=" + std::to_string(particles)});
    make_level_sets(scene);
    SampledBody const body = sample_bodies(scene).at(0);
    Frame frame;
    for (Vec3d x : body.position) frame.position.push_back(cast<float>(x));
    double const n = double(frame.position.size());
    frame.velocity.resize(std::size_t(n)), frame.body.resize(std::size_t(n));
    frame.channels = {{"von_mises", "Pa", 1, std::vector<float>(std::size_t(n))},
                      {"plastic_strain", "", 1, std::vector<float>(std::size_t(n))}};
    std::vector<double> samples;
    double triangles = 0, bytes = 0;
    for (int sample = 0; sample < (particles > 200000 ? 3 : 7); ++sample) {
        double const before = peak_memory(true);
        samples.push_back(seconds_of([&] {
            triangles = double(surface::level_set_surface(exec, frame, {&body.spacing, 1}, {}).mesh.polygon_count());
        }));
        bytes = std::max(bytes, peak_memory(false) - before);
    }
    double const seconds = median(samples), ns = 1e9 * seconds / n;
    if (particles < 30000) ns_at_20000 = ns;
    for (auto _ : state) state.SetIterationTime(seconds);
    state.counters["ns_per_particle"] = ns;
    state.counters["ns_per_triangle"] = 1e9 * seconds / triangles;
    state.counters["triangles"] = triangles;
    state.counters["bytes_per_particle"] = bytes / n;
    if (ns_at_20000 > 0) state.counters["per_particle_vs_20k"] = ns / ns_at_20000;
}

void add(std::string const& name, auto const& work, auto const& argument) {
    benchmark::RegisterBenchmark(name.c_str(), [=](State& state) { work(state, argument); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace pliant::benchmarks

int main(int argc, char** argv) {
    using namespace pliant::benchmarks;
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::AddCustomContext("compiler", __VERSION__);
    benchmark::AddCustomContext("flags", PLIANT_BENCHMARK_FLAGS);
    if (!products_agree()) return 1;
    add("read/512MB", read_bandwidth, std::size_t{1} << 29);
    for (BeamSize const size : beam_sizes) add("bonds/" + std::to_string(size.particles()), build_bonds, size);
    for (BeamSize const size : beam_sizes) add("product/" + std::to_string(size.particles()), product, size);
    for (int const side : {22, 37, 53}) add("touches/" + std::to_string(2 * side * side * side), touches, side);
    for (int const particles : {19866, 100000, 300000, 1000000})
        add("surface/" + std::to_string(particles), surface, particles);
    for (BeamSize const size : beam_sizes) add("step/" + std::to_string(size.particles()), whole_step, size);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
