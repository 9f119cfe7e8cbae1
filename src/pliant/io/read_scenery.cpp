#include <pliant/io/json.hpp>
#include <pliant/io/read_scenery.hpp>

#include <cmath>

namespace pliant {

namespace {

// Like JsonFields::take, but refuses numbers that are not finite: a picture cannot use them.
template <class T>
void take_finite(JsonFields const& fields, char const* key, T& value) {
    fields.take(key, value);
    bool finite = true;
    if constexpr (std::same_as<T, double>)
        finite = std::isfinite(value);
    else if constexpr (std::same_as<T, Vec3d>)
        finite = std::isfinite(value.x + value.y + value.z);
    else
        for (int c = 0; c < 3; ++c) finite = finite && std::isfinite(value[c].x + value[c].y + value[c].z);
    if (!finite) fields.refuse(key, "finite");
}

KeyedPath path_in(JsonFields const& fields) {
    bool smooth = false;
    fields.take("smooth", smooth);
    std::vector<PathKey> keys;
    for (JsonFields const& entry : fields.objects("keys")) {
        PathKey& key = keys.emplace_back();
        take_finite(entry, "time", key.time);
        take_finite(entry, "position", key.position);
        take_finite(entry, "rotation", key.rotation);
        if (keys.size() > 1 && !(key.time > keys[keys.size() - 2].time))
            entry.refuse("time", "later than the one before");
    }
    if (keys.size() < 2) fields.refuse("keys", "a list of two keys or more");
    return {keys, smooth};
}

SceneryCollider collider_in(JsonFields const& fields) {
    SceneryCollider collider;
    fields.take("shape", collider.shape);
    fields.take("mesh", collider.mesh);
    take_finite(fields, "position", collider.position);
    take_finite(fields, "rotation", collider.rotation);
    take_finite(fields, "velocity", collider.velocity);
    take_finite(fields, "spin", collider.spin);
    take_finite(fields, "from", collider.from);
    take_finite(fields, "until", collider.until);
    if (fields.has("keys")) collider.path = path_in(fields);
    return collider;
}

}  // namespace

std::optional<Scenery> read_scenery(std::filesystem::path const& file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return {};
    Json const json = read_json(file);
    JsonFields const fields{json, file};
    Scenery scenery;
    fields.take("title", scenery.title);
    take_finite(fields, "gravity", scenery.gravity);
    take_finite(fields, "fps", scenery.fps);
    fields.take("surface", scenery.surface);
    if (!(scenery.fps > 0)) fields.refuse("fps", "above 0");
    for (JsonFields const& collider : fields.objects("colliders")) scenery.colliders.push_back(collider_in(collider));
    return scenery;
}

}  // namespace pliant
