// The ways in which pliant gives up. All are caught once, in apps/.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace pliant {

// Wrong input: the message names file, line, key and what is allowed. Exit code 2.
class InputError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The simulation cannot go on (steps halved to the limit and still not finite). Exit code 3.
class SimulationError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A run that has come apart: in full for a run of its own, in brief for the line of a table.
class Diverged : public SimulationError {
public:
    Diverged(std::string const& whole, std::string brief) : SimulationError(whole), brief_(std::move(brief)) {}
    std::string const& brief() const { return brief_; }

private:
    std::string brief_;
};

}  // namespace pliant
