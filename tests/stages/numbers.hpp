// The contents of buffers, number by number: visit.real(quantity, value) for values that may differ by rounding, and
// visit.exact(value) for values that may not differ. Values of one quantity are compared relative to the largest of
// them. Padding, and entries that are never read, are left out.
#pragma once

#include <pliant/contact/search_stages.hpp>
#include <pliant/contact/touch_stages.hpp>
#include <pliant/neighbors/box_grid.hpp>
#include <pliant/neighbors/cut_stages.hpp>
#include <pliant/neighbors/present_grid.hpp>
#include <pliant/physics/body_rest.hpp>
#include <pliant/physics/coarse.hpp>
#include <pliant/physics/contact_rounds.hpp>
#include <pliant/physics/fluid.hpp>
#include <pliant/physics/gerszewski.hpp>
#include <pliant/physics/gerszewski_forces.hpp>
#include <pliant/physics/held_vibration.hpp>
#include <pliant/physics/measures.hpp>
#include <pliant/physics/pyramid.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/physics/xpbd_step.hpp>
#include <pliant/state/pair_forces.hpp>

#include <type_traits>

namespace pliant::test {

template <class T, class Visit>
requires std::is_arithmetic_v<T>
void each_number(T value, Visit& visit) {
    if constexpr (std::is_floating_point_v<T>)
        visit.real(0, double(value));
    else
        visit.exact(std::uint64_t(value));
}

// Types that consist of numbers of one kind and one quantity.
template <class T>
inline constexpr bool all_float = false;
template <class T>
inline constexpr bool all_double = false;
template <>
inline constexpr bool all_float<Vec4> = true;
template <>
inline constexpr bool all_float<Mat3f> = true;
template <>
inline constexpr bool all_float<Sym3f> = true;
template <>
inline constexpr bool all_float<PointMoments> = true;
template <>
inline constexpr bool all_float<SymmetricStiffness> = true;
template <>
inline constexpr bool all_float<FibreStiffness> = true;
template <>
inline constexpr bool all_float<Fibre> = true;
template <>
inline constexpr bool all_float<CoarseBlock> = true;
template <>
inline constexpr bool all_float<VectorSum> = true;
template <>
inline constexpr bool all_double<Vec3d> = true;
template <>
inline constexpr bool all_double<Vec4d> = true;
template <>
inline constexpr bool all_double<Mat3d> = true;
template <>
inline constexpr bool all_double<DeformationBefore> = true;
template <>
inline constexpr bool all_double<MatrixSum> = true;

template <class T, class Visit>
requires(all_float<T> || all_double<T>) void each_number(T const& value, Visit& visit) {
    using Number = std::conditional_t<all_float<T>, float, double>;
    auto const* numbers = reinterpret_cast<Number const*>(&value);
    for (std::size_t k = 0; k < sizeof(T) / sizeof(Number); ++k) visit.real(0, double(numbers[k]));
}

template <class Visit>
void each_real(Vec3f v, int quantity, Visit& visit) {
    for (int k = 0; k < 3; ++k) visit.real(quantity, double(v[k]));
}
template <class Visit>
void each_real(Vec3d v, int quantity, Visit& visit) {
    for (int k = 0; k < 3; ++k) visit.real(quantity, v[k]);
}

template <class Visit>
void each_number(ThreeColumns const& m, Visit& visit) {  // padded on the CPU
    for (Vec4 const& column : m.c)
        for (int k = 0; k < 4; ++k) visit.real(0, double(column[k]));
}
template <class Visit>
void each_number(PackedColumns const& m, Visit& visit) {
    each_number(m.columns(), visit);
}
template <class Visit>
void each_number(Half4 const& value, Visit& visit) {
    Vec4 const v = to_float(value);
    for (int k = 0; k < 4; ++k) visit.real(k / 3, double(v[k]));
}
template <class Visit>
void each_number(ElasticCoefficients const& e, Visit& visit) {
    visit.real(0, double(e.mu2)), visit.real(0, double(e.lambda)), visit.real(1, double(e.zero_energy));
}
template <class Visit>
void each_number(Constraint const& c, Visit& visit) {
    visit.exact(std::uint64_t(c.kind)), visit.real(1, double(c.drag));
    if (c.kind == Constraint::plane || c.kind == Constraint::line) each_real(c.axis, 0, visit);
}
template <class Visit>
void each_number(ImpulsesOnColliders const& all, Visit& visit) {
    visit.exact(std::uint64_t(all.count));
    for (int k = 0; k < all.count; ++k) {
        visit.exact(std::uint64_t(all.collider[k]));
        each_real(all.impulse[k], 0, visit);
    }
}
template <class Visit>
void each_number(CutBetween const& c, Visit& visit) {
    for (double size : {c.outline.half_width, c.outline.half_height, c.outline.radius}) visit.real(0, size);
}
template <class Visit>
void each_number(Contact const& c, Visit& visit) {
    visit.exact(std::uint64_t(c.count)), visit.exact(c.stick);
    for (int k = 0; k < c.count; ++k) {
        visit.exact(std::uint64_t(c.collider[k]));
        each_real(c.normal[k], 0, visit), visit.real(1, double(c.target[k]));
    }
    each_real(c.carried, 2, visit), visit.real(3, double(c.drag)), visit.real(4, double(c.reaction));
}
template <class Visit>
void each_number(Touch const& t, Visit& visit) {
    for (Index k : {t.particle, t.body, t.first, t.count}) visit.exact(k);
    visit.exact(t.active), visit.exact(t.severed);
    each_real(t.normal, 0, visit), each_real(t.stretch, 1, visit);
    for (int k = 0; k < 3; ++k) each_real(t.turning[k], 5, visit);
    visit.real(1, double(t.gap)), visit.real(1, double(t.distance));
    visit.real(2, double(t.stiffness)), visit.real(2, double(t.grip)), visit.real(3, double(t.friction));
    visit.real(4, double(t.push));
}
template <class Visit>
void each_number(TouchPull const& pull, Visit& visit) {
    each_real(pull.force.xyz(), 0, visit), each_real(pull.couple.xyz(), 1, visit);
}
template <class Visit>
void each_number(TouchImpulse const& t, Visit& visit) {
    visit.exact(t.on), visit.exact(t.by);
    each_real(t.impulse, 0, visit), each_real(t.moment_on, 1, visit), each_real(t.moment_by, 1, visit);
}
template <class Visit>
void each_number(MotionSums const& s, Visit& visit) {
    visit.real(0, s.mass);
    each_real(s.place, 1, visit), each_real(s.momentum, 2, visit), each_real(s.turning, 3, visit);
    for (double const second : {s.second.xx, s.second.yy, s.second.zz, s.second.xy, s.second.yz, s.second.xz})
        visit.real(4, second);
}
template <class Visit>
void each_number(FastestMotion const& m, Visit& visit) {
    visit.real(0, m.speed_squared), visit.real(1, m.change_squared);
}
template <class Visit>
void each_number(JoinedEnergies const& e, Visit& visit) {
    visit.real(0, e.kinetic), visit.real(1, e.elastic);
}
template <class Visit>
void each_number(SweepState const& s, Visit& visit) {
    visit.real(0, s.first), visit.exact(s.diverges ? 1u : 0u);
}
template <class Visit>
void each_number(RigidMotion const& m, Visit& visit) {
    each_real(m.center, 0, visit), each_real(m.velocity, 1, visit), each_real(m.spin, 2, visit);
}
template <class Visit>
void each_number(FoundTouch const& t, Visit& visit) {
    each_number(t.touch, visit);
    visit.real(1, double(t.start)), visit.real(4, double(t.last_force)), visit.exact(t.known);
}
template <class Visit>
void each_number(TouchTarget const& t, Visit& visit) {
    visit.exact(t.particle), visit.real(0, double(t.weight)), each_real(t.lever, 1, visit);
}
template <class Visit>
void each_number(TouchLink const& t, Visit& visit) {
    visit.exact(t.touch), visit.real(0, double(t.weight)), each_real(t.lever, 1, visit);
}
template <class Visit>
void each_number(TouchMemory const& t, Visit& visit) {
    visit.exact(t.particle), visit.exact(t.body);
    visit.real(0, double(t.force)), visit.real(0, double(t.last_force)), each_real(t.held, 0, visit),
        visit.real(0, double(t.spare));
}
template <class Visit>
void each_number(NearPair const& p, Visit& visit) {
    visit.exact(p.number), visit.exact(p.target), visit.exact(p.body);
}
template <class Visit>
void each_number(BodySweep const& s, Visit& visit) {
    each_real(s.low, 0, visit), each_real(s.high, 0, visit), each_real(s.u_low, 1, visit),
        each_real(s.u_high, 1, visit);
}
template <class Visit>
void each_number(CgScalars const& s, Visit& visit) {
    visit.real(0, s.rz), visit.real(1, s.rr), visit.real(2, s.pq), visit.real(3, s.alpha), visit.real(4, s.beta);
    for (double const took : s.took) visit.real(5, took);
    visit.exact(std::uint64_t(s.iterations)), visit.exact(std::uint64_t(s.state));
}
template <class Visit>
void each_number(RoundScalars const& s, Visit& visit) {
    each_number(s.cg, visit);
    visit.real(6, s.residual), visit.real(7, s.acting), visit.real(8, s.limit), visit.real(9, double(s.none));
    visit.real(8, s.coarse_limit), visit.exact(s.ahead != 0 ? 1u : 0u);
    visit.exact(std::uint64_t(s.round)), visit.exact(std::uint64_t(s.iterations));
    for (bool const flag : {s.coarse, s.settled, s.checked, s.moved, s.stray, s.changed, s.paused})
        visit.exact(flag ? 1u : 0u);
}
template <class Visit>
void each_number(Hats const& h, Visit& visit) {
    for (int k = 0; k < 8; ++k) visit.exact(h.node[k]), visit.real(0, double(h.weight[k]));
}
template <class Visit>
void each_number(HatEntry const& h, Visit& visit) {
    visit.exact(h.particle), visit.real(0, double(h.weight));
}
template <class Visit>
void each_number(WithinCell const& w, Visit& visit) {
    for (int axis = 0; axis < 3; ++axis) visit.real(0, double(w.bits >> 9 * axis & 511));
}
template <class Visit>
void each_number(CellMatter const& m, Visit& visit) {
    visit.real(0, double(m.mass)), visit.real(1, double(m.mu)), visit.real(1, double(m.lambda_mu));
}
template <class Visit>
void each_number(Box const& b, Visit& visit) {
    each_real(b.low, 0, visit), each_real(b.high, 0, visit), visit.exact(b.finite);
}
template <class Visit>
void each_number(GridPoint const& p, Visit& visit) {
    each_real(p.at, 0, visit), visit.exact(p.index), visit.exact(p.label);
}

template <class Visit>
void each_number(PointState const& s, Visit& visit) {
    for (int k = 0; k < 12; ++k) visit.real(k / 6, double(s.pull[k]));
    visit.real(2, double(s.pressure)), each_real(s.x, 3, visit), each_real(s.v, 4, visit);
}

template <class Visit>
void each_number(WallPlanes const& w, Visit& visit) {
    visit.exact(std::uint64_t(w.found));
    for (int k = 0; k < w.count(); ++k) {
        visit.exact(std::uint64_t(w.collider[k])), visit.real(0, double(w.weight(k)));
        each_real(w.plane[k].xyz(), 0, visit), visit.real(1, double(w.plane[k][3]));
    }
}
template <class Visit>
void each_number(WallForces const& w, Visit& visit) {
    for (Vec3f const& force : w.force) each_real(force, 0, visit);
}
template <class Visit>
void each_number(std::array<double, 2> const& two, Visit& visit) {
    visit.real(0, two[0]), visit.real(1, two[1]);
}

// Data that no stage writes: uploaded, and read.
template <class Visit>
void each_number(FluidConstants const&, Visit&) {}
template <class Visit>
void each_number(Collider const&, Visit&) {}
template <class Visit>
void each_number(Grip const&, Visit&) {}
template <class Visit>
void each_number(TouchBody const&, Visit&) {}
template <class Visit>
void each_number(BodyContact const&, Visit&) {}
template <class Visit>
void each_number(PointConstants const&, Visit&) {}

}  // namespace pliant::test
