// Which particles touch which surfaces: from the surface particles near a particle to a Touch.
//
// Surface particles meet surfaces; inner ones only what has got nearer to them than the contact distance, by their
// centres. A particle is on the surface where the weights of its bonds sum up to less than they would between the first
// and the second layer of a flat face; its outward normal is the way in which its neighbours are missing,
// -sum_j w_ij (x_j - x_i).
//
// Fast bodies: candidates are looked for at several times of the step, along the guessed motion, no farther apart than
// half a spacing of approach (64 times at most), and the first one that finds a touch decides on its normal and
// targets. The condition itself is on the end of the step, however long that is.
#pragma once

#include <pliant/contact/handle.hpp>
#include <pliant/contact/touch.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

inline constexpr double recovery = 20;  // contact distances a second at which an overlap comes out, at most [1/s]

// Surface particles in motion.
struct SurfaceMotion {
    Vec4d const* place;  // at the start of the step [m]
    Vec4 const* u;       // guessed displacement over the step [m]
    double dt = 0;       // the step [s]
    double time = 0;     // of the step, 0 ... 1

    PLIANT_HD Vec3d at(Index i) const { return (place[i] + time * widen(u[i])).xyz(); }
    PLIANT_HD Vec3d start(Index i) const { return place[i].xyz(); }
};

struct Surfaces {           // an entry a particle
    Vec4 const* normal;     // outward, or zero where there is none (sheets, rods, lone particles)
    float const* distance;  // half a spacing [m]
    std::uint32_t const* body;
    SurfaceMotion motion;

    // Beyond this two particles need not know of each other: as high above the surface as an approach within this look
    // can need, and as wide as the mean over the surface takes.
    static constexpr double widest_reach = 2.27;  // in spacings: sqrt(1.5^2 + 1.7^2)
    PLIANT_HD double reach_squared(Index i, Index j) const {
        double const high = 1.5 * (distance[i] + distance[j]), wide = 3.4 * distance[j];
        return high * high + wide * wide;
    }
};

// Outward normal of a surface particle from its bonds.
template <class Bonds>
struct SurfaceNormal {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Index const* surface;
    Vec4d const* place;
    float const* distance;
    Vec4* normal;

    struct Sums {  // nothing but doubles: lanes are joined
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
        // Half a spacing at a flat face. In a sheet or a rod it is rounding, and at its rim, where it points along the
        // sheet, it would tell those who lie upon it that they are beside it.
        bool const thin = determinant(moments.full()) < 1e-3 * third * third * third;
        bool const clear = !thin && size > 0.2 * weights * distance[i];
        normal[i] = clear ? Vec4::from(cast<float>(-(1 / size) * sum.xyz())) : Vec4::zero();
    }
};

// The surface particles of one body near a particle: the nearest few, in order of their distance and, where that is the
// same, of their number, however they come. Lanes that share a group (exec/lanes.hpp) have one of them each; on the
// host one has all.
inline constexpr Index most_targets = 16;
template <class Shared>
struct TouchGroup {
    static constexpr Index most = most_targets;
    static_assert(Shared::lanes == 1 || Shared::lanes == most);
    Index count = 0;
    Index particle[most] = {~Index{0}};
    double squared[most] = {1e300};  // distance [m2]

    // Those of this lane are particle[0] ... particle[own() - 1].
    PLIANT_HD Index own() const { return Shared::step() == 1 ? count : Shared::lane() < count ? 1 : 0; }
    PLIANT_HD Index nearest() const { return Shared::from(0, particle[0]); }
    PLIANT_HD double nearest_squared() const { return Shared::from(0, squared[0]); }

    // Takes what each lane has to offer, if anything. All lanes must come together.
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

    // Every lane farther than j takes what the lane before has, the first of them j.
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

// Normal, weights and gap of particle i against a group of targets. Returns false where they are of no concern.
template <class Shared>
struct MakeTouch {
    using Group = TouchGroup<Shared>;
    Surfaces surfaces;
    bool first_look;  // at the start of the step, where overlaps are real

    // `centers`: away from the centres of those that overlap with it, whatever the surface normals say. From among them
    // it comes out the slower the more they are all around it, and in the end not at all: no way is better then than
    // another, and which one it is would change from step to step.
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
        facing -= cast<double>(surfaces.normal[i].xyz());
        double const clear = norm(facing);
        Vec3d normal = clear > 0.2 ? facing / clear : Vec3d{};
        Vec3d beneath;  // y - x_i
        if (clear > 0.2) {
            beneath = center(i, group, normal, weight);
        } else {
            beneath = means.offset / means.total;
            for (Index k = 0; k < group.own(); ++k) weight[k] /= means.total;
        }
        double const size = norm(beneath), along = -dot(normal, beneath);
        if (clear <= 0.2 || (along > 0 && size > 0.3 * contact_distance)) {
            if (!(size > 0)) return false;
            normal = -1 / size * beneath;
        } else if (size * size - along * along > 0.25 * contact_distance * contact_distance) {
            return false;  // beneath the surface, but off to a side
        }
        return fill(i, group, normal, contact_distance, 1, weight, touch, start, targets);
    }

private:
    struct Means {  // nothing but doubles: lanes are joined
        double total = 0, contact_distance = 0;
        Vec3d facing, offset;
    };

