// Values that are still on their way, from a GPU for example.
#pragma once

#include <functional>

namespace pliant {

// Fills in what a solver held when it was asked, and waits for it where that takes a while: on any thread, once, while
// the solver steps on, but not after its end.
template <class T>
using Later = std::function<void(T&)>;

}  // namespace pliant
