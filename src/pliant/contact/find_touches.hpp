// Which particles touch which surfaces: makes a Touch from the surface particles near a particle.
//
// Surface particles touch surfaces; inner particles touch only particles whose centres are nearer than the contact
// distance. A particle is on the surface if the weights of its bonds sum to less than halfway between the first and the
// second layer of a flat face; its outward normal points to where neighbours are missing, -sum_j w_ij (x_j - x_i).
//
// Fast bodies: candidates are searched at several times of the step, along the guessed motion, at intervals of at most
// half a spacing of approach (64 times at most), and the first time that finds a touch determines its normal and
// targets. The contact condition itself applies to the end of the step, however long the step is.
#pragma once

#include <pliant/contact/handle.hpp>
#include <pliant/contact/touch.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

inline constexpr double recovery = 20;  // fastest removal of an overlap, in contact distances per second [1/s]

// Surface particles in motion.
struct SurfaceMotion {
    Vec4d const* place;  // at the start of the step [m]
    Vec4 const* u;       // guessed displacement over the step [m]
    double dt = 0;       // the step [s]
    double time = 0;     // within the step, 0 ... 1

    PLIANT_HD Vec3d at(Index i) const { return (place[i] + time * widen(u[i])).xyz(); }
    PLIANT_HD Vec3d start(Index i) const { return place[i].xyz(); }
};

struct Surfaces {           // one entry per particle
    Vec4 const* normal;     // outward, or zero if undefined (sheets, rods, lone particles), and in w how flat it is
    float const* distance;  // half a spacing [m]
    std::uint32_t const* body;
    SurfaceMotion motion;
    Vec4 const* rest = nullptr;  // positions at rest [m], if bodies may come apart

    PLIANT_HD Vec3d at_rest(Index i) const { return rest != nullptr ? cast<double>(rest[i].xyz()) : Vec3d{}; }

    // Beyond this distance two particles can be ignored. `high` covers the approach until the next look, `wide` the
    // targets averaged over the surface.
    static constexpr double widest_reach = 2.27;  // in spacings: sqrt(1.5^2 + 1.7^2)
    PLIANT_HD double reach_squared(Index i, Index j) const {
        double const high = 1.5 * (distance[i] + distance[j]), wide = 3.4 * distance[j];
        return high * high + wide * wide;
    }
};

// Outward normal of a surface particle from its bonds, and how flat the surface is there: 1 on a face, 0.06 along the
// edge of a cubic lattice, whose normals lie between those of two faces.
template <class Bonds>
struct SurfaceNormal {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    double flat_weight;  // sum of the weights of a particle on a flat face
    Index const* surface;
    Vec4d const* place;
    float const* distance;
    Vec4* normal;

    struct Sums {  // only doubles, so that lanes can be joined
        Vec4d missing = Vec4d::zero();
        Sym3d moments;
        double weights = 0;
    };

    PLIANT_HD void operator()(Index s) const {
        Index const i = surface[s];
        Sums sums;
        for (Index k = bonds.lane(); k < bonds.count(i); k += bonds.step()) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            double const w = a[3];
            sums.missing += w * (place[bonds.neighbor(slot)] - place[i]);
            sums.weights += w;
            sums.moments += 1 / w * Sym3d::outer(cast<double>(a.xyz()));
        }
        auto const [sum, moments, weights] = Bonds::template join<double>(sums);
        double const size = std::sqrt(dot3(sum, sum)), third = trace(moments) / 3;
        // The mean offset is half a spacing at a flat face. In a sheet or a rod it is only rounding, except at the rim,
        // where it points along the sheet: particles lying on the sheet would then seem to be beside it.
        bool const thin = determinant(moments.full()) < 1e-3 * third * third * third;
        bool const clear = !thin && size > 0.2 * weights * distance[i];
        double const share = std::min(1., weights / flat_weight), fourth = share * share * share * share;
        Vec3f const n = cast<float>(-(1 / size) * sum.xyz());
        normal[i] = clear ? Vec4::of(n.x, n.y, n.z, float(fourth * fourth)) : Vec4::zero();
    }
};

// The few surface particles of one body that are nearest to a particle, sorted by distance and, for equal distances, by
// number, whatever order they are offered in. Lanes that share a group (exec/lanes.hpp) hold one each; on the host a
// single lane holds all.
inline constexpr Index most_targets = 16;
template <class Shared>
struct TouchGroup {
    static constexpr Index most = most_targets;
    static_assert(Shared::lanes == 1 || Shared::lanes == most);
    Index count = 0;
    Index particle[most] = {~Index{0}};
    double squared[most] = {1e300};  // distance [m2]

