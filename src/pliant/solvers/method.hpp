// A method as the program runs it: what it says of itself (data/method.hpp), and how its solver is made on each
// machine. methods.cmake has the list; from a name there, `gauss` say, the build takes
//   solvers/gauss/method.hpp   struct GaussOptions : MethodOptions, with describe() and least_bytes(body)
//   solvers/gauss/solver.hpp   template <class Exec> class Gauss : public Solver, made of (Model, GaussOptions, int),
//                              the last being the number of threads of the CPU or that of the GPU
// and makes the solver for both machines.
#pragma once

#include <pliant/data/method.hpp>
#include <pliant/data/model.hpp>
#include <pliant/solvers/solver.hpp>

#include <memory>
#include <string>

namespace pliant {

struct Machine {
    int threads = 0;  // of the CPU; 0: all cores
    int gpu = -1;     // number of the GPU; -1: none
};

struct Method {
    MethodDescription description;
    using Make = std::unique_ptr<Solver> (*)(MethodOptions const&, Model, int where);
    Make on_cpu;
    Make on_gpu;  // null in a build without CUDA
};

std::vector<Method> const& methods();

// The solver of the method of that word; null options are its defaults.
std::unique_ptr<Solver> make_solver(std::string const& word, MethodOptions const* options, Model model, Machine on);

template <class Options>
std::unique_ptr<MethodOptions> default_options_of() {
    return std::make_unique<Options>();
}

// What a particle of a body takes of a GPU's memory at any rate, however little of it has been asked for so far
// [bytes]: here of methods with bonds. Measured on an H200 with a million particles on a lattice, at the usual radii.
// Bonds that follow the flow are written beside the old ones, with room to grow.
inline double least_bytes_of_solid(BodyModel const& body) { return flows(body) ? 5300 : 2500; }

}  // namespace pliant
