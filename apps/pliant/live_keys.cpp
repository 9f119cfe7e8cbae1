#include "live_keys.hpp"

#include <pliant/data/hand.hpp>
#include <pliant/data/method.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace pliant::app {

namespace {

constexpr char const* gravity_key = "gravity";
constexpr std::string_view force_end = ".force";

std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", x);
    return text;
}

// `size` along `direction`, or along `usual` where that is zero, as a list.
std::string along(Vec3d direction, double size, Vec3d usual) {
    double const length = norm(direction);
    Vec3d const v = size * (length > 0 ? direction / length : usual);
    std::string list = "[";
    for (int k = 0; k < 3; ++k) list += (k > 0 ? ", " : "") + number(v[k]);
    return list + "]";
}

LiveKey wide(std::string key, std::string words, std::string unit, double value) {  // a hundredth to a hundredfold
    return {std::move(key), std::move(words), std::move(unit), value, value / 100, value * 100, true};
}

void add_material(std::vector<LiveKey>& keys, std::string const& name, MaterialParameters const& p,
                  MethodDescription const& method) {
    std::string const at = "materials." + name + ".";
    if (method.fluid) {
        keys.push_back({at + "viscosity", name + ": viscosity", "", p.viscosity, 0, std::max(1.0, 2 * p.viscosity)});
        return;
    }
    keys.push_back(wide(at + "young", name + ": Young's modulus", "Pa", p.young));
    if (method.cloth && p.bending > 0) keys.push_back(wide(at + "bending", name + ": bending", "N m", p.bending));
    if (p.poisson >= 0 && !method.cloth)
        keys.push_back({at + "poisson", name + ": Poisson's ratio", "", p.poisson, 0, std::max(0.45, p.poisson)});
    if (method.damping)
        keys.push_back({at + "damping", name + ": damping", "s", p.damping, 0, std::max(0.05, 2 * p.damping)});
    if (p.plasticity == "none") return;
    if (p.yield_stress > 0) keys.push_back(wide(at + "yield_stress", name + ": yield stress", "Pa", p.yield_stress));
    if (p.flow_rate > 0) keys.push_back(wide(at + "flow_rate", name + ": flow rate", "1/s", p.flow_rate));
}

// Of the options of a method, those that a person may want to change while it runs.
class AddOptions : public OptionVisitor {
public:
    explicit AddOptions(std::vector<LiveKey>& keys) : keys_(keys) {}

    void number(char const* key, double& value, Limits const&, char const*) override {
        std::string const word = key;
        if (word == "tolerance")
            add({"", "", "", value, std::min(1e-6, value), std::max(1e-2, value), true}, word);
        else if (word == "viscosity")
            add({"", "", "", value, 0, std::max(1., 2 * value)}, word);
    }
    void integer(char const* key, int& value, int low, int, char const*) override {
        LiveKey one{"", "", "", double(value), double(low), std::max(20., 4. * value)};
        one.whole = true;
        if (std::string_view(key) == "iterations") add(std::move(one), key);
    }
    void flag(char const*, bool&, char const*) override {}
    void word(char const*, int&, std::vector<std::string> const&, char const*) override {}

private:
    void add(LiveKey key, std::string const& word) {
        key.key = "solver." + word, key.words = "solver: " + word;
        keys_.push_back(std::move(key));
    }
    std::vector<LiveKey>& keys_;
};

void add_friction(std::vector<LiveKey>& keys, Scene const& scene) {
    constexpr std::size_t most = 3;  // sliders
    double const high = 1.5;
    for (std::size_t c = 0; c < std::min(scene.colliders.size(), most); ++c) {
        ColliderSpec const& collider = scene.colliders[c];
        if (collider.name == Hand::ball_name) continue;
        keys.push_back({"colliders." + std::to_string(c) + ".friction", collider.name + ": friction", "",
                        collider.friction, 0, std::max(high, collider.friction)});
    }
}

// Of each handle in the file: whether it holds or pulls, and how hard it pulls.
void add_handles(std::vector<LiveKey>& keys, Scene const& scene) {
    int number_in_file = -1, line = -1;
    for (HandleSpec const& handle : scene.handles) {
        if (handle.line == line) continue;  // a copy for another body of an array
        line = handle.line, ++number_in_file;
        std::string const at = "handles." + std::to_string(number_in_file);
        LiveKey holds{at, handle.name + (handle.force ? " pulls" : " holds"), "", 1, 0, 1};
        holds.is_switch = true;
        keys.push_back(std::move(holds));
        if (!handle.force) continue;
        double const force = norm(*handle.force);
        if (force > 0) keys.push_back({at + std::string(force_end), handle.name + ": force", "N", force, 0, 2 * force});
    }
}

// Of the first line of its entry in the file.
HandleSpec const* handle_in_file(Scene const& scene, int wanted) {
    int number_in_file = -1, line = -1;
    for (HandleSpec const& handle : scene.handles) {
        if (handle.line == line) continue;
        line = handle.line;
        if (++number_in_file == wanted) return &handle;
    }
    return nullptr;
}

}  // namespace

std::vector<LiveKey> live_keys(Scene const& scene) {
    std::vector<LiveKey> keys;
    double const g = norm(scene.gravity);
    keys.push_back({gravity_key, "gravity", "m/s²", g, 0, std::max(20.0, 2 * g)});
    MethodDescription const& method = *find_method(scene.method);
    for (auto const& [name, material] : scene.materials) {
        auto const uses = [&, n = name](BodySpec const& body) { return body.material == n; };
        if (std::any_of(scene.bodies.begin(), scene.bodies.end(), uses)) add_material(keys, name, material, method);
    }
    if (!method.fluid) add_friction(keys, scene);
    auto const options = scene.solver ? scene.solver->copy() : method.default_options();
    AddOptions visitor{keys};
    options->visit(visitor);
    add_handles(keys, scene);
    return keys;
}

std::optional<std::string> override_of(Scene const& scene, std::vector<LiveKey>& keys, std::string const& key,
                                       double value, double time) {
    auto const known = std::find_if(keys.begin(), keys.end(), [&](LiveKey const& k) { return k.key == key; });
    if (known == keys.end() || !(value >= known->low * (1 - 1e-6)) || !(value <= known->high * (1 + 1e-6))) return {};
    if (known->whole) value = std::round(value);
    known->value = value;
    if (key == gravity_key) return key + "=" + along(scene.gravity, value, {0, -1, 0});
    // It lets go now; or holds on for longer than anybody watches.
    if (known->is_switch) return key + ".until=" + number(value > 0.5 ? 1e9 : std::max(time, 1e-9));
    if (key.ends_with(force_end)) {
        HandleSpec const* const handle = handle_in_file(scene, std::atoi(key.c_str() + key.find('.') + 1));
        return key + "=" + along(*handle->force, value, {});
    }
    return key + "=" + number(value);
}

}  // namespace pliant::app
