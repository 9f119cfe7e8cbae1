// Files are read by assimp, which only this file includes. Its post-processing is not used: some of its steps end the
// program when a file is damaged (asserts of version 5.2 in Debian), and triangle_mesh.cpp does what a level set needs
// and reports it. So node transformations (glTF) are applied and polygons cut into triangles here; points and lines are
// left out. A PLY header that ends early keeps assimp busy for ever, so headers are checked first. Without
// post-processing assimp keeps the vertices of OFF and PLY files as they are, but makes one per corner of OBJ files, so
// read_polygon_mesh reads those with read_obj.cpp.
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#include <pliant/data/error.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/read_obj.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

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

// Ear clipping in the plane of the polygon: convex corners that contain no other corner are cut off, one by one.
void append_polygon(TriangleMesh& mesh, std::vector<std::uint32_t> corner) {
    auto const at = [&](std::size_t k) { return mesh.vertex[corner[k % corner.size()]]; };
    Vec3d normal;
    for (std::size_t k = 0; k < corner.size(); ++k) normal += cross(at(k), at(k + 1));
    auto const turn = [&](Vec3d a, Vec3d b, Vec3d c) { return dot(cross(b - a, c - a), normal); };
    auto const is_ear = [&](std::size_t k) {
        Vec3d const a = at(k), b = at(k + 1), c = at(k + 2);
        if (turn(a, b, c) <= 0) return false;
        for (std::size_t other = k + 3; other < k + corner.size(); ++other) {
            Vec3d const p = at(other);
            if (turn(a, b, p) > 0 && turn(b, c, p) > 0 && turn(c, a, p) > 0) return false;
        }
        return true;
    };
    while (corner.size() >= 3) {
        std::size_t ear = 0;
        while (ear < corner.size() && corner.size() > 3 && !is_ear(ear)) ++ear;
        ear %= corner.size();  // no ear: a polygon that intersects itself
        std::size_t const n = corner.size();
        mesh.triangle.push_back({corner[ear], corner[(ear + 1) % n], corner[(ear + 2) % n]});
        corner.erase(corner.begin() + static_cast<std::ptrdiff_t>((ear + 1) % n));
    }
}

// visit(part, its transformation) for every part of the file; a part that is placed twice is visited twice.
template <class Visit>
void for_each_part(aiScene const& scene, aiNode const& node, aiMatrix4x4 const& above, Visit& visit) {
    aiMatrix4x4 const to_world = above * node.mTransformation;
    for (unsigned m = 0; m < node.mNumMeshes; ++m) visit(*scene.mMeshes[node.mMeshes[m]], to_world);
    for (unsigned c = 0; c < node.mNumChildren; ++c) for_each_part(scene, *node.mChildren[c], to_world, visit);
}

void append_vertices(std::vector<Vec3d>& vertex, aiMesh const& part, aiMatrix4x4 const& to_world) {
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
        aiVector3D const p = to_world * part.mVertices[i];
        vertex.push_back({double(p.x), double(p.y), double(p.z)});
    }
}

// The corners of every face, numbered from `first` on.
template <class Visit>
void for_each_face(std::filesystem::path const& file, aiMesh const& part, std::size_t first, Visit const& visit) {
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
        aiFace const& face = part.mFaces[f];
        std::vector<std::uint32_t> corner;
        for (unsigned k = 0; k < face.mNumIndices; ++k) {
            if (face.mIndices[k] >= part.mNumVertices) reject(file, "a face names a vertex that is not there");
            corner.push_back(static_cast<std::uint32_t>(first + face.mIndices[k]));
        }
        visit(std::move(corner));
    }
}

// assimp keeps texture coordinates per vertex. Parts without any share one entry, if other parts have them.
struct PolygonAppender {
    std::filesystem::path const& file;
    PolygonMesh mesh{};
    bool any_uv = false;

    void operator()(aiMesh const& part, aiMatrix4x4 const& to_world) {
        std::size_t const first = mesh.vertex.size();
        append_vertices(mesh.vertex, part, to_world);
        aiVector3D const* const uv = part.mTextureCoords[0];
        any_uv = any_uv || uv;
        for (unsigned i = 0; i < part.mNumVertices; ++i)
            mesh.uv.push_back(uv ? std::array{uv[i].x, uv[i].y} : std::array{0.f, 0.f});
        for_each_face(file, part, first, [&](std::vector<std::uint32_t> const& corner) {
            if (corner.size() < 3) return;  // points and lines
            mesh.corner.insert(mesh.corner.end(), corner.begin(), corner.end());
            mesh.end_polygon();
        });
    }

    PolygonMesh take() {
        if (any_uv)
            mesh.corner_uv = mesh.corner;
        else
            mesh.uv.clear();
        return std::move(mesh);
    }
};

// Equal positions become one vertex: STL shares none, glTF splits them at seams. Texture coordinates stay per corner.
void weld(PolygonMesh& mesh) {
    std::map<std::array<double, 3>, std::uint32_t> known;  // -0 and 0 are equal
    std::vector<std::uint32_t> index_of;
    std::vector<Vec3d> vertex;
    for (Vec3d p : mesh.vertex) {
        auto const [entry, is_new] =
            known.emplace(std::array{p.x, p.y, p.z}, static_cast<std::uint32_t>(vertex.size()));
        if (is_new) vertex.push_back(p);
        index_of.push_back(entry->second);
    }
    mesh.vertex = std::move(vertex);
    for (std::uint32_t& index : mesh.corner) index = index_of[index];
}

