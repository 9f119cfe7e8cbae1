#include <pliant/scene/value.hpp>
#include <pliant/scene/words.hpp>

namespace pliant {

Value const* Value::find(std::string const& key) const {
    if (kind != Kind::table) return nullptr;
    for (Value const& child : children)
        if (child.name == key) return &child;
    return nullptr;
}

Value* Value::find(std::string const& key) {
    Value const& self = *this;
    return const_cast<Value*>(self.find(key));
}

void fail(Value const& at, std::string const& message) {
    bool const path_is_said = at.path.empty() || (at.overridden && at.where.ends_with(" " + at.path));
    throw KeyError(at.path, at.where + ": " + (path_is_said ? "" : at.path + ": ") + message);
}

std::string describe(Value const& value) {
    switch (value.kind) {
        case Value::Kind::table:
            return "a table";
        case Value::Kind::list:
            return "a list";
        case Value::Kind::text:
            return "the text \"" + value.text + "\"";
        case Value::Kind::integer:
            return "the number " + std::to_string(value.integer);
        case Value::Kind::number:
            return "the number " + in_words(value.number);
        case Value::Kind::boolean:
            return value.boolean ? "true" : "false";
        case Value::Kind::date:
            return "a date or time";
    }
    return "a value";
}

}  // namespace pliant