    // This lane holds particle[0] ... particle[own() - 1].
    PLIANT_HD Index own() const { return Shared::step() == 1 ? count : Shared::lane() < count ? 1 : 0; }
    PLIANT_HD Index nearest() const { return Shared::from(0, particle[0]); }
    PLIANT_HD double nearest_squared() const { return Shared::from(0, squared[0]); }

    // Inserts the particle that each lane offers, if any. All lanes must call this together.
    PLIANT_HD void offer(bool any, Index j, double r_squared) {
        if (Shared::step() == 1) {
            if (any) insert(j, r_squared);
            return;
        }
        unsigned const offers = Shared::which(any);
        for (Index lane = 0; lane < Shared::lanes; ++lane)
            if (offers >> lane & 1) shift_in(Shared::from(lane, j), Shared::from(lane, r_squared));
    }

private:
    PLIANT_HD static bool nearer(double a_squared, Index a, double b_squared, Index b) {
        return a_squared != b_squared ? a_squared < b_squared : a < b;
    }

    PLIANT_HD void insert(Index j, double r_squared) {
        Index place = count < most ? count++ : most;
        if (place == most && !nearer(r_squared, j, squared[place - 1], particle[place - 1])) return;
        if (place == most) --place;
        for (; place > 0 && nearer(r_squared, j, squared[place - 1], particle[place - 1]); --place) {
            squared[place] = squared[place - 1];
            particle[place] = particle[place - 1];
        }
        squared[place] = r_squared;
        particle[place] = j;
    }

    // Every lane whose particle is farther than j takes that of the previous lane; the first of them takes j.
    PLIANT_HD void shift_in(Index j, double r_squared) {
        Index const before = Shared::before(particle[0]);
        double const before_squared = Shared::before(squared[0]);
        bool const here = nearer(r_squared, j, squared[0], particle[0]);
        bool const sooner = Shared::lane() > 0 && nearer(r_squared, j, before_squared, before);
        if (here) {
            particle[0] = sooner ? before : j;
            squared[0] = sooner ? before_squared : r_squared;
        }
        if (count < most) ++count;
    }
};

// Normal, weights and gap of particle i against a group of targets. Returns false if there is no touch.
template <class Shared>
struct MakeTouch {
    using Group = TouchGroup<Shared>;
    Surfaces surfaces;
    bool first_look;  // at the start of the step, when overlaps are real

    // `centers`: pushes i away from the centres of the particles that overlap with it, ignoring surface normals. The
    // more they surround it on all sides, the slower it comes out, and finally not at all: no direction is better than
    // another then, and the choice would change from step to step.
    PLIANT_HD bool operator()(Index i, Group const& group, bool centers, Touch& touch, float& start,
                              TouchTarget* targets) const {
        double weight[Group::most];
        Means means = weigh(i, group, centers, weight);
        if (!(means.total > 0)) return false;
        double const contact_distance = means.contact_distance / means.total;
        Vec3d facing = means.facing / means.total;
        if (centers) {
            double const one_sided = norm(facing);
            for (Index k = 0; k < group.own(); ++k) weight[k] /= means.total;
            return one_sided > 0.2 &&
                   fill(i, group, facing / one_sided, contact_distance, one_sided, weight, touch, start, targets);
        }
        double const flatness = surfaces.normal[i][3];
        facing -= flatness * cast<double>(surfaces.normal[i].xyz());
        double const clear = 2 * norm(facing) / std::max(means.flatness / means.total + flatness, 1e-30);
        Vec3d normal = clear > 0.2 ? normalized(facing) : Vec3d{};
        Vec3d beneath;  // y - x_i
        if (clear > 0.2) {
            beneath = center(i, group, normal, weight);
        } else {
            beneath = means.offset / means.total;
            for (Index k = 0; k < group.own(); ++k) weight[k] /= means.total;
        }
        double const size = norm(beneath), along = -dot(normal, beneath);
        if (clear <= 0.2) {
            if (!(size > 0)) return false;
            normal = -1 / size * beneath;
        } else if (along > 0 && size > 0.3 * contact_distance) {
            normal = round_the_edge(normal, beneath, along, 0.7 * contact_distance);
        } else if (size * size - along * along > 0.25 * contact_distance * contact_distance) {
            return false;  // beneath the surface, but off to one side
        }
        return fill(i, group, normal, contact_distance, 1, weight, touch, start, targets);
    }

private:
    struct Means {  // only doubles, so that lanes can be joined
        double total = 0, contact_distance = 0, flatness = 0;
        Vec3d facing, offset;
    };

