// Presets of metals: the load of a tensile test is greatest at the tensile strength and the uniform elongation that
// their sources give.
#include <pliant/materials/presets.hpp>
#include <pliant/materials/registry.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

MaterialParameters preset(std::string const& name) {
    for (MaterialPreset const& preset : material_presets())
        if (preset.name == name) return preset.parameters;
    ADD_FAILURE() << "no preset " << name;
    return {};
}

TEST(Presets, OfMetalsHaveTheStrengthAndTheUniformElongationOfTheirSources) {
    struct {
        char const* name;
        double yield, strength, elongation;  // [Pa], [Pa], of length
    } const metals[] = {
        {"steel", 250e6, 400e6, 0.225},
        {"steel-s235", 235e6, 360e6, 0.208},
        {"steel-s355", 355e6, 490e6, 0.165},
        {"copper-annealed", 69e6, 220e6, 0.375},
        {"copper-half-hard", 248e6, 290e6, 0.105},
        {"aluminium-6061-t6", 276e6, 310e6, 0.09},
        {"lead", 11e6, 14e6, 0.375},
        {"titanium-6al-4v", 880e6, 950e6, 0.105},
    };
    for (auto const& metal : metals) {
        SCOPED_TRACE(metal.name);
        VonMises const law(preset(metal.name));
        EXPECT_NEAR(law.limit(0.), metal.yield, 1e-6 * metal.yield);
        double most = 0, at = 0;
        for (double strain = 0; strain < 0.6; strain += 1e-4) {
            double const load = law.limit(strain) * std::exp(-strain);  // the area shrinks as the length grows
            if (load > most) most = load, at = std::exp(strain) - 1;
        }
        EXPECT_NEAR(most, metal.strength, 0.005 * metal.strength);  // the presets have three digits
        EXPECT_NEAR(at, metal.elongation, 0.005);
    }
}

TEST(Presets, NameLawsThatExist) {
    for (MaterialPreset const& preset : material_presets()) EXPECT_NO_THROW(make_material(preset.parameters));
}

}  // namespace
}  // namespace pliant
