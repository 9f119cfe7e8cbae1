// Cloth on an executor: its fabric, forces, and the linear system of a step.
#pragma once

#include <pliant/physics/cloth_step.hpp>
#include <pliant/physics/conjugate_gradients.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/solvers/cloth/fabric.hpp>
#include <pliant/state/particle_contact.hpp>

namespace pliant {

// Which particles of a body do not touch each other. All are on the surface, which has no outside: rows are empty, so
// that a search finds no normals, and touches push towards the side where a particle is.
struct ClothNear : OneLane {
    Index const* row;
    Index const* near;

    ClothNear(Index const* of_row, Index const* of_near) : row(of_row), near(of_near) {}
    template <Index>
    ClothNear spread() const {
        return *this;
    }
    PLIANT_HD Index count(Index) const { return 0; }
    PLIANT_HD Index slot(Index, Index k) const { return k; }
    PLIANT_HD Index neighbor(Index slot) const { return near[slot]; }
    PLIANT_HD Vec4 weighted_offset(Index) const { return Vec4::zero(); }
    PLIANT_HD bool share_neighbor(Index, Index) const { return false; }
    PLIANT_HD bool bonded(Index i, Index j) const {
        Index low = row[i], high = row[i + 1];
        while (low < high) {
            Index const middle = low + (high - low) / 2;
            if (near[middle] < j)
                low = middle + 1;
            else
                high = middle;
        }
        return low < row[i + 1] && near[low] == j;
    }
};

template <class Exec>
class ClothBodies {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Array<Vec4d> place;  // x + u
    Array<Vec4> force;   // elastic, at `place` when it was last computed there [N]
    Array<Mat3f> blocks;
    Array<Sym3f> own;
    Array<float> inertia;

    ClothBodies(Exec& exec, Model const& model, Particles<Exec> const& particles)
        : exec_(exec), particles_(particles), all_(particles.owned()) {
        Fabric const fabric(model);
        exec.upload(triangles_, fabric.triangles), exec.upload(corner_row_, fabric.corner_row);
        exec.upload(corners_, fabric.corners), exec.upload(ring_row_, fabric.ring_row), exec.upload(ring_, fabric.ring);
        exec.upload(bend_row_, fabric.bend_row), exec.upload(bends_, fabric.bends);
        exec.upload(own_curve_, fabric.own_curve);
        exec.upload(near_row_, fabric.near_row), exec.upload(near_, fabric.near);
        rest_energy_ = fabric.rest_energy, curved_ = fabric.curved;
        std::vector<float> damping;
        for (BodyModel const& body : model.bodies) damping.push_back(float(body.parameters.damping));
        exec.upload(damping_, damping), exec.upload(share_, model.mass_share);
        Index const n = particles.stored_count();
        place.resize(n), force.resize(n), own.resize(n), inertia.resize(n), blocks.resize(ring_.size());
        if (curved_) normal_.resize(n);
    }

    ClothView view() const {
        return {.triangles = triangles_.data(),
                .corner_row = corner_row_.data(),
                .corners = corners_.data(),
                .ring_row = ring_row_.data(),
                .ring = ring_.data(),
                .bend_row = bend_row_.data(),
                .bends = bends_.data(),
                .own_curve = own_curve_.data(),
                .normal = curved_ ? normal_.data() : nullptr};
    }
    ClothSystem system(float dt) const {
        return {.cloth = view(),
                .blocks = blocks.data(),
                .own = own.data(),
                .inertia = inertia.data(),
                .damping = damping_.data(),
                .body = particles_.body.data(),
                .dt = dt};
    }
    ClothNear near() const { return {near_row_.data(), near_.data()}; }
    float const* share() const { return share_.size() > 0 ? share_.data() : nullptr; }
    std::uint64_t bend_count() const { return bends_.size(); }

    // Elastic forces of the particles `on`, and with them their stiffness.
    void linearize(Domain const& on) {
        find_normals(place.data());
        exec_.for_each("linearize", on, LinearizeCloth{view(), place.data(), force.data(), blocks.data(), own.data()});
    }
    void find_forces(Domain const& on) {
        find_normals(place.data());
        exec_.for_each("force", on, ClothForce{view(), place.data(), force.data()});
    }

    // Computes F and von Mises stress.
    void measure(Array<Mat3f>& F, Array<float>& von_mises) {
        Vec4d const* const x = particles_.x.data();
        find_normals(x);
        exec_.for_each("measure", all_, MeasureCloth{view(), x, F.data(), von_mises.data()});
    }
    // Of a body, at the positions that were measured last [J].
    double energy(std::size_t number, BodyModel const& body) {
        return rest_energy_[number] + exec_.sum("energy", body.range, ClothEnergy{view(), particles_.x.data()})[0];
    }

    std::uint64_t bytes() const {
        return place.bytes() + force.bytes() + blocks.bytes() + own.bytes() + inertia.bytes() + triangles_.bytes() +
               corner_row_.bytes() + corners_.bytes() + ring_row_.bytes() + ring_.bytes() + bend_row_.bytes() +
               bends_.bytes() + own_curve_.bytes() + near_row_.bytes() + near_.bytes() + damping_.bytes() +
               share_.bytes() + normal_.bytes();
    }

private:
    void find_normals(Vec4d const* at) {
        if (curved_) exec_.for_each("normals", all_, ClothNormal{view(), at, normal_.data()});
    }

    Exec& exec_;
    Particles<Exec> const& particles_;
    Range all_;
    Array<ClothTriangle> triangles_;
    Array<Index> corner_row_, ring_row_, ring_, bend_row_, near_row_, near_;
    Array<ClothCorner> corners_;
    Array<ClothBend> bends_;
    Array<float> own_curve_, damping_, share_;
    Array<Vec4d> normal_;
    std::vector<double> rest_energy_;  // per body [J]
    bool curved_ = false;
};

}  // namespace pliant
