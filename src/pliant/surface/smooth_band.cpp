// Two grids: the nodes with even numbers along all axes, a cell of theirs being two of the band's, and then all nodes.
// On each only nodes take part that smoothing can move: those with s > 0 and those that their second differences reach.
// All others keep phi_0, within the bounds.
//
// The coarse minimum must respect bounds that it does not see, those of nodes in between: a node there may move no
// farther than any node of the band within a cell. (With its own bounds alone, 99 of 100 edges of a ball's surface bend
// by up to 8.3 degrees after 82 fine iterations; 6.5 after 32 with those around it. 117 iterations on the fine grid
// alone, before: 6.7.) And it must not smooth what it cannot resolve: where phi_0 has a crease, as in the middle of a
// sheet, s fades with the second difference of phi_0. Sheets of one layer would have holes.
#include <pliant/surface/smooth_band.hpp>
#include <pliant/surface/thin_plate.hpp>

#include <algorithm>
#include <cmath>

namespace pliant::surface {
namespace {

// Iterations, in times of the root of the condition number; on the fine grid that of ripples that the coarse one does
// not show well, at rates of 30 and more. Tests of surfaces pass from 15 to 30 on, with 3 periods.
constexpr double coarse_periods = 4, fine_periods = 3;
constexpr float all_ripples = 1, short_ripples = 30;
// Second differences of phi_0 on the coarse grid, in cells of the band: 4 in the middle of a sheet.
constexpr float crease_from = 0.7f, crease_to = 1.5f;

// The nodes of one grid. Missing neighbours are number n, a node with neighbours of its own kind, without curvature.
struct Nodes {
    Index count = 0;
    std::vector<Beside> beside;
    std::vector<float> start, low, high, s;

    void resize(Index n) {
        count = n;
        beside.assign(n + 1, Beside{n, n, n, n, n, n});
        start.assign(n + 1, 0), low.assign(n + 1, 0), high.assign(n + 1, 0), s.assign(n + 1, 0);
    }
};

// Nodes of `all` for which keep(i), numbered anew. `number` gets the new numbers.
template <class Keep>
std::vector<Index> choose(Index count, std::vector<Index>& number, Keep const& keep) {
    std::vector<Index> chosen;
    number.assign(count + 1, Band::none);
    for (Index i = 0; i < count; ++i)
        if (keep(i)) number[i] = Index(chosen.size()), chosen.push_back(i);
    return chosen;
}

// Reads s of node i and of those whose second differences reach it; writes moves.
struct FindMoving {
    Nodes const& nodes;
    std::uint8_t* moves;

    void operator()(Index i) const {
        float sum = nodes.s[i];
        for (std::size_t k = 0; k < 3; ++k) {
            Index const down = nodes.beside[i][2 * k];
            sum += nodes.s[down] + nodes.s[nodes.beside[i][2 * k + 1]] + nodes.s[nodes.beside[down][(2 * k + 2) % 6]];
        }
        moves[i] = sum > 0;
    }
};

// Reads `from`, writes node k of `to`, which is node chosen[k] there.
struct TakeNode {
    Nodes const& from;
    Index const *chosen, *number;
    Nodes& to;

    void operator()(Index k) const {
        Index const i = chosen[k];
        to.start[k] = from.start[i], to.low[k] = from.low[i], to.high[k] = from.high[i], to.s[k] = from.s[i];
        for (std::size_t side = 0; side < 6; ++side) {
            Index const near = number[from.beside[i][side]];
            to.beside[k][side] = near == Band::none ? to.count : near;
        }
    }
};

// The same for the grid of twice the cells: its neighbours are two nodes away.
struct TakeEvenNode {
    Nodes const& from;
    Index const *chosen, *number;
    Nodes& to;

