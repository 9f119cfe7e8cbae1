#include <pliant/data/error.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/order.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/setup/approach.hpp>
#include <pliant/setup/fibres.hpp>
#include <pliant/setup/make_model.hpp>
#include <pliant/solvers/method.hpp>

#include <span>

namespace pliant {
namespace {

MaterialParameters const& parameters_of(Scene const& scene, std::string const& name) {
    for (auto const& [key, parameters] : scene.materials)
        if (key == name) return parameters;
    throw InputError("unknown material '" + name + "'");
}

}  // namespace

MadeModel make_model(Scene const& scene, Handles& handles, int threads) {
    std::vector<SampledBody> const sampled = sample_bodies(scene);
    check_overlaps(scene, sampled);
    check_handles(scene, sampled);
    std::vector<double> const speeds = hit_speeds(scene, sampled);
    Cpu exec(threads);
    MadeModel made;
    Model& model = made.model;
    model.gravity = scene.gravity;
    model.dt = scene.dt;
    std::uint32_t first_id = 0;
    for (std::size_t b = 0; b < sampled.size(); ++b) {
        BodySpec const& spec = scene.bodies[b];
        SampledBody const& body = sampled[b];
        made.warnings.insert(made.warnings.end(), body.warnings.begin(), body.warnings.end());
        MaterialParameters parameters = parameters_of(scene, spec.material);
        if (parameters.compaction < 0) parameters.compaction = compaction_for(parameters, speeds[b]);
        if (!find_method(scene.method)->compaction) parameters.compaction = 0;
        Index const begin = Index(model.rest.size()), count = Index(body.position.size());
        model.bodies.push_back({{begin, begin + count},
                                make_material(parameters),
                                parameters,
                                body.spacing,
                                body.volume,
                                parameters.density * body.volume});
        Vec3d center;
        for (Vec3d const& p : body.position) center += p / double(count);
        for (Index k : space_filling_order(exec, body.position, body.spacing)) {
            Vec3d const X = body.position[k];
            model.rest.push_back(X);
            model.velocity.push_back(spec.velocity + cross(spec.spin, X - center));
            made.id_of.push_back(first_id + k);
        }
        model.bodies.back().fibres = fibres_of(parameters, spec, std::span(model.rest).subspan(begin));
        auto const groups = handles.take(b, model.bodies.back().mass, std::span(model.rest).subspan(begin));
        model.handles.insert(model.handles.end(), groups.begin(), groups.end());
        first_id += count;
    }
    model.handle_particles = handles.particles_of(model.handles);
    return made;
}

}  // namespace pliant
