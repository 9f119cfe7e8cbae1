// Which particles touch which surfaces: from the surface particles near a particle to a Touch.
//
// Surface particles meet surfaces; inner ones only what has got nearer to them than the contact distance, centre to
// centre. A particle is on the surface where the weights of its bonds sum up to less than they would between the first
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
    Bonds bonds;
    Index const* surface;
    Vec4d const* place;
    float const* distance;
    Vec4* normal;

    PLIANT_HD void operator()(Index s) const {
        Index const i = surface[s];
        Vec4d sum = Vec4d::zero();
        Sym3d moments;
        double weights = 0;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            double const w = a[3];
            sum += w * (place[bonds.neighbor(slot)] - place[i]);
            weights += w;
            moments += 1 / w * Sym3d::outer(cast<double>(a.xyz()));
        }
        double const size = std::sqrt(dot3(sum, sum)), third = trace(moments) / 3;
        // Half a spacing at a flat face. In a sheet or a rod it is rounding, and at its rim, where it points along the
        // sheet, it would tell those who lie upon it that they are beside it.
        bool const thin = determinant(moments.full()) < 1e-3 * third * third * third;
        bool const clear = !thin && size > 0.2 * weights * distance[i];
        normal[i] = clear ? Vec4::from(cast<float>(-(1 / size) * sum.xyz())) : Vec4::zero();
    }
};

// The surface particles of one body near a particle: the nearest few.
struct TouchGroup {
    static constexpr Index most = 16;
    std::uint32_t body = 0;
    Index count = 0;
    Index particle[most];
    double squared[most];  // distance [m2]

    PLIANT_HD void add(Index j, double r_squared) {
        Index place = count < most ? count++ : most;
        if (place == most && r_squared >= squared[--place]) return;
        for (; place > 0 && squared[place - 1] > r_squared; --place) {
            squared[place] = squared[place - 1];
            particle[place] = particle[place - 1];
        }
        squared[place] = r_squared;
        particle[place] = j;
    }
};

// What is found around one particle: at most four bodies at once.
struct FoundTouches {
    static constexpr int most = 4;
    int count = 0;
    Touch touch[most];
    float start[most];  // true gap at w = 0 [m]
    TouchTarget targets[most][TouchGroup::most];
};

// Normal, weights and gap of particle i against a group of targets. Returns false where they are of no concern.
struct MakeTouch {
    Surfaces surfaces;
    bool first_look;  // at the start of the step, where overlaps are real