    void operator()(Index k) const {
        Index const i = chosen[k];
        to.start[k] = from.start[i], to.low[k] = from.low[i], to.high[k] = from.high[i], to.s[k] = from.s[i];
        for (std::size_t side = 0; side < 6; ++side) {
            Index const near = number[from.beside[from.beside[i][side]][side]];
            to.beside[k][side] = near == Band::none ? to.count : near;
        }
    }
};

struct Effort {
    float length;    // l in cells of this grid
    float slowest;   // the least rate at which ripples shrink that this grid is there for; 1: all of them
    double periods;  // iterations, in times of the root of the condition number
};

// Iterates from `guess`; returns the values of the nodes.
std::vector<float> minimize(Cpu& exec, Nodes const& nodes, std::vector<float> guess, Effort const& effort) {
    Range const all{0, nodes.count};
    std::vector<Index> curved;
    for (Index i = 0; i < nodes.count; ++i)
        if (nodes.s[i] > 0) curved.push_back(i);
    std::vector<float> ahead = guess;
    std::vector<Hessian> hessian(nodes.count + 1, Hessian{});
    float const l = effort.length, stiffness = l * l * l * l, rate = 1 + 144 * stiffness;
    float const root = std::sqrt(rate / effort.slowest), momentum = (root - 1) / (root + 1);
    int const iterations = int(effort.periods * double(root)) + 1;
    for (int k = 0; k < iterations; ++k) {
        exec.for_each("surface: hessian", IndexList{curved.data(), Index(curved.size())},
                      BandHessian{nodes.beside.data(), ahead.data(), nodes.s.data(), hessian.data(), nodes.count});
        exec.for_each("surface: smooth", all,
                      BandStep{.beside = nodes.beside.data(),
                               .hessian = hessian.data(),
                               .start = nodes.start.data(),
                               .low = nodes.low.data(),
                               .high = nodes.high.data(),
                               .phi = guess.data(),
                               .ahead = ahead.data(),
                               .stiffness = stiffness,
                               .rate = rate,
                               .momentum = momentum});
    }
    return guess;
}

// Reads the band, writes its nodes with bounds that hold the surface near the old one.
struct TakeBand {
    Band const& band;
    Smoothing smoothing;
    Nodes& to;

    void operator()(Index i) const {
        float const start = band.distance[i], limit = smoothing.limit;
        to.start[i] = start;
        to.high[i] = std::min(band.high[i], start + limit);
        to.low[i] = std::min(std::max(band.low[i], start - limit), to.high[i]);  // the inner bound of particles wins
        to.s[i] =
            std::clamp((smoothing.fades_to - std::abs(start)) / (smoothing.fades_to - smoothing.fades_from), 0.f, 1.f);
        for (std::size_t side = 0; side < 6; ++side)
            if (band.beside[i][side] != Band::none) to.beside[i][side] = band.beside[i][side];
    }
};

struct Part {
    Nodes nodes;
    std::vector<Index> of;  // their numbers in the whole
};

template <class Take>
Part part_of(Cpu& exec, Nodes const& whole, std::vector<Index> chosen, std::vector<Index> const& number) {
    Part part{{}, std::move(chosen)};
    part.nodes.resize(Index(part.of.size()));
    exec.for_each("surface: nodes", {0, part.nodes.count}, Take{whole, part.of.data(), number.data(), part.nodes});
    return part;
}

Part moving_part(Cpu& exec, Nodes const& whole) {
    std::vector<std::uint8_t> moves(whole.count);
    exec.for_each("surface: nodes", {0, whole.count}, FindMoving{whole, moves.data()});
    std::vector<Index> number;
    std::vector<Index> chosen = choose(whole.count, number, [&](Index i) { return moves[i] != 0; });
    return part_of<TakeNode>(exec, whole, std::move(chosen), number);
}

// How far nodes may move.
struct Room {
    std::vector<float> up, down;
};

// Reads room, writes the least of it around a node along an axis.
struct LeastRoom {
    Nodes const& nodes;
    std::size_t axis;
    Room const& from;
    Room& to;

    void operator()(Index i) const {
        Index const a = nodes.beside[i][2 * axis], b = nodes.beside[i][2 * axis + 1];  // missing: room without end
        to.up[i] = std::min({from.up[i], from.up[a], from.up[b]});
        to.down[i] = std::max({from.down[i], from.down[a], from.down[b]});
    }
};

Room least_room(Cpu& exec, Nodes const& whole) {
    constexpr float endless = 1e9f;
    Room room{std::vector<float>(whole.count + 1, endless), std::vector<float>(whole.count + 1, -endless)};
    for (Index i = 0; i < whole.count; ++i)
        room.up[i] = whole.high[i] - whole.start[i], room.down[i] = whole.low[i] - whole.start[i];
    Room next = room;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        exec.for_each("surface: nodes", {0, whole.count}, LeastRoom{whole, axis, room, next});
        std::swap(room, next);
    }
    return room;
}

// Takes on the least room around node k, and fades s where phi_0 has a crease. Reads the start of neighbours.
struct FitCoarse {
    Nodes& nodes;
    Index const* of;  // number in the whole
    Room const& room;

