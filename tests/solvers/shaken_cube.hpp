// A small irregular body, for tests of stages and solvers.
#pragma once

#include <pliant/solvers/solver.hpp>

#include <array>
#include <random>
#include <vector>

namespace pliant::test {

// A lattice of particles, each displaced at random by up to `by` along every axis.
inline Model shaken_box(std::array<int, 3> count, double by, MaterialParameters parameters = {}) {
    Model model;
    double const spacing = 0.1;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shake(-by, by);
    for (int x = 0; x < count[0]; ++x)
        for (int y = 0; y < count[1]; ++y)
            for (int z = 0; z < count[2]; ++z) {
                model.rest.push_back(
                    {x * spacing + shake(random), y * spacing + shake(random), z * spacing + shake(random)});
                model.velocity.push_back({});
                model.handles.push_back(0);
            }
    double const volume = spacing * spacing * spacing;
    model.bodies.push_back({{0, Index(model.rest.size())},
                            make_material(parameters),
                            parameters,
                            spacing,
                            volume,
                            parameters.density * volume});
    return model;
}

// A lattice of side^3 particles, each displaced by a tenth of the spacing: no symmetry hides an error.
inline Model shaken_cube(int side, MaterialParameters parameters = {}) {
    return shaken_box({side, side, side}, 0.01, parameters);
}

// A cube of 6^3 particles with a row of six standing on it, and one above that which no bond reaches: poor
// neighbourhoods and a loose part.
inline Model cube_with_leg() {
    Model model = shaken_cube(6);
    for (int k = 1; k <= 6; ++k) model.rest.push_back({0.21 + 0.01 * (k % 2), 0.5 + 0.1 * k, 0.2 + 0.01 * (k % 3)});
    model.rest.push_back({0.2, 1.4, 0.2});  // three spacings above the row
    model.velocity.resize(model.rest.size()), model.handles.resize(model.rest.size());
    model.bodies[0].range.end = Index(model.rest.size());
    return model;
}

inline std::vector<Vec3f> random_vectors(Index n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<Vec3f> v(n);
    for (Vec3f& a : v) a = {normal(random), normal(random), normal(random)};
    return v;
}

// A step without colliders and handles.
inline StepInput free_step(double dt) {
    static std::vector<Collider> const no_colliders;
    static std::vector<Grip> const no_grips(1);
    return {dt, &no_colliders, &no_colliders, &no_grips};
}

// Linear and angular momentum of all particles, per mass of one.
struct Momenta {
    Vec3d linear, angular;
};
inline Momenta momenta_of(Solver& solver) {
    ParticleReadout now;
    solver.measure().particles(now);
    Momenta sum;
    for (std::size_t i = 0; i < now.position.size(); ++i) {
        sum.linear += cast<double>(now.velocity[i]);
        sum.angular += cross(now.position[i], cast<double>(now.velocity[i]));
    }
    return sum;
}

}  // namespace pliant::test