    // `centers`: along the line of centres, whatever the surface normals say.
    PLIANT_HD bool operator()(Index i, TouchGroup const& group, bool centers, Touch& touch, float& start,
                              TouchTarget* targets) const {
        Vec3d const xi = surfaces.motion.at(i);
        Vec3f const ni = surfaces.normal[i].xyz();
        Vec3f seed = surfaces.normal[group.particle[0]].xyz() - ni;  // what the nearest target says of the normal
        float const seed_size = norm(seed);
        bool const seeded = !centers && seed_size > 0.2f;
        if (seeded) seed = seed / seed_size;
        double total = 0, contact_distance = 0, weight[TouchGroup::most];
        Vec3d facing, mean;
        for (Index k = 0; k < group.count; ++k) {
            Index const j = group.particle[k];
            Vec3f const nj = surfaces.normal[j].xyz();
            double const s = 1 - group.squared[k] / surfaces.reach_squared(i, j);
            // Targets that face elsewhere belong to another side of the body: a groove's far wall, the back of a sheet.
            float const alike = seeded && norm_squared(nj) > 0 ? std::max(0.f, dot(nj, seed)) : 1.f;
            double const w = s * s * alike * alike;
            weight[k] = w;
            total += w;
            facing += w * cast<double>(nj);
            mean += w * (surfaces.motion.at(j) - xi);
            contact_distance += w * (double(surfaces.distance[i]) + surfaces.distance[j]);
        }
        if (!(total > 0)) return false;
        contact_distance /= total;
        facing = facing / total - cast<double>(ni);
        double const clear = centers ? 0 : norm(facing);
        Vec3d normal = clear > 0.2 ? facing / clear : Vec3d{};
        Vec3d beneath;  // y - x_i
        if (clear > 0.2) {
            beneath = center(i, group, normal, weight);
        } else {
            beneath = mean / total;
            for (Index k = 0; k < group.count; ++k) weight[k] /= total;
        }
        double const size = norm(beneath), along = -dot(normal, beneath);
        if (clear <= 0.2 || (along > 0 && size > 0.3 * contact_distance)) {
            if (!(size > 0)) return false;
            normal = -1 / size * beneath;
        } else if (size * size - along * along > 0.25 * contact_distance * contact_distance) {
            return false;  // beneath the surface, but off to a side
        }
        return fill(i, group, normal, contact_distance, weight, touch, start, targets);
    }

private:
    // The point of the surface beneath particle i: weights that leave no offset across the normal, as far as the
    // targets lie around it (moving least squares; held back at edges). Returns y - x_i and normalises the weights.
    PLIANT_HD Vec3d center(Index i, TouchGroup const& group, Vec3d normal, double* weight) const {
        Vec3d const xi = surfaces.motion.at(i);
        Sym3d moments;
        Vec3d offset;
        double total = 0, scale = 0;
        Vec3d q[TouchGroup::most], across[TouchGroup::most];
        for (Index k = 0; k < group.count; ++k) {
            q[k] = surfaces.motion.at(group.particle[k]) - xi;
            across[k] = q[k] - dot(normal, q[k]) * normal;
            moments += weight[k] * Sym3d::outer(across[k]);
            offset += weight[k] * across[k];
            total += weight[k];
            scale += weight[k] * surfaces.distance[group.particle[k]] * surfaces.distance[group.particle[k]];
        }
        Vec3d const slope =
            inverse(moments + 0.2 * Sym3d::scaled_identity(scale) + scale * Sym3d::outer(normal)) * offset;
        double sum = 0;
        for (Index k = 0; k < group.count; ++k) {
            weight[k] *= std::max(0., 1 - dot(slope, across[k]));
            sum += weight[k];
        }
        Vec3d y;
        for (Index k = 0; k < group.count; ++k) {
            weight[k] /= sum;
            y += weight[k] * q[k];
        }
        return y;
    }

    PLIANT_HD bool fill(Index i, TouchGroup const& group, Vec3d normal, double contact_distance, double const* weight,
                        Touch& touch, float& start, TouchTarget* targets) const {
        Vec3d apart = surfaces.motion.start(i), apart_then = surfaces.motion.at(i),
              w = cast<double>(surfaces.motion.u[i].xyz());
        for (Index k = 0; k < group.count; ++k) {
            Index const j = group.particle[k];
            apart -= weight[k] * surfaces.motion.start(j);
            apart_then -= weight[k] * surfaces.motion.at(j);
            w -= weight[k] * cast<double>(surfaces.motion.u[j].xyz());
            targets[k] = {j, float(weight[k])};
        }
        // However the targets lie, a flat surface beneath i has one of them within a diagonal of its lattice, and none
        // nearer than the surface itself. Where the mean of the targets says otherwise, it has fallen into a hollow
        // between them, or beneath a surface that is strongly curved.
        double const nearest = group.squared[0], d = 2 * surfaces.distance[group.particle[0]];
        double const height = dot(normal, apart_then);
        double const low = std::sqrt(std::max(0., nearest - 0.5 * d * d)), high = std::sqrt(nearest);
        double const lifted = height > 0 ? std::clamp(height, low, high) - height : 0;
        double const gap = dot(normal, apart) + lifted - contact_distance;
        double const closing = dot(normal, w);
        if (gap + closing > 0.5 * contact_distance) return false;
        // Later looks see what the guess leads to; only what was apart at the start and closes in is real.
        bool const real = first_look ? gap > -2 * contact_distance : gap > -0.1 * contact_distance && closing < 0;
        if (!real) return false;
        // An overlap comes out bit by bit: all at once would throw the bodies apart.
        double const comes_out = std::min(-0.2 * gap, recovery * surfaces.motion.dt * contact_distance);
        double const stays = gap < 0 ? gap + comes_out : 0;
        touch = {};
        touch.particle = i;
        touch.body = group.body;
        touch.count = group.count;
        touch.normal = cast<float>(normal);
        touch.gap = float(gap - stays);
        touch.distance = float(contact_distance);
        start = float(gap);
        return true;
    }
};

