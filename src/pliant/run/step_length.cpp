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

// "method = "implicit"": methods whose steps may have any length.
std::string methods_with_any_step() {
    std::string all;
    for (MethodDescription const& method : method_descriptions())
        if (!method.stable_step) all += (all.empty() ? "method = \"" : " or \"") + method.word + "\"";
    return all;
}

}  // namespace

std::string in_seconds(double t) {
    char text[40];
    std::snprintf(text, sizeof text, "%g s", t);
    return text;
}

StepLength::StepLength(Scene const& scene) : scene_(scene), dt_(scene.dt) {}

void StepLength::take_stable(double stable_dt, double time) {
    stable_ = stable_dt;
    if (!find_method(scene_.method)->stable_step) return;
    double const step = scene_.solver->stable_share() * stable_;
    if (step * scene_.fps * steps_per_frame_limit > 1 && time + step > time) return;
    std::string const what =
        stable_ > 0
            ? "the largest stable step is " + in_seconds(stable_) + ": a frame would take more than a billion steps"
            : std::string{"no stable step can be found: the stiffness is beyond the range of numbers"};
    std::string const advice = std::string{" with method = \""} + scene_.method +
                               "\". Use a lower young, a larger spacing, or " + methods_with_any_step();
    if (time == 0) throw InputError(what + advice);
    throw Diverged("at " + in_seconds(time) + ": " + what + advice, "at " + in_seconds(time) + ": " + what);
}

double StepLength::share(double length) {
    return dt_ = length / std::max(1., std::ceil(length / (scene_.solver->stable_share() * stable_) - 1e-6));
}

std::string StepLength::warning() const {
    if (!(stable_ > 0 && scene_.dt > stable_)) return "";
    return "dt = " + in_seconds(scene_.dt) + " is more than the largest stable step, " + in_seconds(stable_) +
           ": the bodies will fly apart; leave dt out, or write dt = \"stable\"";
}

void StepLength::fail_diverged(double time, std::string const& trouble) const {
    std::string const what = "at " + in_seconds(time) + ": " + trouble;
    std::string const advice = scene_.dt > 0 ? "leave dt out, write dt = \"stable\", or a dt below that"
                                             : std::string("try a smaller solver.safety");
    throw Diverged(what + ": dt = " + in_seconds(dt_) + " is too large. The largest stable step was " +
                       in_seconds(stable_) + " when last estimated; " + advice,
                   what);
}

void StepLength::fail_apart(double time, std::string const& trouble) const {
    std::string const what = "the bodies have flown apart at " + in_seconds(time) + ": " + trouble;
    std::string const& key = find_method(scene_.method)->damping_key;
    std::string const damped = key.empty() ? "" : "more " + key + ", ";
    throw Diverged(what + ". Try a smaller dt (" + in_seconds(dt_) + " here, the largest stable step is estimated at " +
                       in_seconds(stable_) + "), " + damped + "or a stiffer or more plastic material",
                   what);
}

Checkpoint::Array StepLength::stored() const {
    double const both[2]{dt_, stable_};
    auto const bytes = std::as_bytes(std::span(both));
    return {"step length", {bytes.begin(), bytes.end()}};
}

void StepLength::load(Checkpoint const& checkpoint) {
    if (!by_method()) return;  // both are as they were at the start
    double both[2];
    for (Checkpoint::Array const& array : checkpoint.arrays)
        if (array.name == "step length" && array.bytes.size() == sizeof both) {
            std::memcpy(both, array.bytes.data(), sizeof both);
            dt_ = both[0], stable_ = both[1];
        }
}

}  // namespace pliant
