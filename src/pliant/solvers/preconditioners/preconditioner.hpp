// The preconditioner of a solve: one of three types behind one interface, chosen once, visited once per solve. The loop
// of conjugate gradients (solvers/implicit/conjugate_gradients.hpp) knows only this:
//
//   has_levels             whether anything happens between the residual and the direction
//   spreads                whether several lanes may share a particle in the products of the loop
//   set_up(system, tau2)   once: with products of the bodies at rest, if it needs any
//   place(place, on)       per linearisation: where particles are, and which ones take part
//   form(view)             per linearisation: from the blocks
//   direction(view)        the stage z = P r
// and, with levels,
//   share(view)            per round: a phase that computes each particle's share in the levels
//   bring(view)            the stage that hands a particle's residual to the levels
//   correct(view)          the phases that turn these residuals into what direction() reads
#pragma once

#include <pliant/solvers/preconditioners/block_jacobi.hpp>
#include <pliant/solvers/preconditioners/coarse_level.hpp>
#include <pliant/solvers/preconditioners/pyramid.hpp>

#include <variant>

namespace pliant {

inline constexpr double very_long = 100;  // [s]

template <class Exec>
using Preconditioner = std::variant<BlockJacobi, CoarseLevel<Exec>, Pyramid<Exec>>;

// A dense coarse level if bodies keep their shape, stay whole and are few enough; else a pyramid of levels if waves are
// fast; else the blocks alone. tau: of the usual step [s].
template <class Exec>
Preconditioner<Exec> choose_preconditioner(Exec& exec, Model const& model, CoarseUse use, RestOptions const& rest,
                                           double tau) {
    // On the way to a state of rest steps grow until inertia counts for nothing: only the pyramid follows.
    if (model.statics) return Pyramid<Exec>(exec, model, PyramidReach::of(model, CoarseUse::on, very_long, true));
    bool const keep_shape = !rest.updated() && !may_part(model);
    CoarseGrid grid(model, keep_shape ? use : CoarseUse::off, rest.radius, tau);
    if (grid.node_count() > 0) return CoarseLevel<Exec>(exec, model, std::move(grid));
    PyramidReach const reach = PyramidReach::of(model, use, tau, Pyramid<Exec>::worth_it(model));
    if (reach.cell > 0) return Pyramid<Exec>(exec, model, reach);
    return BlockJacobi{};
}

}  // namespace pliant
