#include <pliant/math/polar.hpp>
#include <pliant/run/body_summary.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Sums over blocks of particles, and then over blocks in order: the same for any number of threads.
constexpr Index block_size = 4096;

template <class Work, class Part>
struct SumBlock {
    Work const& work;
    Range range;
    Part* part;

    void operator()(Index block) const {
        Index const begin = range.begin + block * block_size;
        for (Index i = begin; i < std::min(begin + block_size, range.end); ++i) work(i, part[block]);
    }
};

template <class Part, class Work>
Part sum_over(Cpu& exec, Range range, Work const& work) {
    std::vector<Part> parts((range.size() + block_size - 1) / block_size);
    exec.for_each_large("summary", {0, Index(parts.size())}, SumBlock<Work, Part>{work, range, parts.data()});
    Part all{};
    for (Part const& part : parts) all += part;
    return all;
}

struct Means {
    Vec3d center, velocity, rest_center;
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    double volume_ratio = 0, strain = 0;

    void operator+=(Means const& more) {
        center += more.center, velocity += more.velocity, rest_center += more.rest_center;
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], more.low[k]), high[k] = std::max(high[k], more.high[k]);
        volume_ratio += more.volume_ratio, strain = std::max(strain, more.strain);
    }
};

struct Moments {
    Mat3d covariance{}, inertia{};
    Vec3d angular;

    void operator+=(Moments const& more) {
        covariance += more.covariance, inertia += more.inertia, angular += more.angular;
    }
};

}  // namespace

BodySummary summarize(Cpu& exec, std::string const& name, BodyModel const& body, Model const& model,
                      ParticleReadout const& readout) {
    double const n = body.range.size();
    BodySummary s;
    s.name = name;
    s.particles = body.range.size();
    s.spacing = body.spacing;
    s.mass = body.mass * n;
    Channel const* const plastic_strain = find_channel(readout.channels, "plastic_strain");
    Means const means = sum_over<Means>(exec, body.range, [&](Index i, Means& sum) {
        Vec3d const x = readout.position[i];
        double const share = model.mass_of(i, body) / s.mass;
        sum.center += share * x;
        sum.velocity += share * cast<double>(readout.velocity[i]);
        sum.rest_center += share * model.rest[i];
        for (int k = 0; k < 3; ++k) sum.low[k] = std::min(sum.low[k], x[k]), sum.high[k] = std::max(sum.high[k], x[k]);
        sum.volume_ratio += double(determinant(readout.F[i])) / n;
        if (plastic_strain) sum.strain = std::max(sum.strain, double(plastic_strain->values[i]));
    });
    s.center = means.center, s.velocity = means.velocity, s.bounds_min = means.low, s.bounds_max = means.high;
    s.volume_ratio = means.volume_ratio, s.max_plastic_strain = means.strain;
    Moments const moments = sum_over<Moments>(exec, body.range, [&](Index i, Moments& sum) {
        Vec3d const x = readout.position[i] - s.center;
        double const share = n * model.mass_of(i, body) / s.mass;
        sum.covariance += share * outer(x, model.rest[i] - means.rest_center);
        sum.inertia += share * (Mat3d::diagonal(Vec3d{1, 1, 1} * norm_squared(x)) - outer(x, x));
        sum.angular += share * cross(x, cast<double>(readout.velocity[i]) - s.velocity);
    });
    if (determinant(moments.inertia) > 0) s.spin = inverse(moments.inertia) * moments.angular;
    s.rotation = rotation_of(moments.covariance);
    double const error = sum_over<double>(exec, body.range, [&](Index i, double& sum) {
        sum += norm_squared(readout.position[i] - s.center - s.rotation * (model.rest[i] - means.rest_center)) / n;
    });
    s.shape_error = std::sqrt(error) / body.spacing;
    return s;
}

}  // namespace pliant
