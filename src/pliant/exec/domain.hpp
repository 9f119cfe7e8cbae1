// What a verb of an executor works on: a range of particles, or a list of some of them. Stages are the same for both:
// they are given the number of the particle, never its place in the list.
//
// A list is turned into the range of its entries, with the stage wrapped to look its particle up. So it costs one read
// per entry, and ranges cost nothing. Lists are compacted (Exec::select makes them) and in ascending order where the
// stage gathers, so that particles that follow one another have neighbours in common.
#pragma once

#include <pliant/exec/lanes.hpp>
#include <pliant/math/real.hpp>

#include <type_traits>

namespace pliant {

struct IndexList {
    Index const* indices = nullptr;  // where stages read
    Index count = 0;

    Range entries() const { return {0, count}; }
    Index size() const { return count; }
};

// A stage for the entries of a list alone.
template <class Stage>
struct Listed {
    static constexpr Index lanes = lanes_of<Stage>();
    static constexpr bool waits_for_gather = gathers<Stage>();
    static constexpr bool few_anyway = !tells_of_few<Stage>();
    Index const* indices;
    Stage stage;

    PLIANT_HD auto operator()(Index k) const { return stage(indices[k]); }
};
template <class Stage>
Listed(Index const*, Stage) -> Listed<Stage>;

// Either of the two, where only the run can tell: all particles until some of them rest, say. Both forms of the stage
// are compiled then.
class Domain {
public:
    Domain(Range range) : range_(range) {}
    Domain(IndexList list) : range_(list.entries()), indices_(list.indices), listed_(true) {}

    Index size() const { return range_.size(); }
    bool listed() const { return listed_; }

    // work(range, stage) with the stage as it is, or wrapped.
    template <class Stage, class Work>
    auto with(Stage const& stage, Work const& work) const {
        return listed_ ? work(range_, Listed<Stage>{indices_, stage}) : work(range_, stage);
    }

private:
    Range range_;
    Index const* indices_ = nullptr;
    bool listed_ = false;
};

}  // namespace pliant
