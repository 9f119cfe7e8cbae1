// How touches are found: a probe slides over a lattice as over a smooth wall; which particles may touch; fast bodies.
#include <contact/touch_bodies.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace pliant::test {
namespace {

class SlidingProbe : public testing::TestWithParam<double> {};  // spacing of the probe's body over that of the slab
INSTANTIATE_TEST_SUITE_P(Spacings, SlidingProbe, testing::Values(1., 0.5, 0.8, 1.7));
TEST_P(SlidingProbe, FeelsTheLatticeAsASmoothWall) {
    ProbeOverSlab slab(GetParam() * d);
    RandomMatrices random(31);
    double least = 1e300, most = -1e300, tilt = 0;
    for (int n = 0; n < 200; ++n) {
        // Anywhere over a middle piece of 4 x 4 cells, and along a row of particles, between rows and along a diagonal.
        Vec3d x{random.between(5.5, 9.5), 0, random.between(5.5, 9.5)};
        if (n % 4 == 1) x.z = 7;
        if (n % 4 == 2) x.z = 7.5;
        if (n % 4 == 3) x.z = x.x;
        FoundTouches const found = slab.found_at(d * x + Vec3d{0, slab.D, 0});
        ASSERT_EQ(found.count, 1);
        Touch const& t = found.touch[0];
        EXPECT_EQ(t.body, 0u);
        EXPECT_EQ(t.particle, slab.probe);
        EXPECT_NEAR(t.distance, slab.D, 1e-6 * slab.D);
        least = std::min(least, double(found.start[0]) / slab.D);
        most = std::max(most, double(found.start[0]) / slab.D);
        tilt = std::max(tilt, degrees_between(cast<double>(t.normal), {0, 1, 0}));
        double total = 0;
        for (Index k = 0; k < t.count; ++k) {
            total += double(found.targets[0][k].weight);
            EXPECT_GE(found.targets[0][k].weight, 0);
            EXPECT_NEAR(slab.at[found.targets[0][k].particle][1], 0, 1e-12);  // in the top layer
        }
        EXPECT_NEAR(total, 1, 1e-5);
    }
    RecordProperty("gap_varies_by", std::to_string(most - least));
    RecordProperty("tilt_degrees", std::to_string(tilt));
    EXPECT_LT(most - least, 0.02);
    EXPECT_NEAR(most, 0, 0.02);  // no gap at the contact distance
    EXPECT_LT(tilt, 2);
}

TEST(Probe, GapIsItsHeight) {
    ProbeOverSlab slab;
    for (double height : {0.6, 0.8, 0.95, 1.2, 1.45}) {  // in D; from 1.5 on the slab is ignored
        FoundTouches const found = slab.found_at({7.3 * d, height * d, 7.8 * d});
        ASSERT_EQ(found.count, 1) << height;
        EXPECT_NEAR(found.start[0], (height - 1) * d, 0.02 * d) << height;
        if (height > 1)
            EXPECT_EQ(found.touch[0].gap, found.start[0]);
        else  // the tolerated overlap is left out: a step removes no more than a fifth
            EXPECT_GE(double(found.touch[0].gap), 0.2 * double(found.start[0]) - 1e-7);
    }
    EXPECT_EQ(slab.found_at({7.3 * d, 1.6 * d, 7.8 * d}).count, 0);
}

TEST(Probe, BeyondAnEdgeIsTurnedAwayFromItAndThenLetGo) {
    ProbeOverSlab slab;
    double const edge = 15 * d;
    double last_tilt = 0;
    for (double beyond : {0., 0.25, 0.5, 0.75, 1.}) {  // in spacings, at a height of 0.9 D
        Vec3d const x{edge + beyond * d, 0.9 * d, 7.3 * d};
        FoundTouches const found = slab.found_at(x);
        if (found.count == 0) {
            EXPECT_GT(std::hypot(beyond, 0.9), 1.2);  // only when the spheres are well apart
            continue;
        }
        Vec3d const n = cast<double>(found.touch[0].normal);
        EXPECT_GE(n.x, -0.01);  // never back towards the slab
        EXPECT_GT(n.y, 0);
        EXPECT_NEAR(n.z, 0, 0.05);
        double const tilt = degrees_between(n, {0, 1, 0});
        EXPECT_GE(tilt, last_tilt - 1);
        last_tilt = tilt;
        // No nearer than to a flat face, no farther than to the nearest particle.
        EXPECT_LE(double(found.start[0]), std::hypot(beyond, 0.9, 0.3) * d - d + 1e-6);
        EXPECT_GE(double(found.start[0]), -0.1 * d - 0.02 * d);
    }
    EXPECT_GT(last_tilt, 15);  // far enough out, the probe slides off
    EXPECT_EQ(slab.found_at({edge + 1.6 * d, 0.5 * d, 7.3 * d}).count, 0);
}

TEST(Probe, AtAnInsideCornerTouchesBothBodies) {
    Bodies room;
    room.add(points_of({12, 4, 12, d, {0, -3 * d, 0}}), d);          // a floor with its top layer at y = 0
    room.add(points_of({4, 8, 12, d, {-4 * d, 0.97 * d, 0}}), d);    // a wall on it, last layer at x = -d
    Index const probe = room.add({{0.3 * d, d, 6.2 * d}}, d).begin;  // above the floor, beside the wall
    room.at[probe] = Vec4d::of(-0.02 * d, 0.98 * d, 6.2 * d, 0);
    room.bond();
    FoundTouches const found = room.around(probe);
    ASSERT_EQ(found.count, 2);
    for (int k = 0; k < 2; ++k) {
        Vec3d const expected = found.touch[k].body == 0 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
        // The probe lies at the wall's lower edge, whose normals are half-way between two faces.
        EXPECT_LT(degrees_between(cast<double>(found.touch[k].normal), expected), 45);
    }
}

// Two slabs of one body, three layers each, 6 d apart at rest; the upper one is moved down to meet the lower.
struct FacingSurfaces : Bodies {
    static constexpr int side = 10;
    Index upper = 0;

