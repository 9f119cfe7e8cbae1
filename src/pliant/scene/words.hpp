// The words that a scene may use where it must choose one: the only place to extend when a new one works.
// `later` holds words of the scene format that this version does not support yet: they get a message of their own.
#pragma once

#include <pliant/data/limits.hpp>

#include <string>
#include <vector>

namespace pliant {

struct Words {
    std::string what;  // "method", for messages
    std::vector<std::string> now;
    std::vector<std::string> later = {};
};

namespace words {
Words const& method();  // those that this build has (data/method.hpp)
inline Words const step{"step", {"stable"}};
Words const& elasticity();  // of materials/registry.hpp
Words const& plasticity();
inline Words const body_shape{"shape", {"box", "sphere", "cylinder", "torus", "star", "points", "mesh", "sheet"}};
inline Words const sampling{"sampling", {"lattice", "blue-noise"}};
inline Words const collider_shape{
    "shape of a collider", {"plane", "sphere", "box", "cylinder", "torus", "star", "mesh"}, {"points"}};
inline Words const handle_motion{"motion", {"fixed"}};
inline Words const fibre_field{"field", {"axial", "radial", "file"}};
inline Words const stretches{"stretches", {"linear", "squared"}};
inline Words const particle_format{"particle format", {"vtp", "ply", "usda"}};
inline Words const probe_value{"value of a probe",
                               {"mean", "max von_mises", "min von_mises", "max speed", "min speed", "max x", "min x",
                                "max y", "min y", "max z", "min z"}};
inline Words const probe_pace{"pace of a probe", {"frame", "step"}};
inline Words const surface{"surface", {"none", "levelset", "skin"}};
inline Words const mesh_format{"mesh format", {"ply", "obj", "vtp", "vdb", "pc2", "usda"}};
}  // namespace words

// The known word nearest to `word` by edit distance (a swap of neighbours counts as one), empty when none is near.
std::string nearest_word(std::string const& word, std::vector<std::string> const& known);

// `unknown key; did you mean "young"? allowed: density, young`; for words, the value is named too.
std::string unknown_key(std::string const& key, std::vector<std::string> const& allowed);
std::string unknown_word(std::string const& word, Words const& words);  // also for those of `later`

std::string joined(std::vector<std::string> const& words);  // "a, b, c"
std::string rounded(double number);                         // to three digits, for measured lengths

}  // namespace pliant
