// pliant materials: the presets, in a list or one of them as TOML.
#include "commands.hpp"

#include <pliant/data/error.hpp>
#include <pliant/materials/presets.hpp>
#include <pliant/scene/words.hpp>

#include <cstdio>

namespace pliant::app {

namespace {

// Empty where a law has no such number.
std::string number_or_blank(double number) { return number > 0 ? in_words(number) : ""; }

void print_list() {
    char const* const row = "%-17s %9s %9s %8s  %-10s %9s %9s %9s %11s %10s %8s  %-4s %s\n";
    std::printf(row, "", "density", "young", "poisson", "plasticity", "yield", "flow rate", "hardening", "saturation",
                "saturation", "friction", "weld", "source");
    std::printf(row, "", "[kg/m3]", "[Pa]", "", "", "[Pa]", "[1/s]", "[Pa]", "stress [Pa]", "rate", "", "", "");
    for (MaterialPreset const& preset : material_presets()) {
        MaterialParameters const& m = preset.parameters;
        std::printf(row, preset.name.c_str(), in_words(m.density).c_str(), in_words(m.young).c_str(),
                    in_words(m.poisson).c_str(), m.plasticity.c_str(), number_or_blank(m.yield_stress).c_str(),
                    number_or_blank(m.flow_rate).c_str(), number_or_blank(m.hardening).c_str(),
                    number_or_blank(m.saturation_stress).c_str(), number_or_blank(m.saturation_rate).c_str(),
                    in_words(m.friction).c_str(), m.weld ? "yes" : "no", preset.source.c_str());
    }
    std::printf(
        "\nUse one with preset = \"NAME\" in a table [materials.ANY]; `pliant materials NAME` prints its table.\n");
}

void print_number(char const* key, double number, char const* unit) {
    std::printf(*unit ? "%-17s = %-9s" : "%-17s = %s", key, in_words(number).c_str());
    std::printf(*unit ? "  # %s\n" : "%s\n", unit);
}

void print_plasticity(MaterialParameters const& m) {
    std::printf("%-17s = \"%s\"\n", "plasticity", m.plasticity.c_str());
    if (m.yield_stress > 0) print_number("yield_stress", m.yield_stress, "[Pa]");
    if (m.flow_rate > 0) print_number("flow_rate", m.flow_rate, "[1/s]");
    if (m.hardening > 0) print_number("hardening", m.hardening, "[Pa]");
    if (m.saturation_stress > 0) print_number("saturation_stress", m.saturation_stress, "[Pa]");
    if (m.saturation_rate > 0) print_number("saturation_rate", m.saturation_rate, "");
}

void print_table(MaterialPreset const& preset) {
    MaterialParameters const& m = preset.parameters;
    std::printf("# %s\n[materials.%s]\n", preset.source.c_str(), preset.name.c_str());
    print_number("density", m.density, "[kg/m3]");
    print_number("young", m.young, "[Pa]");
    print_number("poisson", m.poisson, "");
    std::printf("%-17s = \"%s\"\n", "elasticity", m.elasticity.c_str());
    print_plasticity(m);
    print_number("friction", m.friction, "");
    if (m.weld) std::printf("%-17s = true\n", "weld");
}

}  // namespace

int materials(Options const& options) {
    if (options.material.empty()) {
        print_list();
        return exit_code::done;
    }
    Words names{"material", {}};
    for (MaterialPreset const& preset : material_presets()) {
        names.now.push_back(preset.name);
        if (preset.name != options.material) continue;
        print_table(preset);
        return exit_code::done;
    }
    throw InputError(unknown_word(options.material, names));
}

}  // namespace pliant::app
