#include <pliant/error.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/physics/conjugate_gradients.hpp>
#include <pliant/physics/measures.hpp>
#include <pliant/physics/rest.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/solvers/implicit.hpp>

#include <cstring>

namespace pliant {
namespace {

template <class Exec>
class Implicit final : public Solver {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Implicit(Model model, ImplicitSettings const& settings, int threads)
        : exec_(threads), model_(std::move(model)), settings_(settings) {
        all_ = {0, Index(model_.rest.size())};
        allocate();
        place_particles();
        for (BodyModel const& body : model_.bodies)
            bonds_.add_body(exec_, model_.rest, body.range, settings_.radius * body.spacing);
        measure_rest();
    }

    StepReport step(StepInput const& input) override {
        TimeScheme const scheme = scheme_for(input.dt);
        contact_scene_ = {
            input.now->data(), input.next->data(), int(input.now->size()),  input.dt, double(scheme.tau) * scheme.tau,
            x_.data(),         x_low_.data(),      contact_distance_.data()};
        exec_.for_each("guess", all_,
                       GuessDisplacement{scheme, cast<float>(model_.gravity), v_.data(), last_v_.data(), last_u_.data(),
                                         acceleration_.data(), u_free_.data(), u_.data()});
        exec_.for_each("contact", all_,
                       FindContacts{contact_scene_, handles_.data(), input.handles_active, v_.data(), u_.data(),
                                    next_contacts_.data(), constraints_.data()});
        StepReport report;
        for (int round = 0; round <= settings_.relinearize && report.converged; ++round) {
            double const residual = linearize(scheme);              // R_i, B_i, r = M (u_free - u) + tau^2 f
            solve(scheme, input.handles_active, residual, report);  // (M + tau^2 K) du = r
        }
        if (!report.converged) return restore_contacts(), report;
        finish(scheme);
        flow(input.dt);
        return report;
    }

    void read(ParticleReadout& out) override {
        measure();
        Index const n = all_.size();
        out.position.resize(n);
        out.velocity.resize(n);
        for (Index i = 0; i < n; ++i) {
            out.position[i] = cast<double>(x_[i].xyz()) + cast<double>(x_low_[i].xyz());
            out.velocity[i] = v_[i].xyz();
        }
        out.von_mises.assign(von_mises_.data(), von_mises_.data() + n);
        out.plastic_strain.assign(alpha_.data(), alpha_.data() + n);
        out.F.assign(F_.data(), F_.data() + n);
    }

    Energies energies() override {
        double const kinetic = exec_.sum("kinetic energy", all_, KineticEnergy{v_.data(), mass_.data()})[0];
        return {kinetic, measure()};
    }

    void save(Checkpoint& checkpoint) const override {
        for_each_stored(
            [&](char const* name, auto const& array) {
                auto const bytes = std::as_bytes(array.span());
                checkpoint.arrays.push_back({name, {bytes.begin(), bytes.end()}});
            },
            *this);
    }

    void load(Checkpoint const& checkpoint) override {
        for_each_stored(
            [&](char const* name, auto& array) {
                for (Checkpoint::Array const& stored : checkpoint.arrays) {
                    if (stored.name != name) continue;
                    if (stored.bytes.size() != array.size() * sizeof(array[0]))
                        throw InputError(std::string("the checkpoint's array '") + name + "' has another size");
                    if (!stored.bytes.empty()) std::memcpy(array.data(), stored.bytes.data(), stored.bytes.size());
                    return;
                }
                throw InputError(std::string("the checkpoint lacks the array '") + name + "'");
            },
            *this);
    }

