#include <pliant/data/error.hpp>
#include <pliant/scene/fields.hpp>
#include <pliant/scene/ply_points.hpp>
#include <pliant/scene/read_parts.hpp>

#include <algorithm>

namespace pliant {
namespace {

// The one member of a shape table that says which shape it is.
Value const& shape_word(Value const& table, Words const& words) {
    if (table.kind != Value::Kind::table)
        fail(table,
             "must be a table such as { box = [1, 1, 1] }, is " + describe(table) + "; allowed: " + joined(words.now));
    auto const among = [](std::vector<std::string> const& list, std::string const& word) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    Value const* found = nullptr;
    for (Value const& member : table.children) {
        if (among(words.later, member.name)) fail(member, unknown_word(member.name, words));
        if (!among(words.now, member.name)) continue;
        if (found) fail(table, "has more than one shape: " + found->name + ", " + member.name + "; keep one");
        found = &member;
    }
    if (found) return *found;
    if (Value const* plane = table.find("plane"))
        fail(*plane, "a plane has no volume and cannot be a body; allowed: " + joined(words.now));
    if (table.children.empty()) fail(table, "has no shape; allowed: " + joined(words.now));
    fail(table.children.front(), unknown_word(table.children.front().name, words));
}

double length_of(Value const& value) { return number_of(value, above(0)); }  // [m]

PlaneShape read_plane(Fields const& fields, Value const& normal) {
    PlaneShape plane;
    plane.normal = vector_of(normal);
    if (norm(plane.normal) == 0) fail(normal, "the normal of a plane must not be zero");
    plane.normal = normalized(plane.normal);
    fields.read("offset", plane.offset);
    return plane;
}

TorusShape read_torus(Value const& value) {
    auto const sizes = numbers_of(value, 2, above(0));
    if (sizes[1] >= sizes[0])
        fail(value, "the tube's radius " + in_words(sizes[1]) + " must be less than the ring's radius " +
                        in_words(sizes[0]) + "; torus = [ring, tube]");
    return {sizes[0], sizes[1]};
}

StarShape read_star(Value const& value) {
    auto const sizes = numbers_of(value, 4, above(0));
    StarShape const star{static_cast<int>(integer_of(value.children[0], 3, 100)), sizes[1], sizes[2], sizes[3]};
    if (star.inner >= star.outer)
        fail(value, "the inner radius " + in_words(star.inner) + " must be less than the outer radius " +
                        in_words(star.outer) + "; star = [tips, outer, inner, height]");
    return star;
}

PointsShape read_points(Value const& value, std::filesystem::path const& folder) {
    PointsShape shape;
    shape.file = folder / text_of(value);
    try {
        shape.points = read_ply_points(shape.file);
    } catch (InputError const& error) {
        fail(value, error.what());
    }
    if (static_cast<std::int64_t>(shape.points.size()) > particle_limit)
        fail(value, "the file has " + std::to_string(shape.points.size()) + " points; at most " +
                        std::to_string(particle_limit) + " are allowed");
    return shape;
}

MeshShape read_mesh_shape(Fields const& fields, Value const& value, MeshFiles& meshes, bool solid) {
    if (text_of(value).empty()) fail(value, "is empty; name the file of a mesh");
    MeshShape shape;
    try {
        shape.mesh = meshes.read(text_of(value), solid);
    } catch (InputError const& error) {
        fail(value, error.what());
    }
    Value const *height = fields.find("height"), *scale = fields.find("scale");
    if (height && scale) fail(*scale, "height and scale exclude each other; keep one");
    if (scale) shape.scale = length_of(*scale);
    if (height && !(shape.mesh->high.y > shape.mesh->low.y))
        fail(*height, "this mesh is flat along y and has no height; use scale, in m per unit of the file");
    if (height) shape.scale = length_of(*height) / (shape.mesh->high.y - shape.mesh->low.y);
    return shape;
}

Shape read_solid(Value const& value) {
    if (value.name == "sphere") return SphereShape{length_of(value)};
    if (value.name == "box") return BoxShape{vector_of(value, above(0))};
    if (value.name == "torus") return read_torus(value);
    if (value.name == "star") return read_star(value);
    if (value.name == "cylinder") {
        auto const sizes = numbers_of(value, 2, above(0));
        return CylinderShape{sizes[0], sizes[1]};
    }
    if (value.name == "sheet") {
        auto const sizes = numbers_of(value, 2, above(0));
        return SheetShape{sizes[0], sizes[1]};
    }
    fail(value, "this shape is not read yet");
}

}  // namespace

Shape read_body_shape(Value const& table, std::string const& method, std::filesystem::path const& folder,
                      MeshFiles& meshes) {
    Value const& word = shape_word(table, words::body_shape);
    bool const cloth = find_method(method)->cloth;
    if (word.name == "mesh") return read_mesh_shape(Fields(table, {"mesh", "height", "scale"}), word, meshes, !cloth);
    Fields const fields(table, {word.name});
    if (word.name == "sheet" && !cloth)
        fail(word, "a sheet has no volume; it needs method = \"cloth\", is \"" + method + "\"");
    if (word.name == "points" && cloth)
        fail(word, "points have no surface that cloth could be made of; use sheet, mesh or a closed shape");
    if (word.name == "points") return read_points(word, folder);
    return read_solid(word);
}

Shape read_collider_shape(Value const& table, MeshFiles& meshes) {
    Value const& word = shape_word(table, words::collider_shape);
    if (word.name == "mesh") return read_mesh_shape(Fields(table, {"mesh", "height", "scale"}), word, meshes, true);
    if (word.name == "plane") return read_plane(Fields(table, {"plane", "offset"}), word);
    Fields const fields(table, {word.name});
    return read_solid(word);
}

}  // namespace pliant
