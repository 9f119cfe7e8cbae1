// The state of one body in a few numbers: what summary.json says of it.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/solver.hpp>

namespace pliant {

BodySummary summarize(Cpu& exec, std::string const& name, BodyModel const& body, Model const& model,
                      ParticleReadout const& readout);

}  // namespace pliant
