// A material as a scene names it: numbers in SI units and the names of its laws.
#pragma once

#include <pliant/math/vec3.hpp>

#include <string>
#include <vector>

namespace pliant {

struct FibreParameters {  // a family of fibres
    Vec3d axis{0, 1, 0};  // a unit vector in the frame of the shape: their direction, or the axis of a radial field
    bool radial = false;  // they point away from the axis
    std::string property = "";  // of the vertices in the file of the body's shape; empty: the axis says it all
    double young = 0;           // [Pa]

    bool operator==(FibreParameters const&) const = default;
};

struct MaterialParameters {
    double density = 1000;                     // [kg/m3]
    double young = 1e5;                        // [Pa]
    double poisson = 0.3;                      // in (-1, 0.5)
    std::string elasticity = "corotated";      // a name in the registry
    std::vector<FibreParameters> fibres = {};  // on top of the elastic law
    std::string plasticity = "none";           // a name in the registry
    double yield_stress = 0;                   // [Pa], von Mises
    double flow_rate = 0;                      // [1/s]
    double hardening = 0;                      // [Pa] per unit of plastic strain
    double saturation_stress = 0;              // [Pa]: what Voce's hardening comes to, beside the linear one
    double saturation_rate = 0;                // of Voce's hardening, per unit of plastic strain; 0: none
    double rate = 0;                   // plastic strain rate at which the limit has doubled [1/s]; 0: no dependence
    double thickening_stress = 0;      // stress at which flow_rate applies [Pa]; 0: at any stress
    std::string stretches = "linear";  // linear | squared: what the elastic law sees (method = "gerszewski")
    double compaction = -1;  // against being squeezed to nothing [Pa]; negative: chosen by the speeds of the scene
    double friction = 0.5;   // Coulomb's coefficient; between two bodies the geometric mean
    double damping = 0;  // of motion, in proportion to stiffness [s]; a mode of frequency w has the ratio damping w / 2
    double tear_stretch = 0;     // elastic stretch beyond which it tears; 0: it does not
    double tear_energy = 0;      // energy of a tear per area [J/m2]; 0: not given
    double viscosity = 0.08;     // of a fluid: alpha of Manteaux et al. 2013, eq. 6
    double sound_speed = 0;      // of a fluid [m/s]; 0: ten times the fastest motion that the scene lets expect
    double surface_tension = 0;  // of a fluid [N/m]
    double shear = -1;           // of cloth: modulus of shear [Pa]; negative: half of young
    double bending = -1;         // of cloth [N m]; negative: that of a plate, young thickness^3 / 12
    double thickness = 0.001;    // of cloth [m]
    bool weld = false;           // flowing matter of this material merges on contact

    bool tears() const { return tear_stretch > 0 || tear_energy > 0; }
    bool operator==(MaterialParameters const&) const = default;
};

}  // namespace pliant
