// Messages about wrong input: the tests compare whole messages, since the message is what the user gets.
#pragma once

#include <pliant/data/error.hpp>

#include <string>

namespace pliant {

template <class Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (InputError const& error) {
        return error.what();
    }
    return "(no error)";
}

}  // namespace pliant
