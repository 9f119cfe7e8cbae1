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
inline constexpr int interrupted = 130;  // the run can be resumed
}  // namespace exit_code

struct PictureSize {  // [pixels]
    int width = 0, height = 0;
};

struct PlotOptions {
    std::vector<std::string> directories;  // of runs; several are compared
    std::string output;                    // .png or .svg; empty: in the first folder
    PictureSize size;                      // none: 1600x1000, or 800x500 as .svg
};

struct RenderOptions {
    std::vector<std::string> directories;  // of runs; several make the rows of one sheet
    std::vector<std::string> names;        // of these rows; empty: titles of the scenes
    std::string output;                    // a folder, or a .png for the sheet alone; empty: in the first folder
    std::string frames;                    // "10:40:2"; empty: all
    std::string sheet = "6";               // how many frames the contact sheet shows, or which: "0,12,40"
    bool sheet_only = false;
    std::string color = "body";          // body | velocity | a channel of the run
    std::vector<double> range;           // of the colours; empty: from the values
    bool particles = false;              // as spheres, without a surface
    bool opaque = false;                 // fluids too
    std::vector<double> camera, target;  // [m]; empty: from what moves
    double fov = 30;                     // vertical [degrees]
    PictureSize size{960, 540}, sheet_size{480, 360};
    int samples = 0;       // rays per pixel; 0: 16, with preview 4
    bool preview = false;  // quick and plain
    int threads = 0;       // 0: all cores
    bool no_video = false;
    bool quiet = false;
};

struct CompareOptions {
    std::string methods;                                  // LABEL=METHOD:KEY=VALUE,...
    std::optional<double> duration;                       // [s]; none: that of the scene
    std::vector<std::string> dt;                          // LABEL=SECONDS: no search for this one
    std::string steps = "search";                         // search | given
    double precision = 0.1;                               // of the search
    double energy = 0.05, penetration = 0.5, speed = 10;  // StabilityLimits
    bool no_sheet = false;
    PictureSize sheet_size{480, 360};  // of each picture of the sheet
};

struct BenchOptions {
    std::string device = "auto";  // auto | cpu | cuda
    int threads = 0;              // 0: all cores
    bool quick = false;           // the smaller rows, and fewer steps
    std::string output;           // .json; empty: none
};

struct ViewOptions {
    std::vector<std::string> directories;  // of runs, side by side
    std::string html;                      // write one file instead of serving; empty: serve
    double budget = 20e6;                  // size of that file [bytes]
    int port = 0;                          // 0: any free one
    bool no_open = false;                  // the browser
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
    std::string replay;             // a recording to apply; empty: none
    bool live = false;              // `run`: watched in the browser
    bool statics = false;           // find the state of rest
    std::optional<int> load_steps;  // on the way there
    std::string material;           // the preset to print; empty: all
    std::string method;             // the method whose options are printed; empty: a list of all
    std::string command_line;       // as typed, to say how to resume
    PlotOptions plot;
    RenderOptions render;
    BenchOptions bench;
    CompareOptions compare;
    ViewOptions view;
};

int run(Options const& options);
int check(Options const& options);
int list_scenes();
int materials(Options const& options);
int methods(Options const& options);
int plot(PlotOptions const& options);
int render(RenderOptions const& options);
int bench(BenchOptions const& options);
int compare(Options const& options);
int view(ViewOptions const& options);
int live(Options const& options);

}  // namespace pliant::app
