#include <pliant/compare/try_run.hpp>
#include <pliant/data/error.hpp>

#include <cstdio>

namespace pliant {
namespace {

std::string at_time(double time) {
    char text[40];
    std::snprintf(text, sizeof text, " (at %.4g s)", time);
    return text;
}

}  // namespace

TriedRun try_run(Scene const& scene, Device const& device, StabilityLimits const& limits, std::atomic<bool> const* stop,
                 std::function<void(Frame const&)> const& shown) {
    TriedRun tried;
    Simulation simulation{scene, device};
    StabilityWatch watch{scene, simulation.frame(), simulation.summary().bodies, limits};
    try {
        while (!simulation.finished() && tried.trouble.empty() && !tried.interrupted) {
            tried.interrupted = (stop != nullptr && stop->load()) || !simulation.advance(stop);
            if (tried.interrupted) break;
            tried.trouble = watch.look(simulation.frame(), simulation.summary().halvings);
            if (!tried.trouble.empty()) tried.trouble += at_time(simulation.frame().time);
            if (shown) shown(simulation.frame());
        }
    } catch (Diverged const& error) {
        tried.trouble = error.brief();
    } catch (SimulationError const& error) {
        tried.trouble = error.what();
    }
    Summary const summary = simulation.summary();
    tried.wall_s = summary.wall_s;
    tried.steps = summary.steps;
    tried.finished = tried.trouble.empty() && !tried.interrupted;
    return tried;
}

}  // namespace pliant
