#include "pictured_run.hpp"

#include "sound_frames.hpp"

#include <pliant/data/error.hpp>
#include <pliant/data/method.hpp>
#include <pliant/io/read_scenery.hpp>
#include <pliant/io/read_summary.hpp>
#include <pliant/render/environment.hpp>
#include <pliant/surface/level_set_surface.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace pliant::app {

namespace fs = std::filesystem;
using namespace render;

namespace {

constexpr std::size_t frames_measured = 60;  // of a long run: enough to see where it goes

int whole_number(std::string_view text, std::string const& whole) {
    int number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0)
        throw InputError("'" + whole + "' names no frames; use 10, 10:40, ::5 (every fifth) or 0,12,40");
    return number;
}

std::vector<std::string> split(std::string const& text, char by) {
    std::vector<std::string> parts{""};
    for (char c : text) {
        if (c == by)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// Refuses a file that lacks what the colours are to show, and names what it has.
template <class Points>
void expect_values(fs::path const& file, Points const& points, std::string const& name) {
    Quantity const quantity = quantity_named(name);
    if (quantity.is_body() || points.position.empty() || !values_of(points, quantity).empty()) return;
    std::string const none = file.string() + ": holds no " + name;
    if (points.velocity.empty() && points.channels.empty())
        throw InputError(none + "; run the scene with output.meshes = [\"ply\"], or draw --particles");
    std::string known = "body, velocity";
    for (Channel const& channel : points.channels) known += ", " + channel.name;
    throw InputError(none + "; colours can show: " + known);
}

}  // namespace

PicturedRun::PicturedRun(fs::path directory, RenderOptions const& options)
    : options_(options), files_(list_run(directory)), name_(files_.name) {
    if (auto scenery = read_scenery(directory / "stage.json")) {
        scenery_ = std::move(*scenery);
        if (!scenery_.title.empty()) name_ = scenery_.title;
    }
    for (SceneryCollider const& collider : scenery_.colliders)
        collider_meshes_.push_back(collider.mesh.empty() ? SurfaceMesh{} : read_surface(directory / collider.mesh));
    bool const from_particles = std::any_of(files_.frames.begin(), files_.frames.end(), [&](FrameFiles const& f) {
        return draws_particles(f) || f.surfaces.empty();
    });
    if (!from_particles) return;
    for (BodySummary const& body : read_summary(directory / "summary.json").bodies) {
        if (!(body.spacing > 0))
            throw InputError((directory / "summary.json").string() + ": the spacing of body \"" + body.name +
                             "\" must be positive");
        spacing_.push_back(body.spacing);
    }
}

std::vector<std::size_t> PicturedRun::chosen(std::string const& text) const {
    std::vector<std::size_t> list;
    int const last = static_cast<int>(files_.frames.size()) - 1;
    auto const take = [&](int index) {
        if (index > last)
            throw InputError(files_.directory.string() + ": has no frame " + std::to_string(index) + "; its last is " +
                             std::to_string(last));
        list.push_back(static_cast<std::size_t>(index));
    };
    auto const parts = split(text, ':');
    if (parts.size() > 3) whole_number(":", text);
    if (parts.size() > 1) {
        int const from = parts[0].empty() ? 0 : whole_number(parts[0], text);
        int const to = parts[1].empty() ? last : std::min(last, whole_number(parts[1], text));
        int const step = parts.size() == 3 ? whole_number(parts[2], text) : 1;
        if (step == 0) whole_number("0 apart", text);
        for (int k = from; k <= to; k += step) take(k);
        if (list.empty() && from > last) take(from);
        if (list.empty()) throw InputError("'" + text + "' names no frames: the first comes after the last");
    } else if (text.empty()) {
        for (int k = 0; k <= last; ++k) take(k);
    } else {
        for (std::string const& part : split(text, ',')) take(whole_number(part, text));
    }
    return list;
}

std::vector<std::size_t> PicturedRun::sound(std::vector<std::size_t> const& frames) const {
    SoundFrames found = sound_frames(files_, frames);
    if (!found.warning.empty() && !options_.quiet) std::fprintf(stderr, "warning: %s\n", found.warning.c_str());
    return found.frames;
}

fs::path const& PicturedRun::particle_file(FrameFiles const& frame) const {
    if (frame.particles.empty())
        throw InputError(files_.directory.string() + ": frame " + std::to_string(frame.index) +
                         " has no particles as .vtp or .ply; run the scene with output.particles = [\"vtp\"]");
    return frame.particles.front();
}

bool PicturedRun::clear() const { return !options_.opaque && options_.color == "body" && is_fluid(); }

bool PicturedRun::is_fluid() const {
    fs::path const file = files_.directory / "summary.json";
    std::error_code error;
    if (!fs::exists(file, error)) return false;
    MethodDescription const* const method = find_method(read_summary(file).method);
    return method != nullptr && method->fluid;
}

std::string PicturedRun::unit_of(std::string const& channel) const {
    fs::path const file = files_.directory / "summary.json";
    std::error_code error;
    if (channel == "body" || !fs::exists(file, error)) return "";
    for (auto const& [name, unit] : read_summary(file).channels)
        if (name == channel) return unit;
    return "";
}

Frame PicturedRun::particles_of(FrameFiles const& frame) const {
    Frame particles = read_particles(particle_file(frame));
    expect_values(particle_file(frame), particles, options_.color);
    return particles;
}

SurfaceMesh PicturedRun::surface_of(FrameFiles const& frame) const {
    SurfaceMesh mesh = read_surface(frame.surfaces.front());
    expect_values(frame.surfaces.front(), mesh, options_.color);
    return mesh;
}

void PicturedRun::measure(std::vector<std::size_t> const& frames, Quantity const& quantity, Framing& framing,
                          RangeFinder& values) const {
    double widest = 0;
    for (double spacing : spacing_) widest = std::max(widest, spacing);
    std::size_t const step = 1 + (frames.size() - 1) / frames_measured;
    for (std::size_t k = 0; k < frames.size(); k += step) {
        FrameFiles const& files = files_.frames[frames[k]];
        if (draws_particles(files) || files.surfaces.empty()) {
            Frame const frame = particles_of(files);
            framing.add(frame.position, 0.5 * widest);
            values.add(values_of(frame, quantity));
        } else {
            SurfaceMesh const mesh = surface_of(files);
            framing.add(mesh.position);
            values.add(values_of(mesh, quantity));
        }
    }
    for (std::size_t k : {frames.front(), frames[frames.size() / 2], frames.back()})
        for (std::size_t c = 0; c < collider_meshes_.size(); ++c) {
            Pose const pose = pose_of(scenery_.colliders[c], files_.frames[k].time);
            std::vector<Vec3f> posed;
            for (Vec3f x : collider_meshes_[c].position) posed.push_back(cast<float>(pose(cast<double>(x))));
            if (!posed.empty()) framing.add_collider(posed);
        }
}

PicturedRun::LoadedFrame PicturedRun::load(std::size_t index) const {
    FrameFiles const& files = files_.frames[index];
    LoadedFrame loaded;
    loaded.time_ = files.time;
    loaded.show_particles_ = draws_particles(files);
    loaded.crease_ = scenery_.surface == "skin" ? crease_angle : 180;  // level sets have no edges of their own
    if (!loaded.show_particles_ && !files.surfaces.empty()) {
        loaded.surface_ = surface_of(files);
        return loaded;
    }
    loaded.particles_ = particles_of(files);
    std::uint32_t const bodies = static_cast<std::uint32_t>(spacing_.size());
    std::vector<std::uint32_t> const& body = loaded.particles_.body;
    if (!std::is_sorted(body.begin(), body.end()) || (!body.empty() && body.back() >= bodies))
        throw InputError(particle_file(files).string() + ": its bodies are not the " + std::to_string(bodies) +
                         " of summary.json");
    for (double spacing : spacing_) loaded.radius_.push_back(static_cast<float>(0.5 * spacing));
    if (!loaded.show_particles_) {
        Cpu exec(options_.threads);
        auto const which = is_fluid() ? surface::Bodies::mixing : surface::Bodies::apart;
        loaded.surface_ =
            surface::level_set_surface(exec, loaded.particles_, spacing_, {}, surface::Bands::leave_out, which).mesh;
        Channel const* const shown = loaded.particles_.channel(options_.color);
        if (shown && !loaded.surface_.channel(options_.color))  // a matrix
            throw InputError(particle_file(files).string() + ": holds " + options_.color +
                             " for particles only; draw --particles");
    }
    return loaded;
}

Subject PicturedRun::LoadedFrame::subject() const {
    Subject subject;
    subject.time = time_;
    if (show_particles_) {
        subject.particles = &particles_;
        subject.radius = radius_;
    } else {
        subject.surface = &surface_;
        subject.crease = crease_;
    }
    return subject;
}

}  // namespace pliant::app