    std::uint64_t bond_count() const override { return bonds_.size(); }
    std::uint64_t bytes() const override {
        std::uint64_t total = bonds_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    TimeScheme scheme_for(double dt) const {
        double const last = last_dt_[0];
        bool const smooth = settings_.second_order_time && last > 0 && dt < 4 * last;  // far longer: start anew
        return smooth ? TimeScheme::bdf2(dt, last) : TimeScheme::euler(dt);
    }

    ParticleFrames frames(BodyModel const& body) const {
        return {A_inverse_.data(), offset_sum_.data(), coefficients_.data(), flows(body) ? Fp_inverse_.data() : nullptr,
                diagonal_.data()};
    }

    static bool flows(BodyModel const& body) {
        return std::visit([](auto const& solid) { return solid.plasticity.flows; }, body.material);
    }

    // stage(body, law) for every body, with its law as a concrete type: one dispatch a body, none a particle.
    template <class Work>
    void for_each_material(Work const& work) {
        for (BodyModel const& body : model_.bodies)
            std::visit([&](auto const& solid) { work(body, solid); }, body.material);
    }

    // Roughly the rotation of a body: that of its first particle.
    Mat3d rotation_near(BodyModel const& body) const {
        Index const i = body.range.begin;
        return rotation_of(
            gather_gradient(bonds_.view(), i, MovedDifference(x_.data(), x_low_.data(), nullptr, i)).matrix());
    }

    double linearize(TimeScheme const& scheme) {
        float const tau_squared = scheme.tau * scheme.tau;
        for_each_material([&](BodyModel const& body, auto const& solid) {
            using Law = std::decay_t<decltype(solid.elasticity)>;
            exec_.for_each(
                "linearize", body.range,
                Linearize<BondView, Law>{bonds_.view(), solid.elasticity, frames(body), x_.data(), x_low_.data(),
                                         u_.data(), rotation_near(body), float(body.volume), float(body.mass),
                                         tau_squared, B_.data(), preconditioner_.data(), T_.data()});
        });
        return exec_.sum("residual", all_,
                         Residual<BondView>{bonds_.view(), T_.data(), mass_.data(), tau_squared, u_free_.data(),
                                            u_.data(), next_contacts_.data(), constraints_.data(), r_.data()})[0];
    }

    // q = (M + tau^2 K) p; returns p.q.
    double product(float tau_squared) {
        exec_.for_each("product: stress", all_,
                       StressOfDisplacement<BondView>{bonds_.view(), p_.data(), B_.data(), A_inverse_.data(),
                                                      offset_sum_.data(), coefficients_.data(), T_.data()});
        return exec_.sum("product: force", all_,
                         SystemProduct<BondView>{bonds_.view(), T_.data(), mass_.data(), constraints_.data(),
                                                 tau_squared, p_.data(), q_.data()})[0];
    }

    // Contact rounds: solve, check the contact conditions, solve again what changed.
    void solve(TimeScheme const& scheme, std::uint32_t handles_active, double residual, StepReport& report) {
        constexpr int most_rounds = 6;
        float const tau_squared = scheme.tau * scheme.tau;
        // Squared force scale in the norm sum |.|^2 / m: the weight of everything, or what the guess left open if that
        // is more; nothing of it changes when the scene is moved. The last term is the rounding of positions.
        double const weight = norm_squared(model_.gravity) * tau_squared * tau_squared * total_mass_;
        double const scale = std::max({weight, residual, 1e-14 * rounding_});
        double const limit = settings_.tolerance * settings_.tolerance * scale;
        float const none = float(settings_.tolerance * std::sqrt(scale / total_mass_));
        for (int round = 0;; ++round) {
            conjugate_gradients(tau_squared, limit, report);
            if (!report.converged || round == most_rounds) return;
            CheckContacts const check{contact_scene_,        mass_.data(),       none,      handles_.data(),
                                      handles_active,
                                      preconditioner_.data(), u_.data(), p_.data(), r_.data(),
                                      next_contacts_.data(), constraints_.data()};
            auto const [found, failing, force] = exec_.sum("contact check", all_, check);
            if (found == 0 && failing <= 0.02 * force) return;
            product(tau_squared);
            exec_.for_each("contact change", all_, ApplyChange{p_.data(), q_.data(), u_.data(), r_.data()});
            ++report.contact_rounds;
        }
    }

    void conjugate_gradients(float tau_squared, double limit, StepReport& report) {
        auto [rz, rr] =
            exec_.sum("cg start", all_,
                      StartDirection{r_.data(), preconditioner_.data(), constraints_.data(), mass_.data(), p_.data()});
        for (int iteration = 0; rr > limit; ++iteration) {
            if (iteration == settings_.max_iterations) return fail(report, "conjugate gradients did not converge");
            double const pq = product(tau_squared);  // q = A p
            double const alpha = rz / pq;            // alpha = r.z / p.q
            if (!(pq > 0) || !std::isfinite(alpha)) return fail(report, "the linear system is not finite");
            auto [rz_next, rr_next] =
                exec_.sum("cg advance", all_,
                          Advance{float(alpha), p_.data(), preconditioner_.data(), constraints_.data(), mass_.data(),
                                  u_.data(), r_.data(), q_.data()});
            exec_.for_each("cg direction", all_,
                           NextDirection{float(rz_next / rz), q_.data(), p_.data()});  // p = z + beta p
            rz = rz_next;
            rr = rr_next;
            ++report.cg_iterations;
        }
        if (!std::isfinite(rr)) fail(report, "the linear system is not finite");
    }

    static void fail(StepReport& report, char const* why) {
        report.converged = false;
        report.trouble = why;
    }

    void restore_contacts() {
        std::memcpy(static_cast<void*>(next_contacts_.data()), contacts_.data(), contacts_.size() * sizeof(Contact));
    }

    void finish(TimeScheme const& scheme) {
        exec_.for_each("finish", all_,
                       FinishStep{scheme, mass_.data(), u_free_.data(), r_.data(), next_contacts_.data(),
                                  constraints_.data(), u_.data(), x_.data(), x_low_.data(), v_.data(), last_v_.data(),
                                  last_u_.data(), acceleration_.data()});
        std::memcpy(static_cast<void*>(contacts_.data()), next_contacts_.data(), contacts_.size() * sizeof(Contact));
        last_dt_[0] = scheme.dt;
    }

    void flow(double dt) {
        for_each_material([&](BodyModel const& body, auto const& solid) {
            using Law = std::decay_t<decltype(solid)>;
            if constexpr (decltype(solid.plasticity)::flows) {
                exec_.max(
                    "plasticity", body.range, 0,
                    ReturnMap<BondView, Law>{bonds_.view(), solid, float(dt), x_.data(), x_low_.data(),
                                             A_inverse_.data(), Fp_inverse_.data(), alpha_.data(), flowed_.data()});
            }
        });
    }

    double measure() {
        double energy = 0;
        for_each_material([&](BodyModel const& body, auto const& solid) {
            using Law = std::decay_t<decltype(solid.elasticity)>;
            energy +=
                exec_.sum("measure", body.range,
                          Measure<BondView, Law>{bonds_.view(), solid.elasticity, frames(body), float(body.volume),
                                                 x_.data(), x_low_.data(), F_.data(), von_mises_.data()})[0];
        });
        return energy;
    }

    void allocate() {
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        last_dt_.resize(1);
    }

    void place_particles() {
        for (BodyModel const& body : model_.bodies) {
            Corotated const lame(body.parameters);
            double const k = settings_.zero_energy * body.parameters.young * body.volume /
                             (lattice_second_moment(settings_.radius) * body.spacing * body.spacing);
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                x_[i] = Vec4::from(cast<float>(model_.rest[i]));
                x_low_[i] = Vec4::from(cast<float>(model_.rest[i] - cast<double>(x_[i].xyz())));
                v_[i] = Vec4::from(cast<float>(model_.velocity[i]));
                mass_[i] = float(body.mass);
                contact_distance_[i] = float(0.5 * body.spacing);
                handles_[i] = model_.handles[i];
                Fp_inverse_[i] = Mat3f::identity();
                coefficients_[i] = {float(2 * lame.mu * body.volume), float(lame.lambda * body.volume), float(k)};
            }
            total_mass_ += body.mass * body.range.size();
            rounding_ += body.mass * body.range.size() * body.spacing * body.spacing;
        }
    }

