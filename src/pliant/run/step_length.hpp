// How long the steps of a run are: the scene's dt, or where it leaves that open the share of its largest stable step
// that a method asks for. What is said when a step was too long, or when there is none that a run can be made of.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/scene/scene.hpp>

#include <string>

namespace pliant {

std::string in_seconds(double t);

class StepLength {
public:
    explicit StepLength(Scene const& scene);  // which outlasts it

    bool by_method() const { return scene_.dt == 0; }
    double dt() const { return dt_; }             // of the present steps [s]
    double stable_dt() const { return stable_; }  // the largest stable step, as the solver said last [s]; 0: any is

    // As the solver says it at a time. Throws where no run can be made of it: an InputError at the start, a
    // SimulationError later. Infinite where nothing is stiff: a particle alone.
    void take_stable(double stable_dt, double time);
    // Makes steps of equal length over a time, none longer than the solver can bear; returns their length.
    double share(double length);

    std::string warning() const;  // of a dt that cannot be stable, or empty
    [[noreturn]] void fail_diverged(double time, std::string const& trouble) const;
    [[noreturn]] void fail_apart(double time, std::string const& trouble) const;

    Checkpoint::Array stored() const;
    void load(Checkpoint const& checkpoint);

private:
    Scene const& scene_;
    double dt_, stable_ = 0;
};

}  // namespace pliant
