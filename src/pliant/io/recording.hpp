// What a person did to a run, a line of JSON for each change: recording.jsonl in the run's folder. `pliant run` replays
// it on the scene.toml beside it.
//
//   {"frame":0,"time":0,"scene":"5f3c9a01"}
//   {"frame":12,"time":0.2,"hand":{"grab":{"particle":5,"radius":0.1,"target":[0.1,0.9,0]}}}
//   {"frame":40,"time":0.66,"set":"materials.foam.young=20000"}
//   {"frame":90,"time":1.5,"end":true}
#pragma once

#include <pliant/data/hand.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace pliant {

struct Interaction {
    int frame = 0;    // the frame shown when it happened: it acts on the next
    Hand hand;        // from then on, if `set` is empty
    std::string set;  // KEY=VALUE
};

struct Recording {
    std::string scene;                      // fingerprint of the scene's text; empty: not known
    std::vector<Interaction> interactions;  // in order
    int last = 0;                           // frame
};

// Writes as things happen: a recording is whole up to the line that was under way when the program was killed.
class RecordingWriter {
public:
    // `scene`: the text that runs. Throws std::runtime_error.
    RecordingWriter(std::filesystem::path file, double fps, std::string const& scene);
    void add(Interaction const& interaction);
    void end(int frame);

private:
    void write(int frame, std::string const& key, std::string const& json);
    std::ofstream out_;
    double fps_;
};

std::string fingerprint(std::string const& text);  // eight digits

// Throws InputError with file and line.
Recording read_recording(std::filesystem::path const& file);

}  // namespace pliant
