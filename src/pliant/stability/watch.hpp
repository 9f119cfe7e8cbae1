// When a run counts as stable, whatever the method. Checked frame by frame, so that an unstable run ends early.
//
// - Finite: all positions, velocities and energies are.
// - Bounded in energy: E = kinetic + elastic + potential never exceeds E(0) + W by more than a share of the scale S. W
//   is the work put in (drives.hpp): that of forces is measured, and that of colliders and handles that move wherever
//   the forces on them are known; elsewhere what energy gains or loses while they move counts as work as far as such a
//   drive can do it. The rest of the change must come from the method. S = K(0) + U(0) + M |g| H + what was put in so
//   far, with H the height of the bodies' box at the start, plus the energy of a strain of 1e-3 so that it is never
//   zero, or of what bodies overlap at the start, in spacings. (Comparing with energies of the run itself was rejected:
//   a bad run would move its own limit.)
// - Bounded in speed: no particle is faster than a multiple of v = sqrt(v(0)^2 + (|g| t)^2 + 2 S / M_least + v_drive^2
//   + (c / 100)^2), with v(0) the fastest at the start, M_least the lightest body, v_drive the fastest collider or
//   handle and c the fastest speed of sound sqrt(E / rho).
// - Bounded in space: no particle is farther from its start than the diagonal of the bodies' box + 2 v t (`distance`).
// - Free of penetration: below a share of a spacing, or no deeper than at the start.
// - At the step it claims: a step that had to be halved and repeated was not stable.
#pragma once

#include <pliant/stability/drives.hpp>

#include <string>
#include <vector>

namespace pliant {

struct StabilityLimits {
    double energy = 0.05;      // share of the scale S
    double speed = 10;         // times v
    double penetration = 0.5;  // [spacings]; at 0.5 the centre of a particle is on the surface
    double distance = 2;       // times v t
    double least_strain = 1e-3;

    // For runs that are not compared: only bodies that have come apart exceed these, however violent the scene.
    static StabilityLimits of_runs() { return {10, 30, 1e300, 30, 0.03}; }
};

class StabilityWatch {
public:
    // `start` is frame 0, `bodies` those of its summary.
    StabilityWatch(Scene const& scene, Frame const& start, std::vector<BodySummary> const& bodies,
                   StabilityLimits const& limits);

    // Examines the next frame; `halvings` counts all so far. Returns nothing, or the first violation: "the energy grew
    // by 12 %, more than 5 %".
    std::string look(Frame const& frame, std::uint64_t halvings);

    double time() const { return last_time_; }  // of the last frame examined [s]
    // Over the frames so far, as shares of S.
    double energy_drift() const;                     // (E - E(0) - W) / S: lost (below 0) or created by the method
    double energy_growth() const;                    // the largest rise of E - W above an earlier value
    double penetration() const { return deepest_; }  // the deepest so far [spacings]

    // What it has recorded so far, for a watch of the same scene that continues from there.
    Checkpoint::Array stored() const;
    void load(Checkpoint const& checkpoint);  // throws InputError when it holds none

private:
    void take_energy(Frame const& frame);
    std::string trouble_with(Frame const& frame, std::uint64_t halvings) const;
    std::string trouble_with_motion(Frame const& frame) const;
    double reference_speed(double time) const;
    double scale() const { return start_scale_ + put_in_; }
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit(self.last_time_), visit(self.last_energy_), visit(self.work_), visit(self.put_in_);
        visit(self.moved_in_), visit(self.lowest_), visit(self.growth_), visit(self.deepest_);
        Drives::for_each_stored(visit, self.drives_);
    }

    StabilityLimits limits_;
    Drives drives_;
    std::vector<Vec3f> start_;                   // positions [m]
    double size_ = 0;                            // diagonal of the box [m]
    double start_speed_squared_ = 0;             // v^2 without gravity's and the scale's part
    double gravity_ = 0;                         // [m/s2]
    double least_mass_ = 0;                      // [kg]
    double start_penetration_ = 0;               // [spacings]
    double start_energy_ = 0, start_scale_ = 0;  // [J]
    double last_time_ = 0, last_energy_ = 0;     // of the last frame examined
    double work_ = 0, put_in_ = 0;               // W, and the positive part of it alone [J]
    double moved_in_ = 0;                        // the part of W done by movers [J]
    double lowest_ = 0, growth_ = 0;             // of E - W [J]
    double deepest_ = 0;
};

}  // namespace pliant
