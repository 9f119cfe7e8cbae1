// One folder of a run with files named by their frame, DIR/NAME/NNNNN.EXTENSION, and what gathers them beside it:
// the index DIR/NAME.pvd and the stitched layer DIR/NAME.usda.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/io/write_pvd.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

// "00042.vtp"
std::string frame_file_name(int index, std::string_view extension);

class FrameFolder {
public:
    // Files with other names or extensions are never touched.
    FrameFolder(std::filesystem::path const& run, std::string name, std::vector<std::string> extensions);

    std::filesystem::path path() const { return run_ / name_; }
    std::filesystem::path series_path() const { return run_ / (name_ + ".pvd"); }

    void write(int frame, std::string_view extension, std::string_view bytes, Unflushed* later = nullptr) const;

    // Whether the folder holds nothing but files of frame 0, or does not exist.
    bool holds_only_the_start() const;
    // Frames beyond `last`, and files that a kill left half written.
    void remove_beyond(int last) const;

    // The index lists exactly the files that exist: formats may change when a run is resumed. Without any files, there
    // is no index.
    void begin_series(std::string_view extension, std::span<FrameStats const> rows);
    void extend_series(std::string_view extension, int frame, double time, Unflushed* later = nullptr);

    // Gathers the existing layers; without any, nothing is written.
    void stitch() const;

private:
    std::optional<int> frame_index(std::filesystem::path const& file) const;
    void write_series(Unflushed* later) const;

    std::filesystem::path run_;
    std::string name_;
    std::vector<std::string> extensions_;
    std::vector<SeriesEntry> series_;
};

}  // namespace pliant
