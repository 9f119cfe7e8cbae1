// What all executors share, built on the verbs that each one defines: work on lists of particles, and running phases
// (exec/phases.hpp) one by one. An executor derives from Verbs<itself> and needs `using` declarations, so that its own
// overloads do not hide these.
#pragma once

#include <pliant/exec/domain.hpp>
#include <pliant/exec/phases.hpp>

#include <concepts>
#include <cstdint>
#include <functional>

namespace pliant {

template <class Exec>
class Verbs {
public:
    // The range verbs, for a list of particles. (Templates, so that {0, n} can only be a range.)
    template <std::same_as<IndexList> List, class Stage>
    void for_each(char const* name, List list, Stage const& stage) {
        self().for_each(name, list.entries(), Listed{list.indices, stage});
    }
    template <std::same_as<IndexList> List, class Stage>
    auto sum(char const* name, List list, Stage const& stage) {
        return self().sum(name, list.entries(), Listed{list.indices, stage});
    }
    template <std::same_as<IndexList> List, class Stage, class Finish>
    void sum_then(char const* name, List list, Stage const& stage, Finish const& finish) {
        self().sum_then(name, list.entries(), Listed{list.indices, stage}, finish);
    }
    template <std::same_as<IndexList> List, class Stage>
    double max(char const* name, List list, double least, Stage const& stage) {
        return self().max(name, list.entries(), least, Listed{list.indices, stage});
    }
    template <std::same_as<IndexList> List, class Stage>
    void max_to(char const* name, List list, double least, Stage const& stage, double* to) {
        self().max_to(name, list.entries(), least, Listed{list.indices, stage}, to);
    }

    // The same for a domain, which is either, decided at run time.
    template <std::same_as<Domain> On, class Stage>
    void for_each(char const* name, On const& on, Stage const& stage) {
        self().for_each(name, on.entries(), Listed{on.indices(), stage});
    }
    template <std::same_as<Domain> On, class Stage>
    auto sum(char const* name, On const& on, Stage const& stage) {
        return self().sum(name, on.entries(), Listed{on.indices(), stage});
    }
    template <std::same_as<Domain> On, class Stage, class Finish>
    void sum_then(char const* name, On const& on, Stage const& stage, Finish const& finish) {
        self().sum_then(name, on.entries(), Listed{on.indices(), stage}, finish);
    }
    template <std::same_as<Domain> On, class Stage>
    double max(char const* name, On const& on, double least, Stage const& stage) {
        return self().max(name, on.entries(), least, Listed{on.indices(), stage});
    }
    template <std::same_as<Domain> On, class Stage>
    void max_to(char const* name, On const& on, double least, Stage const& stage, double* to) {
        self().max_to(name, on.entries(), least, Listed{on.indices(), stage}, to);
    }
    template <std::same_as<Domain> On, class Buffer>
    void select(char const* name, On const& on, std::uint8_t const* flags, Buffer& selected) {
        if (on.listed())
            self().select(name, IndexList{on.indices(), on.size()}, flags, selected);
        else
            self().select(name, on.entries(), flags, selected);
    }

    template <class Stage>
    void run(Each<Stage> const& phase) {
        self().for_each(phase.name, phase.range, phase.stage);
    }
    template <class Stage, class Finish>
    void run(SumThen<Stage, Finish> const& phase) {
        self().sum_then(phase.name, phase.range, phase.stage, phase.finish);
    }
    template <class A, class B>
    void run(Both<A, B> const& phase) {
        self().run(phase.a), self().run(phase.b);
    }
    template <class... Phases>
    void run(Sequence<Phases...> const& phases) {
        if constexpr (sizeof...(Phases) > 0) self().run(phases.first), self().run(phases.others);
    }

    // A join into a buffer, which is resized as needed.
    template <class Stage, class Buffer>
    void join(char const* name, Index const* first, Index segments, Stage const& stage, Buffer& out) {
        out.resize(segments);
        self().run(Join{name, first, segments, stage, out.data()});
    }

    // Loops of phases ask `stop`, if given, once per round, and end early when it says so; what they compute is then
    // useless. (A loop that is one kernel is not asked.)
    void stop_when(std::function<bool()> const* stop) { stop_ = stop, stopped_ = false; }
    bool stopped() const { return stopped_; }  // since stop_when was called

protected:
    bool stops() { return stopped_ = stopped_ || (stop_ != nullptr && (*stop_)()); }

private:
    std::function<bool()> const* stop_ = nullptr;
    bool stopped_ = false;

    Exec& self() { return static_cast<Exec&>(*this); }
};

}  // namespace pliant
