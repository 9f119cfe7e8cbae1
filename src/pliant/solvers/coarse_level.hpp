// The coarse level of the preconditioner on an executor: set up once, used in every iteration (physics/coarse.hpp).
//
// A_c comes from the product itself, with hats of one colour at a time: 375 products whatever the size of the scene, so
// that no second assembly has to agree with the first, and second-order gradients cost nothing here. It holds for the
// body at rest and the usual step; a shorter step only makes it a little less useful. Nothing of it goes into a
// checkpoint: it follows from the scene.
#pragma once

#include <pliant/exec/phases.hpp>
#include <pliant/solvers/coarse_grid.hpp>

namespace pliant {

template <class Exec>
class CoarseLevel {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    CoarseLevel(Exec& exec, Model const& model, CoarseUse use, double radius, double tau)
        : exec_(exec), grid_(model, use, radius, tau), nodes_(grid_.node_count()), all_{0, Index(model.rest.size())} {
        if (!active()) return;
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

    bool active() const { return nodes_ > 0; }

    // A_c and its inverse. product() has to leave q = (M + tau^2 K) p, at rest and free.
    template <class Product>
    void form(Vec4* p, Vec4 const* q, Product const& product) {
        constexpr int n = CoarseGrid::colours_along;
        Array<std::uint8_t> colours;
        exec_.upload(colours, grid_.colours());
        for (int colour = 0; colour < n * n * n; ++colour)
            for (int axis = 0; axis < 3; ++axis) {
                exec_.for_each("coarse: form", all_, ColourDisplacement{hats_.data(), colours.data(), colour, axis, p});
                product();
                exec_.run(Join{"coarse: form", row_.data(), nodes_, RestrictEntry{entries_.data(), q}, y_.data()});
                grid_.take_column(colour, axis, exec_.on_host(y_));
            }
        exec_.upload(blocks_, grid_.inverse());
    }

    // Once a step: how the bodies have turned.
    void turn(Vec4d const* place) {
        exec_.join("coarse: turn", piece_row_.data(), Index(piece_row_.size() - 1), TurnMoment{place, arm_.data()},
                   moment_);
        exec_.for_each("coarse: turn", {0, Index(turn_.size())},
                       TurnOfBody{moment_.data(), first_piece_.data(), turn_.data()});
    }

    // Once a solve: how much of a particle the coarse level moves.
    Each<CoarseShare> share(Sym3f const* preconditioner, Sym3f const* diagonal, Constraint const* constraints,
                            float const* mass, float tau_squared) {
        return {"coarse: share", all_, {preconditioner, diagonal, constraints, mass, tau_squared, share_.data()}};
    }

    // c = A_c^-1 W^T open in two phases, between OpenResidual (or AdvanceOpen) and CoarseDirection.
    Join<RestrictEntry, VectorSum> restriction() {
        return {"coarse: restrict", row_.data(), nodes_, {entries_.data(), open_.data()}, y_.data()};
    }
    Join<CoarseProduct, VectorSum> solution() {
        return {"coarse: solve", block_row_.data(), nodes_, {blocks_.data(), y_.data(), nodes_}, c_.data()};
    }

    OpenResidual open(Constraint const* constraints, Vec4 const* r) {
        return {constraints, share_.data(), body_.data(), turn_.data(), r, open_.data()};
    }
    CoarseDirection direction(Sym3f const* preconditioner, Constraint const* constraints, float const* mass,
                              Vec4 const* r, Vec4* z) {
        return {preconditioner, constraints, mass, share_.data(), hats_.data(), body_.data(), turn_.data(),
                c_.data(),      r,           z};
    }

    std::uint64_t bytes() const {
        return hats_.bytes() + body_.bytes() + row_.bytes() + entries_.bytes() + block_row_.bytes() +
               piece_row_.bytes() + first_piece_.bytes() + arm_.bytes() + share_.bytes() + open_.bytes() + y_.bytes() +
               c_.bytes() + blocks_.bytes() + turn_.bytes() + moment_.bytes();
    }

private:
    static constexpr Index piece_size = 1024;  // particles whose moments are summed by one team

    Exec& exec_;
    CoarseGrid grid_;
    Index nodes_;
    Range all_;
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
