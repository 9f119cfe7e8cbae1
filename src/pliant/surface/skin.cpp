// x = sum a_k x_k + R c (skin_weights.hpp). Where c is not zero, R is the rotation that best fits how the surrounding
// particles have turned: it maximises tr(R^T A), A = sum w_k (x_k - xm)(X_k - Xm)^T (Kabsch 1976). For a sheet A has
// rank two, and the closest rotation takes the normal to the normal. For a row of particles it has rank one, and the
// twist about the row is unknown: a small share of the body's own rotation, added to A, picks the one that turns least
// relative to the body, or to the world if the body itself is a row or a single particle.
#include <pliant/math/svd3.hpp>
#include <pliant/surface/averages.hpp>
#include <pliant/surface/skin.hpp>

#include <cassert>

namespace pliant::surface {
namespace {

constexpr double share_of_body = 1e-3;  // of the body's rotation in A, in spacings^2

Mat3d closest_rotation(Mat3d const& A) {
    Svd3<double> const d = svd3(A);
    return d.U * transpose(d.V);
}

Mat3d body_rotation(std::vector<std::uint32_t> const& members, std::vector<Vec3d> const& X,
                    std::vector<Vec3f> const& position, double spacing) {
    Vec3d xm, Xm;
    double const share = 1 / double(members.size());
    for (std::uint32_t k : members) {
        xm += share * cast<double>(position[k]);
        Xm += share * X[k];
    }
    Mat3d A = share_of_body * spacing * spacing * Mat3d::identity();
    for (std::uint32_t k : members) A += share * outer(cast<double>(position[k]) - xm, X[k] - Xm);
    return closest_rotation(A);
}

struct MoveVertex {
    SkinWeights const& weights;
    std::vector<Vec3d> const& X;
    std::vector<double> const& spacing;       // of each body
    std::vector<Mat3d> const& body_rotation;  // of each body
    Frame const& frame;
    SurfaceMesh& mesh;

    void operator()(Index i) const {
        std::size_t const begin = weights.begin[i], end = weights.begin[i + 1];
        if (begin == end) return;  // its body has no particles
        // Relative to one particle: the sum of float coefficients is one only to rounding.
        Vec3d const x0 = cast<double>(frame.position[weights.particle[begin]]);
        Vec3d const v0 = cast<double>(frame.velocity[weights.particle[begin]]);
        Vec3d x, v;
        for (std::size_t k = begin; k < end; ++k) {
            std::uint32_t const p = weights.particle[k];
            double const a = weights.a[k];
            x += a * (cast<double>(frame.position[p]) - x0);
            v += a * (cast<double>(frame.velocity[p]) - v0);
        }
        if (weights.rigid[i] != Vec3f{}) turn_rest(i, x, v);
        mesh.position[i] = cast<float>(x0 + x);
        mesh.velocity[i] = cast<float>(v0 + v);
        for (Channel& channel : mesh.channels) average(i, *frame.channel(channel.name), channel);
    }

    void average(Index i, Channel const& from, Channel& to) const {
        auto const components = std::size_t(to.components);
        for (std::size_t c = 0; c < components; ++c) {
            double sum = 0;
            for (std::size_t k = weights.begin[i]; k < weights.begin[i + 1]; ++k)
                sum += double(weights.w[k]) * double(from.values[weights.particle[k] * components + c]);
            to.values[i * components + c] = static_cast<float>(sum);
        }
    }

