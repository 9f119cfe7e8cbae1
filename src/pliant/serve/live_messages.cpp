#include <pliant/data/error.hpp>
#include <pliant/io/json.hpp>
#include <pliant/serve/live_messages.hpp>

#include <cmath>
#include <map>

namespace pliant {
namespace {

// JSON that is nested deeper than any message is not even parsed.
bool is_shallow(std::string_view text) {
    int depth = 0;
    for (char c : text) {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (depth > 6) return false;
    }
    return true;
}

void expect(bool holds) {
    if (!holds) throw InputError("no message of the page");
}

Vec3d place(JsonFields const& fields, char const* key) {
    Vec3d v;
    fields.take(key, v);
    for (int k = 0; k < 3; ++k) expect(std::isfinite(v[k]) && std::abs(v[k]) <= 1e6);
    return v;
}

Hand hand_of(JsonFields const& fields) {
    Hand hand;
    if (fields.has("grab")) {
        JsonFields const grab = fields.object("grab");
        hand.grab.emplace();
        grab.take("particle", hand.grab->particle);
        grab.take("radius", hand.grab->radius);
        expect(hand.grab->radius >= 0 && hand.grab->radius <= 1e6);
        hand.grab->target = place(grab, "target");
    }
    if (fields.has("ball")) {
        JsonFields const ball = fields.object("ball");
        hand.ball = Hand::Ball{place(ball, "center"), place(ball, "toward")};
        expect(std::abs(norm(hand.ball->toward) - 1) < 1e-3);
    }
    return hand;
}

LiveMessage message_of(Json const& json) {
    using Kind = LiveMessage::Kind;
    static std::filesystem::path const nowhere;
    JsonFields const fields(json, nowhere);
    LiveMessage message;
    std::string word;
    fields.take("do", word);
    if (word == "set") {
        message.kind = Kind::set;
        fields.take("key", message.key);
        fields.take("value", message.value);
        expect(std::isfinite(message.value));
    } else if (word == "hand") {
        message.kind = Kind::hand;
        fields.take("number", message.number);
        message.hand = hand_of(fields);
    } else {
        static std::map<std::string, Kind> const kinds{{"play", Kind::play},
                                                       {"pause", Kind::pause},
                                                       {"step", Kind::step},
                                                       {"restart", Kind::restart},
                                                       {"stress", Kind::stress}};
        auto const kind = kinds.find(word);
        expect(kind != kinds.end());
        message.kind = kind->second;
    }
    return message;
}

}  // namespace

std::optional<LiveMessage> live_message(std::string_view text) {
    if (!is_shallow(text)) return {};
    try {
        return message_of(Json::parse(text));
    } catch (InputError const&) {
    } catch (Json::exception const&) {
    }
    return {};
}

}  // namespace pliant
