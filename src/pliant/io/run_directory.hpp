// The folder of one run: DIR/particles/NNNNN.*, particles.pvd, stats.csv, summary.json, checkpoint.bin.
//
// The order of writing makes a run resumable after kill -9 at any moment: frame, series and stats come before the
// checkpoint that vouches for them, and the summary, which may say "finished", comes last. What lies beyond the last
// checkpoint is written again on resuming; nothing of an older run is ever mixed in.
#pragma once

#include <pliant/frame.hpp>
#include <pliant/io/formats.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

class RunDirectory {
public:
    // Makes and locks the folder; touches nothing in it. Throws InputError when it cannot be made or written to, when
    // it holds files but no run of pliant, when another run is at work in it, or for an unknown format.
    RunDirectory(std::filesystem::path directory, std::vector<std::string> const& formats);
    ~RunDirectory();
    RunDirectory(RunDirectory const&) = delete;
    RunDirectory& operator=(RunDirectory const&) = delete;

    // Reads the checkpoint; throws InputError when there is none or it is damaged.
    Checkpoint checkpoint() const;

    // Either of the two opens the run, before any store(). start_over() removes all files of an older run; resume()
    // removes frames beyond the checkpoint and brings series, stats and summary back to it.
    void start_over();
    void resume(Checkpoint const& checkpoint, Summary const& summary);

    // Writes a frame and all that goes with it. checkpoint.stats holds the rows up to this frame.
    // Throws std::runtime_error when a file cannot be written; what was stored before stays whole and resumable.
    void store(Frame const& frame, Summary const& summary, Checkpoint const& checkpoint);

    std::filesystem::path const& path() const { return directory_; }

private:
    std::filesystem::path checkpoint_path() const { return directory_ / "checkpoint.bin"; }
    void remove_frames_beyond(int last) const;
    void write_series(std::vector<FrameStats> const& rows) const;

    std::filesystem::path directory_;
    std::vector<ParticleFormat> formats_;
    bool created_ = false;  // the folder was not there before
    int lock_ = -1;         // descriptor of the locked folder
};

// "00042.vtp"
std::string frame_file_name(int index, std::string_view extension);

}  // namespace pliant
