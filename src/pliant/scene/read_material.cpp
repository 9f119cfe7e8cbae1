#include <pliant/materials/presets.hpp>
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

#include <algorithm>

namespace pliant {
namespace {

MaterialParameters preset_named(Value const& value) {
    Words presets{"preset", {}};
    for (MaterialPreset const& preset : material_presets()) presets.now.push_back(preset.name);
    std::string const name = word_of(value, presets);
    MaterialParameters found;
    for (MaterialPreset const& preset : material_presets())
        if (preset.name == name) found = preset.parameters;
    return found;
}

// The keys of plastic laws: which laws use them, and where their numbers are. The first law is the one to recommend.
struct PlasticKey {
    char const* key;
    double MaterialParameters::*number;
    std::vector<std::string> laws, required_by;
};
std::vector<PlasticKey> const& plastic_keys() {
    static std::vector<PlasticKey> const all{
        {"yield_stress",
         &MaterialParameters::yield_stress,
         {"flow", "von-mises", "von-mises-additive"},
         {"flow", "von-mises", "von-mises-additive"}},
        {"flow_rate", &MaterialParameters::flow_rate, {"flow"}, {"flow"}},
        {"hardening", &MaterialParameters::hardening, {"flow", "von-mises", "von-mises-additive"}, {}},
        {"thickening_stress", &MaterialParameters::thickening_stress, {"flow"}, {}},
        {"saturation_stress", &MaterialParameters::saturation_stress, {"von-mises"}, {}},
        {"saturation_rate", &MaterialParameters::saturation_rate, {"von-mises"}, {}},
        {"rate", &MaterialParameters::rate, {"von-mises"}, {}},
    };
    return all;
}
bool contains(std::vector<std::string> const& words, std::string const& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// A number that no law uses would be ignored, so it is refused; if a preset has set it, it is forgotten.
void check_unused(Fields const& fields, MaterialParameters& material) {
    for (PlasticKey const& key : plastic_keys()) {
        if (contains(key.laws, material.plasticity)) continue;
        if (Value const* value = fields.find(key.key))
            fail(*value, "has no effect while plasticity is \"" + material.plasticity + "\"; set plasticity = \"" +
                             key.laws.front() + "\" or remove this key");
        material.*key.number = 0;
    }
    if (material.plasticity != "none" && material.plasticity != "von-mises-additive") return;
    if (fields.find("weld") && material.weld)
        fail(*fields.find("weld"), "only matter that flows can weld; set plasticity = \"flow\" or remove this key");
    material.weld = false;
}

// Voce's hardening is two numbers; its stress is above the yield stress.
void check_saturation(Fields const& fields, MaterialParameters const& material) {
    if ((material.saturation_stress > 0) != (material.saturation_rate > 0))
        fail(fields.table(), std::string("saturation_stress and saturation_rate need each other; the missing key is ") +
                                 (material.saturation_rate > 0 ? "saturation_stress" : "saturation_rate"));
    if (material.saturation_rate > 0 && material.saturation_stress < material.yield_stress) {
        Value const* given = fields.find("saturation_stress");
        fail(given ? *given : fields.table(),
             "saturation_stress = " + rounded(material.saturation_stress) +
                 " must not be below yield_stress = " + rounded(material.yield_stress));
    }
}

void check_plasticity(Fields const& fields, MaterialParameters& material) {
    check_unused(fields, material);
    MaterialParameters const preset =
        fields.find("preset") ? preset_named(*fields.find("preset")) : MaterialParameters{};
    std::vector<std::string> missing;
    for (PlasticKey const& key : plastic_keys())
        if (contains(key.required_by, material.plasticity) && !fields.find(key.key) && preset.*key.number == 0)
            missing.push_back(key.key);
    if (!missing.empty())
        fail(fields.table(), "plasticity = \"" + material.plasticity + "\" needs the missing " +
                                 (missing.size() > 1 ? "keys " : "key ") + joined(missing));
    if (material.plasticity.starts_with("von-mises") && material.yield_stress == 0)
        fail(*fields.find("yield_stress"),
             "0 is out of range; must be greater than 0 with plasticity = \"" + material.plasticity + "\"");
    if (material.plasticity == "von-mises-additive" && material.elasticity != "stvk")
        fail(fields.find("plasticity") ? *fields.find("plasticity") : fields.table(),
             "\"von-mises-additive\" needs elasticity = \"stvk\", is \"" + material.elasticity + "\"");
    check_saturation(fields, material);
}

Vec3d unit_vector(Value const& value) {
    Vec3d const v = vector_of(value);
    if (norm(v) == 0) fail(value, "must not be zero");
    return normalized(v);
}

// { direction, young }, { field, axis, young } or { field = "file", property, young }.
FibreParameters read_fibre(Value const& table) {
    Fields const fields(table, {"direction", "field", "axis", "property", "young"});
    Value const *direction = fields.find("direction"), *field = fields.find("field"), *axis = fields.find("axis");
    if (!direction == !field)
        fail(table,
             std::string(direction ? "has both direction and field; keep one" : "has neither direction nor field") +
                 ": { direction = [x, y, z], young = E }, { field = \"axial\" or \"radial\", axis = [x, y, z], "
                 "young = E } or { field = \"file\", property = NAME, young = E }");
    if (axis && direction) fail(*axis, "belongs to field; the direction says it all");
    FibreParameters fibre;
    if (direction) fibre.axis = unit_vector(*direction);
    if (axis) fibre.axis = unit_vector(*axis);
    std::string const word = field ? word_of(*field, words::fibre_field) : "";
    fibre.radial = word == "radial";
    Value const* property = fields.find("property");
    if (property && word != "file") fail(*property, "belongs to field = \"file\"");
    if (axis && word == "file") fail(*axis, "belongs to the fields axial and radial; the file says it all");
    if (word == "file") fibre.property = property ? text_of(*property) : "fibre";
    if (property && fibre.property.empty()) fail(*property, "is empty; name a vector of the file's vertices");
    fibre.young = number_of(fields.require("young", "[Pa]"), above(0));
    return fibre;
}

// { stretch } or { energy }.
void read_tear(Value const& table, MaterialParameters& material) {
    Fields const fields(table, {"stretch", "energy"});
    Value const *stretch = fields.find("stretch"), *energy = fields.find("energy");
    if (!stretch == !energy)
        fail(table, std::string(stretch ? "has both stretch and energy; keep one" : "has neither stretch nor energy") +
                        ": { stretch = 1.6 }, or { energy = 200 } [J/m2]");
    if (stretch) material.tear_stretch = number_of(*stretch, above(1));
    if (energy) material.tear_energy = number_of(*energy, above(0));
}

}  // namespace

MaterialParameters read_material(Value const& table) {
    Fields const fields(table, {"preset",
                                "density",
                                "young",
                                "poisson",
                                "elasticity",
                                "fibres",
                                "plasticity",
                                "yield_stress",
                                "flow_rate",
                                "hardening",
                                "thickening_stress",
                                "saturation_stress",
                                "saturation_rate",
                                "rate",
                                "stretches",
                                "compaction",
                                "damping",
                                "friction",
                                "weld",
                                "tear",
                                "viscosity",
                                "sound_speed",
                                "surface_tension",
                                "shear",
                                "bending",
                                "thickness"});
    MaterialParameters material;
    if (Value const* preset = fields.find("preset")) material = preset_named(*preset);
    fields.read("density", material.density, above(0));
    fields.read("young", material.young, above(0));
    fields.read("poisson", material.poisson, inside(-1, 0.5));
    fields.read("elasticity", material.elasticity, words::elasticity());
    if (Value const* fibres = fields.find("fibres"))
        for (Value const& fibre : tables_of(*fibres)) material.fibres.push_back(read_fibre(fibre));
    fields.read("plasticity", material.plasticity, words::plasticity());
    fields.read("yield_stress", material.yield_stress, at_least(0));
    fields.read("flow_rate", material.flow_rate, above(0));
    fields.read("hardening", material.hardening, at_least(0));
    fields.read("thickening_stress", material.thickening_stress, above(0));
    fields.read("saturation_stress", material.saturation_stress, above(0));
    fields.read("saturation_rate", material.saturation_rate, above(0));
    fields.read("rate", material.rate, above(0));
    fields.read("stretches", material.stretches, words::stretches);
    fields.read("compaction", material.compaction, at_least(0));
    fields.read("damping", material.damping, at_least(0));
    fields.read("friction", material.friction, at_least(0));
    fields.read("weld", material.weld);
    fields.read("viscosity", material.viscosity, at_least(0));
    fields.read("sound_speed", material.sound_speed, above(0));
    fields.read("surface_tension", material.surface_tension, at_least(0));
    fields.read("shear", material.shear, above(0));
    fields.read("bending", material.bending, at_least(0));
    fields.read("thickness", material.thickness, above(0));
    if (Value const* tear = fields.find("tear")) read_tear(*tear, material);
    check_plasticity(fields, material);
    return material;
}

}  // namespace pliant
