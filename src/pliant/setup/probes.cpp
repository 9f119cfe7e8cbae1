#include <pliant/data/error.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/setup/probes.hpp>

namespace pliant {
namespace {

Index nearest(Vec3d point, Model const& model) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < model.rest.size(); ++i)
        if (norm_squared(model.rest[i] - point) < norm_squared(model.rest[best] - point)) best = i;
    return Index(best);
}

}  // namespace

std::vector<std::vector<Index>> probed_particles(Scene const& scene, Model const& model,
                                                 std::vector<std::uint32_t> const& id_of) {
    std::vector<std::vector<Index>> all;
    for (ProbeSpec const& probe : scene.probes) {
        std::vector<Index>& of = all.emplace_back();
        if (probe.point) {
            of.push_back(nearest(*probe.point, model));
            continue;
        }
        for (std::size_t i = 0; i < model.rest.size(); ++i)
            if (contains(probe.region, model.rest[i], id_of[i])) of.push_back(Index(i));
        if (of.empty())
            throw InputError(where(scene, probe.line) + "the probe \"" + probe.name +
                             "\" reads no particle; its region lies outside all bodies");
    }
    return all;
}

}  // namespace pliant
