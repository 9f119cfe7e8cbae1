// Neighbourhoods that are good by construction. A gradient is fitted well if a particle has at least six neighbours and
// the moments A_i = sum_j w r r^T are well-conditioned; where a shape is thin, a kernel of the usual radius h reaches
// too few particles, or particles that lie almost in a plane, and small displacements become large gradients. There
// the radius grows,
//   h_i = h 1.1^k,   the smallest k with n_i >= 6 and cond(A_i) <= 30,   k <= 12,
// and a pair is weighed by w(r_ij, max(h_i, h_j)), the same from both ends. A particle that does not become good takes
// the radius with the best condition, and counts as poor. (A body of fewer than seven particles has them all as
// neighbours.)
//
// Sheets and rods one particle thick stay what they are: a particle whose neighbours lie in a plane or on a line keeps
// h if they still do at the largest radius, or if no radius has a condition of at most 100. Its missing directions are
// completed (physics/elastic.hpp), which is better than a fit across them from a few distant particles.
//
// Rejected: k <= 8, which left particles in the one-particle-thick legs of a cow as rods with two to four neighbours.
//
// No particle of a body is left by itself: parts of a body without a bond between them are joined if they are near
// (neighbors/parts.hpp).
#pragma once

#include <pliant/data/neighborhoods.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/math/vec3.hpp>

#include <compare>
#include <span>
#include <vector>

namespace pliant {

inline constexpr Index enough_neighbors = 6;
inline constexpr double worst_condition = 30;
inline constexpr double growth_step = 1.1;
inline constexpr double most_growth = 3.1384;     // 1.1^12
inline constexpr double joining_growth = 4.1773;  // 1.1^15, for particles that join parts of a body
inline constexpr double acceptable_condition = 100;

struct BodyAtRest {
    Range body;
    double radius;  // of the kernel [m]
    double flat;    // moments below this share of the largest count as missing
};

// A pair that only a grown radius reaches; both ends are listed.
struct GrownPair {
    Index from, to;
    auto operator<=>(GrownPair const&) const = default;
};

// Grows the radii of the candidates (ascending, all of one body) where their neighbourhoods are poor, from the growth_i
// that they have. Writes growth_i, in radii of the body, and reports.
void grow_radii(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, std::span<Index const> candidates,
                std::vector<float>& growth, BodyNeighborhoods& report);

// Appends the pairs of all particles of a body with growth_i > 1 that their grown radii reach and h does not, and some
// more.
void list_grown_pairs(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, std::span<float const> growth,
                      std::vector<GrownPair>& pairs);

// In ascending order, each once.
void sort_grown_pairs(Cpu& exec, std::vector<GrownPair>& pairs);

}  // namespace pliant
