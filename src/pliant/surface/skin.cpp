// x = sum a_k x_k + R c (skin_weights.hpp). Where c is not zero, R is the rotation that best fits how the surrounding
// particles have turned: it maximises tr(R^T A), A = sum w_k (x_k - xm)(X_k - Xm)^T (Kabsch 1976). For a sheet A has
// rank two, and the closest rotation takes the normal to the normal. For a row of particles it has rank one, and the
// twist about the row is unknown: a small share of the body's own rotation, added to A, picks the one that turns least
// relative to the body, or to the world if the body itself is a row or a single particle.
#include <pliant/math/svd3.hpp>
#include <pliant/surface/averages.hpp>
#include <pliant/surface/skin.hpp>
#include <pliant/surface/split_mesh.hpp>

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

// The side of a cut on which each particle of a body is; 0 away from it.
struct FindSide {
    CutField const& field;
    std::vector<Vec3d> const& X;
    std::vector<std::uint32_t> const& members;
    std::vector<std::int8_t>& side;

    void operator()(Index m) const {
        auto const at = field.seen(X[members[m]], CutField::far_reach);
        side[members[m]] = static_cast<std::int8_t>(!at ? 0 : at->z < 0 ? -1 : 1);
    }
};
std::vector<std::int8_t> sides_of(Cpu& exec, CutField const& field, std::vector<Vec3d> const& X,
                                  std::vector<std::uint32_t> const& members) {
    std::vector<std::int8_t> side(X.size());
    exec.for_each("skin", {0, Index(members.size())}, FindSide{field, X, members, side});
    return side;
}

}  // namespace

Skin::Skin(Frame const& rest, std::vector<SkinBody> bodies, int threads)
    : bodies_(std::move(bodies)), body_(rest.body), threads_(threads) {
    for (Vec3f const& x : rest.position) X_.push_back(cast<double>(x));
    members_.resize(bodies_.size());
    for (std::size_t i = 0; i < rest.body.size(); ++i) members_[rest.body[i]].push_back(static_cast<std::uint32_t>(i));
    whole_ = std::make_shared<Bound const>(bind(bodies_, {}));
}

Skin::Bound Skin::bind(std::vector<SkinBody> const& bodies, std::vector<CutOff> const& cut_off) const {
    Bound bound;
    Cpu exec(threads_);
    bool any_uv = false;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        append_weights(bound.weights, exec, bodies[b], members_[b], X_, cut_off.empty() ? CutOff{} : cut_off[b]);
        append(bound.mesh, bodies[b].mesh, static_cast<std::uint32_t>(b));
        any_uv = any_uv || !bodies[b].mesh.corner_uv.empty();
    }
    if (!any_uv) {
        bound.mesh.uv.clear();
        bound.mesh.corner_uv.clear();
    }
    std::size_t const n = bound.mesh.position.size();
    bound.mesh.velocity.resize(n);
    std::vector<char> turns(bodies.size());
    for (std::size_t i = 0; i < n; ++i) turns[bound.mesh.body[i]] |= bound.weights.rigid[i] != Vec3f{};
    bound.members = members_;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!turns[b]) bound.members[b].clear();
    return bound;
}

// Splits the meshes of bodies that have been cut. A vertex near a cut follows only particles of its own side.
Skin::Bound Skin::bind_split(std::vector<CutMark> const& marks) const {
    Cpu exec(threads_);
    std::vector<std::map<std::uint32_t, std::vector<CutField::Mark>>> marked(bodies_.size());  // by body and cut
    for (CutMark const& m : marks) marked[body_[m.particle]][m.cut].push_back({X_[m.particle], cast<double>(m.at)});
    std::vector<SkinBody> bodies = bodies_;
    std::vector<CutOff> cut_off(bodies_.size());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        std::map<std::uint32_t, CutField> cuts;
        for (auto& [cut, of_cut] : marked[b]) cuts.try_emplace(cut, exec, std::move(of_cut), bodies_[b].spacing);
        if (cuts.empty()) continue;
        SplitMesh split = split_mesh(bodies_[b].mesh, cuts, bodies_[b].spacing);
        bodies[b].mesh = std::move(split.mesh);
        auto sides_of_particles = std::make_shared<std::map<std::uint32_t, std::vector<std::int8_t>>>();
        for (auto const& [cut, field] : cuts) (*sides_of_particles)[cut] = sides_of(exec, field, X_, members_[b]);
        for (CutMark const& m : marks)
            if (body_[m.particle] == b) (*sides_of_particles)[m.cut][m.particle] = m.at.z < 0 ? -1 : 1;
        cut_off[b] = [sides = std::make_shared<std::vector<std::vector<SideOfCut>>>(std::move(split.sides)),
                      sides_of_particles](std::uint32_t vertex, std::uint32_t particle) {
            for (SideOfCut const& s : (*sides)[vertex])
                if (s.side * sides_of_particles->at(s.cut)[particle] < 0) return true;
            return false;
        };
    }
    return bind(bodies, cut_off);
}

std::shared_ptr<Skin::Bound const> Skin::bound_for(std::vector<CutMark> const& marks) const {
    if (marks.empty()) return whole_;
    std::lock_guard const lock(split_->mutex);
    if (split_->marks != marks) {
        split_->bound = std::make_shared<Bound const>(bind_split(marks));
        split_->marks = marks;
    }
    return split_->bound;
}

SurfaceMesh Skin::move(Frame const& frame, int threads) const {
    assert(frame.position.size() == X_.size());
    std::shared_ptr<Bound const> const bound = bound_for(frame.cut_marks);
    SurfaceMesh mesh = bound->mesh;
    mesh.index = frame.index;
    mesh.time = frame.time;
    mesh.channels = channels_of_surface(frame);
    for (Channel& channel : mesh.channels)
        channel.values.resize(mesh.position.size() * std::size_t(channel.components));
    std::vector<Mat3d> rotation(bodies_.size(), Mat3d::identity());
    std::vector<double> spacing;
    for (SkinBody const& body : bodies_) spacing.push_back(body.spacing);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (!bound->members[b].empty()) rotation[b] = body_rotation(bound->members[b], X_, frame.position, spacing[b]);
    Cpu exec(threads);
    exec.for_each("skin", {0, Index(mesh.position.size())},
                  MoveVertex{bound->weights, X_, spacing, rotation, frame, mesh});
    return mesh;
}

}  // namespace pliant::surface
