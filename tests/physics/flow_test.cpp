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
    body.flow(1);
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
        body.flow(1);
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
    for (int k = 0; k < 10; ++k) body.flow(0.1);
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
    body.flow(1);
    body.rest().with_bonds([&](auto bonds) {
        for (Index i = 0; i < half; ++i)
            for (Index k = 0; k < bonds.count(i); ++k) EXPECT_LT(bonds.neighbor(bonds.slot(i, k)), half);
        return 0;
    });
}

// -f.z against the difference of energies along z, both ways, at places that `deformed` gives.
void expect_forces_of_the_energy(Operator& body, std::vector<Vec3d> const& deformed) {
    auto const put = [&](std::vector<Vec3f> const& z, double s) {
        Index i = 0;
        body.place([&](Vec3d) {
            Index const at = i++;
            return deformed[at] + s * cast<double>(z[at]);
        });
    };
    double const h = 1e-6;  // [m]: forces change by 1e-5 of themselves, energies of 1e-16 are lost
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto const z = random_vectors(body.size(), 70 + seed);
        put(z, h);
        double const ahead = body.energy();
        put(z, -h);
        double const behind = body.energy();
        put(z, 0);
        auto const force = body.linearize();
        double size = 0;
        for (Vec3f const& f : force) size += norm_squared(f);
        EXPECT_NEAR((ahead - behind) / (2 * h), -dot_all(force, z), 1e-3 * std::sqrt(size));  // forces are floats
    }
}

// Positions of a body whose particles are mixed up by more than a spacing.
std::vector<Vec3d> mixed_up(Operator const& body, double by) {
    std::vector<Vec3d> places;
    auto const moved = random_vectors(body.size(), 5);
    for (Index i = 0; i < body.size(); ++i) places.push_back(pull * body.model().rest[i] + by * cast<double>(moved[i]));
    return places;
}

TEST(BondsUnderFlow, ForcesAreTheDerivativeOfTheEnergyWhereParticlesAreTorn) {
    MaterialParameters clay = soft_clay();
    clay.yield_stress = 1e4;
    Operator body(shaken_cube(6, clay));
    std::vector<Vec3d> const places = mixed_up(body, 0.15);
    Index i = 0;
    body.place([&](Vec3d) { return places[i++]; });
    body.flow(1);
    Index torn_count = 0;
    for (Index k = 0; k < body.size(); ++k) torn_count += !body.rest().coefficients()[k].stressed();
    EXPECT_GT(torn_count, 0u);
    EXPECT_LT(torn_count, body.size() / 2);
    expect_forces_of_the_energy(body, places);
}

TEST(BondsUnderFlow, ForcesOfASheetAreTheDerivativeOfItsEnergyAfterItHasFlowed) {
    Model model = shaken_cube(1, soft_clay());
    model.rest.clear();
    for (int x = 0; x < 6; ++x)
        for (int z = 0; z < 6; ++z) model.rest.push_back({0.1 * x + 0.01 * (z % 2), 0, 0.1 * z + 0.01 * (x % 3)});
    model.velocity.resize(model.rest.size()), model.handles.resize(model.rest.size());
    model.bodies[0].range.end = Index(model.rest.size());
    Operator body(std::move(model));
    // Little enough that bonds are not refreshed, so that the flow stays in Fp: shear in the plane, and out of it.
    auto const sheared = [](Vec3d X) { return Vec3d{X.x + 0.03 * X.z, 0.02 * X.x, 1.02 * X.z}; };
    body.place(sheared);
    body.flow(1);
    std::vector<Vec3d> places;
    for (Vec3d const& X : body.model().rest)
        places.push_back(sheared(X) + Vec3d{0.03 * X.x, 0.01 * X.x * X.z, -0.02 * X.z});
    expect_forces_of_the_energy(body, places);
}

}  // namespace
}  // namespace pliant::test
