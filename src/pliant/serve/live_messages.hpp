// What the page of a live run says, one JSON object per message, at most 4096 bytes:
//
//   {"do":"play"}  {"do":"pause"}  {"do":"step"}  {"do":"restart"}
//   {"do":"stress"}
//   {"do":"set","key":"materials.foam.young","value":20000}
//   {"do":"hand","number":17,"grab":{"particle":5,"radius":0.1,"target":[x,y,z]},"ball":{"center":[...],"toward":[...]}}
//
// "number" counts the page's messages about the hand: a frame says the last one that it has obeyed. A page whose
// colours mean stress says "stress" once a second: frames have no stress when nobody has asked for it lately.
#pragma once

#include <pliant/data/hand.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace pliant {

struct LiveMessage {
    enum class Kind { play, pause, step, restart, set, hand, stress };
    Kind kind = Kind::play;
    std::string key;
    double value = 0;
    std::uint64_t number = 0;
    Hand hand;
};

// None if it is anything else than the above, or has a number that is not finite or beyond 1e6 in size.
std::optional<LiveMessage> live_message(std::string_view text);

}  // namespace pliant
