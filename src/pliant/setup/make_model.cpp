#include <pliant/data/error.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/order.hpp>
#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/setup/approach.hpp>
#include <pliant/setup/fibres.hpp>
#include <pliant/setup/make_model.hpp>
#include <pliant/solvers/method.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

namespace pliant {
namespace {

MaterialParameters const& parameters_of(Scene const& scene, std::string const& name) {
    for (auto const& [key, parameters] : scene.materials)
        if (key == name) return parameters;
    throw InputError("unknown material '" + name + "'");
}

// The stretch at which a layer of matter around a crack holds the energy that the crack takes per area, E e^2 / 2 times
// the thickness of the layer (crack band: Bazant and Oh 1983). How thick it is was measured: a crack runs through a
// strip where theory says for 5.8 to 7.9 spacings (docs/notes/cutting.md).
double tear_stretch_of(MaterialParameters const& parameters, double spacing) {
    if (parameters.tear_energy == 0) return parameters.tear_stretch;
    constexpr double thickness = 6.8;  // in spacings
    return 1 + std::sqrt(2 * parameters.tear_energy / (parameters.young * thickness * spacing));
}

// Positions at the start, in the order of ids. Those in a ball are the same on every machine.
std::vector<Vec3d> start_of(BodySpec const& spec, SampledBody const& body, Vec3d center, std::size_t number) {
    std::vector<Vec3d> places = body.position;
    if (!spec.start) return places;
    std::mt19937_64 random(number);
    auto const coordinate = [&] { return 2 * double(random()) / 0x1p64 - 1; };  // in [-1, 1]
    for (Vec3d& x : places) {
        Vec3d p;
        do {
            for (int k = 0; k < 3; ++k) p[k] = coordinate();
        } while (norm_squared(p) > 1);
        x = center + spec.start->radius * p;
    }
    return places;
}

// The fastest motion that a scene of fluids or cloth lets expect: of a hit, or of a fall from the highest particle to
// the lowest collider, at least through the height of the fluid; of surface tension over a spacing; else its size in a
// second. Cloth hangs and swings without colliders: at least of a fall by its size.
double fastest_motion(Scene const& scene, std::vector<SampledBody> const& sampled) {
    double speed = 0;
    for (double hit : hit_speeds(scene, sampled)) speed = std::max(speed, hit);
    double const g = norm(scene.gravity);
    Vec3d const down = g > 0 ? scene.gravity / g : Vec3d{0, -1, 0};
    double top = -1e300, bottom = 1e300;
    for (SampledBody const& body : sampled)
        for (Vec3d const& x : body.position)
            top = std::max(top, -dot(down, x)), bottom = std::min(bottom, -dot(down, x));
    for (ColliderSpec const& collider : scene.colliders)
        if (auto const* plane = std::get_if<PlaneShape>(&collider.shape))
            if (dot(normalized(plane->normal), down) < -0.9) bottom = std::min(bottom, plane->offset);
    if (find_method(scene.method)->cloth)
        for (SampledBody const& body : sampled)
            for (Vec3d const& x : body.position) bottom = std::min(bottom, top - norm(x - body.position.front()));
    speed = std::max(speed, std::sqrt(2 * g * (top - bottom)));
    for (std::size_t b = 0; b < sampled.size(); ++b) {
        MaterialParameters const& p = parameters_of(scene, scene.bodies[b].material);
        speed = std::max(speed, std::sqrt(2 * p.surface_tension / (p.density * sampled[b].spacing)));
    }
    return speed > 0 ? speed : std::max(top - bottom, sampled[0].spacing);
}

// A fluid's kernel is the same for all particles.
void check_sizes(Scene const& scene, std::vector<SampledBody> const& sampled) {
    if (!find_method(scene.method)->fluid) return;
    std::size_t small = 0, large = 0;
    for (std::size_t b = 1; b < sampled.size(); ++b) {
        if (sampled[b].spacing < sampled[small].spacing) small = b;
        if (sampled[b].spacing > sampled[large].spacing) large = b;
    }
    if (sampled[large].spacing <= 1.5 * sampled[small].spacing) return;
    throw InputError(where(scene, scene.bodies[large].line) + "body \"" + scene.bodies[large].name +
                     "\": its spacing, " + in_words(sampled[large].spacing) + " m, is more than 1.5 times that of \"" +
                     scene.bodies[small].name + "\", " + in_words(sampled[small].spacing) +
                     " m; bodies of a fluid need particles of about one size: give them the same spacing");
}

// Speeds of a two-hundredth of the fastest motion are at rest to the eye.
Restraint restraint_of(Scene const& scene, double fastest) {
    if (!scene.restraint) return {};
    Restraint restraint;
    double const ratio = find_method(scene.method)->cloth ? usual_ratio_of_cloth : Restraint::least_ratio;
    restraint.threshold = scene.restraint->threshold >= 0 ? scene.restraint->threshold : 0.005 * fastest;
    restraint.full = scene.restraint->full >= 0 ? scene.restraint->full : ratio * restraint.threshold;
    return restraint;
}

}  // namespace

MadeModel make_model(Scene const& scene, Handles& handles, int threads) {
    std::vector<SampledBody> const sampled = sample_bodies(scene);
    check_overlaps(scene, sampled);
    check_handles(scene, sampled);
    check_sizes(scene, sampled);
    std::vector<double> const speeds = hit_speeds(scene, sampled);
    Cpu exec(threads);
    MadeModel made;
    Model& model = made.model;
    model.gravity = scene.gravity;
    model.dt = scene.dt;
    model.cuts = !scene.cuts.empty();
    model.stress = scene.output.stress;
    model.pair_forces = scene.output.pair_forces;
    model.statics = scene.load_steps > 0;
    double const fastest = fastest_motion(scene, sampled);
    model.restraint = restraint_of(scene, fastest);
    std::size_t all = 0;
    for (SampledBody const& body : sampled) all += body.position.size();
    model.rest.reserve(all), model.start.reserve(all), model.velocity.reserve(all), made.id_of.reserve(all);
    std::uint32_t first_id = 0;
    for (std::size_t b = 0; b < sampled.size(); ++b) {
        BodySpec const& spec = scene.bodies[b];
        SampledBody const& body = sampled[b];
        made.warnings.insert(made.warnings.end(), body.warnings.begin(), body.warnings.end());
        MaterialParameters parameters = parameters_of(scene, spec.material);
        if (parameters.compaction < 0) parameters.compaction = compaction_for(parameters, speeds[b]);
        if (!find_method(scene.method)->compaction) parameters.compaction = 0;
        if (parameters.sound_speed == 0) parameters.sound_speed = 10 * fastest;
        Index const begin = Index(model.rest.size()), count = Index(body.position.size());
        model.bodies.push_back({{begin, begin + count},
                                make_material(parameters),
                                parameters,
                                body.spacing,
                                body.volume,
                                parameters.density * body.volume});
        model.bodies.back().tear_stretch = tear_stretch_of(parameters, body.spacing);
        model.bodies.back().self_contact = spec.self_contact;
        Vec3d center;
        for (Vec3d const& p : body.position) center += p / double(count);
        std::vector<Vec3d> const start = start_of(spec, body, center, b);
        std::vector<Index> place(count);  // in the model
        for (Index k : space_filling_order(exec, body.position, body.spacing)) {
            place[k] = Index(model.rest.size());
            if (!body.share.empty()) model.mass_share.push_back(body.share[k]);
            Vec3d const X = body.position[k];
            model.rest.push_back(X);
            model.start.push_back(start[k]);
            model.velocity.push_back(spec.velocity + cross(spec.spin, start[k] - center));
            made.id_of.push_back(first_id + k);
        }
        for (auto const& t : body.triangle)
            model.bodies.back().triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
        model.bodies.back().fibres = fibres_of(parameters, spec, std::span(model.rest).subspan(begin));
        auto const groups = handles.take(b, model.bodies.back().mass, std::span(model.rest).subspan(begin),
                                         std::span(made.id_of).subspan(begin));
        model.handles.insert(model.handles.end(), groups.begin(), groups.end());
        first_id += count;
    }
    model.handle_particles = handles.particles_of(model.handles);
    return made;
}

}  // namespace pliant
