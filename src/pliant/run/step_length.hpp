// How long the steps of a run are: the scene's dt or, if it gives none, the share of the largest stable step that the
// method asks for. Also the messages for a step that was too long, or when no usable step exists.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/scene/scene.hpp>

#include <algorithm>
#include <string>

namespace pliant {

std::string in_seconds(double t);

class StepLength {
public:
    explicit StepLength(Scene const& scene);  // which must outlive it

    bool by_method() const { return by_method_; }
    double dt() const { return dt_; }             // of the present steps [s]
    double stable_dt() const { return stable_; }  // the largest stable step, as last given by the solver [s]; 0: any is

    // Takes the solver's stable step at a time. Throws when it is too small to run with: an InputError at the start, a
    // SimulationError later. It is infinite when nothing is stiff: a single particle.
    void take_stable(double stable_dt, double time);
    // A method with a stable step may refuse a step all the same. The next ones are then half as long, and grow by a
    // tenth with every step that holds.
    void shorten() { cut_ *= 0.5; }
    void held() { cut_ = std::min(most_, 1.1 * cut_); }
    bool too_short() const { return cut_ < 1. / 1024; }
    // A whole frame may go wrong without such a step. All steps of its repetition are shorter, and the limit recovers
    // by a fiftieth with every frame that holds. Where it is too long again each time it has recovered, every
    // eighteenth frame is repeated.
    void limit() { cut_ = most_ *= 0.7; }
    void frame_held() { most_ = std::min(1., 1.02 * most_); }
    bool may_limit() const { return most_ > 1. / 64; }
    // The energy that a frame may gain, as a share of the scale of the watch: more where shorter steps do not help.
    bool tolerates(double gained) const { return gained <= tolerated_; }
    void tolerate(double gained) { tolerated_ = std::max(tolerated_, 1.5 * gained); }
    // Divides a time into steps of equal length, none longer than the solver allows; returns their length.
    double share(double length);

    // Steps that events add by cutting others in two, in a run of so many frames.
    std::uint64_t cuts(std::vector<double> const& events, int frames) const;

    std::string warning() const;  // about a dt that cannot be stable, or empty
    [[noreturn]] void fail_diverged(double time, std::string const& trouble) const;
    [[noreturn]] void fail_apart(double time, std::string const& trouble) const;

    Checkpoint::Array stored() const;
    void load(Checkpoint const& checkpoint);

private:
    std::string remedy() const;

    Scene const* scene_;
    bool by_method_;
    double dt_, stable_ = 0;
    double cut_ = 1, most_ = 1;  // share of the step that the method asks for: of the next one, and the limit
    double tolerated_ = 0.05;
};

}  // namespace pliant
