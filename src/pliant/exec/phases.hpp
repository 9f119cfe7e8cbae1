// The phases of a loop of stages: Exec::repeat runs them one after the other, repeatedly, while a state says so. A
// phase is complete before the next one begins; the two halves of Both may run in any order.
#pragma once

#include <pliant/exec/domain.hpp>

namespace pliant {

// stage(i) for every i of the range, or of a list (each_of, sum_of).
template <class Stage>
struct Each {
    char const* name;
    Range range;
    Stage stage;
};

// The sum of stage(i) is passed to finish, which runs once, on the executor.
template <class Stage, class Finish>
struct SumThen {
    char const* name;
    Range range;
    Stage stage;
    Finish finish;
};

// out[s] = stage(k) joined over first[s] <= k < first[s + 1]; Value has nothing() and join().
template <class Stage, class Value>
struct Join {
    char const* name;
    Index const* first;
    Index segments;
    Stage stage;
    Value* out;
};

template <class A, class B>
struct Both {
    A a;
    B b;
};

// Phases one after the other.
template <class... Phases>
struct Sequence {};
template <class First, class... Others>
struct Sequence<First, Others...> {
    First first;
    Sequence<Others...> others;
};
inline Sequence<> sequence() { return {}; }
template <class First, class... Others>
Sequence<First, Others...> sequence(First const& first, Others const&... others) {
    return {first, sequence(others...)};
}

// Repeats phases while state->goes_on(): a loop within a loop.
template <class State, class... Phases>
struct While {
    char const* name;
    State const* state;
    Sequence<Phases...> phases;
};

// Runs phases only if condition() holds; the phases must not change it.
template <class Condition, class... Phases>
struct If {
    Condition condition;
    Sequence<Phases...> phases;
};

template <class Stage>
Each(char const*, Range, Stage) -> Each<Stage>;
template <class Stage>
Each<Listed<Stage>> each_of(char const* name, Domain const& on, Stage const& stage) {
    return {name, on.entries(), {on.indices(), stage}};
}
template <class Stage, class Finish>
SumThen<Listed<Stage>, Finish> sum_of(char const* name, Domain const& on, Stage const& stage, Finish const& finish) {
    return {name, on.entries(), {on.indices(), stage}, finish};
}
template <class Stage, class Finish>
SumThen(char const*, Range, Stage, Finish) -> SumThen<Stage, Finish>;
template <class Stage, class Value>
Join(char const*, Index const*, Index, Stage, Value*) -> Join<Stage, Value>;
template <class A, class B>
Both(A, B) -> Both<A, B>;
template <class State, class... Phases>
While(char const*, State const*, Sequence<Phases...>) -> While<State, Phases...>;
template <class Condition, class... Phases>
If(Condition, Sequence<Phases...>) -> If<Condition, Phases...>;

}  // namespace pliant
