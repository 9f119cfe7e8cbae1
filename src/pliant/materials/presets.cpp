// Values are within the ranges given in handbooks and papers, listed in docs/theory/materials.md. Poisson's ratios of
// nearly incompressible materials (gels, rubber, wet clay: 0.49 and more) are lowered to at most 0.45, since
// first-order gradients stiffen towards 0.5. Flow rates are chosen, not measured: they set how fast stress above the
// yield stress relaxes. Hardening of metals is Voce's curve through the tensile strength, with its greatest load at the
// uniform elongation (docs/theory/materials.md). Friction is that of the material on itself, chosen if no table lists
// it (jelly, clay, dough).
#include <pliant/materials/presets.hpp>

namespace pliant {
namespace {

struct Elastic {
    double density, young, poisson;  // [kg/m3], [Pa]
};
struct Voce {
    double yield_stress, saturation_stress, saturation_rate;  // [Pa], [Pa]
};

MaterialParameters metal(Elastic const& elastic, Voce const& voce, double friction) {
    return {.density = elastic.density,
            .young = elastic.young,
            .poisson = elastic.poisson,
            .plasticity = "von-mises",
            .yield_stress = voce.yield_stress,
            .saturation_stress = voce.saturation_stress,
            .saturation_rate = voce.saturation_rate,
            .friction = friction};
}

}  // namespace

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
        {"steel", metal({7850, 200e9, 0.3}, {250e6, 554e6, 7.7}, 0.6),
         "structural steel, ASTM A36: 200 GPa, yield 250 MPa, strength 400 MPa at 22.5 %"},
        {"steel-s235", metal({7850, 210e9, 0.3}, {235e6, 487e6, 8.3}, 0.6),
         "structural steel S235, EN 1993-1-1: 210 GPa, yield 235 MPa, strength 360 MPa at 20.8 %"},
        {"steel-s355", metal({7850, 210e9, 0.3}, {355e6, 626e6, 10.5}, 0.6),
         "structural steel S355, EN 1993-1-1: 210 GPa, yield 355 MPa, strength 490 MPa at 16.5 %"},
        {"copper",
         {.density = 8930,
          .young = 117e9,
          .poisson = 0.35,
          .plasticity = "von-mises",
          .yield_stress = 400e6,
          .hardening = 100e6,
          .friction = 0.8},
         "copper of the Taylor bar benchmark: yield 400 MPa, hardening 100 MPa (Bonet and Burton 1998)"},
        {"copper-annealed", metal({8930, 117e9, 0.34}, {69e6, 364e6, 4.9}, 0.8),
         "soft copper, temper OS050: yield 69 MPa, strength 220 MPa, 50 % (Copper Development Association)"},
        {"copper-half-hard", metal({8930, 117e9, 0.34}, {248e6, 342e6, 15}, 0.8),
         "half-hard copper, temper H02: yield 248 MPa, strength 290 MPa, 14 % (Copper Development Association)"},
        {"aluminium-6061-t6", metal({2700, 68.9e9, 0.33}, {276e6, 359e6, 16}, 1.1),
         "6061-T6: yield 276 MPa, strength 310 MPa, 12 % (Aluminum Association)"},
        {"lead", metal({11340, 16.1e9, 0.44}, {11e6, 30.1e6, 1.8}, 0.9),
         "lead: yield 11 MPa, strength 14 MPa, 50 % (Callister 1994)"},
        {"titanium-6al-4v", metal({4430, 113.8e9, 0.342}, {880e6, 1170e6, 9}, 0.6),
         "Ti-6Al-4V, annealed: yield 880 MPa, strength 950 MPa, 14 % (ASM 1994)"},
    };
    return presets;
}

}  // namespace pliant
