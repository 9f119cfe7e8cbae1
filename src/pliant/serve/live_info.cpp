#include <pliant/serve/live_info.hpp>
#include <pliant/serve/pack.hpp>
#include <pliant/serve/run_info.hpp>

#include <algorithm>

namespace pliant {

std::string live_info(LiveRun const& run, LiveState const& state) {
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (BodySummary const& body : run.summary.bodies)
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], body.bounds_min[k]);
            high[k] = std::max(high[k], body.bounds_max[k]);
        }
    double const room = 0.25 * norm(high - low);  // for what may happen
    for (int k = 0; k < 3; ++k) low[k] -= room, high[k] += 0.5 * room;
    Json keys = Json::array();
    for (LiveKey const& key : run.keys)
        keys.push_back({{"key", key.key},
                        {"words", key.words},
                        {"unit", key.unit},
                        {"value", key.value},
                        {"low", key.low},
                        {"high", key.high},
                        {"logarithmic", key.logarithmic},
                        {"switch", key.is_switch},
                        {"whole", key.whole}});
    Json info = {{"name", run.scenery.title},
                 {"title", run.scenery.title},
                 {"method", run.summary.method},
                 {"gravity", to_json(run.scenery.gravity)},
                 {"fps", run.scenery.fps},
                 {"surface", false},
                 {"smooth", true},
                 {"low", to_json(low)},
                 {"high", to_json(high)},
                 {"bodies", bodies_info(run.summary.bodies)},
                 {"fields", fields_info(run.fields, run.summary.channels, {})},
                 {"times", {run.frame.time}},
                 {"frames", Json::array()},
                 {"stats", stats_info({run.frame.stats})},
                 {"colliders", colliders_info(run.scenery, {run.frame.time})}};
    return Json{{"type", "info"},
                {"info", info},
                {"keys", keys},
                {"ball", run.ball_radius},
                {"playing", state.playing},
                {"trouble", state.trouble},
                {"restarts", run.restarts}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string live_state(LiveState const& state, std::vector<LiveKey> const& keys) {
    Json values = Json::object();
    for (LiveKey const& key : keys) values[key.key] = key.value;
    return Json{{"type", "state"}, {"playing", state.playing}, {"trouble", state.trouble}, {"values", values}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

std::string live_header(Scenery const& scenery, Frame const& frame, std::optional<Vec3d> ball, std::uint64_t seen) {
    Json header = {{"seen", seen}, {"stats", stats_row(frame.stats)}};
    if (ball) header["ball"] = to_json(*ball);
    if (std::any_of(scenery.colliders.begin(), scenery.colliders.end(), moves)) {
        header["poses"] = Json::array();
        for (Json const& collider : colliders_info(scenery, {frame.time}))
            header["poses"].push_back(collider["poses"][0]);
    }
    return header.dump();
}

}  // namespace pliant
