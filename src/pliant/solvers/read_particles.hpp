// Reads what a frame shows of the particles out of a solver.
#pragma once

#include <pliant/solvers/solver.hpp>
#include <pliant/state/particles.hpp>

#include <string>
#include <vector>

namespace pliant {

// A field that a method offers: so many numbers per particle.
template <class Exec>
struct OfferedField {
    std::string name, unit;  // name as in files; SI unit
    typename Exec::template Buffer<float> const& values;
    int components = 1;
};

template <class Exec>
Later<ParticleReadout> read_particles(Exec& exec, typename Exec::template Buffer<Vec4d> const& places,
                                      typename Exec::template Buffer<Vec4d> const& velocities,
                                      typename Exec::template Buffer<Mat3f> const& F,
                                      std::vector<OfferedField<Exec>> const& fields) {
    auto const parcel = exec.parcel("frame");
    parcel->add(places), parcel->add(velocities), parcel->add(F);
    std::vector<Channel> channels;
    for (OfferedField<Exec> const& field : fields) {
        parcel->add(field.values);
        channels.push_back({field.name, field.unit, field.components, {}});
    }
    parcel->send();
    return [parcel, channels](ParticleReadout& out) {
        parcel->open();
        out.position.clear(), out.velocity.clear();
        for (Vec4d const& x : parcel->template values<Vec4d>(0)) out.position.push_back(x.xyz());
        for (Vec4d const& v : parcel->template values<Vec4d>(1)) out.velocity.push_back(cast<float>(v.xyz()));
        auto const gradients = parcel->template values<Mat3f>(2);
        out.F.assign(gradients.begin(), gradients.end());
        out.channels = channels;
        for (std::size_t k = 0; k < channels.size(); ++k) {
            auto const values = parcel->template values<float>(3 + k);
            out.channels[k].values.assign(values.begin(), values.end());
        }
    };
}

template <class Exec>
Later<ParticleReadout> read_particles(Exec& exec, Particles<Exec> const& particles,
                                      typename Exec::template Buffer<Mat3f> const& F,
                                      std::vector<OfferedField<Exec>> const& fields) {
    return read_particles<Exec>(exec, particles.x, particles.v, F, fields);
}

}  // namespace pliant
