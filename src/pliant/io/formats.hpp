// The table of particle formats. A new one is a file write_NAME.cpp and a row here.
#pragma once

#include <pliant/error.hpp>
#include <pliant/io/write_ply.hpp>
#include <pliant/io/write_vtp.hpp>

#include <array>
#include <string>
#include <string_view>

namespace pliant {

struct ParticleFormat {
    std::string_view extension;
    std::string (*bytes)(Frame const&);  // the whole file
    bool in_series;                      // ParaView's index of a series can point at it
};

inline constexpr std::array particle_formats{
    ParticleFormat{"vtp", vtp_bytes, true},
    ParticleFormat{"ply", ply_bytes, false},
};

// Throws InputError with the known ones.
inline ParticleFormat const& particle_format(std::string_view extension) {
    std::string known;
    for (ParticleFormat const& format : particle_formats) {
        if (format.extension == extension) return format;
        known += (known.empty() ? "" : ", ") + std::string{format.extension};
    }
    throw InputError("output.particles: there is no particle format '" + std::string{extension} +
                     "'; allowed are: " + known);
}

}  // namespace pliant
