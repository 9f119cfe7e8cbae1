#include <pliant/data/error.hpp>
#include <pliant/data/restraint.hpp>
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/read_parts.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace pliant {
namespace {

constexpr double frame_limit = 1e7;  // of a scene
constexpr double steps_per_frame_limit = 1e9;
constexpr double rounding = 1e-5;  // how far dt = 0.0166667 may exceed 1/60, and 0.0166667 s fall short of a frame

// The step [s], 0 if the method finds its own; `frame` is the time it must fit into [s].
double read_step(Value const* dt, std::string const& method, double frame) {
    bool const stepwise = find_method(method)->stable_step;
    if (dt == nullptr) return stepwise ? 0 : std::min(Scene{}.dt, frame);
    if (dt->kind == Value::Kind::text) {
        word_of(*dt, words::step);
        if (!stepwise)
            fail(*dt, std::string{"method = \""} + method + "\" is stable at every step; write it in seconds");
        return 0;
    }
    double const step = number_of(*dt, above(0));
    if (step > frame * (1 + rounding))
        fail(*dt, in_words(step) + " is out of range; dt must be at most 1/fps = " + in_words(frame));
    if (frame / step > steps_per_frame_limit)
        fail(*dt, in_words(step) + " is out of range; a frame would take more than a billion steps");
    return std::min(step, frame);
}

// dt, fps and duration must fit one another.
void read_times(Fields const& fields, Scene& scene) {
    fields.read("duration", scene.duration, above(0));
    fields.read("fps", scene.fps, above(0));
    double const frame = 1 / scene.fps;  // [s]
    scene.dt = read_step(fields.find("dt"), scene.method, frame);
    Value const* duration = fields.find("duration");
    double const frames = scene.duration * scene.fps;
    if (frames < 1 - rounding)
        fail(duration ? *duration : fields.table(),
             "a duration of " + in_words(scene.duration) +
                 " s gives no frame; must be at least 1/fps = " + in_words(frame));
    if (frames > frame_limit)
        fail(duration ? *duration : fields.table(), "a duration of " + in_words(scene.duration) +
                                                        " s gives more than ten million frames; must be at most " +
                                                        in_words(frame_limit / scene.fps));
}

// Some formats hold one kind of surface only. Without a surface nothing is written, whatever the formats.
void check_meshes(Value const& meshes, OutputSpec const& output) {
    auto const needs = [&](std::string const& format, std::string const& surface) {
        bool const asked = std::find(output.meshes.begin(), output.meshes.end(), format) != output.meshes.end();
        if (asked && output.surface != "none" && output.surface != surface)
            fail(meshes, "\"" + format + "\" needs surface = \"" + surface + "\", is \"" + output.surface + "\"");
    };
    needs("vdb", "levelset");
    needs("pc2", "skin");
}

OutputSpec read_output(Value const& table) {
    Fields const fields(table, {"particles", "F", "stress", "pair_forces", "surface", "meshes", "surface_inner",
                                "surface_outer", "checkpoints"});
    OutputSpec output;
    if (Value const* formats = fields.find("particles")) output.particles = words_of(*formats, words::particle_format);
    fields.read("F", output.F);
    fields.read("stress", output.stress);
    fields.read("pair_forces", output.pair_forces);
    fields.read("surface", output.surface, words::surface);
    if (Value const* meshes = fields.find("meshes")) {
        output.meshes = words_of(*meshes, words::mesh_format);
        check_meshes(*meshes, output);
    }
    fields.read("surface_inner", output.surface_inner, between(0.1, 0.9));
    fields.read("surface_outer", output.surface_outer, between(1, 2));
    fields.read("checkpoints", output.checkpoints, between(0, 1e6));
    return output;
}

// Not all methods know stresses, or the forces between bodies.
void check_output(Value const& table, Scene const& scene) {
    try {
        check_ability(scene.output.stress, &MethodDescription::stress, "stress", "stresses need", scene.method);
        check_ability(scene.output.pair_forces, &MethodDescription::pair_forces, "pair_forces",
                      "forces between bodies need", scene.method);
        if (scene.output.pair_forces) scene.solver->check_pair_forces("pair_forces");
        if (scene.output.surface == "skin" && find_method(scene.method)->fluid)
            throw OptionError("surface", "a skin follows a body that keeps its shape, and method = \"" + scene.method +
                                             "\" makes everything a fluid; use \"levelset\"");
    } catch (OptionError const& error) {
        refuse(table, error);
    }
}

// Fluid and cloth have keys of their own and share few with a solid.
std::vector<std::string> const fluids{"viscosity", "sound_speed", "surface_tension"};
std::vector<std::string> const cloths{"shear", "bending", "thickness"}, shared{"young", "damping", "friction"};

bool among(std::vector<std::string> const& keys, std::string const& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// No method moves fluids and other matter together. A user who mixes them would else be sent from one method to
// another.
void check_one_kind_of_matter(Value const& materials) {
    Value const *fluid = nullptr, *other = nullptr;
    for (Value const& table : materials.children)
        for (Value const& child : table.children) {
            if (among(fluids, child.name))
                fluid = &table;
            else if (child.name != "density" && other == nullptr)
                other = &child;
        }
    if (fluid == nullptr || other == nullptr) return;
    for (Value const& child : fluid->children)
        if (&child == other) return;  // one material with keys of both: another message
    fail(*other, "is a key of " + std::string(among(cloths, other->name) ? "cloth" : "solids") + ", and material \"" +
                     fluid->name +
                     "\" is a fluid: fluids and other matter cannot share a scene. Give each a scene of "
                     "its own, or make one a collider, which may move, for the other");
}

void check_kind_of_matter(Value const& table, std::string const& method) {
    bool const fluid = find_method(method)->fluid, cloth = find_method(method)->cloth;
    for (Value const& child : table.children) {
        std::string const& key = child.name;
        if (key == "density") continue;
        bool const of_fluid = among(fluids, key), of_cloth = among(cloths, key);
        if (of_fluid != fluid && of_fluid)
            fail(child, "is a key of fluids; it needs method = \"fluid\", is \"" + method + "\"");
        if (of_cloth && !cloth) fail(child, "is a key of cloth; it needs method = \"cloth\", is \"" + method + "\"");
        if (fluid && !of_fluid)
            fail(child, "is a key of solids, and method = \"" + method +
                            "\" makes everything a fluid; allowed: density, " + joined(fluids) +
                            ". Fluids and solids cannot share a scene; for solids choose another method");
        if (cloth && !of_cloth && !among(shared, key))
            fail(child, "is a key of solids, and method = \"" + method +
                            "\" makes everything cloth; allowed: density, " + joined(shared) + ", " + joined(cloths));
    }
}

double speed_or_auto(Value const& value) {
    if (value.kind != Value::Kind::text) return number_of(value, at_least(0));
    word_of(value, {"speed", {"auto"}});
    return -1;
}

RestraintSpec read_restraint(Value const& table, Scene const& scene) {
    std::string const& method = scene.method;
    Fields const fields(table, {"threshold", "full"});
    try {
        check_ability(true, &MethodDescription::restraint, "restraint", "restraint needs", method);
        scene.solver->check_restraint();
    } catch (OptionError const& error) {
        fail(table, error.what());
    }
    RestraintSpec spec;
    if (Value const* threshold = fields.find("threshold")) spec.threshold = speed_or_auto(*threshold);
    if (Value const* full = fields.find("full")) {
        spec.full = speed_or_auto(*full);
        if (spec.full >= 0 && spec.threshold < 0) fail(*full, "needs threshold in m/s too");
        bool const cloth = find_method(method)->cloth;
        double const ratio = cloth ? least_ratio_of_cloth : Restraint::least_ratio;
        if (spec.full >= 0 && spec.full < ratio * spec.threshold)
            fail(*full,
                 in_words(spec.full) + " is out of range; must be at least " + (cloth ? "ten" : "five") +
                     " times threshold, " + in_words(ratio * spec.threshold) + ": below that, " +
                     (cloth ? "implicit steps do not converge" : "particles that gain momentum would slow down"));
    }
    return spec;
}

void read_materials(Value const& materials, Scene& scene) {
    if (materials.kind != Value::Kind::table)
        fail(materials, "must be a table of materials, is " + describe(materials) + "; write [materials.NAME]");
    check_one_kind_of_matter(materials);
    for (Value const& table : materials.children) {
        MaterialParameters const& material = scene.materials.emplace_back(table.name, read_material(table)).second;
        check_kind_of_matter(table, scene.method);
        try {
            check_ability(material.stretches == "squared", &MethodDescription::squared_stretches, "stretches",
                          "\"squared\" needs", scene.method);
            check_ability(!material.fibres.empty(), &MethodDescription::fibres, "fibres", "fibres need", scene.method);
            check_ability(material.plasticity == "von-mises-additive", &MethodDescription::additive_strain,
                          "plasticity", "\"von-mises-additive\" needs", scene.method);
            check_ability(material.damping > 0, &MethodDescription::damping, "damping", "damping needs", scene.method);
            check_ability(material.compaction > 0, &MethodDescription::compaction, "compaction",
                          "stiffness against compaction needs", scene.method);
            check_ability(material.tears(), &MethodDescription::cuts, "tear", "matter that tears needs", scene.method);
            if (material.tears()) scene.solver->check_cuts("tear");
            scene.solver->check(material);
        } catch (OptionError const& error) {
            refuse(table, error);
        }
    }
}

std::string contents(std::filesystem::path const& file) {
    std::error_code status;
    if (std::filesystem::is_directory(file, status))
        throw InputError(file.string() + ": is a folder, not a scene file");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (stream) text << stream.rdbuf();
    if (!stream || stream.bad()) {
        std::string const why = errno ? std::strerror(errno) : "reading failed";
        throw InputError(file.string() + ": cannot read the scene file: " + why);
    }
    return text.str();
}

}  // namespace

void check_ability(bool used, bool MethodDescription::*ability, char const* key, std::string const& what,
                   std::string const& method) {
    if (!used || find_method(method)->*ability) return;
    std::vector<std::string> able;
    for (MethodDescription const& other : method_descriptions())
        if (other.*ability) able.push_back("\"" + other.word + "\"");
    throw OptionError(key, able.empty() ? "no method of this version supports it"
                                        : what + " method = " + joined(able) + ", is \"" + method + "\"");
}

Value read_tree(std::filesystem::path const& file) { return parse_toml(contents(file), file); }

std::string scene_title(std::filesystem::path const& file) {
    Value const root = read_tree(file);
    Value const* title = root.find("title");
    return title ? text_of(*title) : "";
}

Scene read_scene(std::filesystem::path const& file, std::vector<std::string> const& overrides) {
    return read_scene_text(contents(file), file, overrides);
}

Scene read_scene_text(std::string const& text, std::filesystem::path const& name,
                      std::vector<std::string> const& overrides) {
    Value root = parse_toml(text, name);
    apply_overrides(root, overrides);
    return scene_of(root, name);
}

Scene scene_of(Value const& root, std::filesystem::path const& name) {
    Fields const fields(root, {"title", "method", "duration", "fps", "dt", "gravity", "solver", "materials", "bodies",
                               "colliders", "handles", "cuts", "probes", "restraint", "output"});
    Scene scene;
    scene.file = name;
    fields.read("title", scene.title);
    fields.read("method", scene.method, words::method());
    read_times(fields, scene);
    fields.read("gravity", scene.gravity);
    scene.solver = read_solver(fields.find("solver"), scene.method);
    Value const* const dt = fields.find("dt");
    bool const chosen = dt != nullptr && dt->kind == Value::Kind::text;
    if (chosen && scene.solver->long_steps_are_stable() && scene.solver->substeps() > 0)
        fail(*dt, "\"stable\" leaves the step to the method; leave out solver.substeps, or dt");
    if (Value const* materials = fields.find("materials")) read_materials(*materials, scene);
    MeshFiles meshes(name.parent_path());
    read_bodies(fields.require("bodies", "a scene needs at least one [[bodies]]"), scene, meshes);
    if (Value const* colliders = fields.find("colliders")) read_colliders(*colliders, scene, meshes);
    if (Value const* handles = fields.find("handles")) read_handles(*handles, scene);
    if (Value const* cuts = fields.find("cuts")) {
        try {
            check_ability(true, &MethodDescription::cuts, "cuts", "cuts need", scene.method);
            scene.solver->check_cuts("cuts");
        } catch (OptionError const& error) {
            fail(*cuts, error.what());
        }
        read_cuts(*cuts, scene);
    }
    if (Value const* probes = fields.find("probes")) read_probes(*probes, scene);
    if (Value const* restraint = fields.find("restraint")) scene.restraint = read_restraint(*restraint, scene);
    if (Value const* output = fields.find("output")) {
        scene.output = read_output(*output);
        check_output(*output, scene);
    }
    bool const pc2 = std::count(scene.output.meshes.begin(), scene.output.meshes.end(), "pc2") > 0;
    if (pc2 && scene.output.surface != "none" && !scene.cuts.empty())
        fail(*fields.find("cuts"),
             "a cut changes the vertices of a skin, and \"pc2\" in output.meshes needs them to stay; "
             "use \"ply\", \"obj\", \"vtp\" or \"usda\"");
    return scene;
}

}  // namespace pliant
