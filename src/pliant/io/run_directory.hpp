// The folder of one run: DIR/particles/NNNNN.*, DIR/surface/NNNNN.*, what gathers them (particles.pvd, surface.usda,
// surface.pc2 ...), stats.csv, forces.csv, bodies.csv, probes.csv, summary.json, scene.toml, run.json,
// checkpoint.bin.
//
// The order of writing makes a run resumable after kill -9 at any moment: frame, surface, series and stats come before
// the checkpoint that vouches for them (not every frame has one), and the summary, which may say "finished", comes
// last. Anything beyond the last checkpoint is written again on resuming; nothing of an older run is ever mixed in.
// Stitched files are made by finish() from frames that all have their checkpoint; they may be missing after a kill, and
// resuming makes them.
//
// Frames are not flushed to the disk one by one, which takes longer than many of them need to be computed: a checkpoint
// flushes all files before it is written. So after a power failure, too, frames up to the checkpoint are whole.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/run_times.hpp>
#include <pliant/io/formats.hpp>
#include <pliant/io/frame_folder.hpp>
#include <pliant/io/write_forces.hpp>
#include <pliant/io/write_probes.hpp>

#include <filesystem>
#include <optional>
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

// The files of a frame as they will be written, made by RunDirectory::files_of.
struct ReadyFiles {
    struct File {
        std::string_view extension;
        std::string bytes;
    };
    std::vector<File> particles, surface;
    SurfaceMesh const* appended = nullptr;  // goes into a file that grows; must last until it is stored
};

// One program at a time writes to a folder. A lock on the folder itself leaves no file behind and ends with the
// process; on file systems without such locks, runs are unprotected. Throws InputError if another program holds it.
class FolderLock {
public:
    explicit FolderLock(std::filesystem::path const& directory);
    ~FolderLock();
    FolderLock(FolderLock const&) = delete;
    FolderLock& operator=(FolderLock const&) = delete;

private:
    int descriptor_;
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
    // The same in parts, without the file of the checkpoint: a run that is killed then goes on from an earlier one.
    // files_of may be called on any thread; store_frame frame by frame.
    ReadyFiles files_of(Frame const& frame, Summary const& summary, FrameSurface const& surface) const;
    void store_frame(ReadyFiles const& files, Frame const& frame, Summary const& summary);
    void flush() { unflushed_.flush(); }  // what has been stored so far
    void store_checkpoint(Checkpoint const& checkpoint);
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
    void write_frame(ReadyFiles const& files, Frame const& frame, Summary const& summary);
    void write_point_cache(SurfaceMesh const& mesh) const;
    void write_rows();
    void append_tables(Frame const& frame, Summary const& summary);

    std::filesystem::path directory_;
    std::vector<ParticleFormat> particle_formats_;
    std::vector<MeshFormat> mesh_formats_;
    RunFacts facts_;
    RunTimes times_;
    std::vector<FrameStats> rows_;  // of the frames stored
    Unflushed unflushed_;
    std::vector<ForceOn> forces_on_;
    std::vector<std::string> bodies_, probes_;
    FrameFolder particles_, surface_, pictures_;
    bool created_ = false;  // the folder did not exist before
    bool had_run_ = false;
    std::optional<FolderLock> lock_;
};

}  // namespace pliant
