// [[bodies]], [[colliders]], [[handles]] and [[probes]].
#include <pliant/data/error.hpp>
#include <pliant/scene/direction_field.hpp>
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/shapes.hpp>

#include <algorithm>
#include <map>

namespace pliant {
namespace {

struct Copies {
    std::array<std::int64_t, 3> count{1, 1, 1};
    Vec3d step;
    std::int64_t total() const { return count[0] * count[1] * count[2]; }
};

Copies read_copies(Value const& table) {
    Fields const fields(table, {"count", "step"});
    Copies copies;
    Value const& count = fields.require("count");
    numbers_of(count, 3);
    for (std::size_t k = 0; k < 3; ++k) copies.count[k] = integer_of(count.children[k], 1, copy_limit);
    if (copies.total() > copy_limit)
        fail(count, "gives " + std::to_string(copies.total()) + " copies; at most " + std::to_string(copy_limit) +
                        " are allowed");
    copies.step = vector_of(fields.require("step"));
    for (int k = 0; k < 3; ++k)
        if (copies.count[static_cast<std::size_t>(k)] > 1 && copies.step[k] == 0)
            fail(table, std::string("copies along ") + "xyz"[k] + " need a step along " + "xyz"[k]);
    return copies;
}

void read_body_material(Fields const& fields, Scene const& scene, BodySpec& body) {
    Words materials{"material", {}};
    for (auto const& [name, parameters] : scene.materials) materials.now.push_back(name);
    std::string const known = materials.now.empty() ? "this scene has no materials; add a table [materials.NAME]"
                                                    : "materials of this scene: " + joined(materials.now);
    Value const& value = fields.require("material", known);
    std::string const name = text_of(value);
    if (materials.now.empty()) fail(value, "unknown material \"" + name + "\"; " + known);
    body.material = word_of(value, materials);
}

void read_resolution(Fields const& fields, BodySpec& body) {
    Value const* particles = fields.find("particles");
    Value const* spacing = fields.find("spacing");
    fields.read("sampling", body.sampling, words::sampling);
    if (auto* points = std::get_if<PointsShape>(&body.shape)) {
        if (Value const* sampling = fields.find("sampling"))
            fail(*sampling, "points are particles already; leave it out");
        if (particles) fail(*particles, "points are particles already; give their spacing [m] instead");
        body.spacing =
            number_of(fields.require("spacing", "points need the spacing [m] that they stand for"), above(0));
        points->volume = static_cast<double>(points->points.size()) * *body.spacing * *body.spacing * *body.spacing;
        return;
    }
    if (particles && spacing) fail(*spacing, "particles and spacing exclude each other; keep one");
    if (!particles && !spacing)
        fail(fields.table(), "missing key \"particles\" (a count) or \"spacing\" (in metres); give one of the two");
    if (particles) body.particles = integer_of(*particles, 1, particle_limit);
    if (spacing) body.spacing = number_of(*spacing, above(0));
}

// Bodies that begin turned inside out do not touch themselves unless asked to: contact would hold them so.
void read_start(Fields const& fields, std::string const& method, BodySpec& body) {
    if (Value const* start = fields.find("start")) {
        try {
            check_ability(true, &MethodDescription::rest_shape, "start", "a start away from the rest shape needs",
                          method);
        } catch (OptionError const& error) {
            refuse(fields.table(), error);
        }
        body.start = BallStart{number_of(Fields(*start, {"ball"}).require("ball", "a radius [m]"), above(0))};
    }
    body.self_contact = !body.start;
    fields.read("self_contact", body.self_contact);
}

// The file of a shape, and how its vertices become places relative to the middle of the shape.
struct ShapeFile {
    std::filesystem::path file;
    Vec3d middle;
    double scale = 1;
};
std::optional<ShapeFile> file_of(Shape const& shape) {
    if (auto const* mesh = std::get_if<MeshShape>(&shape))
        return ShapeFile{mesh->mesh->file, 0.5 * (mesh->mesh->low + mesh->mesh->high), mesh->scale};
    if (auto const* points = std::get_if<PointsShape>(&shape)) {
        Vec3d low = points->points.front();
        for (Vec3d const& p : points->points)
            for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]);
        return ShapeFile{points->file, low + half_extent(shape), 1};
    }
    return {};
}

// Directions of fibres that the material takes from the file of the shape.
void read_directions(Value const& table, Scene const& scene, BodySpec& body) {
    auto const material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                       [&](auto const& entry) { return entry.first == body.material; });
    for (FibreParameters const& fibre : material->second.fibres) {
        if (fibre.property.empty()) continue;
        std::string const what = "material \"" + body.material + "\" has fibres with field = \"file\"";
        auto const file = file_of(body.shape);
        Value const& shape = *table.find("shape");
        if (!file) fail(shape, what + ": they need the shape { mesh = \"file.ply\" } or { points = \"file.ply\" }");
        if (file->file.extension() != ".ply")
            fail(shape, what + ": they need a PLY file, but the shape is " + file->file.filename().string());
        try {
            body.directions[fibre.property] = std::make_shared<DirectionField const>(
                read_direction_field(file->file, fibre.property, file->middle, file->scale));
        } catch (InputError const& error) {
            fail(shape, what + ": " + error.what());
        }
    }
}

