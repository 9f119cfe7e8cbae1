// The neighbours of all particles at their current positions, kept until unlisted particles may have come near.
//
// Lists are valid while no two particles can have approached each other by more than the margin. Common motion does not
// count. Bodies are divided into parts, which are compact because particles are ordered along a space-filling curve.
// Let a part's box be the bounding box of the displacements D_i of its particles since the lists were made: then two
// particles of one part have approached by at most the diagonal of its box, and particles of two parts by at most the
// largest distance between points of their boxes, of which the original gap between the parts is harmless. A falling
// body keeps its lists, and a rotating or squeezed one keeps them as long as its parts hardly change. (With boxes of
// whole bodies a falling armadillo rebuilt its lists 443 times, with parts 352 times.)
//
// This is a bound, and a few fast particles of a splash exceed it in every step, mostly while they fly apart. If only a
// small share of the particles exceeds it, these search around themselves: the lists stay as long as no unlisted
// particle has really come too near. That costs a tenth of rebuilding the lists.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/neighbors/near_lists.hpp>
#include <pliant/neighbors/near_sources.hpp>

#include <algorithm>

namespace pliant {

// BodyContact: what the forces between bodies need to know of a body. Only its `distance` is used here, half a spacing
// [m]: particles of two bodies touch at the sum of their distances.
template <class Exec, class BodyContact>
class PresentNeighbors {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = typename NearLists<Exec>::View;
    static constexpr double margin_in_spacings = 0.4;

    PresentNeighbors(Exec& exec, Model const& model, std::vector<BodyContact> contact, double radius, int wanted)
        : exec_(exec), n_(Index(model.rest.size())), wanted_(Index(wanted)), contact_(std::move(contact)) {
        std::vector<std::uint32_t> piece, body;
        std::vector<float> reach;
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
        }
        first_ = parts_of(model);
        parts_count_ = Index(first_.size() - 1);
        std::vector<std::uint32_t> part;
        for (Index p = 0; p < parts_count_; ++p) part.insert(part.end(), first_[p + 1] - first_[p], p);
        margin_ = float(margin_in_spacings * smallest);
        exec.upload(piece_, piece), exec.upload(body_, body), exec.upload(reach_, reach);
        exec.upload(first_of_part_, first_), exec.upload(bodies_, contact_), exec.upload(part_, part);
        cut_.resize(n_);
    }

    View near() const { return near_.view(); }
    View foreign() const { return foreign_.view(); }
    bool has_others() const { return others_; }
    std::uint32_t const* body() const { return body_.data(); }
    BodyContact const* bodies() const { return bodies_.data(); }
    Array<Vec4> const& made_at() const { return then_; }
    Array<Vec4>& made_at() { return then_; }
    Index size() const { return near_.size(); }

    // Makes the lists for particles at x, which must be finite.
    void make(Array<Vec4> const& x) {
        exec_.copy(x.data(), n_, then_);
        make_again();
    }

    // The same for the positions at which they were last made, after reading a checkpoint.
    void make_again() {
        Vec4 const* x = then_.data();
        std::vector<Box> const box = boxes(PlaceOf{x});
        if (box.size() <= most_parts_at_once) gap_.resize(box.size() * box.size());
        for (std::size_t a = 0; a < box.size() && !gap_.empty(); ++a)
            for (std::size_t b = a + 1; b < box.size(); ++b) gap_[a * box.size() + b] = box[a].gap(box[b]);
        build_grid(box, x);
        auto const squared = [](float a) { return a * a * (1 + 1e-6f); };  // includes what lies on the rim
        Range const range{0, n_};
        float const widest = squared(reach_of_cuts());
        std::uint32_t const* const piece = others_ ? piece_.data() : nullptr;
        NearFound const found = room_for_found();
        exec_.for_each("neighbors: cut", range,
                       CutNeighbors{.grid = grid_.view(),
                                    .x = x,
                                    .piece = piece,
                                    .reach = reach_.data(),
                                    .wanted = wanted_,
                                    .margin = margin_,
                                    .widest = widest,
                                    .cut = cut_.data(),
                                    .found = found});
        exec_.for_each("neighbors: cut", range, AttachCut{grid_.view().particles, cut_.data(), grid_.points()});
        near_.build(exec_, n_, NearInPiece{grid_.view(), x, piece, widest, cut_.data(), found});
        if (others_)
            foreign_.build(exec_, n_,
                           NearOfOthers<BodyContact>{grid_.view(), x, piece_.data(), body_.data(), bodies_.data(),
                                                     margin_, squared(reach_of_touch())});
    }

    enum class State { good, doubtful, stale, lost };  // lost: something is no longer finite
    // The state of the lists after particles have moved by dt next from x. If doubtful, hold() decides.
    State after(Vec4 const* x, Vec4 const* next, float dt) {
        std::vector<Box> const gone = boxes(GoneSince{then_.data(), x, next, dt});
        Box all = Box::nothing();
        for (Box const& g : gone) {
            if (!g.finite) return State::lost;
            all.join(g);
        }
        if (2 * all.half_diagonal() <= margin_) return State::good;  // by far the most frequent case in flight
        if (gone.size() > most_parts_at_once) return State::stale;
        find_doubts(gone);
        Index particles = 0;
        for (std::size_t a = 0; a < gone.size(); ++a) particles += doubts_[a] * (first_[a + 1] - first_[a]);
        if (particles == 0) return State::good;
        return float(particles) > most_doubtful * float(n_) ? State::stale : State::doubtful;
    }

