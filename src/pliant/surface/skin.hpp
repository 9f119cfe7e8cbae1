// A skin: meshes moved with the particles of their bodies; polygons and texture coordinates stay, until a blade cuts a
// body and its mesh is split along the cut (split_mesh.hpp).
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/polygon_mesh.hpp>
#include <pliant/data/surface_mesh.hpp>
#include <pliant/surface/skin_weights.hpp>

#include <memory>
#include <mutex>

namespace pliant::surface {

class Skin {
public:
    // `rest` is the frame in which the meshes fit their bodies, usually frame 0; one mesh for every body, in order.
    Skin(Frame const& rest, std::vector<SkinBody> bodies, int threads = 0);  // 0: all cores

    // `frame` must hold the particles of `rest`. Several may be moved at once.
    SurfaceMesh move(Frame const& frame) const { return move(frame, threads_); }
    SurfaceMesh move(Frame const& frame, int threads) const;

    SkinWeights const& weights() const { return whole_->weights; }  // without cuts

private:
    struct Bound {         // meshes and what their vertices follow
        SurfaceMesh mesh;  // at rest: polygons and texture coordinates of all bodies
        SkinWeights weights;
        std::vector<std::vector<std::uint32_t>> members;  // the particles of each body that has rigid parts
    };
    Bound bind(std::vector<SkinBody> const& bodies, std::vector<CutOff> const& cut_off) const;
    Bound bind_split(std::vector<CutMark> const& marks) const;
    std::shared_ptr<Bound const> bound_for(std::vector<CutMark> const& marks) const;

    std::vector<SkinBody> bodies_;
    std::vector<Vec3d> X_;
    std::vector<std::uint32_t> body_;                  // of each particle
    std::vector<std::vector<std::uint32_t>> members_;  // the particles of each body
    int threads_;
    std::shared_ptr<Bound const> whole_;
    // Of the frame that was moved last, with these marks.
    struct Split {
        std::mutex mutex;
        std::vector<CutMark> marks;
        std::shared_ptr<Bound const> bound;
    };
    std::shared_ptr<Split> split_ = std::make_shared<Split>();
};

}  // namespace pliant::surface
