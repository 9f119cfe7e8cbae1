// JSON as the files of a run use it: vectors are lists, matrices lists of rows, and JsonFields takes the values of an
// object by their keys. Whatever is missing or of another kind is an InputError that names file and key. For io/ and
// serve/ only, since nlohmann/json.hpp is slow to compile.
#pragma once

#include <pliant/io/input.hpp>
#include <pliant/math/mat3.hpp>

#include <nlohmann/json.hpp>

#include <concepts>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace pliant {

using Json = nlohmann::ordered_json;

inline Json read_json(std::filesystem::path const& file) {
    std::string const bytes = read_bytes(file);
    try {
        return Json::parse(bytes);
    } catch (Json::parse_error const& error) {
        refuse_file(file, "is no JSON, or cut off (near byte " + std::to_string(error.byte) + ")");
    } catch (Json::exception const&) {
        refuse_file(file, "is no JSON that can be read: it has a number out of range");
    }
}

// As stored in files. Invalid UTF-8 is replaced, and numbers that are not finite become null.
inline std::string json_text(Json const& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

inline Json to_json(Vec3d const& v) { return Json::array({v.x, v.y, v.z}); }

inline Json to_json(Mat3d const& m) {  // three rows
    Json rows = Json::array();
    for (int row = 0; row < 3; ++row) rows.push_back(to_json(Vec3d{m(row, 0), m(row, 1), m(row, 2)}));
    return rows;
}

class JsonFields {
public:
    // `where` is the path of the object in the file, "bodies[2].", or empty for the outermost one.
    JsonFields(Json const& object, std::filesystem::path const& file, std::string where = "")
        : object_(object), file_(file), where_(std::move(where)) {
        if (!object_.is_object())
            refuse_file(file_, where_.empty() ? "is no object" : where_.substr(0, where_.size() - 1) + " is no object");
    }

    bool has(char const* key) const { return object_.contains(key); }
    void take(char const* key, std::string& value) const {
        if (!at(key).is_string()) refuse(key, "a text");
        value = at(key).get<std::string>();
    }
    void take(char const* key, bool& value) const {
        if (!at(key).is_boolean()) refuse(key, "true or false");
        value = at(key).get<bool>();
    }
    template <std::integral T>
    void take(char const* key, T& value) const {
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        if (!at(key).is_number_unsigned() || at(key).get<std::uint64_t>() > largest) refuse(key, "a whole number");
        value = at(key).get<T>();
    }
    void take(char const* key, double& value) const { value = number(at(key), key); }
    void take(char const* key, Vec3d& value) const { value = vector(at(key), key); }
    void take(char const* key, Mat3d& value) const {
        Json const& rows = at(key);
        if (!rows.is_array() || rows.size() != 3) refuse(key, "three rows of three numbers");
        for (int row = 0; row < 3; ++row) {
            Vec3d const entries = vector(rows[static_cast<std::size_t>(row)], key);
            for (int c = 0; c < 3; ++c) value(row, c) = entries[c];
        }
    }
    JsonFields object(char const* key) const { return {at(key), file_, where_ + key + "."}; }
    std::vector<JsonFields> objects(char const* key) const {
        if (!at(key).is_array()) refuse(key, "a list");
        std::vector<JsonFields> result;
        for (Json const& entry : at(key))
            result.emplace_back(entry, file_, where_ + key + "[" + std::to_string(result.size()) + "].");
        return result;
    }
    [[noreturn]] void refuse(char const* key, char const* expected) const {
        refuse_file(file_, where_ + key + " is not " + expected);
    }

private:
    Json const& at(char const* key) const {
        auto const found = object_.find(key);
        if (found == object_.end())
            refuse_file(file_, where_ + key + " is missing; another version of pliant may have written the file");
        return *found;
    }
    double number(Json const& json, char const* key) const {  // null stands for a number that is not finite
        if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
        if (!json.is_number()) refuse(key, "a number");
        return json.get<double>();
    }
    Vec3d vector(Json const& json, char const* key) const {
        if (!json.is_array() || json.size() != 3) refuse(key, "made of three numbers");
        return {number(json[0], key), number(json[1], key), number(json[2], key)};
    }

    Json const& object_;
    std::filesystem::path const& file_;
    std::string where_;
};

}  // namespace pliant