BodySpec read_body(Value const& table, Scene const& scene, MeshFiles& meshes, std::size_t index) {
    Fields const fields(table, {"name", "material", "shape", "particles", "spacing", "sampling", "position", "rotation",
                                "velocity", "spin", "start", "self_contact", "array"});
    BodySpec body;
    body.line = table.line;
    body.name = "body" + std::to_string(index);
    fields.read("name", body.name);
    if (body.name.empty()) fail(*fields.find("name"), "must not be empty");
    read_body_material(fields, scene, body);
    body.shape = read_body_shape(fields.require("shape", "allowed: " + joined(words::body_shape.now)), scene.method,
                                 scene.file.parent_path(), meshes);
    read_resolution(fields, body);
    fields.read("position", body.position);
    fields.read("rotation", body.rotation);
    fields.read("velocity", body.velocity);
    fields.read("spin", body.spin);
    read_start(fields, scene.method, body);
    read_directions(table, scene, body);
    return body;
}

void add_copies(BodySpec const& body, Copies const& copies, std::vector<BodySpec>& bodies) {
    for (std::int64_t i = 0; i < copies.count[0]; ++i)
        for (std::int64_t j = 0; j < copies.count[1]; ++j)
            for (std::int64_t k = 0; k < copies.count[2]; ++k) {
                BodySpec copy = body;
                Vec3d const cell{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
                copy.position += {cell.x * copies.step.x, cell.y * copies.step.y, cell.z * copies.step.z};
                if (copies.total() > 1)
                    copy.name =
                        copy.name + "[" + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + "]";
                bodies.push_back(std::move(copy));
            }
}

// "fixed" or a table; needs from and until of the handle.
Motion read_hold_motion(Value const& value, HandleSpec const& hold) {
    std::string const table = "a table { velocity, spin, from, until } or { keys, smooth }";
    if (value.kind == Value::Kind::text) {
        if (value.text != "fixed") fail(value, unknown_word(value.text, words::handle_motion) + ", or " + table);
        return {};
    }
    if (value.kind != Value::Kind::table) fail(value, "must be \"fixed\" or " + table + ", is " + describe(value));
    Motion const motion = read_motion(value);
    if (!value.find("velocity") && !value.find("spin") && !value.find("keys"))
        fail(value, "has neither velocity nor spin nor keys; write motion = \"fixed\" to hold particles still");
    if (!motion.path.empty() && motion.from < hold.from)
        fail(*value.find("keys"), "begin at " + in_words(motion.from) +
                                      ", before the handle acts, from = " + in_words(hold.from) +
                                      "; keys lead its particles from where they are at the start");
    if (std::max(motion.from, hold.from) >= std::min(motion.until, hold.until))
        fail(value, "never moves: its from and until leave nothing of the time in which the handle acts");
    return motion;
}

HandleSpec read_hold(Value const& table) {
    Fields const fields(table, {"name", "body", "region", "motion", "force", "from", "until"});
    HandleSpec hold;
    hold.line = table.line;
    if (Value const* region = fields.find("region")) hold.region = read_region(*region);
    fields.read("from", hold.from, at_least(0));
    fields.read("until", hold.until);
    if (hold.from > hold.until)
        fail(table, "from = " + in_words(hold.from) + " must not be later than until = " + in_words(hold.until));
    Value const* motion = fields.find("motion");
    Value const* force = fields.find("force");
    if (motion && force) fail(*force, "force and motion exclude each other; keep one");
    if (!motion && !force)
        fail(table,
             "missing key \"motion\" or \"force\"; write motion = \"fixed\", motion = { velocity = [x, y, z] } or "
             "force = [x, y, z]");
    if (motion) hold.motion = read_hold_motion(*motion, hold);
    if (force) hold.force = vector_of(*force);
    return hold;
}

std::vector<std::string> some_bodies(Scene const& scene) {  // for messages
    std::vector<std::string> names;
    for (BodySpec const& body : scene.bodies)
        if (names.size() < 20) names.push_back(body.name);
    return names;
}

// The names of colliders, handles or probes: those given, else "handle0", "handle1" ... by their place in the list.
class PartNames {
public:
    explicit PartNames(std::string kind) : kind_(std::move(kind)) {}

    std::string of(Value const& table) {
        Value const* given = table.find("name");
        std::string const name = given ? text_of(*given) : kind_ + std::to_string(count_);
        ++count_;
        if (name.empty() || name.find_first_of(",\"\n\r") != name.npos)
            fail(*given, "must not be empty, and have no comma, quote or line break: it is written to a table");
        auto const [entry, is_new] = owner_.emplace(name, &table);
        if (!is_new)
            fail(given ? *given : table, "\"" + name + "\" is already the name of " + entry->second->path + " (" +
                                             entry->second->where + "); names of " + kind_ + "s must differ");
        return name;
    }

private:
    std::string kind_;
    int count_ = 0;
    std::map<std::string, Value const*> owner_;
};

// Is `body` "name[i,j,k]"?
bool is_copy_of(std::string const& body, std::string const& name) {
    return body.starts_with(name + "[") && body.ends_with("]") &&
           body.find_first_not_of("0123456789,", name.size() + 1) == body.size() - 1;
}

}  // namespace

