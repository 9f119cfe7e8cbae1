// The stress that is measured of particles on a surface, whose neighbours all lie on one side.
#include <pliant/exec/cpu.hpp>
#include <pliant/state/bonded_particles.hpp>

#include <gtest/gtest.h>
#include <solvers/shaken_cube.hpp>

namespace pliant::test {
namespace {

// Pure bending about z: u = k (x y, -(x^2 + nu (y^2 - z^2)) / 2, -nu y z), whose only stress is E k y along x.
TEST(MeasuredStress, OfABentCubeIsRightInItsOutermostLayers) {
    Model const model = shaken_cube(8);
    MaterialParameters const& material = model.bodies[0].parameters;
    BondedParticles<Cpu> solid(model, RestOptions{}, 2);
    Vec3d middle;
    for (Vec3d const& X : model.rest) middle += 1 / double(model.rest.size()) * X;
    double const k = 2e-3, nu = material.poisson;  // [1/m]; strains of 7e-4: rotations change stresses by less
    for (Index i = 0; i < solid.particles.owned_count(); ++i) {
        Vec3d const p = model.rest[i] - middle;
        Vec3d const u{p.x * p.y, -0.5 * (p.x * p.x + nu * (p.y * p.y - p.z * p.z)), -nu * p.y * p.z};
        solid.particles.x[i] = Vec4d::from(model.rest[i] + k * u);
    }
    solid.measure_stresses(true);
    double highest = 0, worst = 0, worst_fitted = 0;
    for (Index i = 0; i < solid.particles.owned_count(); ++i)
        highest = std::max(highest, std::abs(model.rest[i].y - middle.y));
    for (Index i = 0; i < solid.particles.owned_count(); ++i) {
        double const expected = std::abs(model.rest[i].y - middle.y) / highest;
        auto const off = [&](float stress) { return std::abs(stress / (material.young * k * highest) - expected); };
        worst = std::max(worst, off(solid.von_mises[i]));
        std::visit(
            [&](auto const& solid_law) {
                Vec3f const s = svd3(solid.F[i]).s;
                worst_fitted = std::max(worst_fitted, off(von_mises(solid_law.elasticity.principal_stress(s))));
            },
            model.bodies[0].material);
    }
    std::printf("  worst error %.4f of the largest stress; by the fitted gradient %.4f\n", worst, worst_fitted);
    EXPECT_LT(worst, 0.05);
    EXPECT_GT(worst_fitted, 0.1);  // what makes the recovery necessary
}

}  // namespace
}  // namespace pliant::test
