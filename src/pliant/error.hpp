// The two ways in which pliant gives up. Both are caught once, in apps/.
#pragma once

#include <stdexcept>
#include <string>

namespace pliant {

// Wrong input: the message names file, line, key and what is allowed. Exit code 2.
class InputError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The simulation cannot go on (steps halved to the limit and still not finite). Exit code 3.
class SimulationError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace pliant
