// Contact between particles over a step: search, forces, product, conditions, memory. What happens at one touch is in
// contact/touch.hpp, how touches are found in contact/find_touches.hpp.
#pragma once

#include <pliant/contact/find_touches.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/solvers/solver.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class ParticleContact {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    // Stiffness of a touch in units of E d, the stiffness of one more layer of particles: large enough that what one
    // solve leaves of an overlap is small, no larger than the largest eigenvalue of K, which it would worsen.
    static constexpr double stiffness = 3;
    // The least stiffness, in units of m / tau^2: soft bodies that meet faster than their own waves.
    static constexpr double least_stiffness = 10;
    static constexpr int most_looks = 64;  // within a step

    ParticleContact(Exec& exec, Model const& model, double radius) : exec_(exec), model_(model), radius_(radius) {
        Index const n = Index(model.rest.size());
        normal_.resize(n), body_.resize(n), distance_.resize(n), row_.resize(n + 1);
        for (std::size_t b = 0; b < model.bodies.size(); ++b)
            for (Index i = model.bodies[b].range.begin; i < model.bodies[b].range.end; ++i) {
                body_[i] = std::uint32_t(b);
                distance_[i] = float(0.5 * model.bodies[b].spacing);
            }
        bounds_.resize(model.bodies.size());
        for (BodyModel const& body : model.bodies) welds_.push_back(body.parameters.weld ? 1 : 0);
    }

    bool empty() const { return touches_.size() == 0; }
    Index const* rows() const { return row_.data(); }    // a particle's row is empty where it touches nothing
    double penetration() const { return penetration_; }  // the deepest after the last step, in spacings

    // Which particles of a body are on its surface: to be called when bonds have changed.
    template <class Bonds>
    void find_surface(Bonds const& bonds) {
        double const threshold = 0.5 * (lattice_weight_beneath(radius_, 0) + lattice_weight_beneath(radius_, 1));
        surface_.clear(), surface_of_body_.assign(1, 0), on_surface_.resize(model_.rest.size());
        for (BodyModel const& body : model_.bodies) {
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                double weights = 0;
                for (Index k = 0; k < bonds.count(i); ++k) weights += bonds.weighted_offset(bonds.slot(i, k))[3];
                on_surface_[i] = weights < threshold ? 1 : 0;
                if (on_surface_[i]) surface_.push_back(i);
            }
            surface_of_body_.push_back(Index(surface_.size()));
        }
    }

    // All touches of the step that begins at `place` and is guessed to move by u.
    template <class Bonds>
    void search(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme) {
        found_.clear(), found_targets_.clear();
        exec_.for_each("touch: normals", surface_range(),
                       SurfaceNormal<Bonds>{bonds, surface_.data(), place, distance_.data(), normal_.data()});
        look_along(bonds, place, u, scheme);
        arrange();
        for (Index c = 0; c < touches_.size(); ++c) begin_touch(c, u, scheme.tau);
        seen_.resize(model_.rest.size());
        std::copy_n(u, seen_.size(), seen_.data());
    }

    // After a solve: touches that the guess did not foresee, where the motion came out otherwise. Returns whether there
    // are any that overlap; r then has their forces.
    template <class Bonds>
    bool search_again(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme, Vec4* r) {
        double const off = exec_.max("touch: unforeseen", {0, Index(seen_.size())}, 0, [&](Index i) {
            Vec4 const by = u[i] - seen_[i];
            return std::sqrt(dot3(by, by)) / (2 * distance_[i]);
        });
        if (off < 0.25) return false;
        std::copy_n(u, seen_.size(), seen_.data());
        std::size_t const before = touches_.size();
        found_.clear();
        for (Index c = 0; c < before; ++c) found_.push_back({touches_[c], starts_[c], last_force_[c], true});
        look_along(bonds, place, u, scheme);
        if (found_.size() == before) return false;
        arrange();
        double overlap = 0;
        for (Index c = 0; c < touches_.size(); ++c) {
            if (found_[c].known) {
                value_[c] = Vec4::zero();
                continue;
            }
            begin_touch(c, u, scheme.tau);
            Vec3f const w = view().relative(touches_[c], u);
            overlap = std::max(overlap, -double(touches_[c].gap + dot(touches_[c].normal, w)) / touches_[c].distance);
            value_[c] = Vec4::from(scheme.tau * scheme.tau * touches_[c].force(w));
        }
        gather(r);
        return overlap > 0.02;
    }

    // r += tau^2 force of all touches.
    void add_forces(Vec4 const* u, float tau_squared, Vec4* r) {
        if (empty()) return;
        exec_.for_each("touch: force", all(), TouchForce{view(), u, tau_squared, value_.data()});
        gather(r);
    }

    // The preconditioner of the linked particles, with and without touches.
    void remember_preconditioner(Sym3f const* preconditioner) {
        plain_.resize(linked_.size());
        for (std::size_t k = 0; k < linked_.size(); ++k) plain_[k] = preconditioner[linked_[k]];
    }
    void restore_preconditioner(Sym3f* preconditioner) const {
        for (std::size_t k = 0; k < linked_.size(); ++k) preconditioner[linked_[k]] = plain_[k];
    }
    void add_to_preconditioner(float tau_squared, Sym3f* preconditioner) {
        if (empty()) return;
        exec_.for_each("touch: diagonal", linked_range(),
                       TouchPreconditioner{linked_.data(), row_.data(), links_.data(), touches_.data(), tau_squared,
                                           plain_.data(), preconditioner});
    }

    // q += tau^2 B p; returns p . that.
    double add_product(Vec4 const* p, float tau_squared, Vec4* q) {
        if (empty()) return 0;
        double const pq = exec_.sum("touch: product", all(), TouchProduct{view(), p, tau_squared, value_.data()})[0];
        gather(q);
        return pq;
    }

    // Whether forces in the wrong are more than bearable, as a share of all. What changed goes into r.
    bool check(Vec4 const* u, float const* mass, double least, float tau_squared, double bearable, Vec4* r) {
        if (empty()) return false;
        auto const [overlaps, failing, force] =
            exec_.sum("touch: check", all(), CheckTouches{view(), u, mass, float(least), tau_squared, value_.data()});
        if (failing > 0) gather(r);
        return overlaps > 0 || failing > bearable * force;
    }

    void finish(Vec4d const* place, Vec4 const* u) {
        memory_.resize(touches_.size());
        penetration_ =
            exec_.max("touch: keep", all(), 0,
                      KeepTouches{view(), place, u, starts_.data(), last_force_.data(), body_.data(), memory_.data()});
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("touches", self.memory_);
    }

    std::uint64_t bytes() const {
        return normal_.bytes() + body_.bytes() + distance_.bytes() + row_.bytes() + 4 * surface_.size() +
               touches_.bytes() + targets_.bytes() + links_.bytes();
    }

