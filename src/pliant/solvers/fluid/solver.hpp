// The fluid solver, for any executor (solvers/method.hpp explains how it is built for each). Symplectic Euler: density
// and pressure at x, forces, new velocities, new positions.
//
// Particles lie in the order of a grid, which changes when lists are made; who_ has their numbers in the model. With
// restraint only what can have changed is computed again: densities of particles that moved and of their neighbours,
// forces of these and of their neighbours. Everything else keeps its numbers, which are the same as if they were
// computed again, so a run in which nothing rests equals one without restraint bit for bit.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/neighbors/moving_lists.hpp>
#include <pliant/physics/fluid_motion.hpp>
#include <pliant/solvers/fluid/method.hpp>
#include <pliant/state/lent_world.hpp>
#include <pliant/state/particles.hpp>
#include <pliant/state/reactions.hpp>
#include <pliant/state/stored_arrays.hpp>

#include <cmath>

namespace pliant {

template <class Exec>
class Fluid : public Solver {
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using View = typename MovingLists<Exec>::View;

public:
    Fluid(Model model, FluidOptions const& options, int where)  // where: CPU threads or GPU number
        : exec_(where),
          model_(std::move(model)),
          spacing_(common_spacing(model_)),
          radius_(options.radius * spacing_),
          particles_(exec_, model_),
          reactions_(exec_, model_),
          lists_(exec_, particles_.owned_count(), float(radius_ + skin * spacing_)),
          restraint_(model_.restraint, norm(model_.gravity)) {
        for_each_array([&](auto& array) { array.resize(particles_.stored_count()); }, *this);
        std::vector<FluidConstants> constants;
        for (BodyModel const& body : model_.bodies) constants.push_back(fluid_constants(body, radius_));
        alike_ = alike(model_), grouped_ = !model_.handle_particles.empty();
        slope_ = 20 * constants[0].inverse_sum / (constants[0].volume * float(radius_ * radius_));
        double lightest = constants[0].rest_density;
        for (FluidConstants const& c : constants) lightest = std::min(lightest, double(c.rest_density));
        hold_ = float(holds * restraint_.friction_at_rest * lightest * spacing_);
        float const stir = float(FluidRestraint::stir * restraint_.threshold);
        stir_squared_ = stir * stir;
        exec_.upload(constants_, constants);
        std::vector<Index> order(particles_.owned_count());
        for (Index i = 0; i < order.size(); ++i) order[i] = i;
        exec_.upload(who_, order);
        exec_.upload(group_, model_.handles);
        exec_.for_each("narrow", all(),
                       NarrowFluid{particles_.x.data(), particles_.v.data(), near_.data(), motion_.data()});
        exec_.fill(state_, std::uint8_t{1}), exec_.fill(stirred_, std::uint8_t{1});
        exec_.fill(guard_, float(guard * spacing_));
        make_lists();
        density({}, all());
    }

    StepReport step(StepInput const& input) override {
        if (stale_ != 0) make_lists();
        Walls const walls = walls_of(input);
        find_denser();
        if (denser_.listed() != (listed_ != 0)) {
            listed_ = denser_.listed();
            exec_.fill(stirred_, std::uint8_t(!denser_.listed()));
        }
        density(walls, denser_);
        find_forced();
        alike_ ? force<true>() : force<false>();
        std::array<double, 2> const moved = move(input, walls);
        StepReport report;
        if (!std::isfinite(moved[1])) {
            report.fail("the velocities are no longer finite");
            report.diverged = true;
            return report;
        }
        add_reactions(input, moved[0] == 0 && forced_.listed() && forced_.size() == 0 && walls.movers == 0);
        if (moved[1] > 0) stale_ = 1;
        if (model_.restraint.any()) report.active = moved[0] / double(all().size());
        return report;
    }

    // Of sound in the densest fluid, damped by viscosity; and of gravity over a spacing.
    double stable_dt() override {
        double const dense = std::max(1., exec_.max("density", all(), 1, LargestRatio{ratio_.data()}));
        double dt = 1e300;
        for (BodyModel const& body : model_.bodies) {
            MaterialParameters const& p = body.parameters;
            FluidLattice const lattice(body.spacing, radius_);
            double const omega = p.sound_speed * dense * dense * dense * lattice.frequency;
            double const rate = p.viscosity * p.sound_speed * 0.5 * radius_ * lattice.damping;
            double const zeta = rate / (2 * omega);
            dt = std::min(dt, 2 / omega * (std::sqrt(1 + zeta * zeta) - zeta));
        }
        double const g = norm(model_.gravity);
        return g > 0 ? std::min(dt, 0.5 * std::sqrt(spacing_ / g)) : dt;
    }