    // x += R c,   v += omega x R c, with omega the best-fitting spin of the particles: I omega = L.
    void turn_rest(Index i, Vec3d& x, Vec3d& v) const {
        std::size_t const begin = weights.begin[i], end = weights.begin[i + 1];
        double const unit = spacing[mesh.body[i]] * spacing[mesh.body[i]];
        Vec3d xm, vm, Xm;
        for (std::size_t k = begin; k < end; ++k) {
            xm += double(weights.w[k]) * cast<double>(frame.position[weights.particle[k]]);
            vm += double(weights.w[k]) * cast<double>(frame.velocity[weights.particle[k]]);
            Xm += double(weights.w[k]) * X[weights.particle[k]];
        }
        Mat3d A = share_of_body * unit * body_rotation[mesh.body[i]];
        Sym3d spread = Sym3d::scaled_identity(1e-6 * unit);
        Vec3d L;
        for (std::size_t k = begin; k < end; ++k) {
            std::uint32_t const p = weights.particle[k];
            double const w = weights.w[k];
            Vec3d const z = cast<double>(frame.position[p]) - xm;
            A += w * outer(z, X[p] - Xm);
            spread += w * Sym3d::outer(z);
            L += w * cross(z, cast<double>(frame.velocity[p]) - vm);
        }
        Sym3d const inertia = Sym3d::scaled_identity(trace(spread)) + -1.0 * spread;
        Vec3d const turned = closest_rotation(A) * cast<double>(weights.rigid[i]);
        x += turned;
        v += cross(inverse(inertia) * L, turned);
    }
};

void append(SurfaceMesh& mesh, PolygonMesh const& part, std::uint32_t body) {
    auto const first = static_cast<std::uint32_t>(mesh.position.size());
    auto const corners = static_cast<std::uint32_t>(mesh.corner.size());
    auto const first_uv = static_cast<std::uint32_t>(mesh.uv.size());
    for (Vec3d p : part.vertex) mesh.position.push_back(cast<float>(p));
    mesh.body.resize(mesh.position.size(), body);
    for (std::uint32_t index : part.corner) mesh.corner.push_back(first + index);
    for (std::uint32_t end : part.polygon_end) mesh.polygon_end.push_back(corners + end);
    mesh.uv.insert(mesh.uv.end(), part.uv.begin(), part.uv.end());
    for (std::uint32_t index : part.corner_uv) mesh.corner_uv.push_back(first_uv + index);
    if (part.corner_uv.empty()) {  // if any body has texture coordinates, every corner needs one
        mesh.uv.push_back({0, 0});
        mesh.corner_uv.resize(mesh.corner.size(), first_uv);
    }
}

}  // namespace

Skin::Skin(Frame const& rest, std::vector<SkinBody> bodies, int threads) : threads_(threads) {
    for (Vec3f const& x : rest.position) X_.push_back(cast<double>(x));
    members_.resize(bodies.size());
    for (std::size_t i = 0; i < rest.body.size(); ++i) members_[rest.body[i]].push_back(static_cast<std::uint32_t>(i));
    Cpu exec(threads);
    bool any_uv = false;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        append_weights(weights_, exec, bodies[b], members_[b], X_);
        append(mesh_, bodies[b].mesh, static_cast<std::uint32_t>(b));
        any_uv = any_uv || !bodies[b].mesh.corner_uv.empty();
        spacing_.push_back(bodies[b].spacing);
    }
    if (!any_uv) {
        mesh_.uv.clear();
        mesh_.corner_uv.clear();
    }
    std::size_t const n = mesh_.position.size();
    mesh_.velocity.resize(n);
    std::vector<char> turns(bodies.size());
    for (std::size_t i = 0; i < n; ++i) turns[mesh_.body[i]] |= weights_.rigid[i] != Vec3f{};
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!turns[b]) members_[b].clear();
}

SurfaceMesh Skin::move(Frame const& frame) const {
    assert(frame.position.size() == X_.size());
    SurfaceMesh mesh = mesh_;
    mesh.index = frame.index;
    mesh.time = frame.time;
    mesh.channels = channels_of_surface(frame);
    for (Channel& channel : mesh.channels)
        channel.values.resize(mesh.position.size() * std::size_t(channel.components));
    std::vector<Mat3d> rotation(members_.size(), Mat3d::identity());
    for (std::size_t b = 0; b < members_.size(); ++b)
        if (!members_[b].empty()) rotation[b] = body_rotation(members_[b], X_, frame.position, spacing_[b]);
    Cpu exec(threads_);
    exec.for_each("skin", {0, Index(mesh.position.size())}, MoveVertex{weights_, X_, spacing_, rotation, frame, mesh});
    return mesh;
}

}  // namespace pliant::surface
