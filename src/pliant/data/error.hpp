// The exceptions of pliant. All are caught in one place, in apps/.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace pliant {

// Wrong input: the message gives the file, line, key and what is allowed. Exit code 2.
class InputError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The simulation cannot continue (steps halved to the limit and still not finite). Exit code 3.
class SimulationError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A run that has diverged: a full message for a single run, and a brief one for a line of a table.
class Diverged : public SimulationError {
public:
    Diverged(std::string const& whole, std::string brief) : SimulationError(whole), brief_(std::move(brief)) {}
    std::string const& brief() const { return brief_; }

private:
    std::string brief_;
};

}  // namespace pliant
