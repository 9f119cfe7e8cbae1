// A point cache (.pc2): the vertices of a mesh that keeps its polygons, frame after frame in one file, beside one OBJ.
//
//   "POINTCACHE2\0", version 1 (i32), points (i32), first frame (f32), frames between samples (f32), samples (i32),
//   then x y z (f32) of every point, sample after sample
//
// It grows in place: a frame's points are appended, flushed, and only then counted in the header. A kill in between
// leaves a valid file without that frame. A cache has no holes.
//
// Blender: import the OBJ, add a Mesh Cache modifier with this file. It sets raw positions, and Blender's OBJ importer
// leaves vertices raw too: it turns Y up into Z up by rotating the object. Hence the modifier's own axes stay as they
// are, Forward +Y and Up +Z, whatever the importer was told. Sample k is shown at Blender's frame (start frame) + k.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <filesystem>
#include <optional>

namespace pliant {

struct PointCacheHeader {
    int points = 0;
    int first_frame = 0;
    int samples = 0;
    int last_frame() const { return first_frame + samples - 1; }
};

// Nothing if there is no file, or if it does not hold the whole samples that its header counts.
std::optional<PointCacheHeader> read_pc2_header(std::filesystem::path const& path);

// A new file with this frame only, whole or not at all.
void start_pc2(std::filesystem::path const& path, SurfaceMesh const& mesh);

// Adds the frame after the last one. Throws std::runtime_error when the mesh has another number of vertices or the
// file cannot be written; the file then stays as it was.
void append_pc2(std::filesystem::path const& path, SurfaceMesh const& mesh);

// Drops all samples beyond frame `last`; removes the file if none is left, or if it is not a valid cache.
void cut_pc2(std::filesystem::path const& path, int last);

}  // namespace pliant
