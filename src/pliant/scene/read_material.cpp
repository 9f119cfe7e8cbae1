#include <pliant/materials/presets.hpp>
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

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

// Keys of plasticity without plasticity would be ignored, so they are refused; flow without its numbers likewise.
void check_plasticity(Fields const& fields, MaterialParameters& material) {
    if (material.plasticity == "none") {
        for (char const* key : {"yield_stress", "flow_rate", "hardening", "thickening_stress"})
            if (Value const* value = fields.find(key))
                fail(*value,
                     "has no effect while plasticity is \"none\"; set plasticity = \"flow\" or remove this key");
        if (fields.find("weld") && material.weld)
            fail(*fields.find("weld"), "only matter that flows can weld; set plasticity = \"flow\" or remove this key");
        material.yield_stress = material.flow_rate = material.hardening = material.thickening_stress =
            0;  // a preset may have set them
        material.weld = false;
        return;
    }
    MaterialParameters const preset =
        fields.find("preset") ? preset_named(*fields.find("preset")) : MaterialParameters{};
    std::vector<std::string> missing;
    if (!fields.find("yield_stress") && preset.yield_stress == 0) missing.push_back("yield_stress");
    if (!fields.find("flow_rate") && preset.flow_rate == 0) missing.push_back("flow_rate");
    if (!missing.empty())
        fail(fields.table(), "plasticity = \"" + material.plasticity + "\" needs the missing " +
                                 (missing.size() > 1 ? "keys " : "key ") + joined(missing));
}

}  // namespace

MaterialParameters read_material(Value const& table) {
    Fields const fields(table, {"preset", "density", "young", "poisson", "elasticity", "plasticity", "yield_stress",
                                "flow_rate", "hardening", "thickening_stress", "stretches", "friction", "weld"});
    MaterialParameters material;
    if (Value const* preset = fields.find("preset")) material = preset_named(*preset);
    fields.read("density", material.density, above(0));
    fields.read("young", material.young, above(0));
    fields.read("poisson", material.poisson, inside(-1, 0.5));
    fields.read("elasticity", material.elasticity, words::elasticity());
    fields.read("plasticity", material.plasticity, words::plasticity());
    fields.read("yield_stress", material.yield_stress, at_least(0));
    fields.read("flow_rate", material.flow_rate, above(0));
    fields.read("hardening", material.hardening, at_least(0));
    fields.read("thickening_stress", material.thickening_stress, above(0));
    fields.read("stretches", material.stretches, words::stretches);
    fields.read("friction", material.friction, at_least(0));
    fields.read("weld", material.weld);
    check_plasticity(fields, material);
    return material;
}

}  // namespace pliant