    // Beyond the edge of a surface the normal points away from the edge. `reach`: how far the surface goes on past the
    // particles at its edge, half a diagonal of their cells. (With half a contact distance or less, particles beneath
    // the front edge of a block lean by a few degrees, and a block of 1e8 Pa slides 3% too slowly.)
    PLIANT_HD static Vec3d round_the_edge(Vec3d normal, Vec3d beneath, double along, double reach) {
        Vec3d const aside = -1. * beneath - along * normal;
        double const far = norm(aside);
        return far > reach ? normalized(along * normal + (1 - reach / far) * aside) : normal;
    }

    PLIANT_HD Means weigh(Index i, Group const& group, bool centers, double* weight) const {
        Vec3d const xi = surfaces.motion.at(i);
        Vec3f seed =
            surfaces.normal[group.nearest()].xyz() - surfaces.normal[i].xyz();  // normal estimated from the nearest
        float const seed_size = norm(seed);
        bool const seeded = !centers && seed_size > 0.2f;
        if (seeded) seed = seed / seed_size;
        Means means;
        for (Index k = 0; k < group.own(); ++k) {
            Index const j = group.particle[k];
            Vec3f const nj = surfaces.normal[j].xyz();
            double const D = double(surfaces.distance[i]) + surfaces.distance[j];
            double const s = 1 - group.squared[k] / (centers ? D * D : surfaces.reach_squared(i, j));
            // Targets that face another way belong to another side of the body: a groove's far wall, the back of a
            // sheet.
            float const alike = seeded && norm_squared(nj) > 0 ? std::max(0.f, dot(nj, seed)) : 1.f;
            double const w = s * s * alike * alike;
            weight[k] = w;
            means.total += w;
            Vec3d const offset = surfaces.motion.at(j) - xi;
            double const flatness = surfaces.normal[j][3];
            means.facing +=
                centers ? -w / std::sqrt(std::max(group.squared[k], 1e-300)) * offset : w * flatness * cast<double>(nj);
            means.flatness += w * flatness;
            means.offset += w * offset;
            means.contact_distance += w * D;
        }
        return Shared::template join<double>(means);
    }

    struct Spread {  // of targets across the normal; only doubles
        Sym3d moments;
        Vec3d offset;
        double scale = 0;
    };
    struct Center {
        double sum = 0;
        Vec3d y;
    };

    // The point y of the surface beneath particle i: weights that leave no offset across the normal, as far as the
    // targets surround it (moving least squares, regularised at edges). Returns y - x_i and normalises the weights.
    PLIANT_HD Vec3d center(Index i, Group const& group, Vec3d normal, double* weight) const {
        Vec3d const xi = surfaces.motion.at(i);
        Spread spread;
        Vec3d q[Group::most], across[Group::most];
        for (Index k = 0; k < group.own(); ++k) {
            q[k] = surfaces.motion.at(group.particle[k]) - xi;
            across[k] = q[k] - dot(normal, q[k]) * normal;
            spread.moments += weight[k] * Sym3d::outer(across[k]);
            spread.offset += weight[k] * across[k];
            spread.scale += weight[k] * surfaces.distance[group.particle[k]] * surfaces.distance[group.particle[k]];
        }
        spread = Shared::template join<double>(spread);
        Vec3d const slope =
            inverse(spread.moments + 0.2 * Sym3d::scaled_identity(spread.scale) + spread.scale * Sym3d::outer(normal)) *
            spread.offset;
        double sum = 0;
        for (Index k = 0; k < group.own(); ++k) {
            weight[k] *= std::max(0., 1 - dot(slope, across[k]));
            sum += weight[k];
        }
        sum = Shared::template join<double>(sum);
        Vec3d y;
        for (Index k = 0; k < group.own(); ++k) {
            weight[k] /= sum;
            y += weight[k] * q[k];
        }
        return Shared::template join<double>(y);
    }

