// What handles and moving colliders can put into a scene, for limits on its energy (watch.hpp).
//
// A handle that pulls with a force does the work F dx, which follows from positions alone. A handle or collider that
// moves all through a frame does the work -(F . v + T . w) dt, with F and T the mean force and torque of the particles
// on it (contact/reactions.hpp), v and w its velocity and spin.
// Where that is not known, because the method does not measure it or because the velocity changes within the frame,
// energy that comes in counts as work only up to the most that such a drive can do, since it may also be an explosion:
// after a distance D, matter resists with Young's modulus times its strain over the largest face of the bodies' box, D
// E A (1 + D / L), with L the shortest side of that box; and the drive may throw off the whole mass M, at most at twice
// its speed w: 2 M w^2.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/scene/scene.hpp>

#include <optional>
#include <vector>

namespace pliant {

class Drives {
public:
    struct Matter {    // of all bodies at the start
        Vec3d size;    // of their box [m]
        double mass;   // [kg]
        double young;  // of the stiffest [Pa]
    };
    Drives(Scene const& scene, Frame const& start, Matter const& matter);

    double fastest() const { return fastest_; }  // of the movers [m/s]
    // Work of forces since the last call, or the start [J].
    double pulled(Frame const& frame);
    // Whether anything moves within the interval.
    bool move(double from, double until) const;
    // What movers have done in a frame that began at `from`, if that is known [J].
    std::optional<double> moved(Frame const& frame, double from) const;
    // The most that all movers together can have put in up to a time [J].
    double most_put_in(double time) const;

    // What it has recorded so far, as numbers of a checkpoint: visit(number) for each, always the same count.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit(self.last_time_);
        for (auto& pull : self.pulls_)
            for (int k = 0; k < 3; ++k) visit(pull.sum[k]);
    }

private:
    struct Pull {
        double from, until;  // [s]
        Vec3d force;         // on each of its particles [N]
        std::vector<std::uint32_t> particles;
        Vec3d sum;  // of their positions at the last call [m]
    };
    struct Mover {
        double from, until;  // [s]
        double speed;        // [m/s]
        Motion motion;
        std::size_t number;  // among the forces of a frame: colliders, then handles
    };
    std::vector<Pull> pulls_;
    std::vector<Mover> movers_;
    Matter matter_;
    double fastest_ = 0, last_time_ = 0;
    std::size_t reacting_ = 0;  // colliders and handles
};

}  // namespace pliant
