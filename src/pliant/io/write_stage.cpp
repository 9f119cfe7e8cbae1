#include <pliant/io/json.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_stage.hpp>

#include <algorithm>

namespace pliant {

std::string stage_json(Stage const& stage) {
    Json json;
    json["title"] = stage.title;
    json["gravity"] = to_json(stage.gravity);
    json["fps"] = stage.fps;
    json["surface"] = stage.surface;
    json["colliders"] = Json::array();
    for (StageCollider const& collider : stage.colliders) {
        Json& entry = json["colliders"].emplace_back();
        entry["shape"] = collider.shape;
        entry["mesh"] = collider.mesh;
        entry["position"] = to_json(collider.position);
        entry["rotation"] = to_json(collider.rotation);
        entry["velocity"] = to_json(collider.velocity);
        entry["spin"] = to_json(collider.spin);
        entry["from"] = collider.from;
        entry["until"] = std::min(collider.until, StageCollider{}.until);  // JSON knows no infinity
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_stage(std::filesystem::path const& path, Stage const& stage) { write_atomically(path, stage_json(stage)); }

}  // namespace pliant
