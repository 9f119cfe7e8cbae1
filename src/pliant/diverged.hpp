// A run that has come apart: in full for a run of its own, in brief for the line of a table.
#pragma once

#include <pliant/error.hpp>

#include <utility>

namespace pliant {

class Diverged : public SimulationError {
public:
    Diverged(std::string const& whole, std::string brief) : SimulationError(whole), brief_(std::move(brief)) {}
    std::string const& brief() const { return brief_; }

private:
    std::string brief_;
};

}  // namespace pliant
