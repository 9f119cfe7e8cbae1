// What a verb of an executor works on: a range of particles, or a list of some of them. Stages are the same for both:
// they get the number of the particle, never its position in the list.
//
// A list becomes the range of its entries, and the stage is wrapped to look up its particle. So a list costs one read
// per entry, and a range nothing. Lists are compact (Exec::select makes them) and, for stages that gather, in ascending
// order, so that consecutive particles have common neighbours.
#pragma once

#include <pliant/exec/lanes.hpp>
#include <pliant/math/real.hpp>

#include <type_traits>

namespace pliant {

struct IndexList {
    Index const* indices = nullptr;  // in memory that stages can read
    Index count = 0;

    Range entries() const { return {0, count}; }
    Index size() const { return count; }
};

// A stage that runs only over the entries of a list.
template <class Stage>
struct Listed {
    static constexpr Index lanes = lanes_of<Stage>();
    static constexpr bool waits_for_gather = gathers<Stage>();
    static constexpr bool few_anyway = !tells_of_few<Stage>();
    Index const* indices;
    Stage stage;

    PLIANT_HD auto operator()(Index k) const { return stage(indices != nullptr ? indices[k] : k); }

    // On the CPU a stage that works on several particles side by side takes listed ones so, too.
    void run(Index begin, Index end) const requires requires { stage.run_listed(indices, end); }
    { indices != nullptr ? stage.run_listed(indices + begin, end - begin) : stage.run(begin, end); }
};
template <class Stage>
Listed(Index const*, Stage) -> Listed<Stage>;

// Either of the two, if only the run can tell: all particles until some of them rest, say. A stage on a domain is a
// listed one whose list may be null, so it is compiled once.
class Domain {
public:
    Domain(Range range) : entries_(range) {}
    Domain(IndexList list) : entries_(list.entries()), indices_(list.indices), listed_(true) {}

    Index size() const { return entries_.size(); }
    bool listed() const { return listed_; }
    Range entries() const { return entries_; }
    Index const* indices() const { return indices_; }  // null for a range

private:
    Range entries_;
    Index const* indices_ = nullptr;
    bool listed_ = false;
};

}  // namespace pliant
