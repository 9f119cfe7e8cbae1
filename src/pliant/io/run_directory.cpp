#include <pliant/data/error.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/read_stats.hpp>
#include <pliant/io/read_summary.hpp>
#include <pliant/io/row_file.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_bodies.hpp>
#include <pliant/io/write_pc2.hpp>
#include <pliant/io/write_stats.hpp>
#include <pliant/io/write_summary.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace pliant {

namespace fs = std::filesystem;

namespace {

constexpr char const* stats_file = "stats.csv";
constexpr char const* forces_file = "forces.csv";
constexpr char const* bodies_file = "bodies.csv";
constexpr char const* probes_file = "probes.csv";
constexpr char const* summary_file = "summary.json";
constexpr char const* colliders_folder = "colliders";

// Other files that a run and its pictures put beside the folders, in the order in which they are removed: a point cache
// before its mesh. The stats, by which a run is recognised, and the checkpoint are not among them.
constexpr std::array other_files{"particles.pvd",        "particles.usda", "surface.pvd", "surface.usda",
                                 "surface.pc2",          "surface.obj",    "stage.json",  "contact-sheet.png",
                                 "animation.mp4",        "plot.png",       "plot.svg",    "comparison.png",
                                 "comparison-sheet.png", "forces.csv",     "bodies.csv",  "probes.csv",
                                 "summary.json",         "scene.toml",     "run.json",    "recording.jsonl"};

// Those that can exist before the first checkpoint.
constexpr std::array first_files{"particles.pvd", "surface.pvd", "surface.obj", "surface.pc2", "stage.json",
                                 "bodies.csv",    "probes.csv",  "scene.toml",  "run.json",    "recording.jsonl"};

[[noreturn]] void refuse(fs::path const& directory, std::string const& reason) {
    throw InputError("output directory '" + directory.string() + "': " + reason);
}

bool is_stats_file(fs::path const& file) {
    std::string line;
    std::ifstream stream{file};
    return std::getline(stream, line) && (line == stats_header || line == older_stats_header);
}

template <class Formats>
std::vector<std::string> extensions(Formats const& formats) {
    std::vector<std::string> result;
    for (auto const& format : formats) result.emplace_back(format.extension);
    return result;
}

// The first one that the index of a series can point at.
template <class Formats>
auto const* series_format(Formats const& formats) {
    auto const found = std::find_if(formats.begin(), formats.end(), [](auto const& f) { return f.in_series; });
    return found == formats.end() ? nullptr : &*found;
}

template <class Formats>
bool has_layout(Formats const& formats, Layout layout) {
    return std::any_of(formats.begin(), formats.end(), [&](auto const& f) { return f.layout == layout; });
}

bool is_collider(fs::path const& file) { return file.extension() == ".ply" || is_partial(file); }

// A run that was killed before its first checkpoint: there is nothing but its start.
bool holds_only_a_first_frame(fs::path const& directory, FrameFolder const& particles, FrameFolder const& surface) {
    if (!fs::is_directory(particles.path())) return fs::is_empty(directory);
    for (fs::directory_entry const& entry : fs::directory_iterator{directory}) {
        fs::path const& path = entry.path();
        bool const known = path == particles.path() || path == surface.path() || is_partial(path) ||
                           path.filename() == colliders_folder ||
                           std::find(first_files.begin(), first_files.end(), path.filename()) != first_files.end();
        if (!known) return false;
    }
    if (fs::path const colliders = directory / colliders_folder; fs::is_directory(colliders))
        for (fs::directory_entry const& entry : fs::directory_iterator{colliders})
            if (!is_collider(entry.path())) return false;
    return particles.holds_only_the_start() && surface.holds_only_the_start();
}

bool holds_a_run(fs::path const& directory) {
    return is_checkpoint(directory / "checkpoint.bin") || is_stats_file(directory / stats_file);
}

}  // namespace

FolderLock::FolderLock(fs::path const& directory)
    : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) refuse(directory, std::generic_category().message(errno));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor_);
        refuse(directory, "another run is writing to it; choose another one with -o, or stop that run first");
    }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

