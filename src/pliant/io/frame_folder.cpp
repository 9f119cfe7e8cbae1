#include <pliant/io/frame_folder.hpp>
#include <pliant/io/usd_layer.hpp>
#include <pliant/io/write_atomically.hpp>

#include <algorithm>
#include <charconv>
#include <map>

namespace pliant {

namespace fs = std::filesystem;

std::string frame_file_name(int index, std::string_view extension) {
    std::string const digits = std::to_string(index);
    return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits + "." + std::string{extension};
}

FrameFolder::FrameFolder(fs::path const& run, std::string name, std::vector<std::string> extensions)
    : run_(run), name_(std::move(name)), extensions_(std::move(extensions)) {}

void FrameFolder::write(int frame, std::string_view extension, std::string_view bytes, Unflushed* later) const {
    write_atomically(path() / frame_file_name(frame, extension), bytes, later);
}

// The number in the name of a frame's file; none for other files.
std::optional<int> FrameFolder::frame_index(fs::path const& file) const {
    std::string const stem = file.stem().string();
    std::string const extension = file.extension().string();  // with its dot
    auto const matches = [&](std::string const& known) { return !extension.empty() && extension.substr(1) == known; };
    if (std::none_of(extensions_.begin(), extensions_.end(), matches)) return {};
    int index = 0;
    auto const [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), index);
    if (error != std::errc{} || stem.size() < 5 || end != stem.data() + stem.size() || index < 0) return {};
    return index;
}

bool FrameFolder::holds_only_the_start() const {
    if (!fs::is_directory(path())) return !fs::exists(path());
    for (fs::directory_entry const& entry : fs::directory_iterator{path()})
        if (frame_index(entry.path()) != 0 && !is_partial(entry.path())) return false;
    return true;
}

void FrameFolder::remove_beyond(int last) const {
    if (!fs::is_directory(path())) return;
    std::vector<fs::path> stale;  // listed first: removing while listing is unspecified
    for (fs::directory_entry const& entry : fs::directory_iterator{path()})
        if (is_partial(entry.path()) || frame_index(entry.path()).value_or(-1) > last) stale.push_back(entry.path());
    for (fs::path const& file : stale) fs::remove(file);
}

void FrameFolder::begin_series(std::string_view extension, std::span<FrameStats const> rows) {
    series_.clear();
    for (FrameStats const& row : rows) {
        std::string const file = frame_file_name(row.frame, extension);
        if (fs::exists(path() / file)) series_.push_back({row.time, name_ + "/" + file});
    }
    write_series(nullptr);
}

void FrameFolder::extend_series(std::string_view extension, int frame, double time, Unflushed* later) {
    series_.push_back({time, name_ + "/" + frame_file_name(frame, extension)});
    write_series(later);
}

void FrameFolder::write_series(Unflushed* later) const {
    if (series_.empty())
        fs::remove(series_path());
    else
        write_pvd(series_path(), series_, later);
}

void FrameFolder::stitch() const {
    if (!fs::is_directory(path())) return;
    std::map<int, fs::path> layers;
    for (fs::directory_entry const& entry : fs::directory_iterator{path()})
        if (auto const frame = frame_index(entry.path()); frame && entry.path().extension() == ".usda")
            layers[*frame] = entry.path();
    std::vector<fs::path> files;
    for (auto const& [frame, file] : layers) files.push_back(file);
    stitch_usd(run_ / (name_ + ".usda"), files);
}

}  // namespace pliant
