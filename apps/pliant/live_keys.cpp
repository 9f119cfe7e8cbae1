#include "live_keys.hpp"

#include <algorithm>
#include <cstdio>

namespace pliant::app {

namespace {

constexpr char const* gravity_key = "gravity";
constexpr char const* handle_start = "handles.";

std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", x);
    return text;
}

LiveKey wide(std::string key, std::string words, std::string unit, double value) {  // a hundredth to a hundredfold
    return {std::move(key), std::move(words), std::move(unit), value, value / 100, value * 100, true};
}

void add_material(std::vector<LiveKey>& keys, std::string const& name, MaterialParameters const& p, bool fluid) {
    std::string const at = "materials." + name + ".";
    if (fluid) {
        keys.push_back({at + "viscosity", name + ": viscosity", "", p.viscosity, 0, std::max(1.0, 2 * p.viscosity)});
        return;
    }
    keys.push_back(wide(at + "young", name + ": Young's modulus", "Pa", p.young));
    if (p.poisson >= 0) keys.push_back({at + "poisson", name + ": Poisson's ratio", "", p.poisson, 0, 0.45});
    keys.push_back({at + "damping", name + ": damping", "s", p.damping, 0, std::max(0.05, 2 * p.damping)});
    if (p.plasticity == "none") return;
    if (p.yield_stress > 0) keys.push_back(wide(at + "yield_stress", name + ": yield stress", "Pa", p.yield_stress));
    if (p.flow_rate > 0) keys.push_back(wide(at + "flow_rate", name + ": flow rate", "1/s", p.flow_rate));
}

}  // namespace

std::vector<LiveKey> live_keys(Scene const& scene) {
    std::vector<LiveKey> keys;
    double const g = norm(scene.gravity);
    keys.push_back({gravity_key, "gravity", "m/s²", g, 0, std::max(20.0, 2 * g)});
    for (auto const& [name, material] : scene.materials) {
        auto const uses = [&, n = name](BodySpec const& body) { return body.material == n; };
        if (std::any_of(scene.bodies.begin(), scene.bodies.end(), uses))
            add_material(keys, name, material, scene.method == "fluid");
    }
    if (scene.method == "implicit")
        keys.push_back({"solver.tolerance", "solver: tolerance", "", 1e-4, 1e-6, 1e-2, true});
    int number_in_file = -1, line = -1;
    for (HandleSpec const& handle : scene.handles) {
        if (handle.line == line) continue;  // a copy for another body of an array
        line = handle.line, ++number_in_file;
        keys.push_back(
            {handle_start + std::to_string(number_in_file), "handle " + handle.name, "", 1, 0, 1, false, true});
    }
    return keys;
}

std::optional<std::string> override_of(Scene const& scene, std::vector<LiveKey>& keys, std::string const& key,
                                       double value, double time) {
    auto const known = std::find_if(keys.begin(), keys.end(), [&](LiveKey const& k) { return k.key == key; });
    if (known == keys.end() || !(value >= known->low * (1 - 1e-6)) || !(value <= known->high * (1 + 1e-6))) return {};
    known->value = value;
    if (key == gravity_key) {
        double const g = norm(scene.gravity);
        Vec3d const down = g > 0 ? scene.gravity / g : Vec3d{0, -1, 0};
        std::string list;
        for (int k = 0; k < 3; ++k) list += (k > 0 ? ", " : "") + number(value * down[k]);
        return key + "=[" + list + "]";
    }
    // It lets go now; or holds on for longer than anybody watches.
    if (known->is_switch) return key + ".until=" + number(value > 0.5 ? 1e9 : std::max(time, 1e-9));
    return key + "=" + number(value);
}

}  // namespace pliant::app