RunDirectory::RunDirectory(fs::path directory, RunOutput const& output)
    : directory_(std::move(directory)),
      facts_{.fps = output.fps, .up_axis = output.up_axis},
      particles_(directory_, "particles", extensions(particle_formats)),
      surface_(directory_, "surface", extensions(mesh_formats)),
      pictures_(directory_, "frames", {"png"}) {
    forces_on_ = output.forces_on, bodies_ = output.bodies, probes_ = output.probes;
    for (std::string const& extension : output.particles) particle_formats_.push_back(particle_format(extension));
    for (std::string const& extension : output.meshes) mesh_formats_.push_back(mesh_format(extension));
    try {
        created_ = fs::create_directories(directory_);
        had_run_ = holds_a_run(directory_);
        if (!had_run_ && !holds_only_a_first_frame(directory_, particles_, surface_))
            refuse(directory_,
                   "it is not empty and holds no run of pliant; choose another one with -o, or empty it first");
        make_folders();
    } catch (fs::filesystem_error const& error) {
        refuse(directory_, error.code().message());
    }
    for (fs::path const& folder : {directory_, particles_.path(), surface_.path()})
        if (fs::exists(folder) && ::access(folder.c_str(), W_OK | X_OK) != 0)
            refuse(folder, std::generic_category().message(errno));
    lock_.emplace(directory_);
}

RunDirectory::~RunDirectory() { remove_empty_folders(); }

// A run without a first frame leaves no empty folders; fs::remove spares full ones.
void RunDirectory::remove_empty_folders() const {
    std::error_code ignored;
    if (!created_) return;
    for (fs::path const& folder : {particles_.path(), surface_.path(), directory_}) fs::remove(folder, ignored);
}

void RunDirectory::abandon() const {
    for (fs::path const& folder : {particles_.path(), surface_.path(), directory_}) {
        std::error_code ended;  // also when the folder is not there
        for (fs::directory_iterator entry{folder, ended}; !ended && entry != fs::directory_iterator{};
             entry.increment(ended)) {
            std::error_code ignored;
            if (is_partial(entry->path())) fs::remove(entry->path(), ignored);
        }
    }
    remove_empty_folders();
}

void RunDirectory::make_folders() const {
    fs::create_directories(particles_.path());
    if (!mesh_formats_.empty()) fs::create_directories(surface_.path());
}

Checkpoint RunDirectory::checkpoint() const { return read_checkpoint(checkpoint_path()); }

void RunDirectory::start_over() {
    rows_.clear();
    // The checkpoint goes first, for it must never vouch for frames that are gone; the stats, by which a run is
    // recognised, go last.
    fs::remove(checkpoint_path());
    remove_frames_beyond(-1);
    fs::path const colliders = directory_ / colliders_folder;
    if (fs::is_directory(colliders)) {
        std::vector<fs::path> stale;
        for (fs::directory_entry const& entry : fs::directory_iterator{colliders})
            if (is_collider(entry.path())) stale.push_back(entry.path());
        for (fs::path const& file : stale) fs::remove(file);
    }
    for (char const* name : other_files) fs::remove(directory_ / name);
    std::error_code ignored;  // folders that hold other things stay
    for (fs::path const& folder : {surface_.path(), pictures_.path(), colliders}) fs::remove(folder, ignored);
    fs::remove(directory_ / stats_file);
    make_folders();
}

void RunDirectory::resume(Checkpoint const& checkpoint, Summary const& summary) {
    int const last = checkpoint.stats.back().frame;
    remove_frames_beyond(last);
    cut_pc2(cache_path(), last);
    particles_.begin_series(series_format(particle_formats)->extension, checkpoint.stats);
    surface_.begin_series(series_format(mesh_formats)->extension, checkpoint.stats);
    rows_ = checkpoint.stats;
    write_rows();
    flush();
    for (char const* table : {bodies_file, probes_file}) cut_rows(directory_ / table, last);
    store_summary(summary);
}

RunTimes RunDirectory::stored_times() const {
    try {
        return read_run_times(directory_ / summary_file);
    } catch (InputError const&) {
        return {};
    }
}

int RunDirectory::last_row() const {
    try {
        std::vector<FrameStats> const rows = read_stats(directory_ / stats_file);
        return rows.empty() ? -1 : rows.back().frame;
    } catch (InputError const&) {
        return -1;
    }
}