    explicit FacingSurfaces(double distance) {  // between the layers that face each other, in spacings
        auto points = points_of({side, 3, side, d, {0, -2 * d, 0}});
        upper = Index(points.size());
        for (Vec3d p : points_of({side, 3, side, d, {0.3 * d, 6 * d, 0.4 * d}})) points.push_back(p);
        add(points, d);
        bond();
        for (Index i = upper; i < at.size(); ++i) at[i] -= Vec4d::of(0, (6 - distance) * d, 0, 0);
        find_normals();
    }
};

TEST(OneBody, TouchesItselfWhereItsSurfacesFaceEachOther) {
    FacingSurfaces body(0.95);
    int inner = 0;
    for (Index i = 0; i < body.at.size(); ++i) {
        FoundTouches const found = body.around(i);
        bool const low = i < body.upper;
        Vec3d const x = (1 / d) * body.at[i].xyz();
        bool const facing = low ? x.y > -0.5 : x.y < 1.45;
        if (!facing) {
            ASSERT_EQ(found.count, 0);
            continue;
        }
        if (x.x < 3 || x.x > 6.5 || x.z < 3 || x.z > 6.5) continue;  // the rims
        ASSERT_EQ(found.count, 1);
        EXPECT_LT(degrees_between(cast<double>(found.touch[0].normal), {0, low ? -1. : 1., 0}), 2);
        EXPECT_NEAR(found.start[0], -0.05 * d, 0.02 * d);
        for (Index k = 0; k < found.touch[0].count; ++k)
            EXPECT_EQ(found.targets[0][k].particle < body.upper, !low);  // in the other half
        ++inner;
    }
    EXPECT_GT(inner, 2 * 3 * 3);
}

TEST(OneBody, DoesNotTouchItselfWhereNothingMeets) {
    FacingSurfaces body(2);
    for (Index i = 0; i < body.at.size(); ++i) ASSERT_EQ(body.around(i).count, 0);
}

TEST(OneBody, BondedParticlesNeverTouch) {
    for (double squeezed : {1., 0.6, 0.3}) {  // down to a third of its height: neighbours are much closer than D
        Bodies block;
        block.add(points_of({8, 8, 8, d, {}}), d);
        block.bond();
        for (Vec4d& x : block.at) x = Vec4d::of(x[0], squeezed * x[1], x[2], 0);
        block.find_normals();
        for (Index i = 0; i < block.at.size(); ++i) {
            FoundTouches const found = block.around(i);
            for (int t = 0; t < found.count; ++t)
                for (Index k = 0; k < found.touch[t].count; ++k)
                    ASSERT_FALSE(block.bonds().bonded(i, found.targets[t][k].particle));
            // Bonds reach two layers; the third layer is kept apart where it comes within D.
            if (3 * squeezed > 1) {
                ASSERT_EQ(found.count, 0) << "squeezed to " << squeezed;
            }
        }
    }
}

// Direction away from all centres nearer than d: the mean of the unit vectors from each, weighted by (1 - r^2 / d^2)^2.
Vec3d away_from_centers(Bodies const& bodies, Index i, std::uint32_t body, std::vector<Index>& near) {
    Vec3d sum;
    double total = 0;
    near.clear();
    for (Index j = 0; j < bodies.at.size(); ++j) {
        Vec3d const apart = bodies.at[i].xyz() - bodies.at[j].xyz();
        double const r = norm(apart), s = 1 - r * r / (d * d);
        if (bodies.body[j] != body || !(s > 0)) continue;
        sum += s * s / r * apart;
        total += s * s;
        near.push_back(j);
    }
    return sum / total;
}

TEST(InnerParticles, OfTwoInterpenetratingBodiesArePushedAwayFromAllOverlappingCentres) {
    Bodies bodies;
    bodies.add(points_of({8, 8, 8, d, {}}), d);
    Index const second = bodies.add(points_of({8, 8, 8, d, {0.2 * d, 2.6 * d, 0.3 * d}}), d).begin;
    bodies.bond();
    int inner = 0;
    for (Index i = second; i < bodies.at.size(); ++i) {
        if (bodies.on_surface[i] || bodies.at[i][1] > 6 * d) continue;
        FoundTouches const found = bodies.around(i);
        std::vector<Index> near;
        Vec3d const away = away_from_centers(bodies, i, 0, near);
        ASSERT_EQ(found.count, 1);
        ASSERT_EQ(found.touch[0].count, near.size());
        EXPECT_LT(degrees_between(cast<double>(found.touch[0].normal), away), 0.1);
        double nearest = 1e300;
        for (Index j : near) nearest = std::min(nearest, norm(bodies.at[i].xyz() - bodies.at[j].xyz()));
        // Between the nearest centre and the plane of a lattice with it at a corner, times how one-sided they lie.
        double const one_sided = norm(away), plane = std::sqrt(std::max(0., nearest * nearest - 0.5 * d * d));
        EXPECT_LE(found.start[0], one_sided * (nearest - d) + 1e-6);
        EXPECT_GE(found.start[0], one_sided * (plane - d) - 1e-6);
        ++inner;
    }
    EXPECT_GT(inner, 50);
}

TEST(InnerParticles, ArePushedTheSameWayWhenAnotherCentreBecomesTheNearest) {
    double most = 0, jump = 0, turn = 0;
    Vec3d before;
    for (int n = 0; n <= 100; ++n) {  // a body slides through another by one spacing, past centre after centre
        Bodies bodies;
        bodies.add(points_of({8, 8, 8, d, {}}), d);
        Range const second = bodies.add(points_of({8, 8, 8, d, {(0.01 * n + 0.3) * d, 2.6 * d, 0.2 * d}}), d);
        bodies.bond();
        Index const i = second.begin + 8 * 8 * 4 + 8 * 2 + 4;  // well inside both
        FoundTouches const found = bodies.around(i);
        std::vector<Index> near;
        double const one_sided = norm(away_from_centers(bodies, i, 0, near));
        if (one_sided < 0.2) {  // surrounded on all sides
            EXPECT_EQ(found.count, 0);
            before = {};
            continue;
        }
        ASSERT_EQ(found.count, 1);
        Vec3d const normal = cast<double>(found.touch[0].normal), push = double(-found.touch[0].gap) * normal;
        if (norm(before) > 0) jump = std::max(jump, norm(push - before));
        if (norm(before) > 0 && one_sided > 0.4) turn = std::max(turn, degrees_between(normal, before));
        most = std::max(most, norm(push));
        before = push;
    }
    EXPECT_GT(most, 0.01 * d);
    EXPECT_LT(jump, 0.1 * most);  // per hundredth of a spacing; with only the nearest centre up to twice `most`
    EXPECT_GT(turn, 0.1);
    EXPECT_LT(turn, 5);  // degrees; with only the nearest centre 90 at once
}

// The force that one search gives a probe over the slab, in N times tau^2; zero if nothing was found.
Vec3f force_on_probe(Vec3d from, Vec3f by) {
    ProbeOverSlab slab;
    slab.at[slab.probe] = Vec4d::from(from);
    slab.u[slab.probe] = Vec4::from(by);
    Model const model = slab.model();
    Particles<Cpu> const particles(slab.exec(), model);
    ParticleContact<Cpu> contact(slab.exec(), model, particles, radius);
    contact.find_surface(slab.bonds());
    contact.search(slab.bonds(), slab.at.data(), slab.u.data(), TimeScheme::euler(0.002));
    std::vector<Vec4> force(slab.at.size(), Vec4::zero());
    contact.add_forces(slab.u.data(), 1, force.data());
    Vec4 sum = Vec4::zero();
    for (Vec4 f : force) sum += f;
    EXPECT_LT(norm(sum.xyz()), 1e-5f * norm(force[slab.probe].xyz()) + 1e-12f);
    return force[slab.probe].xyz();
}

TEST(Search, FindsAProbeThatWouldPassThroughInOneStep) {
    for (double way : {1., 3., 8., 15.}) {  // from 2.5 d above to far below the slab, which is 5 d thick
        Vec3f const f = force_on_probe({7.3 * d, 2.5 * d, 7.6 * d}, {0, float(-way * d), 0});
        if (way < 1.5) {
            EXPECT_EQ(norm(f), 0);
            continue;
        }
        EXPECT_GT(f.y, 0) << way;
        EXPECT_LT(degrees_between(cast<double>(f), {0, 1, 0}), 5) << way;
    }
    // The same along a slanted path: the surface that the probe meets first turns it back.
    EXPECT_GT(force_on_probe({4.3 * d, 2.5 * d, 7.6 * d}, {float(5 * d), float(-9 * d), 0}).y, 0);
    // But not if the path leads past the slab.
    EXPECT_EQ(norm(force_on_probe({17.5 * d, 2.5 * d, 7.6 * d}, {0, float(-9 * d), 0})), 0);
}

TEST(Search, FindsTheSameInSeveralLooksAtOnceAsOneAfterAnother) {
    Bodies bodies;
    bodies.add(points_of({6, 3, 6, d, {}}), d);
    Index const second = bodies.add(points_of({5, 3, 5, 1.1 * d, {0.02, 4.3 * d, 0.01}}), 1.1 * d).begin;
    bodies.bond();
    for (Index i = second; i < bodies.u.size(); ++i)  // down by 2.5 spacings, while turning
        bodies.u[i] = Vec4::of(0, float(-2.5 * d - 0.3 * bodies.at[i][0]), float(0.4 * d), 0);
    int const all = 6;
    int touches = 0, late = 0;
    for (Index i = 0; i < bodies.at.size(); ++i) {
        FoundTouches const at_once = bodies.around(i, Looks{0, all, all});
        FoundTouches one_by_one;
        int look = 0;
        for (; look < all && one_by_one.count == 0; ++look) one_by_one = bodies.around(i, Looks{look, look + 1, all});
        ASSERT_EQ(at_once.count, one_by_one.count) << i;
        if (at_once.count == 0) continue;
        ++touches;
        if (look > 1) ++late;
        Touch const &a = at_once.touch[0], &b = one_by_one.touch[0];
        ASSERT_EQ(a.count, b.count);
        EXPECT_EQ(a.normal, b.normal);
        EXPECT_EQ(a.gap, b.gap);
        for (Index k = 0; k < a.count; ++k) {
            EXPECT_EQ(at_once.targets[0][k].particle, one_by_one.targets[0][k].particle);
            EXPECT_EQ(at_once.targets[0][k].weight, one_by_one.targets[0][k].weight);
        }
    }
    EXPECT_GT(touches, 20);
    EXPECT_GT(late, 10);  // many are not found by the first look
}

TEST(TouchGroup, HoldsTheNearestInOrderWhateverOrderTheyComeIn) {
    std::mt19937 engine(5);
    std::vector<std::pair<double, Index>> offered;
    for (Index j = 0; j < 60; ++j) offered.emplace_back(double(engine() % 12), j);  // many at equal distances
    auto const sorted = [&] {
        auto all = offered;
        std::sort(all.begin(), all.end());
        return all;
    }();
    for (int again = 0; again < 20; ++again) {
        std::shuffle(offered.begin(), offered.end(), engine);
        TouchGroup<Lanes<1>> group;
        for (auto [squared, j] : offered) group.offer(true, j, squared), group.offer(false, 99, 0);
        ASSERT_EQ(group.count, most_targets);
        EXPECT_EQ(group.nearest(), sorted[0].second);
        for (Index k = 0; k < group.own(); ++k) {
            ASSERT_EQ(group.particle[k], sorted[k].second);
            ASSERT_EQ(group.squared[k], sorted[k].first);
        }
    }
}

TEST(Search, BringsOldAndNewTouchesIntoOrder) {
    auto const touch = [](Index particle, std::uint32_t body) {
        FoundTouch found;
        found.touch.particle = particle, found.touch.body = body;
        return found;
    };
    std::vector<FoundTouch> const before{touch(2, 1), touch(5, 0), touch(5, 3), touch(9, 2)};
    // Ordered by particle, not by body; one of them came to nothing.
    std::vector<FoundTouch> const found{touch(0, 4), touch(5, 7), touch(5, 1), touch(7, 7), touch(5, 2), touch(9, 0)};
    std::vector<Index> const number{0, 1, 2, 4, 5};
    std::vector<FoundTouch> merged(9);
    MergeFound const merge{{before.data(), 4}, found.data(), number.data(), 5, merged.data()};
    for (Index c = 0; c < 9; ++c) merge(c);
    std::vector<std::pair<Index, std::uint32_t>> order;
    for (FoundTouch const& f : merged) order.emplace_back(f.touch.particle, f.touch.body);
    std::vector<std::pair<Index, std::uint32_t>> const expected{{0, 4}, {2, 1}, {5, 0}, {5, 1}, {5, 2},
                                                                {5, 3}, {5, 7}, {9, 0}, {9, 2}};
    EXPECT_EQ(order, expected);
}

TEST(Search, IsTheSameWithOneAndTwoThreads) {
    std::vector<Vec4> first;
    for (int threads : {1, 2}) {
        Cpu exec(threads);
        Bodies bodies;
        bodies.add(points_of({10, 4, 10, d, {}}), d);
        bodies.add(points_of({9, 4, 9, 1.1 * d, {0.02, 4.02 * d, 0.01}}), 1.1 * d);
        bodies.bond();
        Model const model = bodies.model();
        Particles<Cpu> const particles(exec, model);
        ParticleContact<Cpu> contact(exec, model, particles, radius);
        contact.find_surface(bodies.bonds());
        contact.search(bodies.bonds(), bodies.at.data(), bodies.u.data(), TimeScheme::euler(0.002));
        std::vector<Vec4> force(bodies.at.size(), Vec4::zero());
        contact.add_forces(bodies.u.data(), 1, force.data());
        if (first.empty()) first = force;
        for (std::size_t i = 0; i < force.size(); ++i)
            for (int k = 0; k < 3; ++k) ASSERT_EQ(force[i][k], first[i][k]);
    }
    double size = 0;
    for (Vec4 f : first) size += double(norm(f.xyz()));
    EXPECT_GT(size, 0);  // 4.02 - 3 < 1.05: they overlap
}

}  // namespace
}  // namespace pliant::test
