#include <pliant/math/polar.hpp>
#include <pliant/run/body_summary.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

BodySummary summarize(std::string const& name, BodyModel const& body, Model const& model,
                      ParticleReadout const& readout) {
    double const n = body.range.size();
    BodySummary s;
    s.name = name;
    s.particles = body.range.size();
    s.spacing = body.spacing;
    s.mass = body.mass * n;
    s.bounds_min = {1e300, 1e300, 1e300};
    s.bounds_max = {-1e300, -1e300, -1e300};
    s.volume_ratio = 0;
    Vec3d rest_center;
    Channel const* const plastic_strain = find_channel(readout.channels, "plastic_strain");
    for (Index i = body.range.begin; i < body.range.end; ++i) {
        Vec3d const x = readout.position[i];
        double const share = model.mass_of(i, body) / s.mass;
        s.center += share * x;
        s.velocity += share * cast<double>(readout.velocity[i]);
        rest_center += share * model.rest[i];
        for (int k = 0; k < 3; ++k) {
            s.bounds_min[k] = std::min(s.bounds_min[k], x[k]);
            s.bounds_max[k] = std::max(s.bounds_max[k], x[k]);
        }
        s.volume_ratio += double(determinant(readout.F[i])) / n;
        if (plastic_strain) s.max_plastic_strain = std::max(s.max_plastic_strain, double(plastic_strain->values[i]));
    }
    Mat3d covariance{}, inertia{};
    Vec3d angular;
    for (Index i = body.range.begin; i < body.range.end; ++i) {
        Vec3d const x = readout.position[i] - s.center;
        double const share = n * model.mass_of(i, body) / s.mass;
        covariance += share * outer(x, model.rest[i] - rest_center);
        inertia += share * (Mat3d::diagonal(Vec3d{1, 1, 1} * norm_squared(x)) - outer(x, x));
        angular += share * cross(x, cast<double>(readout.velocity[i]) - s.velocity);
    }
    if (determinant(inertia) > 0) s.spin = inverse(inertia) * angular;
    s.rotation = rotation_of(covariance);
    double error = 0;
    for (Index i = body.range.begin; i < body.range.end; ++i)
        error += norm_squared(readout.position[i] - s.center - s.rotation * (model.rest[i] - rest_center)) / n;
    s.shape_error = std::sqrt(error) / body.spacing;
    return s;
}

}  // namespace pliant
