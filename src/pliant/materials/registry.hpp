// The one list of laws. A new law is a header beside this file and its name in a list here; scene file, both machines
// and the contract tests follow from it.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/materials/flow.hpp>

#include <array>
#include <span>
#include <string_view>
#include <variant>

namespace pliant {

template <class ElasticLaw, class PlasticLaw>
struct Solid {
    ElasticLaw elasticity;
    PlasticLaw plasticity;
};

// The laws, the default ones first. A scene may join any elastic law with any plastic one.
template <class... Laws>
struct LawList {
    static constexpr std::array words{Laws::word...};
};
using ElasticLaws = LawList<Corotated>;
using PlasticLaws = LawList<NoPlasticity, Flow>;

struct MaterialEntry;

// All pairs of an elastic and a plastic law, as a variant and as a table.
template <class... Solids>
struct SolidList {
    using Variant = std::variant<Solids...>;
    static std::span<MaterialEntry const> entries();
};
template <class ElasticLaw, class... Plastic>
SolidList<Solid<ElasticLaw, Plastic>...> solids_of(LawList<Plastic...>);
template <class... A, class... B>
SolidList<A..., B...> operator+(SolidList<A...>, SolidList<B...>);
template <class... Elastic>
auto all_solids(LawList<Elastic...>) -> decltype((solids_of<Elastic>(PlasticLaws{}) + ... + SolidList<>{}));

using Material = decltype(all_solids(ElasticLaws{}))::Variant;

struct MaterialEntry {
    std::string_view elasticity, plasticity;  // as in the scene file
    Material (*make)(MaterialParameters const&);
};

template <class Joined>
Material make_solid(MaterialParameters const& p) {
    return Joined{decltype(Joined::elasticity){p}, decltype(Joined::plasticity){p}};
}

template <class... Solids>
std::span<MaterialEntry const> SolidList<Solids...>::entries() {
    static constexpr std::array<MaterialEntry, sizeof...(Solids)> all{
        {{decltype(Solids::elasticity)::word, decltype(Solids::plasticity)::word, make_solid<Solids>}...}};
    return all;
}
inline std::span<MaterialEntry const> const material_registry = decltype(all_solids(ElasticLaws{}))::entries();

// The law that `p` names; throws InputError if the registry has no such pair.
inline Material make_material(MaterialParameters const& p) {
    for (MaterialEntry const& entry : material_registry)
        if (entry.elasticity == p.elasticity && entry.plasticity == p.plasticity) return entry.make(p);
    throw InputError("no material joins elasticity \"" + p.elasticity + "\" with plasticity \"" + p.plasticity + "\"");
}

}  // namespace pliant