    void operator()(Index k) const {
        float crease = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Index const a = nodes.beside[k][2 * axis], b = nodes.beside[k][2 * axis + 1];
            if (a != nodes.count && b != nodes.count)
                crease = std::max(crease, nodes.start[a] + nodes.start[b] - 2 * nodes.start[k]);
        }
        nodes.s[k] *= std::clamp((crease_to - crease) / (crease_to - crease_from), 0.f, 1.f);
        nodes.high[k] = nodes.start[k] + room.up[of[k]];
        nodes.low[k] = std::min(nodes.start[k] + room.down[of[k]], nodes.high[k]);
    }
};

// How far nodes have moved from phi_0, as far as that is known.
struct Moved {
    std::vector<float> by;
    std::vector<std::uint8_t> known;
};

// Nodes between two along an axis get the mean of both: first x between nodes with even y and z, then y, then z.
struct Between {
    Band const& band;
    Nodes const& nodes;
    std::size_t axis;
    Moved& moved;

    void operator()(Index i) const {
        if (band.node[i][axis] % 2 == 0) return;
        for (std::size_t later = axis + 1; later < 3; ++later)
            if (band.node[i][later] % 2 != 0) return;
        float sum = 0;
        int count = 0;
        for (Index near : {nodes.beside[i][2 * axis], nodes.beside[i][2 * axis + 1]})
            if (moved.known[near] != 0) sum += moved.by[near], ++count;
        if (count > 0) moved.by[i] = sum / float(count), moved.known[i] = 1;
    }
};

// The minimum on the grid of twice the cells, seen from all nodes.
Moved coarse_minimum(Cpu& exec, Band const& band, Nodes const& whole, float length) {
    auto const even = [&](Index i) {
        auto const& [x, y, z] = band.node[i];
        return ((x | y | z) & 1) == 0;
    };
    std::vector<Index> number;
    std::vector<Index> chosen = choose(whole.count, number, even);
    Part grid = part_of<TakeEvenNode>(exec, whole, std::move(chosen), number);
    Room const room = least_room(exec, whole);
    exec.for_each("surface: nodes", {0, grid.nodes.count}, FitCoarse{grid.nodes, grid.of.data(), room});
    Part const part = moving_part(exec, grid.nodes);
    std::vector<float> const phi =
        minimize(exec, part.nodes, part.nodes.start, {0.5f * length, all_ripples, coarse_periods});
    Moved moved{std::vector<float>(whole.count + 1), std::vector<std::uint8_t>(whole.count + 1)};
    for (Index i : grid.of) moved.known[i] = 1;
    for (Index k = 0; k < part.nodes.count; ++k) moved.by[grid.of[part.of[k]]] = phi[k] - part.nodes.start[k];
    for (std::size_t axis = 0; axis < 3; ++axis)
        exec.for_each("surface: nodes", {0, whole.count}, Between{band, whole, axis, moved});
    return moved;
}

}  // namespace

void smooth(Cpu& exec, Band& band, Smoothing const& smoothing) {
    Nodes whole;
    whole.resize(Index(band.node.size()));
    exec.for_each("surface: nodes", {0, whole.count}, TakeBand{band, smoothing, whole});
    Moved const moved = coarse_minimum(exec, band, whole, smoothing.length);
    Part const part = moving_part(exec, whole);
    std::vector<float> guess(part.nodes.count + 1);
    for (Index k = 0; k < part.nodes.count; ++k) guess[k] = part.nodes.start[k] + moved.by[part.of[k]];
    std::vector<float> const phi =
        minimize(exec, part.nodes, std::move(guess), {smoothing.length, short_ripples, fine_periods});
    for (Index i = 0; i < whole.count; ++i) band.distance[i] = std::clamp(whole.start[i], whole.low[i], whole.high[i]);
    for (Index k = 0; k < part.nodes.count; ++k) band.distance[part.of[k]] = phi[k];
}

}  // namespace pliant::surface
