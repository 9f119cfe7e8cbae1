#include <pliant/render/environment.hpp>
#include <pliant/render/image.hpp>
#include <pliant/render/quantity.hpp>
#include <pliant/serve/run_info.hpp>

#include <cmath>

namespace pliant {
namespace {

std::string hex(Vec3f linear) {
    auto const byte = [](float x) { return unsigned(std::lround(255 * render::srgb_of_linear(x))); };
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", byte(linear.x) & 255u, byte(linear.y) & 255u,
                  byte(linear.z) & 255u);
    return text;
}

Json pose_info(SceneryCollider const& collider, double time) {
    render::Pose const pose = render::pose_of(collider, time);
    Json numbers = to_json(pose.position);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) numbers.push_back(pose.rotation(row, column));
    return numbers;
}

}  // namespace

Json bodies_info(std::vector<BodySummary> const& bodies) {
    Json list = Json::array();
    for (std::size_t b = 0; b < bodies.size(); ++b)
        list.push_back({{"name", bodies[b].name},
                        {"count", bodies[b].particles},
                        {"spacing", bodies[b].spacing},
                        {"color", hex(render::body_color(std::uint32_t(b)))}});
    return list;
}

Json fields_info(std::vector<std::string> const& names, std::vector<std::pair<std::string, std::string>> const& units,
                 std::map<std::string, render::ValueRange> const& ranges) {
    constexpr int samples = 33;
    Json list = Json::array();
    for (std::string const& name : names) {
        std::string unit;
        for (auto const& [known, its] : units)
            if (known == name) unit = its;
        render::Quantity const quantity = render::quantity_named(name, unit);
        Json field = {{"name", name}, {"words", quantity.words}, {"unit", quantity.unit}};
        for (int k = 0; k < samples; ++k) field["colors"].push_back(hex((*quantity.map)(float(k) / (samples - 1))));
        if (auto const range = ranges.find(name); range != ranges.end())
            field["range"] = {range->second.low, range->second.high};
        list.push_back(std::move(field));
    }
    return list;
}

bool moves(SceneryCollider const& collider) {
    return collider.velocity != Vec3d{} || collider.spin != Vec3d{} || !collider.path.empty();
}

Json colliders_info(Scenery const& scenery, std::vector<double> const& times) {
    Json list = Json::array();
    for (SceneryCollider const& collider : scenery.colliders) {
        Json one = {{"shape", collider.shape}, {"mesh", !collider.mesh.empty()}, {"poses", Json::array()}};
        for (double const time : times) {
            one["poses"].push_back(pose_info(collider, time));
            if (!moves(collider)) break;
        }
        list.push_back(std::move(one));
    }
    return list;
}

Json stats_row(FrameStats const& s) {
    return {s.time,        s.kinetic_energy, s.elastic_energy, s.potential_energy,
            s.penetration, s.cg_iterations,  s.steps,          std::round(10 * s.wall_ms) / 10};
}

Json stats_info(std::vector<FrameStats> const& stats) {
    Json rows = Json::array();
    for (FrameStats const& row : stats) rows.push_back(stats_row(row));
    return {{"columns",
             {"time", "kinetic_energy", "elastic_energy", "potential_energy", "penetration", "cg_iterations", "steps",
              "wall_ms"}},
            {"rows", std::move(rows)}};
}

}  // namespace pliant