std::vector<std::string> bodies_named(Value const& name, Scene const& scene) {
    std::vector<std::string> copies;
    for (BodySpec const& body : scene.bodies) {
        if (body.name == text_of(name)) return {body.name};
        if (is_copy_of(body.name, text_of(name))) copies.push_back(body.name);
    }
    if (copies.empty()) fail(name, unknown_word(name.text, {"body", some_bodies(scene)}));
    return copies;
}

void read_bodies(Value const& list, Scene& scene, MeshFiles& meshes) {
    auto const& tables = tables_of(list);
    if (tables.empty()) fail(list, "a scene needs at least one [[bodies]]");
    std::map<std::string, Value const*> owner;
    auto const claim = [&](std::string const& name, Value const& table) {
        auto const [entry, is_new] = owner.emplace(name, &table);
        if (is_new || entry->second == &table) return;
        Value const* given = table.find("name");
        fail(given ? *given : table, "\"" + name + "\" is already the name of " + entry->second->path + " (" +
                                         entry->second->where + "); names of bodies must differ");
    };
    for (std::size_t index = 0; index < tables.size(); ++index) {
        Value const& table = tables[index];
        BodySpec const body = read_body(table, scene, meshes, index);
        Value const* array = table.find("array");
        std::size_t const first = scene.bodies.size();
        add_copies(body, array ? read_copies(*array) : Copies{}, scene.bodies);
        claim(body.name, table);
        for (std::size_t i = first; i < scene.bodies.size(); ++i) claim(scene.bodies[i].name, table);
    }
}

void read_colliders(Value const& list, Scene& scene, MeshFiles& meshes) {
    PartNames names("collider");
    for (Value const& table : tables_of(list)) {
        Fields const fields(table, {"name", "shape", "position", "rotation", "friction", "motion"});
        ColliderSpec collider;
        collider.name = names.of(table);
        collider.line = table.line;
        collider.shape =
            read_collider_shape(fields.require("shape", "allowed: " + joined(words::collider_shape.now)), meshes);
        if (std::holds_alternative<PlaneShape>(collider.shape)) {
            if (Value const* position = fields.find("position"))
                fail(*position, "planes take no position; use shape = { plane = [x, y, z], offset = ... }");
            if (Value const* rotation = fields.find("rotation"))
                fail(*rotation, "planes take no rotation; turn the normal in shape = { plane = [x, y, z] }");
        }
        fields.read("position", collider.position);
        fields.read("rotation", collider.rotation);
        fields.read("friction", collider.friction, at_least(0));
        if (Value const* motion = fields.find("motion")) collider.motion = read_motion(*motion);
        scene.colliders.push_back(std::move(collider));
    }
}

void read_handles(Value const& list, Scene& scene) {
    PartNames names("handle");
    for (Value const& table : tables_of(list)) {
        HandleSpec hold = read_hold(table);
        hold.name = names.of(table);
        Value const* name = table.find("body");
        if (!name) fail(table, "missing key \"body\"; bodies of this scene: " + joined(some_bodies(scene)));
        for (std::string const& body : bodies_named(*name, scene)) {
            hold.body = body;
            scene.handles.push_back(hold);
        }
    }
}

void read_probes(Value const& list, Scene& scene) {
    PartNames names("probe");
    for (Value const& table : tables_of(list)) {
        Fields const fields(table, {"name", "point", "region", "value", "every"});
        ProbeSpec probe;
        probe.name = names.of(table), probe.line = table.line;
        Value const *point = fields.find("point"), *region = fields.find("region");
        if (!point == !region)
            fail(table, std::string(point ? "has both point and region; keep one" : "has neither point nor region") +
                            ": point = [x, y, z] or region = { box = { min = [x, y, z], max = [x, y, z] } }");
        if (point) probe.point = vector_of(*point);
        if (region) probe.region = read_region(*region);
        fields.read("value", probe.value, words::probe_value);
        if (point && probe.value != "mean") fail(*fields.find("value"), "needs a region; a point is a single particle");
        std::string every = "frame";
        fields.read("every", every, words::probe_pace);
        probe.every_step = every == "step";
        scene.probes.push_back(probe);
    }
}

}  // namespace pliant
