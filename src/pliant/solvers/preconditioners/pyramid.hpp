// The levels of physics/pyramid.hpp on an executor: rebuilt in every step, used in every iteration, and not part of a
// checkpoint.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/exec/lanes.hpp>
#include <pliant/exec/phases.hpp>
#include <pliant/materials/moduli.hpp>
#include <pliant/physics/pyramid.hpp>
#include <pliant/solvers/preconditioners/coarse_use.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

// The cell width of the finest level and the distance waves travel in a step, for the bodies that gain from levels.
struct PyramidReach {
    double cell = 0, wave = 0;  // [m]; cell = 0: no body gains from levels

    // worth_it: whether bodies may get levels automatically, without the scene asking for them.
    static PyramidReach of(Model const& model, CoarseUse use, double tau, bool worth_it) {
        PyramidReach reach;
        for (BodyModel const& body : model.bodies) {
            double const wave = tau * bar_speed(body.parameters);
            bool const gains = worth_it && body.range.size() >= fewest_particles && wave > stiff_from * body.spacing;
            if (use == CoarseUse::off || (use == CoarseUse::automatic && !gains)) continue;
            reach.wave = std::max(reach.wave, wave);
            reach.cell = std::max(reach.cell, cell_in_spacings * body.spacing);
        }
        return reach;
    }

private:
    static constexpr double cell_in_spacings = 3;  // of the finest level; 2 and 4 need as many iterations
    // Spacings that waves cross per step. At 4.6 a million plastic particles needed a quarter fewer iterations, each
    // longer by as much; at 18 half as many.
    static constexpr double stiff_from = 8;
    static constexpr Index fewest_particles = 1000;
};

template <class Exec>
class Pyramid {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using CornerLanes = Lanes<(Exec::slice > 1) ? 8 : 1>;

public:
    static constexpr bool has_levels = true;
    static constexpr bool spreads = false;  // only used for bodies of many particles

    // Not for few particles on a GPU, where the number of kernels determines the time of an iteration.
    static bool worth_it(Model const& model) {
        if constexpr (Exec::slice > 1)
            return model.rest.size() >= Exec::few_particles;
        else
            return true;
    }

    Pyramid(Exec& exec, Model const& model, PyramidReach const& reach)
        : exec_(exec), all_{0, Index(model.rest.size())}, cell_(reach.cell), reach_(reach.wave) {
        lay_grids(model);
        cell_of_.resize(all_.size()), within_.resize(all_.size()), share_.resize(all_.size());
        flag_.resize(grids_[0].size()), slot_.resize(grids_[0].size()), has_particles_.resize(node_count_);
        y_.resize(node_count_), inverse_.resize(node_count_), matter_.resize(node_count_);
    }

    template <class System>
    void set_up(System&, float) {}

    // Sorts the particles that take part into cells, and lists the nodes that have particles.
    void place(Vec4d const* place, Domain const& on) {
        on_ = on;
        if (on.listed()) exec_.fill(cell_of_, grids_[0].size());
        FoldedGrid const grid = grids_[0];
        Range const cells{0, grid.size()};
        exec_.for_each("levels: place", on_, PlaceInCells{place, 1 / cell_, grid, cell_of_.data(), within_.data()});
        exec_.group("levels: place", cell_of_, grid.size(), row_, order_);
        exec_.for_each("levels: place", cells, FlagFilled{row_.data(), has_particles_.data(), slot_.data()});
        exec_.select("levels: place", cells, has_particles_.data(), filled_);
        corners_.remake(8 * filled_.size());
        exec_.for_each("levels: place", filled(), NumberFilled{filled_.data(), slot_.data()});
        for (int l = 0; l < levels_; ++l) {
            std::uint8_t* const here = has_particles_.data() + first_[l];
            Range const all{0, grids_[l].size()};
            if (l > 0)
                exec_.for_each("levels: place", all,
                               FlagWider{grids_[l - 1], grids_[l], has_particles_.data() + first_[l - 1], here});
            exec_.for_each("levels: place", all, FlagNodes{grids_[l], here, flag_.data()});
            exec_.select("levels: place", all, flag_.data(), nodes_[l]);
        }
        exec_.fill(y_, Vec4::zero()), exec_.fill(matter_, CellMatter::nothing());
    }

    // Forms the inverses of the nodes, with the shares that particles have before contacts are checked.
    void form(SystemView const& on) {
        MatterOfCell const matter{row_.data(), order_.data(), on.mass, share_.data(), on.coefficients, matter_.data()};
        exec_.run(sequence(share(on), each_of("levels: matter", IndexList{filled_.data(), filled().size()}, matter),
                           wider_matter(1), wider_matter(2), wider_matter(3), wider_matter(4),
                           inverses(0, on.tau_squared), inverses(1, on.tau_squared), inverses(2, on.tau_squared),
                           inverses(3, on.tau_squared), inverses(4, on.tau_squared)));
    }

