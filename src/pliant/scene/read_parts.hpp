// The parts of reading a scene, one function per table; read.cpp puts them together.
#pragma once

#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/scene.hpp>
#include <pliant/scene/value.hpp>

namespace pliant {

// Of `full` over `threshold` with method = "cloth": the rounds of an implicit step converge where it is at least ten
// (physics/cloth_step.hpp), and faster at twenty, which Manteaux et al. 2013 have, too.
inline constexpr double least_ratio_of_cloth = 10, usual_ratio_of_cloth = 20;

// A scene file as a tree, not yet checked; and a scene from such a tree. Relative paths start from the folder of
// `name`.
Value read_tree(std::filesystem::path const& file);
Scene scene_of(Value const& root, std::filesystem::path const& name);

inline constexpr std::int64_t particle_limit = 20'000'000;  // of a body and of a scene
inline constexpr std::int64_t copy_limit = 10'000;          // of a body's array

// An error at the key of a table that does not go with others, or at the table where the key comes from a preset or is
// a default.
[[noreturn]] void refuse(Value const& table, OptionError const& error);

// Throws OptionError if a key is used that only methods with a certain ability have: "`what` method = ...".
void check_ability(bool used, bool MethodDescription::*ability, char const* key, std::string const& what,
                   std::string const& method);

ChosenOptions read_solver(Value const* table, std::string const& method);  // null: all defaults
MaterialParameters read_material(Value const& table);
Shape read_body_shape(Value const& table, std::string const& method, std::filesystem::path const& folder,
                      MeshFiles& meshes);
Shape read_collider_shape(Value const& table, MeshFiles& meshes);

void read_bodies(Value const& list, Scene& scene, MeshFiles& meshes);  // needs scene.materials and scene.file
void read_colliders(Value const& list, Scene& scene, MeshFiles& meshes);
void read_handles(Value const& list, Scene& scene);  // needs scene.bodies
void read_cuts(Value const& list, Scene& scene);     // needs scene.bodies
void read_probes(Value const& list, Scene& scene);

Motion read_motion(Value const& table);
Region read_region(Value const& table);
// The bodies that a key names: one, or all copies of an array.
std::vector<std::string> bodies_named(Value const& name, Scene const& scene);

}  // namespace pliant
