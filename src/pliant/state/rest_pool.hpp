// The particles among which a particle of the rest state looks for new neighbours.
#pragma once

#include <pliant/neighbors/grid_for.hpp>
#include <pliant/physics/refresh.hpp>

namespace pliant {

// Those of its own body, or of all bodies that weld.
template <class Exec>
class RestPool {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    void add(Exec& exec, Range body) {
        Index const first = Index(members_.size());
        members_.resize(first + body.size());
        exec.for_each("members", {0, body.size()}, ListMembers{body.begin, first, members_.data()});
    }
    void sort(Exec& exec, double reach, Vec4d const* place) {
        place_ = place, reach_ = reach;
        grid_.build(exec, {0, Index(members_.size())}, reach, MemberPlace{place, members_.data()});
    }
    auto near() const {
        return NearMembers<typename GridFor<Exec>::View>{grid_.view(), members_.data(), place_, reach_ * reach_};
    }

private:
    GridFor<Exec> grid_;
    Array<Index> members_;
    Vec4d const* place_ = nullptr;
    double reach_ = 0;
};

}  // namespace pliant
