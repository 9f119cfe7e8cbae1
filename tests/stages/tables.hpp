#pragma once
#include "cases.hpp"
namespace pliant::test {
inline std::vector<Allowed> implicit_stages() { return {}; }
inline std::vector<Allowed> explicit_stages() { return {}; }
inline std::vector<Allowed> gerszewski_stages() { return {}; }
}  // namespace pliant::test
