// assimp reads; it is seen here alone. Node transformations (glTF) are applied, polygons cut into triangles, points and
// lines left out. assimp's own repair steps are not used: they act on vertices with normals and textures, and what a
// level set needs is done, and told, in triangle_mesh.cpp.
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#include <pliant/error.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace pliant {
namespace {

std::vector<std::string> const extensions{"obj", "ply", "stl", "off", "gltf", "glb"};
std::vector<std::string> const fetched{"armadillo.off", "bunny00.off", "cow.off"};

[[noreturn]] void reject(std::filesystem::path const& file, std::string const& message) {
    throw InputError(file.string() + ": " + message);
}

bool among(std::vector<std::string> const& list, std::string const& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string extension_of(std::filesystem::path const& file) {
    std::string extension = file.extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

void append(TriangleMesh& mesh, aiMesh const& part) {
    auto const first = static_cast<std::uint32_t>(mesh.vertex.size());
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
        aiVector3D const& p = part.mVertices[i];
        mesh.vertex.push_back({double(p.x), double(p.y), double(p.z)});
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
        aiFace const& face = part.mFaces[f];
        if (face.mNumIndices != 3) continue;  // points and lines
        std::array<std::uint32_t, 3> triangle{};
        for (unsigned k = 0; k < 3; ++k) {
            if (face.mIndices[k] >= part.mNumVertices) reject(mesh.file, "a face names a vertex that is not there");
            triangle[k] = first + face.mIndices[k];
        }
        mesh.triangle.push_back(triangle);
    }
}

}  // namespace

TriangleMesh read_mesh(std::filesystem::path const& file) {
    if (!among(extensions, extension_of(file)))
        reject(file, "unknown mesh format \"" + extension_of(file) + "\"; allowed: " + joined(extensions));
    std::error_code status;
    if (std::filesystem::is_directory(file, status)) reject(file, "is a folder, not a mesh");
    if (std::filesystem::file_size(file, status) == 0 && !status) reject(file, "is empty");
    Assimp::Importer importer;
    aiScene const* scene = importer.ReadFile(file.string(), aiProcess_Triangulate | aiProcess_PreTransformVertices);
    if (!scene) {
        std::string why = importer.GetErrorString();
        while (!why.empty() && std::isspace(static_cast<unsigned char>(why.back()))) why.pop_back();
        bool const holds_nothing = why.starts_with("No output meshes");  // points or lines only
        if (!holds_nothing) reject(file, "cannot be read: " + why);
    }
    TriangleMesh mesh;
    mesh.file = file;
    for (unsigned m = 0; scene && m < scene->mNumMeshes; ++m) append(mesh, *scene->mMeshes[m]);
    return ordered_mesh(std::move(mesh));
}

std::filesystem::path models_folder() {
    auto const variable = [](char const* name) {
        char const* value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    if (auto const models = variable("PLIANT_MODELS"); !models.empty()) return models;
    auto cache = variable("XDG_CACHE_HOME");
    if (cache.empty()) cache = variable("HOME") / ".cache";
    return cache / "pliant" / "models";
}

std::filesystem::path MeshFiles::find(std::string const& name) const {
    for (std::filesystem::path const& folder : {folder_, models_folder()}) {
        std::error_code status;
        if (std::filesystem::exists(folder / name, status)) return folder / name;
    }
    std::string const beside = folder_.empty() ? "the present folder" : folder_.string();
    throw InputError("there is no \"" + name + "\" in " + beside + " (beside the scene file) nor in " +
                     models_folder().string() +
                     (among(fetched, name) ? "; `make models` or scripts/fetch-models puts it there" : ""));
}

std::shared_ptr<TriangleMesh const> MeshFiles::read(std::string const& name) {
    std::filesystem::path const file = find(name);
    auto& entry = known_[file];
    if (!entry) entry = std::make_shared<TriangleMesh const>(read_mesh(file));
    return entry;
}

}  // namespace pliant
