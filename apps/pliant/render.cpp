// pliant render: pictures of a run, a contact sheet of one run or of several, a video.
#include "commands.hpp"
#include "installation.hpp"
#include "interruption.hpp"
#include "pictured_run.hpp"
#include "progress.hpp"

#include <pliant/data/error.hpp>
#include <pliant/exec/background.hpp>
#include <pliant/io/frame_folder.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/render/draw.hpp>
#include <pliant/render/legend.hpp>
#include <pliant/render/video.hpp>
#include <pliant/render/write_png.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>

namespace pliant::app {

namespace fs = std::filesystem;
using namespace render;

namespace {

Vec3d vector_of(std::vector<double> const& three) { return {three[0], three[1], three[2]}; }

void save(fs::path const& path, Picture const& picture, PngSize size = PngSize::small) {
    try {
        write_atomically(path, png_bytes(picture, size));
    } catch (std::runtime_error const& error) {
        throw InputError(std::string{error.what()} + "; choose another place with -o");
    }
}

// What all pictures of one command share: camera, colours, size.
class Studio {
public:
    Studio(std::vector<PicturedRun> const& runs, std::vector<std::vector<std::size_t>> const& frames,
           RenderOptions const& options)
        : options_(options), quantity_(quantity_named(options.color, runs.front().unit_of(options.color))) {
        Framing framing(runs.front().scenery());
        RangeFinder values;
        for (std::size_t r = 0; r < runs.size(); ++r) runs[r].measure(frames[r], quantity_, framing, values);
        range_ = quantity_.from_zero ? values.range_from_zero() : values.range();
        if (!options.range.empty()) range_ = {options.range[0], options.range[1]};
        frame_camera_ = camera_for(framing, options.size);
        sheet_camera_ = camera_for(framing, options.sheet_size);
    }

    RenderSettings settings(PictureSize size, PicturedRun const& run) const {
        RenderSettings settings;
        settings.width = size.width;
        settings.height = size.height;
        settings.samples = options_.samples > 0 ? options_.samples : options_.preview ? 4 : 16;
        settings.preview = options_.preview;
        settings.threads = options_.threads;
        settings.paint.quantity = quantity_;
        settings.paint.range = range_;
        settings.paint.clear = run.clear();
        return settings;
    }
    Camera const& frame_camera() const { return frame_camera_; }
    Camera const& sheet_camera() const { return sheet_camera_; }
    Picture finished(Image const& image, bool legend) const {
        Picture picture = develop(image);
        return legend ? with_legend(std::move(picture), quantity_, range_) : picture;
    }

private:
    Camera camera_for(Framing const& framing, PictureSize size) const {
        Camera camera = framing.camera(double(size.width) / size.height, options_.fov);
        if (!options_.camera.empty()) camera.position = vector_of(options_.camera);
        if (!options_.target.empty()) camera.target = vector_of(options_.target);
        constexpr double farthest = 1e9;  // [m]; beyond, bodies vanish in single precision
        double const away = norm(camera.position - camera.target);
        if (!(norm(camera.position) < farthest) || !(away > 0 && away < farthest))
            throw InputError(
                "the camera has no place from which to see the bodies; give one with --camera and --target");
        return camera;
    }

