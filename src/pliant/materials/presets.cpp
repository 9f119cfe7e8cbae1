// Poisson's ratios of nearly incompressible stuff (gels, rubber, wet clay: 0.49 and more) are lowered to at most 0.45,
// since first-order gradients stiffen towards 0.5. Flow rates are chosen, not measured: they set how fast stress above
// the yield stress relaxes.
#include <pliant/materials/presets.hpp>

namespace pliant {

std::vector<MaterialPreset> const& material_presets() {
    static std::vector<MaterialPreset> const presets{
        {"jelly",
         {.density = 1000, .young = 1e4, .poisson = 0.4},
         "table jelly; gelatin gels of 5 to 10 % measure some 5 to 50 kPa"},
        {"rubber",
         {.density = 930, .young = 2e6, .poisson = 0.45},
         "natural rubber, unfilled: 1.5 to 2.5 MPa, 920 to 930 kg/m3 (engineering tables)"},
        {"clay",
         {.density = 1800, .young = 5e6, .poisson = 0.4, .plasticity = "flow", .yield_stress = 3e4, .flow_rate = 300},
         "soft wet clay: 2 to 15 MPa, undrained shear strength 12 to 25 kPa times sqrt(3) (soil mechanics tables)"},
        {"dough",
         {.density = 1200, .young = 3e4, .poisson = 0.4, .plasticity = "flow", .yield_stress = 1e3, .flow_rate = 20},
         "wheat dough: storage modulus of about 10 kPa, yields at the order of 1 kPa (dough rheology)"},
        {"wood",
         {.density = 550, .young = 1.1e10, .poisson = 0.3},
         "softwood along the grain; the grain itself is left out (engineering tables)"},
        {"steel",
         {.density = 7850, .young = 200e9, .poisson = 0.3, .yield_stress = 250e6},
         "structural steel, yield 250 MPa (engineering tables)"},
        {"copper",
         {.density = 8930, .young = 117e9, .poisson = 0.35, .yield_stress = 70e6},
         "annealed copper, yield about 70 MPa (engineering tables)"},
    };
    return presets;
}

}  // namespace pliant