// A header must end, and promise no more elements than the file has bytes.
void check_ply_header(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    auto const bytes = static_cast<double>(std::filesystem::file_size(file));
    std::string line;
    for (int n = 0; n < 1000 && std::getline(stream, line); ++n) {
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
        if (line == "end_header") return;
        if (line.starts_with("element ")) {
            double const count = std::atof(line.c_str() + std::min(line.size(), line.find_last_of(' ')));
            if (!(count >= 0 && count <= bytes)) reject(file, "cannot be read: the header says \"" + line + "\"");
        }
    }
    reject(file, "cannot be read: the PLY header has no end_header");
}

// One line per vertex and face: assimp would turn a truncated file into a mesh with holes.
void check_off_lines(std::filesystem::path const& file, std::istream& stream, std::string const& header,
                     double expected) {
    double lines = 0;
    for (std::string line; std::getline(stream, line);)
        lines += line.find_first_not_of(" \t\r") != std::string::npos && line[0] != '#';
    if (lines < expected)
        reject(file, "is cut off: the header says \"" + header + "\", and after it come " +
                         std::to_string(static_cast<long long>(lines)) + " lines");
}

// "OFF", then the numbers of vertices, faces and edges, with comments in between: no more than the file has bytes.
void check_off_header(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    auto const bytes = static_cast<double>(std::filesystem::file_size(file));
    std::string line;
    for (int n = 0; n < 1000 && std::getline(stream, line); ++n) {
        std::size_t const digit = line.find_first_of("0123456789");
        if (line.empty() || line[0] == '#' || digit == std::string::npos) continue;
        char* rest = nullptr;
        double const vertices = std::strtod(line.c_str() + digit, &rest), faces = std::strtod(rest, nullptr);
        if (!(vertices <= bytes && faces <= bytes))
            reject(file,
                   "cannot be read: the header says \"" + line + "\", more than the file can hold; is it cut off?");
        if (line.ends_with('\r')) line.pop_back();
        bool const one_line = line.find('\r') != std::string::npos;  // line ends of a very old machine
        if (!one_line) check_off_lines(file, stream, line, vertices + faces);
        return;
    }
}

// Problems that can be found before assimp reads the file.
void check_file(std::filesystem::path const& file) {
    if (!among(extensions, extension_of(file)))
        reject(file, "unknown mesh format \"" + extension_of(file) + "\"; allowed: " + joined(extensions));
    std::error_code status;
    if (std::filesystem::is_directory(file, status)) reject(file, "is a folder, not a mesh");
    auto const bytes = std::filesystem::file_size(file, status);
    if (status) reject(file, "cannot be opened: " + status.message());
    if (bytes == 0) reject(file, "is empty");
    if (extension_of(file) == "ply") check_ply_header(file);
    if (extension_of(file) == "off") check_off_header(file);
}

aiScene const& import(Assimp::Importer& importer, std::filesystem::path const& file) {
    check_file(file);
    if (aiScene const* scene = importer.ReadFile(file.string(), 0)) return *scene;
    std::string why = importer.GetErrorString();
    while (!why.empty() && std::isspace(static_cast<unsigned char>(why.back()))) why.pop_back();
    reject(file, "cannot be read: " + why);
}

}  // namespace

TriangleMesh read_mesh(std::filesystem::path const& file, bool solid) {
    Assimp::Importer importer;
    aiScene const& scene = import(importer, file);
    TriangleMesh mesh;
    mesh.file = file;
    auto append = [&](aiMesh const& part, aiMatrix4x4 const& to_world) {
        std::size_t const first = mesh.vertex.size();
        append_vertices(mesh.vertex, part, to_world);
        for_each_face(file, part, first, [&](std::vector<std::uint32_t> corner) {
            append_polygon(mesh, std::move(corner));  // points and lines give none
        });
    };
    if (scene.mRootNode) for_each_part(scene, *scene.mRootNode, {}, append);
    return ordered_mesh(std::move(mesh), solid);
}

PolygonMesh read_polygon_mesh(std::filesystem::path const& file) {
    std::string const extension = extension_of(file);
    if (extension == "obj") {
        check_file(file);
        return read_obj(file);
    }
    Assimp::Importer importer;
    aiScene const& scene = import(importer, file);
    PolygonAppender appender{file};
    if (scene.mRootNode) for_each_part(scene, *scene.mRootNode, {}, appender);
    PolygonMesh mesh = appender.take();
    if (extension != "off" && extension != "ply") weld(mesh);
    return mesh;
}

static std::filesystem::path variable(char const* name) {
    char const* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
}

std::filesystem::path cache_folder() {
    auto cache = variable("XDG_CACHE_HOME");
    if (cache.empty()) cache = variable("HOME") / ".cache";
    return cache / "pliant";
}

std::filesystem::path models_folder() {
    if (auto const models = variable("PLIANT_MODELS"); !models.empty()) return models;
    return cache_folder() / "models";
}

std::filesystem::path MeshFiles::find(std::string const& name) const {
    for (std::filesystem::path const& folder : {folder_, models_folder()}) {
        std::error_code status;
        if (std::filesystem::exists(folder / name, status)) return folder / name;
    }
    std::string const beside = folder_.empty() ? "the current folder" : folder_.string();
    throw InputError("there is no \"" + name + "\" in " + beside + " (beside the scene file) nor in " +
                     models_folder().string() +
                     (among(fetched, name) ? "; `make models` or scripts/fetch-models puts it there" : ""));
}

std::shared_ptr<TriangleMesh const> MeshFiles::read(std::string const& name, bool solid) {
    std::filesystem::path const file = find(name);
    auto& entry = known_[{file, solid}];
    if (!entry) entry = std::make_shared<TriangleMesh const>(read_mesh(file, solid));
    return entry;
}

}  // namespace pliant
