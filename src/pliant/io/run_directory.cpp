#include <pliant/error.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_pvd.hpp>
#include <pliant/io/write_stats.hpp>
#include <pliant/io/write_summary.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

namespace pliant {

namespace fs = std::filesystem;

namespace {

constexpr char const* frames_folder = "particles";
constexpr char const* series_file = "particles.pvd";
constexpr char const* stats_file = "stats.csv";
constexpr char const* summary_file = "summary.json";

[[noreturn]] void refuse(fs::path const& directory, std::string const& reason) {
    throw InputError("output directory '" + directory.string() + "': " + reason);
}

// The number in the name of a frame's file, if it is one.
std::optional<int> frame_index(fs::path const& file) {
    std::string const stem = file.stem().string();
    std::string const extension = file.extension().string();  // with its dot
    auto const matches = [&](ParticleFormat const& f) {
        return !extension.empty() && extension.substr(1) == f.extension;
    };
    if (std::none_of(particle_formats.begin(), particle_formats.end(), matches)) return {};
    int index = 0;
    auto const [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), index);
    if (error != std::errc{} || stem.size() < 5 || end != stem.data() + stem.size() || index < 0) return {};
    return index;
}

bool is_stats_file(fs::path const& file) {
    std::string line;
    std::ifstream stream{file};
    return std::getline(stream, line) && line == stats_header;
}

// A run that was killed before its first checkpoint: nothing there but the start of it.
bool holds_only_a_first_frame(fs::path const& directory) {
    for (fs::directory_entry const& entry : fs::directory_iterator{directory})
        if (entry.path().filename() != frames_folder && entry.path().filename() != series_file &&
            !is_partial(entry.path()))
            return false;
    if (!fs::is_directory(directory / frames_folder)) return fs::is_empty(directory);
    for (fs::directory_entry const& entry : fs::directory_iterator{directory / frames_folder})
        if (frame_index(entry.path()) != 0 && !is_partial(entry.path())) return false;
    return true;
}

bool holds_a_run(fs::path const& directory) {
    return is_checkpoint(directory / "checkpoint.bin") || is_stats_file(directory / stats_file);
}

// A lock on the folder itself leaves no file behind and ends with the process. Where the file system has no such
// locks, runs go unguarded.
int lock(fs::path const& directory) {
    int const descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) refuse(directory, std::generic_category().message(errno));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor);
        refuse(directory, "another run is writing to it; choose another one with -o, or stop that run first");
    }
    return descriptor;
}

}  // namespace

std::string frame_file_name(int index, std::string_view extension) {
    std::string const digits = std::to_string(index);
    return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits + "." + std::string{extension};
}

RunDirectory::RunDirectory(fs::path directory, std::vector<std::string> const& formats)
    : directory_(std::move(directory)) {
    for (std::string const& extension : formats) formats_.push_back(particle_format(extension));
    try {
        created_ = fs::create_directories(directory_);
        if (!holds_a_run(directory_) && !holds_only_a_first_frame(directory_))
            refuse(directory_,
                   "it is not empty and holds no run of pliant; choose another one with -o, or empty it first");
        fs::create_directories(directory_ / frames_folder);
    } catch (fs::filesystem_error const& error) {
        refuse(directory_, error.code().message());
    }
    for (fs::path const& folder : {directory_, directory_ / frames_folder})
        if (::access(folder.c_str(), W_OK | X_OK) != 0) refuse(folder, std::generic_category().message(errno));
    lock_ = lock(directory_);
}

RunDirectory::~RunDirectory() {
    if (created_) {  // a run that never came to its first frame leaves no empty folders; fs::remove spares full ones
        std::error_code ignored;
        fs::remove(directory_ / frames_folder, ignored);
        fs::remove(directory_, ignored);
    }
    ::close(lock_);
}

Checkpoint RunDirectory::checkpoint() const { return read_checkpoint(checkpoint_path()); }

void RunDirectory::start_over() {
    // The checkpoint goes first, for it must never vouch for frames that are gone; the stats, by which a run is
    // recognised, go last.
    fs::remove(checkpoint_path());
    remove_frames_beyond(-1);
    for (char const* name : {series_file, summary_file, stats_file}) fs::remove(directory_ / name);
}

void RunDirectory::resume(Checkpoint const& checkpoint, Summary const& summary) {
    remove_frames_beyond(checkpoint.stats.back().frame);
    write_series(checkpoint.stats);
    write_stats(directory_ / stats_file, checkpoint.stats);
    write_summary(directory_ / summary_file, summary);
}

void RunDirectory::store(Frame const& frame, Summary const& summary, Checkpoint const& checkpoint) {
    for (ParticleFormat const& format : formats_)
        write_atomically(directory_ / frames_folder / frame_file_name(frame.index, format.extension),
                         format.bytes(frame));
    write_series(checkpoint.stats);
    write_stats(directory_ / stats_file, checkpoint.stats);
    write_checkpoint(checkpoint_path(), checkpoint);
    write_summary(directory_ / summary_file, summary);
}

void RunDirectory::remove_frames_beyond(int last) const {
    std::vector<fs::path> stale;  // listed first: removing while listing is unspecified
    for (fs::path const& file :
         {checkpoint_path(), directory_ / series_file, directory_ / stats_file, directory_ / summary_file})
        stale.push_back(partial_path(file));
    for (fs::directory_entry const& entry : fs::directory_iterator{directory_ / frames_folder})
        if (is_partial(entry.path()) || frame_index(entry.path()).value_or(-1) > last) stale.push_back(entry.path());
    for (fs::path const& file : stale) fs::remove(file);
}

void RunDirectory::write_series(std::vector<FrameStats> const& rows) const {
    auto const format = std::find_if(formats_.begin(), formats_.end(), [](auto const& f) { return f.in_series; });
    if (format == formats_.end()) return;
    std::vector<SeriesEntry> entries;
    for (FrameStats const& row : rows)
        entries.push_back({row.time, std::string{frames_folder} + "/" + frame_file_name(row.frame, format->extension)});
    write_pvd(directory_ / series_file, entries);
}

}  // namespace pliant