    RenderOptions options_;
    Quantity quantity_;
    ValueRange range_;
    Camera frame_camera_, sheet_camera_;
};

std::string time_text(double time) {
    char text[40];
    std::snprintf(text, sizeof text, "%.2f s", time);
    return text;
}

// Counts pictures over all parts of the command.
class PictureProgress {
public:
    PictureProgress(std::size_t total, bool quiet) : total_(total), line_(quiet) {}
    void one_more() {
        ++done_;
        char text[96];
        std::snprintf(text, sizeof text, "picture %zu/%zu  %.2f s each", done_, total_,
                      line_.seconds() / double(done_));
        double const left = line_.seconds() / double(done_) * double(total_ - done_);
        line_.show(text + (done_ < total_ ? "  " + duration_text(left) + " left" : std::string{}), done_ == total_);
    }

private:
    std::size_t total_, done_ = 0;
    ProgressLine line_;
};

// Checked before the first picture is drawn: whether files can be put there.
void check_place(fs::path const& file, bool make_folder) {
    fs::path const folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code error;
    if (make_folder) fs::create_directories(folder, error);
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw InputError("cannot write '" + file.string() + "': " + std::generic_category().message(errno) +
                         "; choose another place with -o");
}

// Pictures of an earlier command would mix with these.
void remove_pictures(fs::path const& folder) {
    std::vector<fs::path> stale;
    std::error_code error;
    for (fs::directory_entry const& entry : fs::directory_iterator{folder, error}) {
        std::string const stem = entry.path().stem().string();
        bool const numbered = stem.size() >= 5 && stem.find_first_not_of("0123456789") == std::string::npos;
        if (numbered && entry.path().extension() == ".png") stale.push_back(entry.path());
    }
    for (fs::path const& file : stale) fs::remove(file, error);
}

// Draws all chosen frames; fewer when interrupted. While one is drawn, the next is read and the last is written.
std::vector<fs::path> draw_frames(PicturedRun const& run, std::vector<std::size_t> const& frames, Studio const& studio,
                                  RenderOptions const& options, fs::path const& folder, PictureProgress& progress) {
    std::atomic<bool> const& interrupted = watch_for_interruption();
    check_place(folder / "00000.png", true);
    if (options.output.empty()) remove_pictures(folder);  // elsewhere they may belong to others
    Renderer renderer(studio.settings(options.size, run), run.scenery(), run.collider_meshes());
    std::vector<fs::path> files;
    PngSize const size = options.preview ? PngSize::quick : PngSize::small;
    auto const load_later = [&](std::size_t frame) {
        return std::async(std::launch::async, [&run, frame] { return run.load(frame); });
    };
    std::future<PicturedRun::LoadedFrame> next = load_later(frames.front());
    Background writer;
    for (std::size_t k = 0; k < frames.size() && !interrupted; ++k) {
        PicturedRun::LoadedFrame const loaded = next.get();
        if (k + 1 < frames.size()) next = load_later(frames[k + 1]);
        auto const image = std::make_shared<Image>(renderer.draw(loaded.subject(), studio.frame_camera()));
        files.push_back(folder / frame_file_name(run.frames()[frames[k]].index, "png"));
        writer.add([&studio, image, size, file = files.back()] { save(file, studio.finished(*image, true), size); });
        progress.one_more();
    }
    writer.finish();
    return files;
}

// The frames of a sheet: as many as asked for, evenly spaced from the first to the last, or those that are named.
std::vector<std::size_t> sheet_frames(PicturedRun const& run, std::vector<std::size_t> const& frames,
                                      std::string const& sheet) {
    if (sheet.find(',') != std::string::npos) return run.chosen(sheet);
    int const count = std::atoi(sheet.c_str());
    if (count < 1 || count > 100 || sheet.find_first_not_of("0123456789") != std::string::npos)
        throw InputError("--sheet: '" + sheet +
                         "' is neither a number of frames, 1 to 100, nor a list such as 0,12,40");
    std::size_t const columns = std::min(frames.size(), static_cast<std::size_t>(count));
    std::vector<std::size_t> chosen;
    for (std::size_t c = 0; c < columns; ++c)
        chosen.push_back(frames[columns == 1 ? frames.size() - 1 : c * (frames.size() - 1) / (columns - 1)]);
    return chosen;
}

// One row per run, or rows of three for a single run. The legend is in the last cell only.
bool draw_sheet(std::vector<PicturedRun> const& runs, std::vector<std::vector<std::size_t>> const& frames,
                Studio const& studio, RenderOptions const& options, fs::path const& file, PictureProgress& progress) {
    std::atomic<bool> const& interrupted = watch_for_interruption();
    std::size_t const columns = runs.size() > 1 || frames[0].size() < 5 ? 100 : 3;
    std::vector<std::vector<Picture>> rows;
    SheetWords words;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        Renderer renderer(studio.settings(options.sheet_size, runs[r]), runs[r].scenery(), runs[r].collider_meshes());
        for (std::size_t k = 0; k < frames[r].size(); ++k) {
            if (interrupted) return false;
            if (k % columns == 0) {
                rows.emplace_back();
                words.caption.emplace_back();
                words.row.push_back(!options.names.empty() ? options.names[r] : runs.size() > 1 ? runs[r].name() : "");
            }
            PicturedRun::LoadedFrame const loaded = runs[r].load(frames[r][k]);
            bool const last = r + 1 == runs.size() && k + 1 == frames[r].size();
            rows.back().push_back(studio.finished(renderer.draw(loaded.subject(), studio.sheet_camera()), last));
            words.caption.back().push_back(time_text(runs[r].frames()[frames[r][k]].time));
            progress.one_more();
        }
    }
    save(file, with_words(make_sheet(rows, layout_for(words, options.sheet_size.height)), words));
    return true;
}

// At the speed of the simulated world, as far as players can keep up.
double video_fps(PicturedRun const& run, std::vector<std::size_t> const& frames) {
    double const span = run.frames()[frames.back()].time - run.frames()[frames.front()].time;
    return span > 0 ? std::clamp(double(frames.size() - 1) / span, 1.0, 120.0) : 30;
}

void draw_video(PicturedRun const& run, std::vector<std::size_t> const& frames, std::vector<fs::path> const& pictures,
                RenderOptions const& options, fs::path const& file) {
    bool written = false;
    try {
        written = write_video(file, pictures, {video_fps(run, frames), options.threads});
    } catch (std::runtime_error const& error) {
        std::fprintf(stderr, "warning: no video: %s\n", error.what());
        return;
    }
    if (options.quiet) return;
    if (written)
        std::printf("The video is in %s\n", file.c_str());
    else
        std::printf("No video: ffmpeg is not installed.\n");
}

int interrupted_with(RenderOptions const& options) {
    if (!options.quiet) std::fprintf(stderr, "Interrupted; pictures already drawn are whole.\n");
    return exit_code::interrupted;
}

}  // namespace

