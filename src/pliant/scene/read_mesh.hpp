// Mesh files: OBJ, PLY, STL, OFF, glTF.
#pragma once

#include <pliant/data/polygon_mesh.hpp>
#include <pliant/scene/triangle_mesh.hpp>

#include <map>
#include <memory>

namespace pliant {

// Throws an InputError that names the file when it has another format or is damaged, or when ordered_mesh refuses it.
// `solid`: it must enclose a volume.
TriangleMesh read_mesh(std::filesystem::path const& file, bool solid = true);

// The same file unchanged, for the skin: polygons are not cut, holes are not closed, texture coordinates are kept. The
// vertices of OBJ, PLY and OFF files keep their order and number; those of STL and glTF files are welded where
// positions are equal, since these formats split them.
PolygonMesh read_polygon_mesh(std::filesystem::path const& file);

// The meshes of one scene, each read once.
class MeshFiles {
public:
    explicit MeshFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}  // of the scene file

    // `name` beside the scene file, or else among the models that scripts/fetch-models unpacks.
    std::shared_ptr<TriangleMesh const> read(std::string const& name, bool solid = true);

private:
    std::filesystem::path find(std::string const& name) const;

    std::filesystem::path folder_;
    std::map<std::pair<std::filesystem::path, bool>, std::shared_ptr<TriangleMesh const>> known_;
};

// pliant's part of the user's cache folder: $XDG_CACHE_HOME, or else ~/.cache. Not absolute: there is none.
std::filesystem::path cache_folder();

// $PLIANT_MODELS, or else pliant/models in the user's cache folder.
std::filesystem::path models_folder();

}  // namespace pliant
