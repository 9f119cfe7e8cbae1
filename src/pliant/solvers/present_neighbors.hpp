// The neighbours of all particles where they are now, kept for as long as nothing can have come near.
//
// Lists hold while no two particles can have come nearer to each other by more than the margin. A body's common motion
// does not count: with D_i the way of a particle since the lists were made and c, m the middle and half the diagonal of
// the box of all D_i of a body, two particles of one body have approached by at most 2 m, and those of two bodies by
// m_a + m_b + |c_a - c_b|, of which the gap that was between them is free. A falling body keeps its lists.
#pragma once

#include <pliant/neighbors/near_lists.hpp>
#include <pliant/neighbors/near_sources.hpp>
#include <pliant/physics/gerszewski_forces.hpp>
#include <pliant/solvers/solver.hpp>

namespace pliant {

template <class Exec>
class PresentNeighbors {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = typename NearLists<Exec>::View;
    static constexpr double margin_in_spacings = 0.4;

    PresentNeighbors(Exec& exec, Model const& model, double radius, int wanted)
        : exec_(exec), n_(Index(model.rest.size())), wanted_(Index(wanted)) {
        std::vector<std::uint32_t> piece, body;
        std::vector<float> reach;
        std::vector<Index> first{0};
        std::uint32_t const welding = std::uint32_t(model.bodies.size());
        double smallest = 1e300;
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodyModel const& m = model.bodies[b];
            piece.insert(piece.end(), m.range.size(), m.parameters.weld ? welding : std::uint32_t(b));
            body.insert(body.end(), m.range.size(), std::uint32_t(b));
            reach.insert(reach.end(), m.range.size(), float(radius * m.spacing));
            widest_ = std::max(widest_, float(radius * m.spacing));
            smallest = std::min(smallest, m.spacing);
            others_ = others_ || piece.back() != piece.front();
            contact_.push_back({float(0.5 * m.spacing), float(m.parameters.young * m.spacing),
                                float(m.parameters.friction), float(m.mass)});
            for (Index i = m.range.begin; i < m.range.end;
                 i = first.back()) {  // one large body is not one piece of work
                first.push_back(std::min(i + 2048, m.range.end));
                body_of_part_.push_back(b);
            }
        }
        margin_ = float(margin_in_spacings * smallest);
        exec.upload(piece_, piece), exec.upload(body_, body), exec.upload(reach_, reach);
        exec.upload(first_of_part_, first), exec.upload(bodies_, contact_);
        cut_.resize(n_);
        box_.resize(model.bodies.size());
    }

    View near() const { return near_.view(); }
    View foreign() const { return foreign_.view(); }
    bool has_others() const { return others_; }
    std::uint32_t const* body() const { return body_.data(); }
    BodyContact const* bodies() const { return bodies_.data(); }
    Array<Vec4> const& made_at() const { return then_; }
    Array<Vec4>& made_at() { return then_; }
    Index size() const { return near_.size(); }
    int rebuilds() const { return rebuilds_; }

    // Lists for particles at x, which must be finite.
    void make(Array<Vec4> const& x) {
        exec_.copy(x.data(), n_, then_);
        make_again();
    }

    // The same for where they were last made: after a checkpoint was read.
    void make_again() {
        ++rebuilds_;
        Vec4 const* x = then_.data();
        box_ = boxes(PlaceOf{x});
        Box all = Box::nothing();
        for (Box const& b : box_) all.join(b);
        grid_.build(exec_, n_, widest_ + margin_, all, x);
        Range const range{0, n_};
        exec_.for_each("neighbors: cut", range,
                       CutNeighbors{grid_.view(), x, piece_.data(), reach_.data(), wanted_, margin_, cut_.data()});
        exec_.for_each("neighbors: cut", range, AttachCut{grid_.view().particles, cut_.data(), grid_.points()});
        near_.build(exec_, n_, NearInPiece{grid_.view(), x, piece_.data(), cut_.data()});
        if (others_)
            foreign_.build(exec_, n_,
                           NearOfOthers<BodyContact>{grid_.view(), x, piece_.data(), body_.data(), bodies_.data(),
                                                     0.5f * margin_});
    }

    enum class State { good, stale, lost };  // lost: something is no longer finite
    // Of the lists once particles have gone dt next from x.
    State after(Vec4 const* x, Vec4 const* next, float dt) {
        std::vector<Box> const gone = boxes(GoneSince{then_.data(), x, next, dt});
        State state = State::good;
        Box all = Box::nothing();
        for (Box const& g : gone) {
            if (!g.finite) return State::lost;
            if (2 * g.half_diagonal() > margin_) state = State::stale;
            all.join(g);
        }
        if (state == State::stale || gone.size() == 1) return state;
        if (gone.size() > 64)  // too many pairs to look at
            return 2 * all.half_diagonal() > margin_ ? State::stale : State::good;
        for (std::size_t a = 0; a < gone.size(); ++a)
            for (std::size_t b = a + 1; b < gone.size(); ++b) {
                float const nearer =
                    gone[a].half_diagonal() + gone[b].half_diagonal() + norm(gone[a].middle() - gone[b].middle());
                if (nearer > std::max(margin_, box_[a].gap(box_[b]) - widest_)) return State::stale;
            }
        return State::good;
    }

    // Deepest overlap of two bodies, in spacings.
    double overlap(Vec4 const* x) {
        if (!others_) return 0;
        return exec_.max("overlap", {0, n_}, 0, Overlap<View>{foreign_.view(), x, body_.data(), bodies_.data()});
    }

    std::uint64_t bytes() const {
        return grid_.bytes() + near_.bytes() + foreign_.bytes() + cut_.bytes() + then_.bytes() + reach_.bytes() +
               piece_.bytes() + body_.bytes();
    }

private:
    template <class Stage>
    std::vector<Box> boxes(Stage const& stage) {
        exec_.join("bounds", first_of_part_.data(), Index(body_of_part_.size()), stage, parts_);
        std::vector<Box> all(box_.size(), Box::nothing());
        auto const parts = exec_.on_host(parts_);
        for (std::size_t p = 0; p < parts.size(); ++p) all[body_of_part_[p]].join(parts[p]);
        return all;
    }

    Exec& exec_;
    Index n_, wanted_;
    float widest_ = 0, margin_ = 0;  // [m]
    bool others_ = false;
    int rebuilds_ = 0;
    std::vector<std::size_t> body_of_part_;
    std::vector<BodyContact> contact_;
    std::vector<Box> box_;  // of bodies when the lists were made
    Array<std::uint32_t> piece_, body_;
    Array<float> reach_, cut_;
    Array<BodyContact> bodies_;
    Array<Index> first_of_part_;
    Array<Box> parts_;
    Array<Vec4> then_;
    PresentGrid<Exec> grid_;
    NearLists<Exec> near_, foreign_;
};

}  // namespace pliant