int render(RenderOptions const& options) {
    if (!options.range.empty() && !(options.range[0] < options.range[1]))
        throw InputError("--range: the first number must be less than the second");
    use_installed_fonts();
    std::vector<PicturedRun> runs;
    for (std::string const& directory : options.directories) runs.emplace_back(directory, options);
    std::vector<std::vector<std::size_t>> frames, cells;
    for (PicturedRun const& run : runs) {
        frames.push_back(run.sound(run.chosen(options.frames)));
        cells.push_back(run.sound(sheet_frames(run, frames.back(), options.sheet)));
    }
    bool const sequence = runs.size() == 1 && !options.sheet_only;
    bool const names_file = fs::path{options.output}.extension() == ".png";
    if (fs::path const o = options.output; !names_file && o.has_extension() && !fs::is_directory(o))
        throw InputError(options.output + ": pictures are .png files; give the sheet such a name, or name a folder");
    if (names_file && sequence)
        throw InputError(options.output + ": a sequence of pictures needs a folder; or add --sheet-only");
    fs::path const place =
        options.output.empty() || names_file ? fs::path{options.directories.front()} : options.output.c_str();
    fs::path const sheet = names_file         ? fs::path{options.output}
                           : runs.size() == 1 ? place / "contact-sheet.png"
                                              : place / "comparison-sheet.png";

    check_place(sheet, !names_file);
    Studio const studio(runs, sequence ? frames : cells, options);
    std::size_t count = 0;
    for (auto const& row : cells) count += row.size();
    std::vector<fs::path> pictures;
    {
        PictureProgress progress(count + (sequence ? frames[0].size() : 0), options.quiet);
        if (sequence) {
            pictures = draw_frames(runs[0], frames[0], studio, options, place / "frames", progress);
            if (pictures.size() < frames[0].size()) return interrupted_with(options);
        }
        if (!draw_sheet(runs, cells, studio, options, sheet, progress)) return interrupted_with(options);
    }
    if (sequence && !options.quiet)
        std::printf("%zu picture%s in %s\n", pictures.size(), pictures.size() == 1 ? "" : "s",
                    (place / "frames").c_str());
    if (sequence && pictures.size() > 1 && !options.no_video)
        draw_video(runs[0], frames[0], pictures, options, place / "animation.mp4");
    if (!options.quiet) std::printf("The contact sheet is in %s\n", sheet.c_str());
    return watch_for_interruption() ? interrupted_with(options) : exit_code::done;
}

}  // namespace pliant::app
