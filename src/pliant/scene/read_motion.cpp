// The motion of colliders, handles and blades: a velocity and a spin, or keys.
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

namespace pliant {
namespace {

// The first key is the start; position and rotation of a later one, left out, are those of the key before.
PathKey read_key(Value const& table, std::vector<PathKey> const& before) {
    Fields const fields(table, {"time", "position", "rotation"});
    PathKey key = before.empty() ? PathKey{} : before.back();
    key.time = number_of(fields.require("time", "a time [s]"), at_least(0));
    fields.read("position", key.position);
    fields.read("rotation", key.rotation);
    if (before.empty()) {
        if (key.position != Vec3d{} || key.rotation != Vec3d{})
            fail(table,
                 "the first key is the start, to which positions and rotations are relative: it must have none, "
                 "or zeros");
        return key;
    }
    PathKey const& last = before.back();
    if (key.time <= last.time)
        fail(*fields.find("time"), in_words(key.time) + " must be later than the time of the key before, " +
                                       in_words(last.time) + "; times of keys ascend");
    if (turns_unclearly(last, key))
        fail(*fields.find("rotation"),
             "turns by more than 180 degrees, about more than one axis, since the key before: which way is unclear; "
             "add keys in between");
    return key;
}

Motion read_keys(Fields const& fields) {
    Value const& list = *fields.find("keys");
    for (char const* other : {"velocity", "spin", "from", "until"})
        if (Value const* value = fields.find(other))
            fail(*value, std::string(other) + " and keys exclude each other; the times of the keys say when it moves");
    std::vector<PathKey> keys;
    if (list.kind != Value::Kind::list)
        fail(list, "must be a list of keys { time, position, rotation }, is " + describe(list));
    for (Value const& table : list.children) keys.push_back(read_key(table, keys));
    if (keys.size() < 2)
        fail(list, "has " + std::to_string(keys.size()) + (keys.size() == 1 ? " key" : " keys") +
                       "; at least two are needed, a start and an end");
    bool smooth = false;
    fields.read("smooth", smooth);
    Motion motion;
    motion.from = keys.front().time, motion.until = keys.back().time;
    motion.path = KeyedPath(keys, smooth);
    return motion;
}

}  // namespace

Motion read_motion(Value const& table) {
    Fields const fields(table, {"velocity", "spin", "from", "until", "keys", "smooth"});
    if (fields.find("keys")) return read_keys(fields);
    if (Value const* smooth = fields.find("smooth")) fail(*smooth, "has no effect without keys");
    Motion motion;
    fields.read("velocity", motion.velocity);
    fields.read("spin", motion.spin);
    fields.read("from", motion.from, at_least(0));
    fields.read("until", motion.until);
    if (motion.from > motion.until)
        fail(table, "from = " + in_words(motion.from) + " must not be later than until = " + in_words(motion.until));
    return motion;
}

}  // namespace pliant
