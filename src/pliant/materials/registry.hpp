// The one list of laws. A new law is a header beside this file and its name in a list here; scene file, both machines
// and the contract tests follow from it.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/materials/additive.hpp>
#include <pliant/materials/corotated.hpp>
#include <pliant/materials/flow.hpp>
#include <pliant/materials/neo_hookean.hpp>
#include <pliant/materials/neo_hookean_log.hpp>
#include <pliant/materials/one_of.hpp>
#include <pliant/materials/strain_laws.hpp>
#include <pliant/materials/von_mises.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pliant {

template <class ElasticLaw, class PlasticLaw>
struct Solid {
    ElasticLaw elasticity;
    PlasticLaw plasticity;
};

// The laws, the default ones first. A scene may join any elastic law with any plastic one. Elastic laws that are
// listed inside OneOf share their kernels: a further one costs no further kernels. Only there matter resists
// compaction, so that Corotated is listed twice.
template <class... Laws>
struct LawList {};
using AnyElasticLaw = OneOf<NeoHookean, NeoHookeanLog, StVenantKirchhoff, Hencky, Corotated>;
using ElasticLaws = LawList<Corotated, AnyElasticLaw>;
using PlasticLaws = LawList<NoPlasticity, Flow, VonMises>;

// The words of one law, of all in a OneOf, or of one with several.
template <class Law>
constexpr auto words_of() {
    if constexpr (requires { Law::words; })
        return Law::words;
    else
        return std::array{Law::word};
}
template <class... Laws>
std::vector<std::string> words_of(LawList<Laws...>) {
    std::vector<std::string> all;
    auto const add = [&](auto const& words) {
        for (std::string_view const word : words)
            if (std::find(all.begin(), all.end(), word) == all.end()) all.emplace_back(word);
    };
    (add(words_of<Laws>()), ...);
    return all;
}

// All pairs of an elastic and a plastic type.
template <class... Solids>
struct SolidList {
    using Variant = std::variant<Solids...>;
};
template <class ElasticLaw, class... Plastic>
SolidList<Solid<ElasticLaw, Plastic>...> solids_of(LawList<Plastic...>);
template <class... A, class... B>
SolidList<A..., B...> operator+(SolidList<A...>, SolidList<B...>);
template <class... Elastic>
auto all_solids(LawList<Elastic...>) -> decltype((solids_of<Elastic>(PlasticLaws{}) + ... + SolidList<>{}));

using Solids = decltype(all_solids(ElasticLaws{}));
using Material = Solids::Variant;

struct MaterialEntry {  // a pair of words
    using Join = Material (*)(MaterialParameters const&);
    std::string_view elasticity, plasticity;  // as in the scene file
    Join join, join_compacting;               // without and with stiffness against compaction

    Material make(MaterialParameters p) const {  // whatever laws `p` names
        p.elasticity = elasticity, p.plasticity = plasticity;
        return (p.compaction > 0 ? join_compacting : join)(p);
    }
};

template <class Joined>
Material make_solid(MaterialParameters const& p) {
    return Joined{decltype(Joined::elasticity){p}, decltype(Joined::plasticity){p}};
}

template <class... Joined>
std::vector<MaterialEntry> entries_of(SolidList<Joined...>) {
    std::vector<MaterialEntry> all;
    auto const add_pair = [&](std::string_view elastic_word, std::string_view plastic_word, MaterialEntry::Join join) {
        auto const known = std::find_if(all.begin(), all.end(), [&](MaterialEntry const& entry) {
            return entry.elasticity == elastic_word && entry.plasticity == plastic_word;
        });
        if (known == all.end())
            all.push_back({elastic_word, plastic_word, join, join});
        else
            known->join_compacting = join;  // listed again, in OneOf
    };
    auto const add = [&](auto elastic_words, auto plastic_words, MaterialEntry::Join join) {
        for (std::string_view const plastic_word : plastic_words)
            for (std::string_view const elastic_word : elastic_words) add_pair(elastic_word, plastic_word, join);
    };
    (add(words_of<decltype(Joined::elasticity)>(), words_of<decltype(Joined::plasticity)>(), make_solid<Joined>), ...);
    return all;
}
inline std::vector<MaterialEntry> const& material_registry() {
    static std::vector<MaterialEntry> const all = entries_of(Solids{});
    return all;
}

// The laws that `p` names; throws InputError if the registry has no such pair.
inline Material make_material(MaterialParameters const& p) {
    for (MaterialEntry const& entry : material_registry())
        if (entry.elasticity == p.elasticity && entry.plasticity == p.plasticity) return entry.make(p);
    throw InputError("no material joins elasticity \"" + p.elasticity + "\" with plasticity \"" + p.plasticity + "\"");
}

}  // namespace pliant
