// The only list of laws. A new law is a header beside this file and one line here; scene file, both backends and the
// contract tests follow from it.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/materials/flow.hpp>

#include <span>
#include <string_view>
#include <variant>

namespace pliant {

template <class ElasticLaw, class PlasticLaw>
struct Solid {
    ElasticLaw elasticity;
    PlasticLaw plasticity;
};

using Material = std::variant<Solid<Corotated, NoPlasticity>, Solid<Corotated, Flow>>;

struct MaterialEntry {
    std::string_view elasticity, plasticity;
    Material (*make)(MaterialParameters const&);
};

template <class ElasticLaw, class PlasticLaw>
Material make_solid(MaterialParameters const& p) {
    return Solid<ElasticLaw, PlasticLaw>{ElasticLaw{p}, PlasticLaw{p}};
}

inline constexpr MaterialEntry material_registry[] = {
    {"corotated", "none", make_solid<Corotated, NoPlasticity>},
    {"corotated", "flow", make_solid<Corotated, Flow>},
};

// The law that `p` names; throws InputError if the registry has no such pair.
inline Material make_material(MaterialParameters const& p) {
    for (MaterialEntry const& entry : material_registry)
        if (entry.elasticity == p.elasticity && entry.plasticity == p.plasticity) return entry.make(p);
    throw InputError("no material joins elasticity \"" + p.elasticity + "\" with plasticity \"" + p.plasticity + "\"");
}

}  // namespace pliant
