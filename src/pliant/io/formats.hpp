// The tables of formats, of particles and of surfaces. A new one is a file write_NAME.cpp and a row here.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/io/run_facts.hpp>
#include <pliant/io/write_mesh_ply.hpp>
#include <pliant/io/write_mesh_vtp.hpp>
#include <pliant/io/write_obj.hpp>
#include <pliant/io/write_ply.hpp>
#include <pliant/io/write_usd.hpp>
#include <pliant/io/write_vdb.hpp>
#include <pliant/io/write_vtp.hpp>

#include <array>
#include <cassert>
#include <string>
#include <string_view>

namespace pliant {

enum class Layout {
    frames,    // one file per frame
    stitched,  // one file per frame, gathered in one when the run ends
    appended,  // one file, which grows with every frame
};

struct ParticleFormat {
    std::string_view extension;
    std::string (*bytes)(Frame const&, RunFacts const&);  // the whole file of a frame
    bool in_series = false;                               // ParaView's index of a series can point at it
    Layout layout = Layout::frames;
};

inline constexpr std::array particle_formats{
    ParticleFormat{"vtp", [](Frame const& frame, RunFacts const&) { return vtp_bytes(frame); }, true},
    ParticleFormat{"ply", [](Frame const& frame, RunFacts const&) { return ply_bytes(frame); }},
    ParticleFormat{"usda", usda_bytes, false, Layout::stitched},
};

// The surface of a frame, as its writers see it. Without a mesh none is written; bands, one per body, exist only for
// level sets.
struct FrameSurface {
    SurfaceMesh const* mesh = nullptr;
    std::span<NarrowBand const> bands = {};
};

struct MeshFormat {
    std::string_view extension;
    std::string (*bytes)(FrameSurface const&, RunFacts const&);  // the whole file of a frame; none for appended ones
    bool in_series = false;
    Layout layout = Layout::frames;
    bool needs_level_set = false;          // FrameSurface::bands, which surface = "levelset" makes
    bool needs_constant_topology = false;  // the same polygons in every frame, as surface = "skin" has
};

inline constexpr std::array mesh_formats{
    MeshFormat{"ply", [](FrameSurface const& s, RunFacts const&) { return ply_bytes(*s.mesh); }},
    MeshFormat{"obj", [](FrameSurface const& s, RunFacts const&) { return obj_bytes(*s.mesh); }},
    MeshFormat{"vtp", [](FrameSurface const& s, RunFacts const&) { return vtp_bytes(*s.mesh); }, true},
    MeshFormat{.extension = "vdb",
               .bytes =
                   [](FrameSurface const& s, RunFacts const&) {
                       assert(!s.bands.empty());
                       return vdb_bytes(s.bands, s.mesh->index, s.mesh->time);
                   },
               .needs_level_set = true},
    MeshFormat{.extension = "pc2", .bytes = nullptr, .layout = Layout::appended, .needs_constant_topology = true},
    MeshFormat{"usda", [](FrameSurface const& s, RunFacts const& facts) { return usda_bytes(*s.mesh, facts); }, false,
               Layout::stitched},
};

// The row of a format; throws InputError with the known ones.
template <class Formats>
auto const& find_format(Formats const& formats, std::string_view extension, std::string const& key,
                        std::string const& kind) {
    std::string known;
    for (auto const& format : formats) {
        if (format.extension == extension) return format;
        known += (known.empty() ? "" : ", ") + std::string{format.extension};
    }
    throw InputError("output." + key + ": there is no " + kind + " format '" + std::string{extension} +
                     "'; allowed are: " + known);
}

inline ParticleFormat const& particle_format(std::string_view extension) {
    return find_format(particle_formats, extension, "particles", "particle");
}
inline MeshFormat const& mesh_format(std::string_view extension) {
    return find_format(mesh_formats, extension, "meshes", "mesh");
}

}  // namespace pliant
