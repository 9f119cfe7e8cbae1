// What was done about poor neighbourhoods when the bonds of a body were made (neighbors/growth.hpp). Plain data.
#pragma once

#include <pliant/math/real.hpp>

#include <vector>

namespace pliant {

struct BodyNeighborhoods {
    Index grown = 0;          // particles whose kernel radius was grown
    Index joined = 0;         // particles through which a loose part was joined to the rest
    Index parts = 1;          // parts without a bond between them
    std::vector<Index> thin;  // particles in sheets and rods one particle thick
    std::vector<Index> poor;  // particles whose neighbourhood remains poor
};

}  // namespace pliant