    void measure_rest() {
        exec_.for_each("moments", all_, Moments<BondView>{bonds_.view(), A_inverse_.data(), offset_sum_.data()});
        exec_.for_each("diagonal", all_,
                       DiagonalBlock<BondView>{bonds_.view(), A_inverse_.data(), offset_sum_.data(),
                                               coefficients_.data(), diagonal_.data()});
    }

    // What a checkpoint holds: the rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("x", self.x_);
        visit("x_low", self.x_low_);
        visit("v", self.v_);
        visit("last_v", self.last_v_);
        visit("last_u", self.last_u_);
        visit("last_dt", self.last_dt_);
        visit("acceleration", self.acceleration_);
        visit("Fp_inverse", self.Fp_inverse_);
        visit("alpha", self.alpha_);
        visit("flowed", self.flowed_);
        visit("contacts", self.contacts_);
        visit("next_contacts", self.next_contacts_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.x_), visit(self.x_low_), visit(self.v_), visit(self.last_v_), visit(self.last_u_);
        visit(self.acceleration_), visit(self.u_free_), visit(self.u_), visit(self.r_), visit(self.p_), visit(self.q_);
        visit(self.T_), visit(self.B_), visit(self.A_inverse_), visit(self.offset_sum_);
        visit(self.coefficients_), visit(self.diagonal_), visit(self.preconditioner_), visit(self.mass_);
        visit(self.contact_distance_), visit(self.handles_), visit(self.contacts_), visit(self.next_contacts_);
        visit(self.constraints_), visit(self.Fp_inverse_), visit(self.alpha_), visit(self.flowed_), visit(self.F_);
        visit(self.von_mises_);
    }

    Exec exec_;
    Model model_;
    ImplicitSettings settings_;
    Range all_;
    Bonds bonds_;
    ContactScene contact_scene_{};
    double total_mass_ = 0, rounding_ = 0;

    // State: what the next step starts from.
    Array<Vec4> x_, x_low_, v_, last_v_, last_u_, acceleration_;
    Array<float> last_dt_;  // one entry
    Array<Mat3f> Fp_inverse_;
    Array<float> alpha_, flowed_;
    Array<Contact> contacts_, next_contacts_;
    // Constant while nothing flows.
    Array<Sym3f> A_inverse_, diagonal_;
    Array<Vec4> offset_sum_;
    Array<ElasticCoefficients> coefficients_;
    Array<float> mass_, contact_distance_;
    Array<std::uint32_t> handles_;
    // Scratch of a step.
    Array<Vec4> u_free_, u_, r_, p_, q_;
    Array<Columns> T_;
    Array<Mat3f> B_, F_;
    Array<Sym3f> preconditioner_;
    Array<Constraint> constraints_;
    Array<float> von_mises_;
};

}  // namespace

std::unique_ptr<Solver> make_implicit(Model model, ImplicitSettings const& settings, int threads) {
    return std::make_unique<Implicit<Cpu>>(std::move(model), settings, threads);
}

}  // namespace pliant
