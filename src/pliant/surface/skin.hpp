// A skin: meshes moved with the particles of their bodies; polygons and texture coordinates stay.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/polygon_mesh.hpp>
#include <pliant/data/surface_mesh.hpp>
#include <pliant/surface/skin_weights.hpp>

namespace pliant::surface {

class Skin {
public:
    // `rest` is the frame in which the meshes fit their bodies, usually frame 0; one mesh for every body, in order.
    Skin(Frame const& rest, std::vector<SkinBody> bodies, int threads = 0);  // 0: all cores

    // `frame` must hold the particles of `rest`.
    SurfaceMesh move(Frame const& frame) const;

    SkinWeights const& weights() const { return weights_; }

private:
    SurfaceMesh mesh_;  // at rest: polygons and texture coordinates of all bodies
    std::vector<Vec3d> X_;
    std::vector<double> spacing_;                      // of each body
    std::vector<std::vector<std::uint32_t>> members_;  // the particles of each body that has rigid parts
    SkinWeights weights_;
    int threads_;
};

}  // namespace pliant::surface
