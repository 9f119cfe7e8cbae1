#include <pliant/io/json.hpp>
#include <pliant/io/recording.hpp>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace pliant {
namespace {

Json json_of(Hand const& hand) {
    Json json = Json::object();
    if (hand.grab)
        json["grab"] = {
            {"particle", hand.grab->particle}, {"radius", hand.grab->radius}, {"target", to_json(hand.grab->target)}};
    if (hand.ball) json["ball"] = {{"center", to_json(hand.ball->center)}, {"toward", to_json(hand.ball->toward)}};
    return json;
}

Hand hand_of(JsonFields const& fields) {
    Hand hand;
    if (fields.has("grab")) {
        JsonFields const grab = fields.object("grab");
        hand.grab.emplace();
        grab.take("particle", hand.grab->particle);
        grab.take("radius", hand.grab->radius);
        grab.take("target", hand.grab->target);
    }
    if (fields.has("ball")) {
        JsonFields const ball = fields.object("ball");
        hand.ball.emplace();
        ball.take("center", hand.ball->center);
        ball.take("toward", hand.ball->toward);
    }
    return hand;
}

}  // namespace

std::string fingerprint(std::string const& text) {
    char digits[9];
    std::uint32_t sum = 2166136261u;  // FNV-1a
    for (char const c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
    std::snprintf(digits, sizeof digits, "%08x", sum);
    return digits;
}

RecordingWriter::RecordingWriter(std::filesystem::path file, double fps, std::string const& scene)
    : out_(file), fps_(fps) {
    if (!out_) throw std::runtime_error("cannot write '" + file.string() + "'");
    write(0, "scene", Json(fingerprint(scene)).dump());
}

void RecordingWriter::add(Interaction const& interaction) {
    if (!interaction.set.empty()) return write(interaction.frame, "set", Json(interaction.set).dump());
    write(interaction.frame, "hand", json_of(interaction.hand).dump());
}

void RecordingWriter::end(int frame) { write(frame, "end", "true"); }

void RecordingWriter::write(int frame, std::string const& key, std::string const& json) {
    out_ << "{\"frame\":" << frame << ",\"time\":" << frame / fps_ << ",\"" << key << "\":" << json << "}" << std::endl;
}

Recording read_recording(std::filesystem::path const& file) {
    Recording recording;
    std::istringstream lines{read_bytes(file)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        std::filesystem::path const here = file.string() + ":" + std::to_string(++number);
        Json const json = Json::parse(line, nullptr, false);
        if (json.is_discarded()) {
            if (lines.peek() == std::istringstream::traits_type::eof()) break;  // was under way when the run was killed
            refuse_file(here, "is no JSON");
        }
        JsonFields const fields(json, here);
        Interaction interaction;
        fields.take("frame", interaction.frame);
        if (interaction.frame < recording.last) refuse_file(here, "frame comes before that of the line above");
        recording.last = interaction.frame;
        if (fields.has("end")) {
            while (std::getline(lines, line))
                if (!line.empty()) refuse_file(here, "goes on after its end: two runs wrote to it");
            break;
        }
        if (fields.has("scene")) {
            fields.take("scene", recording.scene);
            continue;
        }
        if (fields.has("set"))
            fields.take("set", interaction.set);
        else
            interaction.hand = hand_of(fields.object("hand"));
        recording.interactions.push_back(std::move(interaction));
    }
    return recording;
}

}  // namespace pliant
