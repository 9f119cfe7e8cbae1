// A method as the program runs it: its description (data/method.hpp), and how its solver is made on each machine.
// methods.cmake lists the methods; for a name there, say `gauss`, the build uses
//   solvers/gauss/method.hpp   struct GaussOptions : MethodOptions, with describe() and least_bytes(body)
//   solvers/gauss/solver.hpp   template <class Exec> class Gauss : public Solver, with a constructor
//                              (Model, GaussOptions, int), the int being the number of CPU threads or of the GPU
// and builds the solver for both machines.
#pragma once

#include <pliant/data/method.hpp>
#include <pliant/data/model.hpp>
#include <pliant/solvers/solver.hpp>

#include <memory>
#include <string>

namespace pliant {

struct Machine {
    int threads = 0;  // on the CPU; 0: all cores
    int gpu = -1;     // number of the GPU; -1: none
};

struct Method {
    MethodDescription description;
    using Make = std::unique_ptr<Solver> (*)(MethodOptions const&, Model, int where);
    Make on_cpu;
    Make on_gpu;  // null in a build without CUDA
};

std::vector<Method> const& methods();

// Makes the solver of the method named `word`; null options mean its defaults.
std::unique_ptr<Solver> make_solver(std::string const& word, MethodOptions const* options, Model model, Machine on);

template <class Options>
std::unique_ptr<MethodOptions> default_options_of() {
    return std::make_unique<Options>();
}

// The least GPU memory that one particle of a body needs in methods with bonds [bytes], however little has been
// allocated so far. Measured on an H200 with a million particles on a lattice, at the usual radii. Where matter flows,
// new bonds are written beside the old ones, with room to grow.
inline double least_bytes_of_solid(BodyModel const& body) { return flows(body) ? 5300 : 2500; }

}  // namespace pliant