void RunDirectory::store(Frame const& frame, Summary const& summary, Checkpoint const& checkpoint,
                         FrameSurface const& surface) {
    rows_ = checkpoint.stats;
    write_frame(files_of(frame, summary, surface), frame, summary);
    store_checkpoint(checkpoint);
    store_summary(summary);
}

void RunDirectory::store_frame(ReadyFiles const& files, Frame const& frame, Summary const& summary) {
    rows_.push_back(frame.stats);
    write_frame(files, frame, summary);
    Summary unfinished = summary;
    unfinished.finished = false;  // until there is a checkpoint of the last frame
    write_summary(directory_ / summary_file, unfinished, times_, &unflushed_);
}

void RunDirectory::store_checkpoint(Checkpoint const& checkpoint) {
    flush();
    write_checkpoint(checkpoint_path(), checkpoint);
}

void RunDirectory::store_summary(Summary const& summary) const {
    write_summary(directory_ / summary_file, summary, times_);
}

ReadyFiles RunDirectory::files_of(Frame const& frame, Summary const& summary, FrameSurface const& surface) const {
    RunFacts facts = facts_;
    for (BodySummary const& body : summary.bodies) facts.spacing.push_back(body.spacing);
    ReadyFiles files;
    for (ParticleFormat const& format : particle_formats_)
        files.particles.push_back({format.extension, format.bytes(frame, facts)});
    if (surface.mesh == nullptr) return files;
    for (MeshFormat const& format : mesh_formats_) {
        if (format.layout == Layout::appended)
            files.appended = surface.mesh;
        else
            files.surface.push_back({format.extension, format.bytes(surface, facts)});
    }
    return files;
}

void RunDirectory::write_frame(ReadyFiles const& files, Frame const& frame, Summary const& summary) {
    for (ReadyFiles::File const& file : files.particles)
        particles_.write(frame.index, file.extension, file.bytes, &unflushed_);
    for (ReadyFiles::File const& file : files.surface)
        surface_.write(frame.index, file.extension, file.bytes, &unflushed_);
    if (files.appended != nullptr) write_point_cache(*files.appended);
    if (auto const* format = series_format(particle_formats_))
        particles_.extend_series(format->extension, frame.index, frame.time, &unflushed_);
    if (auto const* format = series_format(mesh_formats_); format && !files.surface.empty())
        surface_.extend_series(format->extension, frame.index, frame.time, &unflushed_);
    append_tables(frame, summary);
    write_rows();
}

// A method that knows no forces leaves no file of them.
void RunDirectory::write_rows() {
    bool const forces = std::any_of(rows_.begin(), rows_.end(), [&](FrameStats const& row) {
        return (!row.forces.empty() && !forces_on_.empty()) || !row.pair_forces.empty();
    });
    if (forces) write_forces(directory_ / forces_file, {forces_on_, bodies_}, rows_, &unflushed_);
    write_stats(directory_ / stats_file, rows_, &unflushed_);
}

void RunDirectory::append_tables(Frame const& frame, Summary const& summary) {
    write_bodies(directory_ / bodies_file, frame.index, frame.time, summary.bodies, &unflushed_);
    if (!probes_.empty()) write_probes(directory_ / probes_file, probes_, frame, &unflushed_);
}

void RunDirectory::finish() const {
    if (has_layout(particle_formats_, Layout::stitched)) particles_.stitch();
    if (has_layout(mesh_formats_, Layout::stitched)) surface_.stitch();
}

// A cache that does not reach up to this frame, because the format was not asked for in between, starts again: it
// cannot have holes.
void RunDirectory::write_point_cache(SurfaceMesh const& mesh) const {
    auto const header = read_pc2_header(cache_path());
    if (header && header->last_frame() + 1 == mesh.index) return append_pc2(cache_path(), mesh);
    write_atomically(directory_ / "surface.obj", obj_bytes(mesh));  // first: a cache is never without its mesh
    start_pc2(cache_path(), mesh);
}

void RunDirectory::remove_frames_beyond(int last) const {
    for (FrameFolder const* folder : {&particles_, &surface_, &pictures_}) folder->remove_beyond(last);
    for (fs::path const& file : {checkpoint_path(), directory_ / stats_file}) fs::remove(partial_path(file));
    for (char const* name : other_files) fs::remove(partial_path(directory_ / name));
}

}  // namespace pliant
