// Values that are not available yet, for example because a GPU is still copying them.
#pragma once

#include <functional>

namespace pliant {

// Fills in the state that a solver had when it was asked, waiting if necessary. May be called once, on any thread,
// while the solver continues, but not after the solver is destroyed.
template <class T>
using Later = std::function<void(T&)>;

}  // namespace pliant