    // Whether the lists are still valid with particles at x, if the last after() was doubtful.
    bool hold(Vec4 const* x) {
        build_grid(boxes(PlaceOf{x}), x);
        exec_.upload(doubtful_, doubts_);
        float const reach = std::max(reach_of_cuts() - margin_, others_ ? reach_of_touch() - margin_ : 0.f);
        return exec_.max("neighbors: look", {0, n_}, 0,
                         MissesNeighbor<View, BodyContact>{.grid = grid_.view(),
                                                           .near = near_.view(),
                                                           .foreign = foreign_.view(),
                                                           .x = x,
                                                           .part = part_.data(),
                                                           .piece = others_ ? piece_.data() : nullptr,
                                                           .body = body_.data(),
                                                           .doubtful = doubtful_.data(),
                                                           .bodies = bodies_.data(),
                                                           .cut = cut_.data(),
                                                           .margin = margin_,
                                                           .widest = reach * reach}) == 0;
    }

    std::uint64_t bytes() const {
        return grid_.bytes() + near_.bytes() + foreign_.bytes() + cut_.bytes() + then_.bytes() + reach_.bytes() +
               piece_.bytes() + body_.bytes() + part_.bytes() + found_count_.bytes() + found_particle_.bytes() +
               found_squared_.bytes();
    }

private:
    static constexpr std::size_t most_parts_at_once = 768;  // checking all pairs of more parts takes too long
    static constexpr float most_doubtful = 0.3f;            // share of particles; above it new lists cost less

    // The first particle of each part. A part ends when the next particle would make its box too wide. This also
    // happens when the curve jumps from limb to limb, which need not move alike.
    static std::vector<Index> parts_of(Model const& model) {
        std::size_t const wanted = most_parts_at_once / 2 + model.bodies.size();
        for (double width = 4;; width *= 1.25) {
            std::vector<Index> first{0};
            for (BodyModel const& body : model.bodies) {
                Box box = Box::nothing();
                for (Index i = body.range.begin; i < body.range.end; ++i) {
                    Box const point = Box::around(cast<float>(model.rest[i]));
                    Box both = box;
                    both.join(point);
                    Vec3f const size = both.high - both.low;
                    bool const fits = std::max({size.x, size.y, size.z}) < width * body.spacing;
                    if (!fits) first.push_back(i);
                    box = fits ? both : point;
                }
                first.push_back(body.range.end);
            }
            if (first.size() <= wanted + 1) return first;
        }
    }

    // Marks parts whose particles may have come too near to each other or to those of another part. Of two parts, one
    // is enough: its particles search for those of the other.
    void find_doubts(std::vector<Box> const& gone) {
        std::size_t const count = gone.size();
        doubts_.assign(count, 0);
        Box calm = Box::nothing();
        for (std::size_t a = 0; a < count; ++a) {
            doubts_[a] = 2 * gone[a].half_diagonal() > margin_;
            if (!doubts_[a]) calm.join(gone[a]);
        }
        float const far = widest_ + 2 * calm.half_diagonal();
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count && !doubts_[a]; ++b) {
                float const gap = gap_[a * count + b];
                if (gap >= far || doubts_[b]) continue;
                float const nearer = norm(gone[a].farthest(gone[b]));
                if (nearer > margin_ && nearer > gap - widest_) doubts_[a] = 1;
            }
    }

    void build_grid(std::vector<Box> const& parts, Vec4 const* x) {
        grid_.build(exec_, n_, std::max(reach_of_cuts(), others_ ? reach_of_touch() : 0.f), parts, x);
    }

    // If all neighbours within the kernel are wanted, lists reach beyond it by the margin; other pieces are listed up
    // to the distance at which they touch, plus the margin.
    float reach_of_cuts() const { return widest_ + (wanted_ == 0 ? margin_ : 0.f); }
    float reach_of_touch() const {
        float touch = 0;
        for (BodyContact const& body : contact_) touch = std::max(touch, 2 * body.distance + margin_);
        return touch;
    }

    // Room for twice as many as wanted. If all neighbours are wanted, rows would be too long, and the grid is searched
    // twice.
    NearFound room_for_found() {
        if (Exec::slice != 1 || wanted_ == 0) return {};
        Index const room = (2 * wanted_ + NearFound::spare + 15) / 16 * 16;
        found_count_.remake(n_), found_particle_.remake(std::size_t(n_) * room);
        found_squared_.remake(std::size_t(n_) * room);
        return {room, found_count_.data(), found_particle_.data(), found_squared_.data()};
    }

    template <class Stage>
    std::vector<Box> boxes(Stage const& stage) {
        exec_.join("bounds", first_of_part_.data(), parts_count_, stage, parts_);
        auto const parts = exec_.on_host(parts_);
        return {parts.begin(), parts.end()};
    }

    Exec& exec_;
    Index n_, wanted_, parts_count_ = 0;
    float widest_ = 0, margin_ = 0;  // [m]
    bool others_ = false;
    std::vector<BodyContact> contact_;
    std::vector<float> gap_;            // between each two parts when the lists were made [m]
    std::vector<Index> first_;          // first particle of each part
    std::vector<std::uint8_t> doubts_;  // per part, from the last after()
    Array<std::uint8_t> doubtful_;
    Array<std::uint32_t> piece_, body_, part_;
    Array<float> reach_, cut_, found_squared_;
    Array<Index> found_count_, found_particle_;
    Array<BodyContact> bodies_;
    Array<Index> first_of_part_;
    Array<Box> parts_;
    Array<Vec4> then_;
    PresentGrid<Exec> grid_;
    NearLists<Exec> near_, foreign_;
};

}  // namespace pliant