    // Restriction and interpolation use the same share, so it may differ from the one that nodes were formed with.
    // Forming nodes anew in every round saves no iterations and takes a third of the time of a round's start.
    auto share(SystemView const& on) { return each_of("levels: share", on_, CoarseShare{on, share_.data()}); }
    SharedResidual bring(SystemView const& on) { return {on.constraints, share_.data(), within_.data(), on.r, on.z}; }
    // From the finest level to the coarsest and back.
    auto correct(SystemView const& on) {
        CornersOfCell<CornerLanes> const corners{row_.data(), order_.data(), filled_.data(), on.z, corners_.data()};
        RestrictToNode const finest{grids_[0], slot_.data(), corners_.data(), y_.data()};
        return sequence(Each{"levels: corners", filled(), corners}, listed("levels: restrict", 0, finest),
                        restrict_to(1), restrict_to(2), restrict_to(3), restrict_to(4), descend(4), descend(3),
                        descend(2), descend(1), descend(0));
    }
    Direction<PyramidCorrection> direction(SystemView const& on) {
        return {on, {share_.data(), grids_[0], cell_of_.data(), within_.data(), y_.data()}};
    }

    std::uint64_t bytes() const {
        std::uint64_t lists = 0;
        for (auto const& nodes : nodes_) lists += nodes.bytes();
        return lists + has_particles_.bytes() + cell_of_.bytes() + row_.bytes() + order_.bytes() + filled_.bytes() +
               slot_.bytes() + flag_.bytes() + within_.bytes() + corners_.bytes() + y_.bytes() + share_.bytes() +
               matter_.bytes() + inverse_.bytes();
    }

private:
    static constexpr int most_levels = 5;

    // Adds levels until cells are wider than the reach of waves, in a box with some room around all bodies that holds
    // at least two of the widest cells.
    void lay_grids(Model const& model) {
        while (levels_ < most_levels && cell_ * (1 << levels_) < 2 * reach_) ++levels_;
        Vec3d low = model.rest[0], high = low;
        for (Vec3d x : model.rest)
            for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
        for (int a = 0; a < 3; ++a) {
            double const cells = std::clamp(1.2 * (high[a] - low[a]) / cell_, 1., 256.);
            grids_[0].bits[a] = std::max(levels_, int(std::ceil(std::log2(cells))));
        }
        for (int l = 0; l < levels_; ++l) {
            if (l > 0) grids_[l] = grids_[l - 1].coarser();
            first_[l] = node_count_, node_count_ += grids_[l].size();
        }
    }

    Range filled() const { return {0, Index(filled_.size())}; }
    // A stage that runs over the nodes of a level that have particles; over nothing if the level does not exist.
    template <class Stage>
    Each<Listed<Stage>> listed(char const* name, int l, Stage const& stage) const {
        return each_of(name, IndexList{nodes_[l].data(), Index(nodes_[l].size())}, stage);
    }

    Each<MatterOfWiderCell> wider_matter(int l) {
        return {"levels: matter",
                {0, l < levels_ ? grids_[l].size() : 0},
                {grids_[l - 1], grids_[l], matter_.data() + first_[l - 1], matter_.data() + first_[l]}};
    }
    auto inverses(int l, float tau_squared) {
        float const inverse_cell = float(1 / (cell_ * (1 << l)));
        return listed("levels: inverse", l,
                      InverseOfNode{grids_[l], matter_.data() + first_[l], tau_squared, inverse_cell,
                                    inverse_.data() + first_[l]});
    }
    auto restrict_to(int l) {
        return listed("levels: restrict", l,
                      RestrictToWider{grids_[l - 1], grids_[l], y_.data() + first_[l - 1], y_.data() + first_[l]});
    }
    auto descend(int l) {
        Vec4 const* const wider = l + 1 < levels_ ? y_.data() + first_[l + 1] : nullptr;
        return listed("levels: correct", l,
                      CorrectNode{grids_[l], inverse_.data() + first_[l], wider, y_.data() + first_[l]});
    }

    Exec& exec_;
    Range all_;
    Domain on_{Range{}};           // of the step
    double cell_ = 0, reach_ = 0;  // cell width of the finest level, distance waves travel in a step [m]
    int levels_ = 1;
    Index node_count_ = 0;
    std::array<FoldedGrid, most_levels + 1> grids_;
    std::array<Index, most_levels + 1> first_{};   // first node of each level
    Array<Index> cell_of_, row_, order_;           // particles sorted by cell
    Array<Index> filled_, slot_;                   // cells that have particles
    std::array<Array<Index>, most_levels> nodes_;  // per level: those that have particles
    Array<std::uint8_t> has_particles_, flag_;     // cells of all levels; nodes of one level
    Array<WithinCell> within_;
    Array<Vec4> corners_, y_;
    Array<float> share_;
    Array<CellMatter> matter_;
    Array<Sym3f> inverse_;
};

}  // namespace pliant
