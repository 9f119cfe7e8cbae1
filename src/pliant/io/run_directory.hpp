// The folder of one run: DIR/particles/NNNNN.*, DIR/surface/NNNNN.*, what gathers them (particles.pvd, surface.usda,
// surface.pc2 ...), stats.csv, forces.csv, bodies.csv, probes.csv, summary.json, scene.toml, run.json,
// checkpoint.bin.
//
// The order of writing makes a run resumable after kill -9 at any moment: frame, surface, series and stats come before
// the checkpoint that vouches for them (not every frame has one), and the summary, which may say "finished", comes
// last. Anything beyond the last checkpoint is written again on resuming; nothing of an older run is ever mixed in.
// Stitched files are made by finish() from frames that all have their checkpoint; they may be missing after a kill, and
// resuming makes them.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/run_times.hpp>
#include <pliant/io/formats.hpp>
#include <pliant/io/frame_folder.hpp>
#include <pliant/io/write_forces.hpp>
#include <pliant/io/write_probes.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

// What a run writes.
struct RunOutput {
    std::vector<std::string> particles = {};  // formats
    std::vector<std::string> meshes = {};     // formats of the surface; none without a surface
    double fps = 60;                          // frames per simulated second
    char up_axis = 'Y';                       // up_axis() of run_facts.hpp
    std::vector<ForceOn> forces_on = {};      // colliders and handles, in the order of FrameStats::forces
    std::vector<std::string> bodies = {};     // their names
    std::vector<std::string> probes = {};     // their names
};

class RunDirectory {
public:
    // Makes and locks the folder; touches nothing in it. Throws InputError when it cannot be made or written to, when
    // it holds files but no run of pliant, when another run is using it, or for an unknown format.
    RunDirectory(std::filesystem::path directory, RunOutput const& output);
    ~RunDirectory();
    RunDirectory(RunDirectory const&) = delete;
    RunDirectory& operator=(RunDirectory const&) = delete;

    // Reads the checkpoint; throws InputError when there is none or it is damaged.
    Checkpoint checkpoint() const;

    // One of the two opens the run, before any store(). start_over() removes all files of an older run, including
    // pictures and stage; resume() removes frames beyond the checkpoint and brings series, point cache, stats and
    // summary back to it.
    void start_over();
    void resume(Checkpoint const& checkpoint, Summary const& summary);

    // Writes a frame and all that goes with it. checkpoint.stats holds the rows up to this frame, summary.bodies the
    // spacings. Throws std::runtime_error when a file cannot be written; what was stored before stays whole and
    // resumable.
    void store(Frame const& frame, Summary const& summary, Checkpoint const& checkpoint,
               FrameSurface const& surface = {});
    // The same without the file of the checkpoint: a run that is killed then goes on from an earlier one.
    void store_frame(Frame const& frame, Summary const& summary, std::vector<FrameStats> const& rows,
                     FrameSurface const& surface);
    void store_checkpoint(Checkpoint const& checkpoint) const;
    void store_summary(Summary const& summary) const;

    void set_times(RunTimes const& times) { times_ = times; }  // of the summaries to come
    RunTimes stored_times() const;  // of the run that is there; zeros where they cannot be read
    int last_row() const;           // frame of the last row in stats.csv; -1: none that can be read

    // Gathers the frames of stitched formats in one file each: at the end of a run, however it ends.
    void finish() const;

    // Before the program ends in the middle of a store(), on another thread: removes files in the making, and folders
    // without any.
    void abandon() const;

    std::filesystem::path const& path() const { return directory_; }
    bool had_run() const { return had_run_; }  // the folder held a run when it was opened

private:
    std::filesystem::path checkpoint_path() const { return directory_ / "checkpoint.bin"; }
    std::filesystem::path cache_path() const { return directory_ / "surface.pc2"; }
    void make_folders() const;
    void remove_empty_folders() const;
    void remove_frames_beyond(int last) const;
    void write_frame(Frame const& frame, Summary const& summary, std::vector<FrameStats> const& rows,
                     FrameSurface const& surface);
    void write_surface(FrameSurface const& surface, RunFacts const& facts) const;
    void write_point_cache(SurfaceMesh const& mesh) const;
    void write_rows(std::vector<FrameStats> const& rows) const;
    void append_tables(Frame const& frame, Summary const& summary) const;

    std::filesystem::path directory_;
    std::vector<ParticleFormat> particle_formats_;
    std::vector<MeshFormat> mesh_formats_;
    RunFacts facts_;
    RunTimes times_;
    std::vector<ForceOn> forces_on_;
    std::vector<std::string> bodies_, probes_;
    FrameFolder particles_, surface_, pictures_;
    bool created_ = false;  // the folder did not exist before
    bool had_run_ = false;
    int lock_ = -1;  // descriptor of the locked folder
};

}  // namespace pliant
