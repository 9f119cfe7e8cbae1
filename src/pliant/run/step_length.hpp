// How long the steps of a run are: the scene's dt or, if it gives none, the share of the largest stable step that the
// method asks for. Also the messages for a step that was too long, or when no usable step exists.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/scene/scene.hpp>

#include <string>

namespace pliant {

std::string in_seconds(double t);

class StepLength {
public:
    explicit StepLength(Scene const& scene);  // which must outlive it

    bool by_method() const { return scene_.dt == 0; }
    double dt() const { return dt_; }             // of the present steps [s]
    double stable_dt() const { return stable_; }  // the largest stable step, as last given by the solver [s]; 0: any is

    // Takes the solver's stable step at a time. Throws when it is too small to run with: an InputError at the start, a
    // SimulationError later. It is infinite when nothing is stiff: a single particle.
    void take_stable(double stable_dt, double time);
    // Divides a time into steps of equal length, none longer than the solver allows; returns their length.
    double share(double length);

    std::string warning() const;  // about a dt that cannot be stable, or empty
    [[noreturn]] void fail_diverged(double time, std::string const& trouble) const;
    [[noreturn]] void fail_apart(double time, std::string const& trouble) const;

    Checkpoint::Array stored() const;
    void load(Checkpoint const& checkpoint);

private:
    Scene const& scene_;
    double dt_, stable_ = 0;
};

}  // namespace pliant
