// Stands in for the .cu files in a build without CUDA.
#include <pliant/data/error.hpp>
#include <pliant/solvers/explicit.hpp>
#include <pliant/solvers/gerszewski.hpp>
#include <pliant/solvers/implicit.hpp>

namespace pliant {

bool built_with_cuda() { return false; }

std::string cuda_trouble(int) { return "this build has no GPU support"; }

std::unique_ptr<Solver> make_implicit_cuda(Model, ImplicitSettings const&, int) {
    throw InputError("this build has no GPU support");
}

std::unique_ptr<Solver> make_explicit_cuda(Model, ExplicitSettings const&, int) {
    throw InputError("this build has no GPU support");
}

std::unique_ptr<Solver> make_gerszewski_cuda(Model, GerszewskiSettings const&, int) {
    throw InputError("this build has no GPU support");
}

}  // namespace pliant
