// Collisions of two layers of particles (contact/layers.hpp) over a step: which particles they are, the pairs of them
// that may meet, and the passes between sweeps.
#pragma once

#include <pliant/contact/layers.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/grid_for.hpp>
#include <pliant/neighbors/near_lists.hpp>
#include <pliant/physics/refresh.hpp>
#include <pliant/state/particles.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class LayerContact {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Near = typename NearLists<Exec>::View;

public:
    // Lists reach so far beyond contact, in contact distances, and serve until a particle has moved by less than half
    // of it.
    static constexpr float margin = 0.5f;
    static constexpr double most_moved = 0.2;  // in spacings

    LayerContact(Exec& exec, Model const& model, Particles<Exec> const& particles)
        : exec_(exec), model_(model), particles_(particles) {
        penetration_.resize(1);
        exec_.fill(penetration_, 0.);
    }

    // Finds the two layers; again when bonds have changed.
    template <class Bonds>
    void find_layers(Bonds const& bonds, float const* growth, double radius) {
        Index const n = Index(model_.rest.size());
        if (rest_.size() == 0) upload();
        double const threshold = 0.5 * (lattice_weight_beneath(radius, 0) + lattice_weight_beneath(radius, 1));
        on_surface_.resize(n), collides_.resize(n);
        exec_.for_each("layers: find", {0, n}, MarkSurface<Bonds>{bonds, threshold, growth, on_surface_.data()});
        exec_.for_each("layers: find", {0, n},
                       MarkLayers<Bonds>{bonds, on_surface_.data(), particles_.distance.data(), collides_.data()});
        exec_.select("layers: find", {0, n}, collides_.data(), members_);
    }

    // Lists the pairs that may meet near `place`.
    template <class Bonds>
    void list(Bonds const& bonds, Array<Vec4d> const& place, Grips grips) {
        double widest = 0;
        for (BodyModel const& body : model_.bodies) widest = std::max(widest, body.spacing);
        grid_.build(exec_, all(), (1 + 1e-6) * (1 + double(margin)) * widest,
                    MemberPlace{place.data(), members_.data()});
        using Grid = typename GridFor<Exec>::View;
        near_.build(exec_, Index(model_.rest.size()),
                    NearInLayers<Grid, Bonds>{grid_.view(), members_.data(), collides_.data(), bodies(), bonds, grips,
                                              place.data(), margin});
        push_.remake(near_.size()), hold_.remake(near_.size());
    }

    bool empty() const { return near_.size() == 0; }
    std::size_t members() const { return members_.size(); }

    // Before the sweeps of a step.
    void forget_pushes() {
        if (empty()) return;
        exec_.fill(push_, 0.f);
        exec_.fill(hold_, Vec4::zero());
    }

    struct MovingParticles {  // of a sweep
        Vec4d const* x;
        Vec4d *place, *y;
        Vec4* u;
    };
    void push_open(Grips grips, MovingParticles const& moving) {
        if (empty()) return;
        LayerPairs<Near> const pairs{near_.view(),           bodies(),    materials_.data(), grips,
                                     particles_.mass.data(), moving.x,    moving.place,      moving.u,
                                     push_.data(),           hold_.data()};
        exec_.for_each("layers: count", all(), CountPressing<Near>{members_.data(), pairs, pressing_.data()});
        exec_.for_each("layers: push", all(), PushLayers<Near>{members_.data(), pairs, pressing_.data(), by_.data()});
        exec_.for_each("layers: move", all(),
                       MoveLayers{members_.data(), grips, by_.data(), moving.place, moving.y, moving.u});
    }

    // At the end of a frame: how deep particles lie in other bodies.
    void measure(Vec4d const* place) {
        if (empty()) return;
        exec_.max_to("layers: overlap", all(), 0, LayerOverlap<Near>{members_.data(), near_.view(), bodies(), place},
                     penetration_.data());
    }
    double penetration() const { return exec_.on_host(penetration_)[0]; }  // [spacings]

    std::uint64_t bytes() const {
        return rest_.bytes() + on_surface_.bytes() + collides_.bytes() + members_.bytes() + near_.bytes() +
               push_.bytes() + hold_.bytes() + pressing_.bytes() + by_.bytes();
    }

private:
    Range all() const { return {0, Index(members_.size())}; }
    LayerBodies bodies() const {
        return {particles_.distance.data(), particles_.body.data(), rest_.data(), welds_.data(), meets_itself_.data()};
    }

    void upload() {
        std::vector<Vec4> rest;
        for (Vec3d const& X : model_.rest) rest.push_back(Vec4::from(cast<float>(X)));
        std::vector<std::uint8_t> welds, meets_itself;
        std::vector<TouchBody> materials;
        for (BodyModel const& body : model_.bodies) {
            welds.push_back(body.parameters.weld ? 1 : 0);
            meets_itself.push_back(body.self_contact ? 1 : 0);
            materials.push_back({body.parameters.young * body.spacing, body.mass, body.parameters.friction});
        }
        exec_.upload(rest_, rest), exec_.upload(welds_, welds), exec_.upload(meets_itself_, meets_itself);
        exec_.upload(materials_, materials);
        pressing_.resize(model_.rest.size()), by_.resize(model_.rest.size());
    }

    Exec& exec_;
    Model const& model_;
    Particles<Exec> const& particles_;
    // Constant.
    Array<Vec4> rest_;  // [m]
    Array<std::uint8_t> welds_, meets_itself_;
    Array<TouchBody> materials_;
    // The layers, and pairs.
    Array<std::uint8_t> on_surface_, collides_;
    Array<Index> members_;
    GridFor<Exec> grid_;
    NearLists<Exec> near_;
    // Of a step.
    Array<float> push_, pressing_;
    Array<Vec4> hold_, by_;
    Array<double> penetration_;  // a single entry
};

}  // namespace pliant