    void regroup(std::vector<std::uint32_t> const& handles) override {
        exec_.upload(group_, handles);
        grouped_ = true;
        sort_constants();
    }

    Measurement measure() override {
        told_in_ = 0, told_dt_ = 0, quiet_ = false;
        Index const n = particles_.stored_count();
        out_x_.resize(n), out_v_.resize(n), F_.resize(n), density_.resize(n), pressure_.resize(n), active_.resize(n);
        energies_.resize(n);
        auto const energies = exec_.sum("measure", all(),
                                        ReadFluid{.restraint = model_.restraint,
                                                  .fast = restraint_,
                                                  .who = who_.data(),
                                                  .body = particles_.body.data(),
                                                  .constants = constants_.data(),
                                                  .x = particles_.x.data(),
                                                  .v = particles_.v.data(),
                                                  .ratio = ratio_.data(),
                                                  .out_x = out_x_.data(),
                                                  .out_v = out_v_.data(),
                                                  .density = density_.data(),
                                                  .pressure = pressure_.data(),
                                                  .active = active_.data(),
                                                  .F = F_.data(),
                                                  .energies = energies_.data()});
        Measurement measured{{energies[0], energies[1]}, 0, readout(), reactions_.take()};
        for (BodyModel const& body : model_.bodies) {
            auto const of = exec_.sum("measure", body.range, EnergyOfFluid{energies_.data()});
            measured.of_bodies.push_back({of[0], of[1]});
        }
        return measured;
    }

    Later<Checkpoint> save() override { return StoredArrays<Exec>::save(exec_, std::as_const(*this)); }
    void load(Checkpoint const& checkpoint) override {
        for_each_stored(typename StoredArrays<Exec>::Load{exec_, checkpoint}, *this);
        sort_constants();
        exec_.for_each("narrow", all(),
                       NarrowFluid{particles_.x.data(), particles_.v.data(), near_.data(), next_motion_.data()});
        lists_.sort(made_at_.data());  // they are in this order already
        lists_.list();
        walls_stale_ = true;
    }

