// Whole solvers for tests, as the library has built them: compiling one anew takes a minute.
#pragma once

#include <pliant/solvers/method.hpp>

#include <utility>

namespace pliant::test {

template <class Options>
class Built {
public:
    Built(Model model, Options const& options, int threads)
        : solver_(make_solver(Options::describe().word, &options, std::move(model), {threads, -1})) {}

    operator Solver&() { return *solver_; }
    StepReport step(StepInput const& input) { return solver_->step(input); }
    Measurement measure() { return solver_->measure(); }
    double stable_dt() { return solver_->stable_dt(); }
    Later<Checkpoint> save() { return solver_->save(); }
    void load(Checkpoint const& checkpoint) { solver_->load(checkpoint); }

private:
    std::unique_ptr<Solver> solver_;
};

}  // namespace pliant::test
