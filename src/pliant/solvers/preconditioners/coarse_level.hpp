// The coarse level of the preconditioner (physics/coarse.hpp) on an executor: set up once, used in every iteration.
//
// A_c is computed with the matrix product itself, for the hats of one colour at a time: 375 products, whatever the size
// of the scene. So no second assembly has to agree with the first, and second-order gradients need no extra code. A_c
// holds for bodies at rest and the usual step; a shorter step only makes it slightly less useful. It follows from the
// scene, so a checkpoint does not contain it.
#pragma once

#include <pliant/exec/phases.hpp>
#include <pliant/solvers/preconditioners/coarse_grid.hpp>

namespace pliant {

template <class Exec>
class CoarseLevel {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    static constexpr bool has_levels = true;
    static constexpr bool spreads = true;

    CoarseLevel(Exec& exec, Model const& model, CoarseGrid grid)
        : exec_(exec), grid_(std::move(grid)), nodes_(grid_.node_count()), all_{0, Index(model.rest.size())} {
        std::vector<Index> first, blocks, pieces, first_piece;
        std::vector<HatEntry> entries;
        grid_.rows(first, entries);
        for (Index a = 0; a <= nodes_; ++a) blocks.push_back(a * nodes_);
        for (BodyModel const& body : model.bodies) {
            first_piece.push_back(Index(pieces.size()));
            for (Index i = body.range.begin; i < body.range.end; i += piece_size) pieces.push_back(i);
        }
        first_piece.push_back(Index(pieces.size()));
        pieces.push_back(all_.end);
        exec_.upload(hats_, grid_.hats()), exec_.upload(body_, grid_.bodies());
        exec_.upload(row_, first), exec_.upload(entries_, entries);
        exec_.upload(block_row_, blocks), exec_.upload(piece_row_, pieces), exec_.upload(first_piece_, first_piece);
        exec_.upload(arm_, CoarseGrid::arms(model));
        share_.resize(all_.size()), open_.resize(all_.size()), turn_.resize(model.bodies.size());
        y_.resize(nodes_), c_.resize(nodes_);
    }

    // A_c and its inverse, from products of the bodies at rest and free: q = (M + tau^2 K) p.
    template <class System>
    void set_up(System& system, float tau_squared) {
        system.linearize_at_rest();
        Vec4* const p = system.p.data();
        Vec4 const* const q = system.q.data();
        constexpr int n = CoarseGrid::colours_along;
        Array<std::uint8_t> colours;
        exec_.upload(colours, grid_.colours());
        for (int colour = 0; colour < n * n * n; ++colour)
            for (int axis = 0; axis < 3; ++axis) {
                exec_.for_each("coarse: form", all_, ColourDisplacement{hats_.data(), colours.data(), colour, axis, p});
                system.product(tau_squared);
                exec_.run(Join{"coarse: form", row_.data(), nodes_, RestrictEntry{entries_.data(), q}, y_.data()});
                grid_.take_column(colour, axis, exec_.on_host(y_));
            }
        exec_.upload(blocks_, grid_.inverse());
    }

    // Finds the rotation of each body since rest. What does not take part has no residual.
    void place(Vec4d const* place, Domain const& on) {
        on_ = on;
        if (on.listed()) exec_.fill(open_, Vec4::zero());
        exec_.join("coarse: turn", piece_row_.data(), Index(piece_row_.size() - 1), TurnMoment{place, arm_.data()},
                   moment_);
        exec_.for_each("coarse: turn", {0, Index(turn_.size())},
                       TurnOfBody{moment_.data(), first_piece_.data(), turn_.data()});
    }

    void form(SystemView const&) {}

    auto share(SystemView const& on) { return each_of("coarse: share", on_, CoarseShare{on, share_.data()}); }
    OpenResidual bring(SystemView const& on) {
        return {on.constraints, share_.data(), body_.data(), turn_.data(), on.r, open_.data()};
    }
    // c = A_c^-1 W^T open.
    auto correct(SystemView const&) {
        return sequence(
            Join{"coarse: restrict", row_.data(), nodes_, RestrictEntry{entries_.data(), open_.data()}, y_.data()},
            Join{"coarse: solve", block_row_.data(), nodes_, CoarseProduct{blocks_.data(), y_.data(), nodes_},
                 c_.data()});
    }
    Direction<CoarseCorrection> direction(SystemView const& on) {
        return {on, {share_.data(), hats_.data(), body_.data(), turn_.data(), c_.data()}};
    }

    std::uint64_t bytes() const {
        return hats_.bytes() + body_.bytes() + row_.bytes() + entries_.bytes() + block_row_.bytes() +
               piece_row_.bytes() + first_piece_.bytes() + arm_.bytes() + share_.bytes() + open_.bytes() + y_.bytes() +
               c_.bytes() + blocks_.bytes() + turn_.bytes() + moment_.bytes();
    }

private:
    static constexpr Index piece_size = 1024;  // particles whose moments one team sums

    Exec& exec_;
    CoarseGrid grid_;
    Index nodes_;
    Range all_;
    Domain on_{Range{}};  // of the step
    Array<Hats> hats_;
    Array<HatEntry> entries_;
    Array<Index> body_, row_, block_row_, piece_row_, first_piece_;
    Array<Vec4> arm_, open_;
    Array<float> share_;
    Array<VectorSum> y_, c_;
    Array<CoarseBlock> blocks_;
    Array<MatrixSum> moment_;
    Array<Mat3f> turn_;
};

}  // namespace pliant
