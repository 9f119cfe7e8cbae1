#include <pliant/data/error.hpp>
#include <pliant/run/step_length.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>

namespace pliant {
namespace {

constexpr double steps_per_frame_limit = 1e9;  // as for a given dt

// "method = "implicit"": methods for the same matter whose steps may have any length.
std::string methods_with_any_step(MethodDescription const& present) {
    std::string all;
    for (MethodDescription const& method : method_descriptions())
        if (!method.stable_step && method.fluid == present.fluid && method.cloth == present.cloth)
            all += (all.empty() ? "method = \"" : " or \"") + method.word + "\"";
    return all;
}

}  // namespace

std::string in_seconds(double t) {
    char text[40];
    std::snprintf(text, sizeof text, "%g s", t);
    return text;
}

// Substeps of a scene without a step are parts of a frame.
StepLength::StepLength(Scene const& scene) : scene_(&scene) {
    int const parts = scene.solver ? scene.solver->substeps() : 1;
    dt_ = scene.dt;
    if (scene.dt == 0 && parts > 0 && scene.solver && scene.solver->long_steps_are_stable()) dt_ = 1 / scene.fps;
    by_method_ = dt_ == 0 || parts == 0;
    if (!by_method_) dt_ /= parts;
}

void StepLength::take_stable(double stable_dt, double time) {
    stable_ = stable_dt;
    MethodDescription const& method = *find_method(scene_->method);
    if (!method.stable_step) return;
    double const step = scene_->solver->stable_share() * stable_;
    if (step * scene_->fps * steps_per_frame_limit > 1 && time + step > time) return;
    std::string const what =
        stable_ > 0
            ? "the largest stable step is " + in_seconds(stable_) + ": a frame would take more than a billion steps"
            : std::string{"no stable step can be found: the stiffness is beyond the range of numbers"};
    std::string const others = methods_with_any_step(method);
    std::string const advice = " with method = \"" + method.word + "\". Use a lower " +
                               (method.fluid ? "sound_speed" : "young") +
                               (others.empty() ? " or a larger spacing" : ", a larger spacing, or " + others);
    if (time == 0) throw InputError(what + advice);
    throw Diverged("at " + in_seconds(time) + ": " + what + advice, "at " + in_seconds(time) + ": " + what);
}

double StepLength::share(double length) {
    double most = scene_->solver->stable_share() * stable_;
    if (scene_->dt > 0) most = std::min(most, scene_->dt);
    return dt_ = length / std::max(1., std::ceil(length / (cut_ * most) - 1e-6));
}

std::uint64_t StepLength::cuts(std::vector<double> const& events, int frames) const {
    double const fps = scene_->fps;
    std::uint64_t count = 0;
    for (double event : events) {
        if (event <= 0 || event >= frames / fps) continue;
        double const frame_start = std::floor(event * fps) / fps, steps = (event - frame_start) / dt_;
        bool const ends_step = std::abs(steps - std::round(steps)) < 1e-6;
        bool const ends_frame = frame_start + 1 / fps - event < 1e-6 * dt_;
        count += !ends_step && !ends_frame;
    }
    return count;
}

std::string StepLength::warning() const {
    if (by_method_ || !(stable_ > 0 && dt_ > stable_)) return "";
    if (scene_->solver->long_steps_are_stable())
        return "in substeps of " + in_seconds(dt_) + " the iterations do not converge, and bodies are softer than " +
               "their material; leave solver.substeps out, or make it " +
               std::to_string(int(std::ceil(scene_->solver->substeps() * dt_ / stable_))) + " or more";
    return "dt = " + in_seconds(scene_->dt) + " is more than the largest stable step, " + in_seconds(stable_) +
           ": the bodies will fly apart; leave dt out, or write dt = \"stable\"";
}

// What to try when bodies come apart.
std::string StepLength::remedy() const {
    std::string const own = scene_->solver->remedy(), here = in_seconds(dt_), stable = in_seconds(stable_);
    if (scene_->solver->long_steps_are_stable())
        return (by_method_ ? "more solver.iterations (steps of "
                           : "more solver.substeps or solver.iterations (steps of ") +
               here + " here, iterations converge up to " + stable + "), or a stiffer or more plastic material";
    if (stable_ == 0) return own + "a smaller dt (" + here + " here), or more particles where bodies are thin";
    if (scene_->dt > stable_)
        return "dt = \"stable\", " + own + "or a stiffer or more plastic material; dt = " + here +
               " is too large. The largest stable step was " + stable + " when last estimated";
    return (scene_->dt > 0 ? "a smaller dt" : "a smaller solver.safety") + std::string{" (steps of "} + here +
           " here, the largest stable one is estimated at " + stable + "), " + own +
           "or a stiffer or more plastic material";
}

void StepLength::fail_diverged(double time, std::string const& trouble) const {
    std::string const what = "at " + in_seconds(time) + ": " + trouble;
    throw Diverged(what + ", even in steps a thousand times as short. Try " + remedy(), what);
}

void StepLength::fail_apart(double time, std::string const& trouble) const {
    std::string const what = "the bodies have flown apart at " + in_seconds(time) + ": " + trouble;
    throw Diverged(what + ". Try " + remedy(), what);
}

Checkpoint::Array StepLength::stored() const {
    double const all[5]{dt_, stable_, cut_, most_, tolerated_};
    auto const bytes = std::as_bytes(std::span(all));
    return {"step length", {bytes.begin(), bytes.end()}};
}

void StepLength::load(Checkpoint const& checkpoint) {
    if (!by_method()) return;  // both are as they were at the start
    double all[5];
    for (Checkpoint::Array const& array : checkpoint.arrays)
        if (array.name == "step length" && array.bytes.size() == sizeof all) {
            std::memcpy(all, array.bytes.data(), sizeof all);
            dt_ = all[0], stable_ = all[1], cut_ = all[2], most_ = all[3], tolerated_ = all[4];
        }
}

}  // namespace pliant
