#include <pliant/scene/idle.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>

namespace pliant {
namespace {

// ": it begins at 3 s, and the run lasts 2 s"; empty when some of the time lies within the run.
std::string missed(double from, double until, double duration) {
    if (from >= duration)
        return ": it begins at " + in_words(from) + " s, and the run lasts " + in_words(duration) + " s";
    if (from >= until) return ": it begins and ends at " + in_words(from) + " s";
    return "";
}

}  // namespace

std::vector<std::string> idle_warnings(Scene const& scene) {
    std::vector<std::string> warnings;
    auto const add = [&](std::string const& what, std::string const& why) {
        std::string const text = what + why;
        bool const known = std::find(warnings.begin(), warnings.end(), text) != warnings.end();  // repeated by an array
        if (!why.empty() && !known) warnings.push_back(text);
    };
    for (HandleSpec const& handle : scene.handles) {
        std::string const who = where(scene, handle.line) + "the handle of body \"" + handle.body + "\"";
        std::string const idle = missed(handle.from, handle.until, scene.duration);
        add(who + " never acts", idle);
        if (idle.empty() && handle.motion.moves())
            add(who + " never moves", missed(std::max(handle.from, handle.motion.from),
                                             std::min(handle.until, handle.motion.until), scene.duration));
    }
    for (std::size_t c = 0; c < scene.colliders.size(); ++c)
        if (Motion const& motion = scene.colliders[c].motion; motion.moves())
            add(where(scene, scene.colliders[c].line) + "colliders." + std::to_string(c) + " never moves",
                missed(motion.from, motion.until, scene.duration));
    for (auto const& [name, material] : scene.materials)
        if (material.tears() && scene.output.surface == "skin")
            add("materials." + name + ".tear", ": tears do not split skins; use output.surface = \"levelset\"");
    for (std::size_t c = 0; c < scene.cuts.size(); ++c)
        add(where(scene, scene.cuts[c].line) + "cuts." + std::to_string(c) + " never cuts",
            missed(scene.cuts[c].motion.from, scene.cuts[c].motion.until, scene.duration));
    return warnings;
}

}  // namespace pliant