    // Writes the targets, with their levers; returns [r]x I^-1. Positions are those at the start of the step: with
    // x_{n+1} = x_n + dt v_{n+1} it is forces at x_n that change angular momentum. A long step may find i far away: r
    // is then cut, so that the targets need no large forces. Targets that lie almost on a line cannot take a couple
    // along it: I^-1 is I / (I^2 + (0.02 D^2)^2), within 0.2% of the inverse for a flat surface.
    PLIANT_HD Mat3f turning(Index i, Group const& group, double const* weight, Vec3d r, double contact_distance,
                            TouchTarget* targets) const {
        Vec3d const y = surfaces.motion.start(i) - r;
        Sym3d moments;
        for (Index k = 0; k < group.own(); ++k) {
            Index const j = group.particle[k];
            Vec3d const q = surfaces.motion.start(j) - y;
            targets[Shared::lane() + k] = {j, float(weight[k]), cast<float>(q)};
            moments += weight[k] * (Sym3d::scaled_identity(norm_squared(q)) + -1. * Sym3d::outer(q));
        }
        moments = Shared::template join<double>(moments);
        double const per_area = 1 / (contact_distance * contact_distance), size = norm(r);
        Mat3d const m = (per_area * moments).full();
        Mat3d const inverted = inverse(Sym3d::from(m * m) + Sym3d::scaled_identity(4e-4)).full() * m;
        Vec3d const arm = per_area * std::min(1., 2 * contact_distance / std::max(size, 1e-300)) * r;
        return cast<float>(Mat3d{{cross(arm, inverted[0]), cross(arm, inverted[1]), cross(arm, inverted[2])}});
    }

    struct Apart {  // of i and the mean of its targets; only doubles
        Vec3d start, then, w, rest;
    };

    // Particles on the two faces of a cut are nearer to each other than one spacing across them, unless the cut follows
    // a layer of the lattice. There the distance at rest counts: a cut through a body at rest makes no pressure.
    PLIANT_HD double distance_across(Index i, Group const& group, Apart const& apart, double height,
                                     double contact_distance) const {
        if (surfaces.rest == nullptr || surfaces.body[group.nearest()] != surfaces.body[i]) return contact_distance;
        double const at_rest = norm(apart.rest), now = norm(apart.start);
        if (!(at_rest < 1.5 * contact_distance) || !(now > 0)) return contact_distance;
        return std::clamp(height * at_rest / now, 0.1 * contact_distance, contact_distance);
    }

    PLIANT_HD bool fill(Index i, Group const& group, Vec3d normal, double contact_distance, double one_sided,
                        double const* weight, Touch& touch, float& start, TouchTarget* targets) const {
        Apart apart;
        if (Shared::lane() == 0)
            apart = {surfaces.motion.start(i), surfaces.motion.at(i), cast<double>(surfaces.motion.u[i].xyz()),
                     surfaces.at_rest(i)};
        for (Index k = 0; k < group.own(); ++k) {
            Index const j = group.particle[k];
            apart.start -= weight[k] * surfaces.motion.start(j);
            apart.then -= weight[k] * surfaces.motion.at(j);
            apart.w -= weight[k] * cast<double>(surfaces.motion.u[j].xyz());
            apart.rest -= weight[k] * surfaces.at_rest(j);
        }
        apart = Shared::template join<double>(apart);
        // A flat surface beneath i has a target within a lattice diagonal, and no target nearer than the surface
        // itself. If the height above the mean of the targets contradicts this, the mean lies in a hollow between them
        // or beneath a strongly curved surface.
        double const nearest = group.nearest_squared(), d = 2 * surfaces.distance[group.nearest()];
        double const height = dot(normal, apart.then);
        double const low = std::sqrt(std::max(0., nearest - 0.5 * d * d)), high = std::sqrt(nearest);
        double const lifted = height > 0 ? std::clamp(height, low, high) - height : 0;
        double const across = dot(normal, apart.start) + lifted;
        contact_distance = distance_across(i, group, apart, across, contact_distance);
        double const gap = across - contact_distance;
        double const closing = dot(normal, apart.w);
        if (gap + closing > 0.5 * contact_distance) return false;
        // Later looks show where the guess leads; only a touch that was open at the start and is closing is real.
        bool const real = first_look ? gap > -2 * contact_distance : gap > -0.1 * contact_distance && closing < 0;
        if (!real) return false;
        // An overlap is removed gradually: all at once would throw the bodies apart.
        double const comes_out = one_sided * std::min(-0.2 * gap, recovery * surfaces.motion.dt * contact_distance);
        double const stays = gap < 0 ? gap + comes_out : 0;
        touch = {};
        touch.turning = turning(i, group, weight, apart.start, contact_distance, targets);
        touch.particle = i;
        touch.count = group.count;
        touch.normal = cast<float>(normal);
        touch.gap = float(gap - stays);
        touch.distance = float(contact_distance);
        touch.severed = surfaces.rest != nullptr && surfaces.body[group.nearest()] == surfaces.body[i];
        start = float(one_sided * gap);
        return true;
    }
};

}  // namespace pliant
