// One scene under several methods: LABEL=METHOD:KEY=VALUE:KEY=VALUE, and the scene as that method runs it.
//
// A scene file is written for one method, and its [solver] and dt are meant for that method. For another one they are
// suggestions: keys of [solver] that it does not take, or not in this combination, are left out and named, and dt is
// left to the method. Nothing here knows the methods or their keys: a key does not fit if reading the scene refuses it.
// (A list of keys per method would be a second place to keep up to date.)
#pragma once

#include <pliant/scene/scene.hpp>

#include <string>
#include <vector>

namespace pliant {

struct MethodChoice {
    std::string label;                 // unique; also the name of a folder
    std::string method;                // one of words::method
    std::vector<std::string> options;  // KEY=VALUE of [solver], for this method only
    std::string text() const;          // "gerszewski:radius=4.5"
};

// "implicit,soft=implicit:rest=updated,gerszewski:radius=4.5". A choice without a label is labelled by its text, with -
// in place of : and =. Throws InputError for no method, an unknown method, or a label that is repeated or cannot name a
// folder.
std::vector<MethodChoice> parse_methods(std::string const& text);

struct ChosenScene {
    Scene scene;
    std::vector<std::string> left_out;  // keys of the scene's [solver] that do not go with the choice
};

// The scene of the file with this method. `overrides` are those of read_scene. Throws InputError, also when the scene
// is wrong as it stands.
ChosenScene read_scene_with(std::filesystem::path const& file, std::vector<std::string> const& overrides,
                            MethodChoice const& choice);

}  // namespace pliant
