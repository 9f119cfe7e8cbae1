// The commands of the command line. Each returns an exit code; wrong input and failures are exceptions for main.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pliant::app {

namespace exit_code {
inline constexpr int done = 0;
inline constexpr int bad_input = 2;
inline constexpr int failed = 3;         // the last good frame is kept
inline constexpr int interrupted = 130;  // and resumable
}  // namespace exit_code

struct PlotOptions {
    std::vector<std::string> directories;  // of runs; several are compared
    std::string output;                    // .png or .svg; empty: in the first folder
    std::string size;                      // WxH; empty: 1600x1000, or 800x500 as .svg
};

struct Options {
    std::string scene;                   // a file, or the name of a bundled scene
    std::vector<std::string> overrides;  // KEY=VALUE
    std::string device = "auto";         // auto | cpu | cuda
    int threads = 0;                     // 0: all cores
    std::string output;                  // empty: out/<name of the scene>
    std::optional<int> frames;           // stop after this one
    bool quiet = false;
    bool profile = false;  // print where the time went
    bool resume = false;
    std::string material;      // the preset to print; empty: all
    std::string command_line;  // as typed, to say how to resume
    PlotOptions plot;
};

int run(Options const& options);
int check(Options const& options);
int list_scenes();
int materials(Options const& options);
int plot(PlotOptions const& options);

}  // namespace pliant::app