private:
    struct Bounds {
        Vec3d low, high;      // swept over the step [m]
        Vec3d u_low, u_high;  // of displacements [m]

        static Bounds of(Vec3d x, Vec3f d) {
            Bounds box{x, x, {}, {}};
            for (int k = 0; k < 3; ++k) (d[k] < 0 ? box.low[k] : box.high[k]) += double(d[k]);
            return box;
        }
        bool meets(Bounds const& o, double by) const {
            for (int k = 0; k < 3; ++k)
                if (low[k] > o.high[k] + by || o.low[k] > high[k] + by) return false;
            return true;
        }
    };

    Range all() const { return {0, Index(touches_.size())}; }
    Range surface_range() const { return {0, Index(surface_.size())}; }
    Range linked_range() const { return {0, Index(linked_.size())}; }
    TouchView view() { return {touches_.data(), targets_.data()}; }

    void gather(Vec4* target) {
        exec_.for_each("touch: gather", linked_range(),
                       GatherTouches{linked_.data(), row_.data(), links_.data(), value_.data(), target});
    }

    template <class Bonds>
    void look_along(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme) {
        int const looks = measure_motion(place, u);
        list_taking_part(place, u);
        for (int look = 0; look < looks; ++look)
            look_around(bonds, {place, u, scheme.dt, double(look) / looks}, look == 0);
    }

    // Bounds of every body, and how many looks the fastest approach of near bodies asks for.
    int measure_motion(Vec4d const* place, Vec4 const* u) {
        exec_.for_each("touch: bounds", {0, Index(bounds_.size())}, [&](Index b) {
            Bounds box{
                {1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
            for (Index s = surface_of_body_[b]; s < surface_of_body_[b + 1]; ++s) {
                Vec3d const x = place[surface_[s]].xyz(), d = cast<double>(u[surface_[s]].xyz());
                for (int k = 0; k < 3; ++k) {
                    box.low[k] = std::min(box.low[k], x[k] + std::min(d[k], 0.));
                    box.high[k] = std::max(box.high[k], x[k] + std::max(d[k], 0.));
                    box.u_low[k] = std::min(box.u_low[k], d[k]);
                    box.u_high[k] = std::max(box.u_high[k], d[k]);
                }
            }
            bounds_[b] = box;
        });
        double looks = 1;
        for (std::size_t a = 0; a < bounds_.size(); ++a)
            for (std::size_t b = a; b < bounds_.size(); ++b) {
                double const d = 0.5 * (model_.bodies[a].spacing + model_.bodies[b].spacing);
                if (!has_surface(a) || !has_surface(b) || !bounds_[a].meets(bounds_[b], 2 * d)) continue;
                double squared = 0;  // of the largest relative displacement
                for (int k = 0; k < 3; ++k) {
                    double const most = std::max(bounds_[a].u_high[k] - bounds_[b].u_low[k],
                                                 bounds_[b].u_high[k] - bounds_[a].u_low[k]);
                    squared += most * most;
                }
                looks = std::max(looks, std::ceil(std::sqrt(squared) / (0.5 * d)));
            }
        return int(std::min(looks, double(most_looks)));
    }

    // All surface particles, and those inner ones that lie where another body is or will be.
    void list_taking_part(Vec4d const* place, Vec4 const* u) {
        taking_part_.clear();
        std::vector<std::size_t> others;
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            double const d = model_.bodies[b].spacing;
            others.clear();
            for (std::size_t o = 0; o < model_.bodies.size(); ++o)
                if (o != b && has_surface(b) && has_surface(o) && bounds_[b].meets(bounds_[o], d)) others.push_back(o);
            if (others.empty()) {
                taking_part_.insert(taking_part_.end(), surface_.begin() + surface_of_body_[b],
                                    surface_.begin() + surface_of_body_[b + 1]);
                continue;
            }
            for (Index i = model_.bodies[b].range.begin; i < model_.bodies[b].range.end; ++i) {
                bool takes = on_surface_[i];
                for (std::size_t k = 0; !takes && k < others.size(); ++k)
                    takes = bounds_[others[k]].meets(Bounds::of(place[i].xyz(), u[i].xyz()), d);
                if (takes) taking_part_.push_back(i);
            }
        }
    }

    bool has_surface(std::size_t b) const { return surface_of_body_[b] < surface_of_body_[b + 1]; }

    template <class Bonds>
    void look_around(Bonds const& bonds, SurfaceMotion motion, bool first_look) {
        double widest = 0;
        for (BodyModel const& body : model_.bodies) widest = std::max(widest, body.spacing);
        double const cell = std::sqrt(1.5 * 1.5 + 1.7 * 1.7) * widest;
        Range const range{0, Index(taking_part_.size())};
        grid_.build(
            exec_, range, cell, [&](Index s) { return motion.at(taking_part_[s]); },
            [&](Index s) { return body_[taking_part_[s]]; });
        LookAround<CellGrid, Bonds> const around{&grid_,
                                                 bonds,
                                                 taking_part_.data(),
                                                 on_surface_.data(),
                                                 welds_.data(),
                                                 {normal_.data(), distance_.data(), body_.data(), motion},
                                                 first_look};
        near_.resize(range.size());
        exec_.for_each("touch: search", range,
                       [&](Index s) { near_[s] = around.any(s) ? std::uint8_t(1) : std::uint8_t(0); });
        near_number_.clear();
        for (Index s = 0; s < near_.size(); ++s)
            if (near_[s]) near_number_.push_back(s);
        records_.resize(near_number_.size());
        exec_.for_each("touch: find", {0, Index(near_number_.size())},
                       [&](Index k) { around.find(near_number_[k], records_[k]); });
        std::size_t const before = found_.size();
        for (std::size_t k = 0; k < near_number_.size(); ++k)
            for (int t = 0; t < records_[k].count; ++t) take(records_[k], t, before);
        std::sort(found_.begin(), found_.end(), Earlier{});
    }

    struct Found {
        Touch touch;
        float start = 0, last_force = 0;
        bool known = false;  // from an earlier search in this step
    };
    struct Earlier {
        bool operator()(Found const& a, Found const& b) const {
            return a.touch.particle != b.touch.particle ? a.touch.particle < b.touch.particle
                                                        : a.touch.body < b.touch.body;
        }
    };

    // Keeps what an earlier look has not found yet; those lie in front of `before`, in order.
    void take(FoundTouches const& record, int t, std::size_t before) {
        Found found{record.touch[t], record.start[t], 0, false};
        if (std::binary_search(found_.begin(), found_.begin() + std::ptrdiff_t(before), found, Earlier{})) return;
        found.touch.first = Index(found_targets_.size());
        found_targets_.insert(found_targets_.end(), record.targets[t], record.targets[t] + found.touch.count);
        found_.push_back(found);
    }

    void arrange() {
        touches_.resize(found_.size()), starts_.resize(found_.size()), last_force_.resize(found_.size()),
            value_.resize(found_.size());
        targets_.resize(found_targets_.size());
        for (std::size_t c = 0; c < found_.size(); ++c) {
            touches_[c] = found_[c].touch;
            starts_[c] = found_[c].start;
            last_force_[c] = found_[c].last_force;
        }
        std::copy(found_targets_.begin(), found_targets_.end(), targets_.data());
        link();
    }

    // Rows from particles to their touches, by counting.
    void link() {
        linked_.clear();
        std::fill(row_.span().begin(), row_.span().end(), 0);
        auto const count = [&](Index i) { ++row_[i + 1]; };
        for (Touch const& t : touches_.span()) {
            count(t.particle);
            for (Index k = 0; k < t.count; ++k) count(targets_[t.first + k].particle);
        }
        for (Index i = 0; i + 1 < row_.size(); ++i) {
            if (row_[i + 1] > 0) linked_.push_back(i);
            row_[i + 1] += row_[i];
        }
        links_.resize(row_[row_.size() - 1]);
        next_.resize(row_.size());
        std::copy(row_.span().begin(), row_.span().end(), next_.data());
        for (Index c = 0; c < touches_.size(); ++c) {
            Touch const& t = touches_[c];
            links_[next_[t.particle]++] = {c, 1};
            for (Index k = 0; k < t.count; ++k) {
                TouchTarget const& target = targets_[t.first + k];
                links_[next_[target.particle]++] = {c, -target.weight};
            }
        }
    }

    void begin_touch(Index c, Vec4 const* u, double tau) {
        Touch& t = touches_[c];
        last_force_[c] = 0;
        BodyModel const &a = model_.bodies[body_[t.particle]], &b = model_.bodies[t.body];
        double const ka = a.parameters.young * a.spacing, kb = b.parameters.young * b.spacing;
        t.stiffness = float(
            std::max(stiffness * 2 * ka * kb / (ka + kb), least_stiffness * std::min(a.mass, b.mass) / (tau * tau)));
        t.friction = float(std::sqrt(a.parameters.friction * b.parameters.friction));
        TouchMemory const key{t.particle, t.body, 0, 0, {}};
        auto const last = std::lower_bound(
            memory_.span().begin(), memory_.span().end(), key, [](TouchMemory const& m, TouchMemory const& n) {
                return m.particle != n.particle ? m.particle < n.particle : m.body < n.body;
            });
        bool const known = last != memory_.span().end() && last->particle == t.particle && last->body == t.body;
        if (known) {
            t.push = last->push();
            last_force_[c] = last->force;
            t.stretch = t.tangential(last->stretch);
        }
        Vec3f const w = view().relative(t, u);
        t.active = t.pressing(w) > 0;
        if (known && t.active && t.push > 0) {
            float const slide = norm(t.tangential(t.stretch + w)), bound = t.friction * t.push;
            t.grip = slide * t.stiffness > bound ? bound / slide : t.stiffness;
        }
    }

    Exec& exec_;
    Model const& model_;
    double radius_;
    double penetration_ = 0;
    std::vector<Index> surface_, surface_of_body_;  // surface particles in ascending order; where each body's begin
    // State.
    Array<TouchMemory> memory_;  // by particle, then body
    // The touches of a step: targets and links in rows.
    Array<Touch> touches_;
    Array<float> starts_, last_force_;
    Array<TouchTarget> targets_;
    Array<TouchLink> links_;
    Array<Index> row_, next_;
    std::vector<Index> linked_;
    Array<Vec4> value_;
    Array<Sym3f> plain_;
    // The search.
    CellGrid grid_;
    std::vector<Bounds> bounds_;
    Array<Vec4> normal_, seen_;  // seen: the motion that was searched along
    Array<std::uint32_t> body_;
    Array<float> distance_;
    Array<std::uint8_t> near_, on_surface_;
    std::vector<std::uint8_t> welds_;  // a body
    std::vector<Index> taking_part_, near_number_;
    Array<FoundTouches> records_;
    std::vector<Found> found_;
    std::vector<TouchTarget> found_targets_;
};

}  // namespace pliant
