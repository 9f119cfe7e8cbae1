#include <pliant/data/error.hpp>
#include <pliant/io/read_scenery.hpp>
#include <pliant/io/read_summary.hpp>
#include <pliant/render/quantity.hpp>
#include <pliant/serve/pack.hpp>
#include <pliant/serve/run_info.hpp>
#include <pliant/serve/viewed_run.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pliant {
namespace {

constexpr std::size_t frames_kept = 4, frames_measured = 9, frames_of_history = 121;

// `count` positions of `of`, evenly spread, with the first and the last.
std::vector<std::size_t> spread(std::size_t count, std::size_t of) {
    std::vector<std::size_t> chosen;
    if (of <= count) count = of;
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(count < 2 ? 0 : k * (of - 1) / (count - 1));
    return chosen;
}

std::vector<double> times_of(RunFiles const& files) {
    std::vector<double> times;
    for (FrameFiles const& frame : files.frames) times.push_back(frame.time);
    return times;
}

std::vector<int> numbers_of(RunFiles const& files) {
    std::vector<int> numbers;
    for (FrameFiles const& frame : files.frames) numbers.push_back(frame.index);
    return numbers;
}

// Nothing outside the run's folder is served, not even what a link in it points to.
std::filesystem::path const& inside(std::filesystem::path const& folder, std::filesystem::path const& file) {
    auto const from_there =
        std::filesystem::weakly_canonical(file).lexically_relative(std::filesystem::weakly_canonical(folder));
    if (from_there.empty() || *from_there.begin() == "..") refuse_file(file, "leads outside the run's folder");
    return file;
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace

ViewedRun::ViewedRun(std::filesystem::path directory)
    : directory_(std::move(directory)),
      scenery_(read_scenery(directory_ / "stage.json")),
      files_(std::make_shared<RunFiles const>(list_run(directory_))) {
    if (!scenery_) scenery_.emplace();
    for (SceneryCollider const& collider : scenery_->colliders) {  // nothing outside the folder is served
        std::filesystem::path const mesh = std::filesystem::path(collider.mesh).lexically_normal();
        if (mesh.is_absolute() || (!mesh.empty() && *mesh.begin() == ".."))
            refuse_file(directory_ / "stage.json", "names a mesh outside the run's folder: " + excerpt(collider.mesh));
    }
    if (files_->frames.front().particles.empty())
        refuse_file(directory_, "has no particles as .vtp or .ply; run the scene with output.particles = [\"vtp\"]");
    particles(0);
    read_summary(directory_ / "summary.json");  // damage is said at once, not by an empty page
}

std::shared_ptr<RunFiles const> ViewedRun::list() const {
    std::lock_guard const lock(mutex_);
    return files_;
}

std::shared_ptr<Frame const> ViewedRun::particles(std::size_t position) const {
    auto const files = list();
    if (position >= files->frames.size() || files->frames[position].particles.empty())
        refuse_file(directory_, "has no particles of frame " + std::to_string(position));
    {
        std::lock_guard const lock(mutex_);
        for (auto const& [known, frame] : read_)
            if (known == position) return frame;
    }
    FrameFiles const& of = files->frames[position];
    auto frame = std::make_shared<Frame>(read_particles(inside(directory_, of.particles.front())));
    frame->index = of.index, frame->time = of.time;
    std::lock_guard const lock(mutex_);
    if (read_.size() >= frames_kept) read_.erase(read_.begin());
    read_.emplace_back(position, frame);
    return frame;
}

std::string ViewedRun::info() {
    {
        auto now = std::make_shared<RunFiles const>(list_run(directory_));
        std::lock_guard const lock(mutex_);
        files_ = std::move(now), read_.clear();
    }
    auto const files = list();
    Summary const summary = read_summary(directory_ / "summary.json");
    std::vector<std::string> const names = field_names(particles(0)->channels);
    std::map<std::string, render::RangeFinder> finders;
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::size_t const k : spread(frames_measured, files->frames.size())) {
        std::shared_ptr<Frame const> frame;
        try {
            frame = particles(k);
        } catch (InputError const&) {  // a damaged frame says so when it is shown; the others are there
            continue;
        }
        for (std::string const& name : names)
            finders[name].add(render::values_of(*frame, render::quantity_named(name)));
        for (Vec3f const& x : frame->position)
            for (int axis = 0; axis < 3; ++axis)
                low[axis] = std::min(low[axis], double(x[axis])), high[axis] = std::max(high[axis], double(x[axis]));
    }
    std::map<std::string, render::ValueRange> ranges;
    for (auto const& [name, finder] : finders)
        ranges[name] = render::quantity_named(name).from_zero ? finder.range_from_zero() : finder.range();
    bool const has_surface = !files->frames.front().surfaces.empty();
    Json const json = {{"name", files->name},
                       {"title", scenery_->title.empty() ? files->name : scenery_->title},
                       {"method", summary.method},
                       {"gravity", to_json(scenery_->gravity)},
                       {"fps", scenery_->fps},
                       {"finished", summary.finished},
                       {"surface", has_surface},
                       {"smooth", scenery_->surface != "skin"},
                       {"low", to_json(low)},
                       {"high", to_json(high)},
                       {"bodies", bodies_info(summary.bodies)},
                       {"fields", fields_info(names, summary.channels, ranges)},
                       {"times", times_of(*files)},
                       {"frames", numbers_of(*files)},
                       {"stats", stats_info(files->stats)},
                       {"colliders", colliders_info(*scenery_, times_of(*files))}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ViewedRun::frame(std::size_t position) const { return pack_frame(*particles(position)); }

std::string ViewedRun::surface(std::size_t position) const {
    auto const files = list();
    if (position >= files->frames.size() || files->frames[position].surfaces.empty())
        refuse_file(directory_, "has no surface of frame " + std::to_string(position));
    return pack_mesh(read_surface(inside(directory_, files->frames[position].surfaces.front())));
}

std::string ViewedRun::collider(std::size_t number) const {
    if (number >= scenery_->colliders.size() || scenery_->colliders[number].mesh.empty())
        refuse_file(directory_, "has no mesh of collider " + std::to_string(number));
    return pack_mesh(read_surface(inside(directory_, directory_ / scenery_->colliders[number].mesh)));
}

std::string ViewedRun::particle(std::uint32_t id, std::size_t position) const {
    auto const values_at = [&](std::size_t k, Json& lists) {
        auto const frame = particles(k);
        auto const found = std::lower_bound(frame->id.begin(), frame->id.end(), id);
        if (found == frame->id.end() || *found != id)
            refuse_file(directory_, "has no particle " + std::to_string(id) + " in frame " + std::to_string(k));
        auto const i = static_cast<std::size_t>(found - frame->id.begin());
        lists["time"].push_back(frame->time);
        for (int axis = 0; axis < 3; ++axis) {
            std::string const name(1, "xyz"[axis]);
            lists[name].push_back(number(frame->position[i][axis]));
        }
        for (std::string const& name : field_names(frame->channels)) {
            auto const values = render::values_of(*frame, render::quantity_named(name));
            if (i < values.size()) lists[name].push_back(number(values[i]));
        }
        lists["body"] = i < frame->body.size() ? frame->body[i] : 0;
    };
    Json now = Json::object(), course = Json::object();
    values_at(position, now);
    for (std::size_t const k : spread(frames_of_history, frame_count())) values_at(k, course);
    return Json{{"id", id}, {"now", now}, {"course", course}}.dump();
}

std::optional<std::string> answer_of(std::vector<std::unique_ptr<ViewedRun>> const& runs, std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= path.size() && parts.size() <= 5;) {
        std::size_t const end = std::min(path.find('/', at), path.size());
        parts.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    auto const whole = [&](std::size_t part) -> std::optional<std::size_t> {
        return part < parts.size() && parts[part].size() < 10 ? number_in<std::size_t>(parts[part]) : std::nullopt;
    };
    auto const k = whole(1), n = whole(3), m = whole(4);
    if (parts[0] != "runs" || parts.size() < 3 || !k || *k >= runs.size()) return {};
    ViewedRun& run = *runs[*k];
    if (parts.size() == 3 && parts[2] == "info") return run.info();
    if (parts.size() == 5 && parts[2] == "particles" && n && m) return run.particle(std::uint32_t(*n), *m);
    if (parts.size() != 4 || !n) return {};
    if (parts[2] == "frames") return run.frame(*n);
    if (parts[2] == "surfaces") return run.surface(*n);
    if (parts[2] == "colliders") return run.collider(*n);
    return {};
}

}  // namespace pliant
