// Several threads may set the same flag at once, all to 1. On the CPU that needs an atomic store, which costs no more
// than a plain one; on a GPU a plain store does it.
#pragma once

#include <pliant/math/real.hpp>

namespace pliant {

PLIANT_HD inline void mark(std::uint8_t* flag) {
#ifdef __CUDA_ARCH__
    *flag = 1;
#else
    __atomic_store_n(flag, std::uint8_t{1}, __ATOMIC_RELAXED);
#endif
}

}  // namespace pliant
