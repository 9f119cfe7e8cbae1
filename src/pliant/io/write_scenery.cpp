#include <pliant/io/json.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_scenery.hpp>

#include <algorithm>

namespace pliant {

std::string scenery_json(Scenery const& scenery) {
    Json json;
    json["title"] = scenery.title;
    json["gravity"] = to_json(scenery.gravity);
    json["fps"] = scenery.fps;
    json["surface"] = scenery.surface;
    json["colliders"] = Json::array();
    for (SceneryCollider const& collider : scenery.colliders) {
        Json& entry = json["colliders"].emplace_back();
        entry["shape"] = collider.shape;
        entry["mesh"] = collider.mesh;
        entry["position"] = to_json(collider.position);
        entry["rotation"] = to_json(collider.rotation);
        entry["velocity"] = to_json(collider.velocity);
        entry["spin"] = to_json(collider.spin);
        entry["from"] = collider.from;
        entry["until"] = std::min(collider.until, SceneryCollider{}.until);  // JSON knows no infinity
        if (collider.path.empty()) continue;
        entry["smooth"] = collider.path.smooth();
        for (PathKey const& key : collider.path.keys())
            entry["keys"].push_back(
                {{"time", key.time}, {"position", to_json(key.position)}, {"rotation", to_json(key.rotation)}});
    }
    return json_text(json);
}

void write_scenery(std::filesystem::path const& path, Scenery const& scenery) {
    write_atomically(path, scenery_json(scenery));
}

}  // namespace pliant
