#include "bench_whole.hpp"

#include "stored_run.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/simulation.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace pliant::app {
namespace {

namespace fs = std::filesystem;

class FolderForNow {
public:
    FolderForNow() {
        std::string name = (fs::temp_directory_path() / "pliant-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw InputError("cannot make a folder in " + fs::temp_directory_path().string() +
                             ": set TMPDIR to one that can be written to");
        path_ = name;
    }
    ~FolderForNow() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    FolderForNow(FolderForNow const&) = delete;
    FolderForNow& operator=(FolderForNow const&) = delete;
    fs::path const& path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

std::optional<WholeRow> measure_whole(Scene scene, WholeCase const& c, BenchOptions const& options) {
    auto const start = StoredRun::Clock::now();
    scene.fps = 60;
    scene.duration = c.frames / scene.fps;
    scene.output.particles.clear();
    if (c.output == "vtp") scene.output.particles = {"vtp"};
    if (c.output == "level set") scene.output.surface = "levelset";
    FolderForNow const folder;
    RunDirectory directory{folder.path(), run_output(scene)};
    Simulation simulation{scene, Device{options.device, options.threads}};
    StoredRun stored{scene, simulation, directory, start};
    stored.begin(scene, {});
    if (!stored.advance_to(simulation.last_frame(), {})) return {};
    RunTimes const times = stored.times();
    return WholeRow{.particles = simulation.frame().id.size(),
                    .device = simulation.device(),
                    .output = c.output,
                    .frames = simulation.last_frame(),
                    .times = times,
                    .steps_s = simulation.summary().wall_s};
}

}  // namespace pliant::app
