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
    std::printf("%-7s %9s %9s %8s  %-11s %9s %9s %9s %9s  %-5s %s\n", "", "density", "young", "poisson", "plasticity",
                "yield", "flow rate", "hardening", "friction", "weld", "source");
    std::printf("%-7s %9s %9s %8s  %-11s %9s %9s %9s %9s\n", "", "[kg/m3]", "[Pa]", "", "", "[Pa]", "[1/s]", "[Pa]",
                "");
    for (MaterialPreset const& preset : material_presets()) {
        MaterialParameters const& m = preset.parameters;
        std::printf("%-7s %9s %9s %8s  %-11s %9s %9s %9s %9s  %-5s %s\n", preset.name.c_str(),
                    in_words(m.density).c_str(), in_words(m.young).c_str(), in_words(m.poisson).c_str(),
                    m.plasticity.c_str(), number_or_blank(m.yield_stress).c_str(), number_or_blank(m.flow_rate).c_str(),
                    number_or_blank(m.hardening).c_str(), in_words(m.friction).c_str(), m.weld ? "yes" : "no",
                    preset.source.c_str());
    }
    std::printf(
        "\nUse one with preset = \"NAME\" in a table [materials.ANY]; `pliant materials NAME` prints its table.\n");
}

void print_number(char const* key, double number, char const* unit, bool commented = false) {
    std::printf(*unit ? "%s%-12s = %-9s" : "%s%-12s = %s", commented ? "# " : "", key, in_words(number).c_str());
    std::printf(*unit ? "  # %s\n" : "%s\n", unit);
}

// A metal's yield stress is for those who ask for plasticity: beside "none" it would be refused, so it is a comment.
void print_plasticity(MaterialParameters const& m) {
    bool const none = m.plasticity == "none";
    std::printf("plasticity   = \"%s\"\n", m.plasticity.c_str());
    if (none && m.yield_stress > 0) std::printf("# With plasticity = \"flow\" and a flow_rate [1/s] of your choice:\n");
    if (m.yield_stress > 0) print_number("yield_stress", m.yield_stress, "[Pa]", none);
    if (m.flow_rate > 0) print_number("flow_rate", m.flow_rate, "[1/s]", none);
    if (m.hardening > 0) print_number("hardening", m.hardening, "[Pa]", none);
}

void print_table(MaterialPreset const& preset) {
    MaterialParameters const& m = preset.parameters;
    std::printf("# %s\n[materials.%s]\n", preset.source.c_str(), preset.name.c_str());
    print_number("density", m.density, "[kg/m3]");
    print_number("young", m.young, "[Pa]");
    print_number("poisson", m.poisson, "");
    std::printf("elasticity   = \"%s\"\n", m.elasticity.c_str());
    print_plasticity(m);
    print_number("friction", m.friction, "");
    if (m.weld) std::printf("weld         = true\n");
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