// Looks around one particle of those that take part for others that it may touch.
// Grid: a view with for_each_near(point, visit(k)) over the numbers of those that take part. Bonded particles do not
// touch; parts of one body only where their surfaces face each other. Inner particles come into it only where a surface
// has failed to hold: then they meet the nearest one of the other body, centre to centre.
template <class Grid, class Bonds>
struct LookAround {
    Grid grid;
    Bonds bonds;
    Index const* taking_part;
    std::uint8_t const* on_surface;  // a particle
    std::uint8_t const* welds;       // a body
    Surfaces surfaces;
    bool first_look;
    Grips grips{nullptr, nullptr};

    PLIANT_HD bool any(Index s) const {
        bool near = false;
        for_each_candidate(taking_part[s], [&](Index, double, bool) { near = true; });
        return near;
    }

    PLIANT_HD void find(Index s, FoundTouches& found) const {
        Index const i = taking_part[s];
        TouchGroup groups[FoundTouches::most], inner[FoundTouches::most];
        int count = 0;
        for_each_candidate(i, [&](Index j, double squared, bool surface_to_surface) {
            int g = 0;
            while (g < count && groups[g].body != surfaces.body[j]) ++g;
            if (g == FoundTouches::most) return;
            if (g == count) inner[count].body = groups[count].body = surfaces.body[j], ++count;
            if (surface_to_surface) groups[g].add(j, squared);
            double const D = double(surfaces.distance[i]) + surfaces.distance[j];
            if (squared < D * D && (inner[g].count == 0 || squared < inner[g].squared[0])) {
                inner[g].count = 0;
                inner[g].add(j, squared);
            }
        });
        found.count = 0;
        MakeTouch const make{surfaces, first_look};
        auto const add = [&](TouchGroup const& group, bool centers) {
            if (group.count == 0) return false;
            int const c = found.count;
            bool const made = make(i, group, centers, found.touch[c], found.start[c], found.targets[c]);
            if (made) ++found.count;
            return made;
        };
        for (int g = 0; g < count; ++g)
            if (!add(groups[g], false)) add(inner[g], true);
    }

private:
    template <class Visit>
    PLIANT_HD void for_each_candidate(Index i, Visit const& visit) const {
        Vec3d const xi = surfaces.motion.at(i);
        auto const look = [&](Index k) {
            Index const j = taking_part[k];
            bool const other = surfaces.body[i] != surfaces.body[j];
            if (!other && (j == i || !on_surface[j])) return;
            if (held(i) && held(j)) return;  // no force could move them apart, and it would grow without bound
            Vec3d const q = surfaces.motion.at(j) - xi;
            double const squared = norm_squared(q), D = double(surfaces.distance[i]) + surfaces.distance[j];
            bool const surfaces_meet = on_surface[i] && on_surface[j] && squared < surfaces.reach_squared(i, j) &&
                                       (other || face(i, j, cast<float>(q)));
            if ((surfaces_meet || squared < D * D) && !together(i, j)) visit(j, squared, surfaces_meet);
        };
        if (on_surface[i])
            grid.for_each_near(xi, look);
        else
            grid.for_each_near_but(surfaces.body[i], xi, look);
    }

    // Matter that has welded is one: two particles with a common neighbour belong to the same piece of it.
    PLIANT_HD bool together(Index i, Index j) const {
        if (bonds.bonded(i, j)) return true;
        return welds[surfaces.body[i]] && welds[surfaces.body[j]] && bonds.share_neighbor(i, j);
    }

    PLIANT_HD bool held(Index i) const { return grips.group != nullptr && grips[i].held; }

    PLIANT_HD bool face(Index i, Index j, Vec3f q) const {
        Vec3f const ni = surfaces.normal[i].xyz(), nj = surfaces.normal[j].xyz();
        return dot(ni, nj) <= 0 && dot(ni, q) >= 0 && dot(nj, q) <= 0;
    }
};

}  // namespace pliant
