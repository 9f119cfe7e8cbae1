// Values are within the ranges given in handbooks and papers, listed in docs/theory/materials.md. Poisson's ratios of
// nearly incompressible materials (gels, rubber, wet clay: 0.49 and more) are lowered to at most 0.45, since
// first-order gradients stiffen towards 0.5. Flow rates are chosen, not measured: they set how fast stress above the
// yield stress relaxes. Friction is that of the material on itself, chosen if no table lists it (jelly, clay, dough).
#include <pliant/materials/presets.hpp>

namespace pliant {

std::vector<MaterialPreset> const& material_presets() {
    static std::vector<MaterialPreset> const presets{
        {"jelly",
         {.density = 1000, .young = 1e4, .poisson = 0.4, .friction = 0.2},
         "table jelly, gelatin of 5 to 10 %: of the order of 10 kPa (Markidou, Shih and Shih 2005)"},
        {"rubber",
         {.density = 930, .young = 2e6, .poisson = 0.45, .friction = 1},
         "natural rubber, unfilled: 1.5 to 2.5 MPa, 920 to 930 kg/m3 (Ashby 2011)"},
        {"clay",
         {.density = 1800, .young = 5e6, .poisson = 0.4, .plasticity = "flow", .yield_stress = 3e4, .flow_rate = 300},
         "very soft to soft clay: 2 to 25 MPa (Bowles 1996), 12 to 25 kPa in shear (Terzaghi, Peck and Mesri 1996)"},
        {"dough",
         {.density = 1200,
          .young = 3e4,
          .poisson = 0.4,
          .plasticity = "flow",
          .yield_stress = 1e3,
          .flow_rate = 20,
          .weld = true},
         "wheat dough: storage modulus of the order of 10 kPa (Phan-Thien et al. 1997); yield of the order of 1 kPa"},
        {"wood",
         {.density = 550, .young = 1.1e10, .poisson = 0.3, .friction = 0.4},
         "softwood along the grain: 9 to 13 GPa (Wood Handbook 2010); the grain itself is left out"},
        {"steel",
         {.density = 7850, .young = 200e9, .poisson = 0.3, .yield_stress = 250e6, .friction = 0.6},
         "low-carbon steel: 200 to 215 GPa, yield 250 to 395 MPa (Ashby 2011)"},
        {"copper",
         {.density = 8930, .young = 117e9, .poisson = 0.35, .yield_stress = 400e6, .hardening = 100e6, .friction = 0.8},
         "copper of the Taylor bar benchmark: yield 400 MPa, hardening 100 MPa (Bonet and Burton 1998)"},
    };
    return presets;
}

}  // namespace pliant
