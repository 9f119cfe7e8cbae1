// Bonds under plastic flow: what a refresh may change and what it may not.
#include <gtest/gtest.h>
#include <solvers/particle_cloud.hpp>

namespace pliant::test {
namespace {

MaterialParameters soft_clay() {
    MaterialParameters p;
    p.plasticity = "flow";
    p.yield_stress = 0;  // all deviatoric strain flows
    p.flow_rate = 1e6;   // at once
    return p;
}

Mat3d const pull = Mat3d::diagonal({1.15, 1 / std::sqrt(1.15), 1 / std::sqrt(1.15)});  // keeps volume

TEST(BondsUnderFlow, AUniformFlowLeavesNoStressBehind) {
    Operator body(shaken_cube(6, soft_clay()));
    body.place([](Vec3d X) { return pull * X; });
    EXPECT_GT(body.energy(), 1);  // [J]: 15% strain of 1e5 Pa in 0.216 m3
    body.rest().flow(1, body.places());
    EXPECT_LT(body.energy(), 1e-6);
    for (Vec3f const& f : body.linearize()) EXPECT_LT(norm(f), 0.01f);  // 150 N when strained
}

TEST(BondsUnderFlow, BondsComeAndGoWhenMatterFlowsFar) {
    Operator body(shaken_cube(8, soft_clay()));
    std::uint64_t const before = body.rest().bond_count();
    Mat3d F = Mat3d::identity();
    for (int k = 0; k < 8; ++k) {  // to three times the length
        F = pull * F;
        body.place([&](Vec3d X) { return F * X; });
        body.rest().flow(1, body.places());
    }
    EXPECT_LT(body.energy(), 1e-5);
    auto const bonds = body.rest().with_bonds([](auto view) {
        return BondView{view.row, view.neighbors, view.offsets, {}, {}};
    });
    double longest = 0;
    for (Index i = 0; i < body.size(); ++i)
        for (Index k = 0; k < bonds.count(i); ++k) {
            Vec4 const a = bonds.weighted_offset(bonds.slot(i, k));
            longest = std::max(longest, double(norm(a.xyz()) / a[3]));
        }
    EXPECT_LT(longest, 0.25);                         // the kernel radius: stretched bonds have been dropped
    EXPECT_GT(body.rest().bond_count(), before / 2);  // and new ones added: without them a fifth would be left
}

TEST(BondsUnderFlow, ElasticMatterNeverRebuildsABond) {
    Operator body(shaken_cube(6));
    auto const offsets = [&] { return body.rest().with_bonds([](auto view) { return view.offsets; }); };
    Vec4 const* const before = offsets();
    body.place([](Vec3d X) { return pull * X; });
    for (int k = 0; k < 10; ++k) body.rest().flow(0.1, body.places());
    EXPECT_EQ(offsets(), before);
}

TEST(BondsUnderFlow, PartsThatMerelyTouchDoNotWeld) {
    // Two cubes of one body, with a gap of four spacings at rest, are put side by side while they flow.
    Model model = shaken_cube(5, soft_clay());
    std::size_t const half = model.rest.size();
    for (std::size_t i = 0; i < half; ++i) {
        model.rest.push_back(model.rest[i] + Vec3d{0.9, 0, 0});
        model.velocity.push_back({});
        model.handles.push_back(0);
    }
    model.bodies[0].range.end = Index(model.rest.size());
    Operator body(std::move(model));
    body.place([](Vec3d X) { return pull * (X.x > 0.7 ? X - Vec3d{0.4, 0, 0} : X); });
    body.rest().flow(1, body.places());
    body.rest().with_bonds([&](auto bonds) {
        for (Index i = 0; i < half; ++i)
            for (Index k = 0; k < bonds.count(i); ++k) EXPECT_LT(bonds.neighbor(bonds.slot(i, k)), half);
        return 0;
    });
}

}  // namespace
}  // namespace pliant::test
