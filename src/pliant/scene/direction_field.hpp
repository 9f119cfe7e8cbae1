// Directions of fibres from the file of a body's shape: a PLY file whose vertices have the properties NAME_x, NAME_y
// and NAME_z beside their positions, as Blender writes vector attributes. Only the line counts: b and -b are the same
// fibre.
//
// At a particle the field is the principal axis of the mean of b b^T over the eight nearest vertices, weighted by
// 1 / distance^2. A mean of the vectors themselves would cancel where neighbouring vertices chose opposite signs. Where
// most of that weight belongs to vertices without a direction (zero), there are no fibres.
#pragma once

#include <pliant/math/vec3.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

struct DirectionField {
    std::string property;
    std::vector<Vec3d> place;      // of the vertices, from the middle of the shape, before its rotation [m]
    std::vector<Vec3d> direction;  // unit vectors, or zero
    std::uint64_t fingerprint = 0;

    // The field at several places: unit vectors, or zero.
    std::vector<Vec3d> at(std::vector<Vec3d> const& places) const;
};

// A vertex v of the file lies at scale (v - middle). Throws an InputError that names the file.
DirectionField read_direction_field(std::filesystem::path const& file, std::string const& property, Vec3d middle,
                                    double scale);

}  // namespace pliant