    PLIANT_HD Means weigh(Index i, Group const& group, bool centers, double* weight) const {
        Vec3d const xi = surfaces.motion.at(i);
        Vec3f seed =
            surfaces.normal[group.nearest()].xyz() - surfaces.normal[i].xyz();  // what the nearest says of the normal
        float const seed_size = norm(seed);
        bool const seeded = !centers && seed_size > 0.2f;
        if (seeded) seed = seed / seed_size;
        Means means;
        for (Index k = 0; k < group.own(); ++k) {
            Index const j = group.particle[k];
            Vec3f const nj = surfaces.normal[j].xyz();
            double const D = double(surfaces.distance[i]) + surfaces.distance[j];
            double const s = 1 - group.squared[k] / (centers ? D * D : surfaces.reach_squared(i, j));
            // Targets that face elsewhere belong to another side of the body: a groove's far wall, the back of a sheet.
            float const alike = seeded && norm_squared(nj) > 0 ? std::max(0.f, dot(nj, seed)) : 1.f;
            double const w = s * s * alike * alike;
            weight[k] = w;
            means.total += w;
            Vec3d const offset = surfaces.motion.at(j) - xi;
            means.facing +=
                centers ? -w / std::sqrt(std::max(group.squared[k], 1e-300)) * offset : w * cast<double>(nj);
            means.offset += w * offset;
            means.contact_distance += w * D;
        }
        return Shared::template join<double>(means);
    }

    struct Spread {  // of targets across the normal; nothing but doubles
        Sym3d moments;
        Vec3d offset;
        double scale = 0;
    };
    struct Center {
        double sum = 0;
        Vec3d y;
    };

    // The point of the surface beneath particle i: weights that leave no offset across the normal, as far as the
    // targets lie around it (moving least squares; held back at edges). Returns y - x_i and normalises the weights.
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

    struct Apart {  // of the targets' means; nothing but doubles
        Vec3d start, then, w;
    };

    PLIANT_HD bool fill(Index i, Group const& group, Vec3d normal, double contact_distance, double one_sided,
                        double const* weight, Touch& touch, float& start, TouchTarget* targets) const {
        Apart apart;
        if (Shared::lane() == 0)
            apart = {surfaces.motion.start(i), surfaces.motion.at(i), cast<double>(surfaces.motion.u[i].xyz())};
        for (Index k = 0; k < group.own(); ++k) {
            Index const j = group.particle[k];
            apart.start -= weight[k] * surfaces.motion.start(j);
            apart.then -= weight[k] * surfaces.motion.at(j);
            apart.w -= weight[k] * cast<double>(surfaces.motion.u[j].xyz());
            targets[Shared::lane() + k] = {j, float(weight[k])};
        }
        apart = Shared::template join<double>(apart);
        // However the targets lie, a flat surface beneath i has one of them within a diagonal of its lattice, and none
        // nearer than the surface itself. Where the mean of the targets says otherwise, it has fallen into a hollow
        // between them, or beneath a surface that is strongly curved.
        double const nearest = group.nearest_squared(), d = 2 * surfaces.distance[group.nearest()];
        double const height = dot(normal, apart.then);
        double const low = std::sqrt(std::max(0., nearest - 0.5 * d * d)), high = std::sqrt(nearest);
        double const lifted = height > 0 ? std::clamp(height, low, high) - height : 0;
        double const gap = dot(normal, apart.start) + lifted - contact_distance;
        double const closing = dot(normal, apart.w);
        if (gap + closing > 0.5 * contact_distance) return false;
        // Later looks see what the guess leads to; only what was apart at the start and closes in is real.
        bool const real = first_look ? gap > -2 * contact_distance : gap > -0.1 * contact_distance && closing < 0;
        if (!real) return false;
        // An overlap comes out bit by bit: all at once would throw the bodies apart.
        double const comes_out = one_sided * std::min(-0.2 * gap, recovery * surfaces.motion.dt * contact_distance);
        double const stays = gap < 0 ? gap + comes_out : 0;
        touch = {};
        touch.particle = i;
        touch.count = group.count;
        touch.normal = cast<float>(normal);
        touch.gap = float(gap - stays);
        touch.distance = float(contact_distance);
        start = float(one_sided * gap);
        return true;
    }
};

}  // namespace pliant
