// The parts of a body: particles that are connected by bonds, directly or through others. A part that lies by itself is
// joined to the nearest other part: its nearest particle gets a radius that reaches six particles of the others (of
// parts that are nearer than it reaches). Parts of fewer than seven particles, which have no neighbourhood of their
// own, are joined if they are nearer than 2 kernel radii, others if they are nearer than 1.5: what lies farther apart
// is taken as meant to be separate, such as the shells of a mesh.
//
// Parts are found from the lowest neighbour of each particle. Particles in space-filling order nearly all have a
// neighbour before them, so few chains of lowest neighbours end at different particles; these are united by Boruvka's
// rounds: each knows the lowest chain that one of its particles is bonded to.
#pragma once

#include <pliant/neighbors/growth.hpp>

namespace pliant {

inline constexpr double loose_reach = 2;   // radii
inline constexpr double part_reach = 1.5;  // radii

class Parts {
public:
    // lowest[i]: the lowest neighbour of i, or i if there is none below it.
    explicit Parts(std::span<Index const> lowest);

    Index of(Index i);  // the lowest particle of its part, as far as known
    bool unite(Index i, Index j);
    bool several(Range body);  // whether it has more than one part
    std::vector<Index> const& labels();

private:
    std::vector<Index> above_;
};

// Joins parts of a body that are near each other. Writes growth_i of the particles that join them, and reports.
void join_parts(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, Parts& parts,
                std::vector<float>& growth, BodyNeighborhoods& report);

}  // namespace pliant
