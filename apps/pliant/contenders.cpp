#include "contenders.hpp"

#include <pliant/data/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/value.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pliant::app {
namespace {

double seconds_of(std::string const& text, std::string const& word, double frame) {
    double seconds = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size() || !(seconds > 0) || !std::isfinite(seconds))
        throw InputError("--dt " + word + ": expected LABEL=SECONDS, such as implicit=0.002");
    if (seconds > frame * 1.00001)
        throw InputError("--dt " + word + ": must be at most a frame, " + in_words(frame) + " s");
    return std::min(seconds, frame);
}

void give_steps(std::vector<Contender>& contenders, std::vector<std::string> const& words) {
    for (std::string const& word : words) {
        std::size_t const equals = word.find('=');
        std::string const label = word.substr(0, equals);
        auto const named = std::find_if(contenders.begin(), contenders.end(),
                                        [&](Contender const& c) { return c.choice.label == label; });
        if (named == contenders.end()) {
            std::vector<std::string> labels;
            for (Contender const& c : contenders) labels.push_back(c.choice.label);
            throw InputError("--dt " + word + ": there is no \"" + label + "\" in --methods; choose from " +
                             joined(labels));
        }
        std::string const text = equals == std::string::npos ? std::string{} : word.substr(equals + 1);
        named->dt = seconds_of(text, word, 1 / named->scene.fps);
    }
}

}  // namespace

std::vector<Contender> contenders_of(Options const& options, std::filesystem::path const& file) {
    std::vector<std::string> overrides = options.overrides;
    if (options.compare.duration) overrides.push_back("duration=" + in_words(*options.compare.duration));
    std::vector<Contender> contenders;
    for (MethodChoice const& choice : parse_methods(options.compare.methods)) {
        try {
            ChosenScene chosen = read_scene_with(file, overrides, choice);
            contenders.push_back({choice, std::move(chosen.scene), std::move(chosen.left_out), {}, {}});
        } catch (KeyError const& error) {  // a material that this method does not have: its row says so
            if (!error.key().starts_with("materials.")) throw;
            contenders.push_back({choice, {}, {}, {}, error.what()});
        }
    }
    auto const sound =
        std::find_if(contenders.begin(), contenders.end(), [](Contender const& c) { return c.trouble.empty(); });
    if (sound == contenders.end()) throw InputError(contenders.front().trouble);
    for (Contender& c : contenders)
        if (!c.trouble.empty()) c.scene = sound->scene;
    give_steps(contenders, options.compare.dt);
    return contenders;
}

}  // namespace pliant::app
