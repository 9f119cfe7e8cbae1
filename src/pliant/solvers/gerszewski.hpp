// Gerszewski et al. 2009: an explicit method without a rest shape (physics/gerszewski.hpp).
#pragma once

#include <pliant/solvers/solver.hpp>

#include <memory>

namespace pliant {

struct GerszewskiSettings {
    int neighbors = 30;     // nearest ones within the radius; 0: all
    double radius = 2;      // of the kernels, in spacings
    bool pressure = true;   // of SPH
    double viscosity = 0;   // of SPH, in units of density, sound speed and spacing
    bool additive = false;  // strain increments added up, in place of a composed F
};

std::unique_ptr<Solver> make_gerszewski(Model model, GerszewskiSettings const& settings, int threads);
std::unique_ptr<Solver> make_gerszewski_cuda(Model model, GerszewskiSettings const& settings, int device);

// A step that is stable [s], from the highest frequency that a lattice of particles can have (gerszewski_step.cpp).
double gerszewski_stable_dt(Model const& model, GerszewskiSettings const& settings);
double gerszewski_sound_speed(BodyModel const& body, GerszewskiSettings const& settings);  // [m/s]

}  // namespace pliant
