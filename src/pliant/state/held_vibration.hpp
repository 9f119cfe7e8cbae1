// Which pieces of bodies are held, and the drag on their vibration (physics/held_vibration.hpp), on an executor. It
// remembers nothing from step to step: what it keeps follows from the bonds and from who holds.
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/physics/held_vibration.hpp>
#include <pliant/state/bonded_particles.hpp>

#include <map>
#include <set>
#include <utility>

namespace pliant {

// The rate of the drag on a body [1/s]: for the damping ratio `zeta` of its slowest vibration along its length.
inline double drag_rate(Model const& model, BodyModel const& body, double zeta) {
    Vec3d center{};
    Index const n = body.range.size();
    for (Index i = body.range.begin; i < body.range.end; ++i) center += model.rest[i] / double(n);
    Sym3d second = Sym3d::scaled_identity(body.spacing * body.spacing / 12);  // of a particle's own size
    for (Index i = body.range.begin; i < body.range.end; ++i)
        second += 1. / double(n) * Sym3d::outer(model.rest[i] - center);
    Vec3d const s = eigen3(second).value;
    double const length = std::sqrt(12 * std::max({s.x, s.y, s.z})), height = std::sqrt(12 * std::min({s.x, s.y, s.z}));
    constexpr double pi = 3.14159265358979, share = 1 - 8 / (pi * pi);
    return zeta * pi / share * bar_speed(body.parameters) / length * std::min(1., 40 * height / length);
}

template <class Exec>
class HeldVibration {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    // Bodies that flow are left out: flow takes energy enough, and parts of them may come off at any time.
    HeldVibration(BondedParticles<Exec>& solid, double zeta, bool shapes_change) : solid_(solid) {
        for (BodyModel const& body : solid.model.bodies)
            rates_.push_back(zeta > 0 && !shapes_change && !flows(body) && body.range.size() > 1
                                 ? drag_rate(solid.model, body, zeta)
                                 : 0);
    }

    // The largest rate of any body that may be held [1/s].
    double largest() const {
        bool const handles = !solid_.model.handle_particles.empty();
        return handles ? *std::max_element(rates_.begin(), rates_.end()) : 0;
    }

    // Adds the drag on the pieces that `grips`, of each group of particles, hold.
    void add(std::vector<Grip> const& grips, Vec4* force) {
        if (find_motions(grips)) drag(force, solid_.particles.mass.data(), 0);
    }

    // The same as accelerations that act for a time tau [s], in a step of any length; null: none.
    Vec4 const* accelerations(std::vector<Grip> const& grips, double tau) {
        if (!find_motions(grips)) return nullptr;
        acceleration_.resize(solid_.particles.stored_count());
        solid_.exec.fill(acceleration_, Vec4::zero());
        drag(acceleration_.data(), nullptr, float(tau));
        return acceleration_.data();
    }

    std::uint64_t bytes() const {
        return members_.bytes() + piece_.bytes() + part_row_.bytes() + first_part_.bytes() + rate_.bytes() +
               parts_.bytes() + motion_.bytes() + acceleration_.bytes();
    }

private:
    // The rigid motions of the pieces that are held; false: there are none.
    bool find_motions(std::vector<Grip> const& grips) {
        if (largest() == 0) return false;
        find_held(grips);
        if (pieces_ == 0) return false;
        Particles<Exec> const& of = solid_.particles;
        solid_.exec.join("vibration", part_row_.data(), Index(part_row_.size() - 1),
                         SumMotion{members_.data(), of.x.data(), of.v.data(), of.mass.data(), near_}, parts_);
        solid_.exec.for_each("vibration", {0, pieces_},
                             RigidMotionOfPiece{parts_.data(), first_part_.data(), near_, motion_.data()});
        return true;
    }

    void drag(Vec4* to, float const* mass, float over) {
        Particles<Exec> const& of = solid_.particles;
        solid_.exec.for_each("vibration", {0, Index(members_.size())},
                             DragVibration{.members = members_.data(),
                                           .piece = piece_.data(),
                                           .rate = rate_.data(),
                                           .motion = motion_.data(),
                                           .x = of.x.data(),
                                           .v = of.v.data(),
                                           .mass = mass,
                                           .force = to,
                                           .over = over});
    }

    static constexpr Index part_size = 512;  // particles whose sums one team forms

    struct Piece {
        std::size_t body = 0;
        std::vector<Index> members;
        std::set<std::uint32_t> groups;
    };

    void find_pieces() {
        if (version_ == solid_.rest.version() || (version_ != unknown && !solid_.may_part())) return;
        version_ = solid_.rest.version();
        std::map<std::pair<std::size_t, Index>, Piece> found;  // by body and lowest particle
        Model const& model = solid_.model;
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            if (rates_[b] == 0) continue;
            Range const body = model.bodies[b].range;
            for (Index i = body.begin; i < body.end; ++i) {
                Piece& piece = found[{b, solid_.pieces()[i]}];
                piece.body = b;
                piece.members.push_back(i);
                if (model.handles[i] > 0) piece.groups.insert(model.handles[i]);
            }
        }
        all_.clear();
        for (auto& [key, piece] : found)
            if (!piece.groups.empty()) all_.push_back(std::move(piece));
        held_.assign(all_.size(), false);
        pieces_ = 0;
    }

    void find_held(std::vector<Grip> const& grips) {
        find_pieces();
        std::vector<bool> held;
        for (Piece const& piece : all_)
            held.push_back(std::any_of(piece.groups.begin(), piece.groups.end(),
                                       [&](std::uint32_t group) { return grips[group].held; }));
        if (held == held_) return;
        held_ = held;
        std::vector<Index> members, of, row{0}, first{0};
        std::vector<float> rates;
        for (std::size_t p = 0; p < all_.size(); ++p) {
            if (!held[p]) continue;
            std::vector<Index> const& own = all_[p].members;
            members.insert(members.end(), own.begin(), own.end());
            of.resize(members.size(), Index(rates.size()));
            while (row.back() < members.size()) row.push_back(std::min(row.back() + part_size, Index(members.size())));
            first.push_back(Index(row.size() - 1));
            rates.push_back(float(rates_[all_[p].body]));
        }
        pieces_ = Index(rates.size());
        if (pieces_ == 0) return;
        near_ = solid_.model.rest[members[0]];
        Exec& exec = solid_.exec;
        exec.upload(members_, members), exec.upload(piece_, of), exec.upload(part_row_, row);
        exec.upload(first_part_, first), exec.upload(rate_, rates);
        motion_.resize(pieces_);
    }

    static constexpr std::uint64_t unknown = ~std::uint64_t{0};
    BondedParticles<Exec>& solid_;
    std::vector<double> rates_;        // of bodies [1/s]
    std::uint64_t version_ = unknown;  // of the bonds that pieces were found with
    std::vector<Piece> all_;           // pieces that handles reach
    std::vector<bool> held_;           // those of all_ that the arrays below describe
    Vec3d near_;
    Index pieces_ = 0;  // held
    Array<Index> members_, piece_, part_row_, first_part_;
    Array<float> rate_;
    Array<MotionSums> parts_;
    Array<RigidMotion> motion_;
    Array<Vec4> acceleration_;  // for accelerations()
};

}  // namespace pliant