    std::size_t particle_count() const { return particles_.owned_count(); }
    std::vector<StageTime> stage_times() const override { return exec_.profile(); }
    std::uint64_t bond_count() const override { return lists_.size(); }
    std::uint64_t bytes() const override {
        std::uint64_t total = particles_.bytes() + lists_.bytes() + exec_.parcel_bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    static constexpr double skin = 0.4;    // of lists, in spacings
    static constexpr double guard = 0.25;  // distance at which contact keeps particles off colliders, in spacings
    static constexpr int walls_last = 8;   // steps between looks for walls that move
    static constexpr double holds =
        0.1;  // changes of pressure that particles at rest keep back, as a share of friction
    float ramp() const { return float(1 / (guard * spacing_)); }
    Range all() const { return particles_.owned(); }

    static double common_spacing(Model const& model) {
        double low = 1e300, high = 0;
        for (BodyModel const& body : model.bodies)
            low = std::min(low, body.spacing), high = std::max(high, body.spacing);
        if (high > 1.5 * low)
            throw InputError(
                "method = \"fluid\" needs particles of about one size, and the spacings of these bodies "
                "differ by more than half; give them one spacing");
        return high;
    }
    static bool alike(Model const& model) {
        BodyModel const& a = model.bodies[0];
        for (BodyModel const& b : model.bodies)
            if (a.mass != b.mass || a.volume != b.volume || a.parameters.viscosity != b.parameters.viscosity ||
                a.parameters.sound_speed != b.parameters.sound_speed ||
                a.parameters.surface_tension != b.parameters.surface_tension)
                return false;
        return true;
    }

    // Brings all particles into the order of the grid.
    void make_lists() {
        lists_.sort(near_.data());
        lists_.reorder(particles_.x, double_scratch_), lists_.reorder(particles_.v, double_scratch_);
        for (Array<Vec4>* array : {&near_, &motion_, &acceleration_}) lists_.reorder(*array, scratch_);
        lists_.reorder(ratio_, float_scratch_), lists_.reorder(who_, index_scratch_);
        lists_.reorder(state_, flag_scratch_), lists_.reorder(stirred_, flag_scratch_),
            lists_.reorder(wall_, wall_scratch_);
        lists_.reorder(from_walls_, force_scratch_);
        sort_constants();
        exec_.copy(near_.data(), near_.size(), made_at_);
        lists_.list();
        stale_ = 0, walls_stale_ = true;
    }
    void sort_constants() {  // what the model says of each particle
        auto const take = [&](auto const& from, auto& to) {
            using T = std::remove_cvref_t<decltype(*to.data())>;
            exec_.for_each("reorder", all(), Reorder<T>{who_.data(), from.data(), to.data()});
        };
        if (grouped_) {
            take(group_, particles_.handle);
            exec_.for_each("reorder", all(), InverseOrder{who_.data(), slot_.data()});
        }
        if (model_.bodies.size() == 1) return;
        Particles<Exec> const fresh(exec_, model_);
        take(fresh.mass, particles_.mass), take(fresh.body, particles_.body);
    }

    // Colliders without friction: a fluid slips along walls.
    Walls walls_of(StepInput const& input) {
        now_ = *input.now, next_ = *input.next;
        for (Collider& c : now_) c.friction = 0;
        for (Collider& c : next_) c.friction = 0;
        int const count = int(next_.size());
        std::uint32_t movers = 0;
        for (int c = 0; c < count; ++c)
            if (next_[c].velocity != Vec3d{} || next_[c].spin != Vec3d{}) movers |= Walls::bit(c);
        lent_now_ = world_.now(exec_, now_), lent_next_ = world_.next(exec_, next_);
        bool const sooner = movers != 0 && --walls_serve_ <= 0;
        if (walls_stale_ || sooner || faster(movers)) {
            exec_.for_each("walls", all(),
                           FindWalls{lent_now_, count, radius_ + skin * spacing_, walls_last * input.dt,
                                     made_at_.data(), near_walls_.data()});
            exec_.for_each("walls", all(), NearWalls{near_walls_.data(), marks_.data()});
            exec_.select("walls", all(), marks_.data(), walled_);
            exec_.fill(by_contact_, ImpulsesOnColliders{});
            walls_serve_ = walls_last, walls_at_ = next_;
        }
        walls_stale_ = false;
        return {lent_now_, count, float(radius_), near_walls_.data(), movers};
    }
    // Whether a collider moves much faster than when walls were found last.
    bool faster(std::uint32_t movers) const {
        if (movers == 0) return false;
        if (walls_at_.size() != next_.size()) return true;
        for (std::size_t c = 0; c < next_.size(); ++c)
            if (norm(next_[c].velocity) > 1.5 * norm(walls_at_[c].velocity) ||
                norm(next_[c].spin) > 1.5 * norm(walls_at_[c].spin))
                return true;
        return false;
    }

    // The particles whose density, and those whose force must be computed again. Looking for them has a cost too: where
    // it saves nothing, all are computed, and the next look is later and later.
    void find_denser() {
        denser_ = forced_ = all();
        if (!model_.restraint.any() || --look_in_ > 0) return;
        look_in_ = patience_ = std::min(2 * patience_ + 4, 64.f);
        Index const n = all().size();
        exec_.select("changed", all(), state_.data(), changed_list_);
        if (changed_list_.size() > n / 2) return;
        exec_.fill(marks_, std::uint8_t{0});
        mark_around(changed_list_, denser_list_);
        if (denser_list_.size() <= n / 3 * 2) denser_ = IndexList{denser_list_.data(), Index(denser_list_.size())};
    }
    void find_forced() {
        if (!denser_.listed()) return;
        Index const n = all().size();
        exec_.select("changed", IndexList{denser_list_.data(), denser_.size()}, pushes_.data(), pushing_list_);
        forced_ = denser_;  // what is around those that moved
        if (pushing_list_.size() > 0) {
            mark_around(pushing_list_, forced_list_);
            forced_ = IndexList{forced_list_.data(), Index(forced_list_.size())};
        }
        // In units of a particle's share of a whole step.
        double const saved = 0.62 * double(n - forced_.size()) + 0.38 * double(n - denser_.size());
        double const looked = 0.35 * double(changed_list_.size() + pushing_list_.size());
        if (saved > looked + 0.05 * double(n)) look_in_ = patience_ = 0;
    }
    // Marks the particles of the list and those around it; `to`: all that are marked.
    void mark_around(Array<Index> const& list, Array<Index>& to) {
        to.resize(0);
        if (list.size() == 0) return;
        exec_.for_each("mark", IndexList{list.data(), Index(list.size())},
                       MarkAround<View>{lists_.view(), marks_.data()});
        exec_.select("changed", all(), marks_.data(), to);
    }

    void density(Walls const& walls, Domain on) {
        if (walls.near == nullptr) exec_.fill(near_walls_, std::uint32_t{0});
        Walls of = walls;
        of.near = near_walls_.data();
        exec_.for_each("density", on,
                       FluidDensity<View>{.near = lists_.view(),
                                          .inverse_radius = float(1 / radius_),
                                          .ramp = ramp(),
                                          .x = near_.data(),
                                          .place = particles_.x.data(),
                                          .body = particles_.body.data(),
                                          .constants = constants_.data(),
                                          .walls = of,
                                          .ratio = ratio_.data(),
                                          .wall = wall_.data(),
                                          .hold = hold_,
                                          .stir_squared = on.listed() ? stir_squared_ : -1,
                                          .state = state_.data(),
                                          .pushes = pushes_.data(),
                                          .stirred = stirred_.data(),
                                          .motion = motion_.data()});
    }

    template <bool same>
    void force() {
        exec_.for_each("force", forced_,
                       FluidForce<same, View>{.near = lists_.view(),
                                              .inverse_radius = float(1 / radius_),
                                              .ramp = ramp(),
                                              .slope = slope_,
                                              .least = float(0.01 * 0.25 * radius_ * radius_),
                                              .x = near_.data(),
                                              .motion = motion_.data(),
                                              .wall = wall_.data(),
                                              .body = particles_.body.data(),
                                              .constants = constants_.data(),
                                              .acceleration = acceleration_.data(),
                                              .from_walls = from_walls_.data()});
    }

    // While most particles rest, those of every eighth step stand for all: to sum them takes longer than the step.
    // `quiet`: nothing moves.
    void add_reactions(StepInput const& input, bool quiet) {
        // Steps of a frame differ by rounding.
        if (!(std::abs(input.dt - told_dt_) <= 1e-9 * input.dt)) told_dt_ = input.dt;
        Reacting const what{told_dt_, int(next_.size()), input.handles};
        if (!reactions_.wanted(what)) return;
        told_in_ = forced_.listed() && told_in_ > 0 ? told_in_ - 1 : 0;
        bool const again = (told_in_ > 0 || (quiet && quiet_)) && reactions_.add_again(what);
        if (!again && forced_.listed()) told_in_ = 8;
        if (!again || !quiet) quiet_ = quiet;
        if (!again)
            reactions_.add_on_colliders(what, lent_next_, IndexList{walled_.data(), Index(walled_.size())},
                                        FluidReactions{.dt = told_dt_,
                                                       .wall = wall_.data(),
                                                       .from_walls = from_walls_.data(),
                                                       .by_contact = by_contact_.data(),
                                                       .x = particles_.x.data()});
        reactions_.add_on_handles(what, {group_.data(), grips_},
                                  FluidOnHandles{slot_.data(), on_handle_.data(), particles_.x.data()});
    }

    std::array<double, 2> move(StepInput const& input, Walls const& walls) {
        grips_ = world_.grips(exec_, *input.grips);
        return exec_.sum("move", all(),
                         MoveFluid{.scene = {.now = lent_now_,
                                             .next = lent_next_,
                                             .count = int(next_.size()),
                                             .dt = input.dt,
                                             .tau_squared = 0,
                                             .x = particles_.x.data(),
                                             .distance = guard_.data()},
                                   .grips = {particles_.handle.data(), grips_},
                                   .walls = walls,
                                   .gravity = cast<float>(model_.gravity),
                                   .restraint = restraint_,
                                   .guard = float(guard * spacing_),
                                   .most = float(0.5 * skin * spacing_),
                                   .made_at = made_at_.data(),
                                   .wall = wall_.data(),
                                   .mass = particles_.mass.data(),
                                   .v = particles_.v.data(),
                                   .x = particles_.x.data(),
                                   .acceleration = acceleration_.data(),
                                   .near = near_.data(),
                                   .motion = motion_.data(),
                                   .stirred = stirred_.data(),
                                   .state = state_.data(),
                                   .by_contact = by_contact_.data(),
                                   .on_handle = model_.handle_particles.empty() ? nullptr : on_handle_.data()});
    }

    Later<ParticleReadout> readout() {
        auto const parcel = exec_.parcel("frame");
        parcel->add(out_x_), parcel->add(out_v_), parcel->add(F_), parcel->add(density_), parcel->add(pressure_);
        if (model_.restraint.any()) parcel->add(active_);
        parcel->send();
        return [parcel, restrained = model_.restraint.any()](ParticleReadout& out) {
            parcel->open();
            out.position.clear(), out.velocity.clear();
            for (Vec4d const& x : parcel->template values<Vec4d>(0)) out.position.push_back(x.xyz());
            for (Vec4d const& v : parcel->template values<Vec4d>(1)) out.velocity.push_back(cast<float>(v.xyz()));
            auto const gradients = parcel->template values<Mat3f>(2);
            out.F.assign(gradients.begin(), gradients.end());
            out.channels = {{"density", "kg/m3", 1, {}}, {"pressure", "Pa", 1, {}}};
            if (restrained) out.channels.push_back({"active", "", 1, {}});
            for (std::size_t k = 0; k < out.channels.size(); ++k) {
                auto const values = parcel->template values<float>(3 + k);
                out.channels[k].values.assign(values.begin(), values.end());
            }
        };
    }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        Particles<Exec>::for_each_stored(visit, self.particles_);
        visit("order", self.who_);
        visit("lists made at", self.made_at_);
        visit("lists stale", self.stale_);
        visit("motion", self.motion_);
        visit("acceleration", self.acceleration_);
        visit("walls", self.wall_);
        visit("forces of walls", self.from_walls_);
        visit("density", self.ratio_);
        visit("moving", self.state_);
        visit("stirred", self.stirred_);
        visit("listed", self.listed_);
        visit("patience", self.patience_);
        visit("next look", self.look_in_);
    }
    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.near_), visit(self.motion_), visit(self.next_motion_), visit(self.acceleration_), visit(self.wall_);
        visit(self.made_at_), visit(self.ratio_), visit(self.guard_), visit(self.state_), visit(self.marks_),
            visit(self.near_walls_), visit(self.from_walls_), visit(self.by_contact_), visit(self.on_handle_),
            visit(self.slot_), visit(self.pushes_), visit(self.stirred_);
    }

    Exec exec_;
    Model model_;
    double spacing_, radius_;  // [m]
    Particles<Exec> particles_;
    Reactions<Exec> reactions_;
    MovingLists<Exec> lists_;
    FluidRestraint restraint_;
    Array<FluidConstants> constants_;  // one per body
    float slope_ = 0;
    float hold_ = 0;          // [Pa]
    float stir_squared_ = 0;  // [m2/s2]
    bool alike_ = true;
    // State.
    Array<Index> who_;  // number of each particle in the model
    Array<Vec4> motion_, acceleration_, made_at_;
    Array<WallPlanes> wall_;
    Array<WallForces> from_walls_;
    Array<float> ratio_;           // density over that at rest
    Array<float> guard_;           // contact distance [m]
    Array<std::uint8_t> state_;    // as MoveFluid writes it
    Array<std::uint8_t> stirred_;  // as FluidDensity writes it
    float stale_ = 0;              // 1: lists must be made again
    float listed_ = 0;             // 1: only what changes is computed
    float patience_ = 0;           // steps between looks that save nothing
    float look_in_ = 0;            // steps until the next look for what changes
    // Follow from the state.
    Array<Vec4> near_;
    Array<std::uint32_t> near_walls_;
    Array<Index> walled_;         // particles near walls
    Array<Index> slot_;           // of each particle of the model, where there are handles
    Array<std::uint32_t> group_;  // of handles, in the order of the model
    bool grouped_ = false;        // whether any have been in one
    bool walls_stale_ = true;
    int walls_serve_ = 0;             // for how many steps yet, where colliders move
    std::vector<Collider> walls_at_;  // colliders when walls were found
    // Scratch of a step.
    LentWorld<Exec> world_;
    std::vector<Collider> now_, next_;
    Collider const *lent_now_ = nullptr, *lent_next_ = nullptr;
    Grip const* grips_ = nullptr;
    double told_dt_ = 0;  // [s]
    bool quiet_ = false;  // nothing has moved since reactions were summed
    int told_in_ = 0;     // steps until reactions are summed again, where most particles rest
    Array<ImpulsesOnColliders> by_contact_;
    Array<Vec4> on_handle_;
    Domain denser_{Range{}}, forced_{Range{}};
    Array<Index> changed_list_, denser_list_, pushing_list_, forced_list_, index_scratch_;
    Array<std::uint8_t> pushes_, marks_, flag_scratch_;
    Array<WallPlanes> wall_scratch_;
    Array<WallForces> force_scratch_;
    Array<Vec4> next_motion_, scratch_;
    Array<Vec4d> double_scratch_, out_x_, out_v_;
    Array<float> float_scratch_, density_, pressure_, active_;
    Array<Mat3f> F_;
    Array<std::array<double, 2>> energies_;  // kinetic and elastic [J]
};

}  // namespace pliant
