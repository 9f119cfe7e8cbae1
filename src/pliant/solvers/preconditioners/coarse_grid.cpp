#include <pliant/materials/moduli.hpp>
#include <pliant/solvers/preconditioners/coarse_grid.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Soft bodies need few iterations anyway. With cells of 8 spacings, a coarse level gains nothing where waves cross 5
// spacings per step, and saves half of the iterations at 17 (docs/notes/preconditioners.md). Threshold in cells per
// step:
constexpr double stiff_from = 1.25;
constexpr Index fewest_particles = 1000;
constexpr double cell_in_spacings = 8;

// A coarse level is worthwhile if waves cross more than a cell per step.
bool deserves(BodyModel const& body, CoarseUse use, double tau, double cell) {
    if (use == CoarseUse::off || flows(body)) return false;  // flow changes the bonds
    if (use == CoarseUse::on) return true;
    return body.range.size() >= fewest_particles && bar_speed(body.parameters) * tau > stiff_from * cell * body.spacing;
}

// The bodies that deserve a coarse level; the largest of them if there is not room for all. A body has at least eight
// nodes.
std::vector<std::size_t> bodies_for(Model const& model, CoarseUse use, double tau, double cell) {
    std::vector<std::size_t> bodies;
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        if (deserves(model.bodies[b], use, tau, cell)) bodies.push_back(b);
    std::stable_sort(bodies.begin(), bodies.end(), [&](std::size_t a, std::size_t b) {
        return model.bodies[a].range.size() > model.bodies[b].range.size();
    });
    bodies.resize(std::min<std::size_t>(bodies.size(), CoarseGrid::most_unknowns / 24));
    return bodies;
}

double particles_of(Model const& model, std::vector<std::size_t> const& bodies) {
    double sum = 0;
    for (std::size_t b : bodies) sum += model.bodies[b].range.size();
    return sum;
}

Vec3d low_corner(Model const& model, Range range) {
    Vec3d low = model.rest[range.begin];
    for (Index i = range.begin; i < range.end; ++i)
        for (int c = 0; c < 3; ++c) low[c] = std::min(low[c], model.rest[i][c]);
    return low;
}

// A node that only the rim of a body reaches carries no information, and its entry of A_c is practically zero. It loses
// its particles, and the inverse skips it.
void drop_weak_nodes(std::vector<Hats>& hats, Index nodes) {
    constexpr double least = 0.05 * 0.05;  // particles, squared
    std::vector<double> reached(nodes, 0);
    for (Hats const& h : hats)
        for (int k = 0; k < 8; ++k) reached[h.node[k]] += double(h.weight[k]) * h.weight[k];
    for (Hats& h : hats)
        for (int k = 0; k < 8; ++k)
            if (reached[h.node[k]] < least) h.weight[k] = 0;
}

int modulo(int a, int b) { return (a % b + b) % b; }

int colour_of(std::array<int, 3> const& at) {
    constexpr int n = CoarseGrid::colours_along;
    return modulo(at[0], n) + n * (modulo(at[1], n) + n * modulo(at[2], n));
}

}  // namespace

CoarseGrid::CoarseGrid(Model const& model, CoarseUse use, double radius, double tau) {
    // A cell is wider than the reach of two bonds. Then cells as wide as if all particles formed one lump, which needs
    // the fewest nodes; from there on wider cells are tried.
    double cell = std::max(cell_in_spacings, 2 * radius + 0.5);
    std::vector<std::size_t> const all = bodies_for(model, use, tau, cell);
    cell = std::max(cell, std::cbrt(particles_of(model, all) / (most_unknowns / 3.)));
    std::vector<std::size_t> const bodies = bodies_for(model, use, tau, cell);
    if (bodies.empty()) return;
    std::vector<bool> taken(model.bodies.size(), false);
    for (std::size_t b : bodies) taken[b] = true;
    while (!place_hats(model, taken, cell)) cell *= 1.2;
    matrix_.assign(std::size_t(9) * node_count() * node_count(), 0);
}

// Returns false if there are too many nodes: the caller then tries wider cells, at most one per body.
bool CoarseGrid::place_hats(Model const& model, std::vector<bool> const& taken, double cell) {
    nodes_.clear(), keys_.clear(), colours_.clear();
    hats_.assign(model.rest.size(), {});
    body_.assign(model.rest.size(), 0);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        BodyModel const& body = model.bodies[b];
        Vec3d const corner = low_corner(model, body.range);  // so that a single cell, if wide enough, holds the body
        for (Index i = body.range.begin; i < body.range.end; ++i) {
            body_[i] = Index(b);
            if (!taken[b]) continue;
            Vec3d const x = (model.rest[i] - corner) / (cell * body.spacing);
            for (int k = 0; k < 8; ++k) {
                Key key{int(b), {}};
                double weight = 1;
                for (int c = 0; c < 3; ++c) {
                    double const low = std::floor(x[c]), share = x[c] - low;
                    bool const upper = (k >> c & 1) != 0;
                    key.at[std::size_t(c)] = int(low) + (upper ? 1 : 0);
                    weight *= upper ? share : 1 - share;
                }
                if (weight == 0) continue;
                auto const [found, fresh] = nodes_.try_emplace(key, Index(keys_.size()));
                if (fresh) keys_.push_back(key), colours_.push_back(std::uint8_t(colour_of(key.at)));
                hats_[i].node[k] = found->second;
                hats_[i].weight[k] = float(weight);
            }
        }
    }
    if (3 * node_count() > most_unknowns) return false;
    drop_weak_nodes(hats_, node_count());
    return true;
}

void CoarseGrid::rows(std::vector<Index>& first, std::vector<HatEntry>& entries) const {
    first.assign(node_count() + 1, 0);
    for (Hats const& h : hats_)
        for (int k = 0; k < 8; ++k)
            if (h.weight[k] > 0) ++first[h.node[k] + 1];
    for (Index a = 0; a < node_count(); ++a) first[a + 1] += first[a];
    entries.resize(first.back());
    std::vector<Index> next(first.begin(), first.end() - 1);
    for (Index i = 0; i < hats_.size(); ++i)
        for (int k = 0; k < 8; ++k)
            if (hats_[i].weight[k] > 0) entries[next[hats_[i].node[k]]++] = {i, hats_[i].weight[k]};
}

std::vector<Vec4> CoarseGrid::arms(Model const& model) {
    std::vector<Vec4> arms(model.rest.size());
    for (BodyModel const& body : model.bodies) {
        Vec3d mean;
        for (Index i = body.range.begin; i < body.range.end; ++i) mean += model.rest[i] / double(body.range.size());
        for (Index i = body.range.begin; i < body.range.end; ++i)
            arms[i] = Vec4::from(cast<float>(model.rest[i] - mean));
    }
    return arms;
}

void CoarseGrid::take_column(int colour, int axis, std::span<VectorSum const> y) {
    constexpr int n = colours_along;
    std::array<int, 3> const wanted{colour % n, colour / n % n, colour / (n * n)};
    std::size_t const size = std::size_t(3) * node_count();
    for (Index row = 0; row < node_count(); ++row) {
        Key key = keys_[row];  // of the only node of this colour that can couple to this row: at most two cells away
        for (std::size_t c = 0; c < 3; ++c) key.at[c] += modulo(wanted[c] - key.at[c] + n / 2, n) - n / 2;
        auto const found = nodes_.find(key);
        if (found == nodes_.end()) continue;
        std::size_t const column = std::size_t(3) * found->second + std::size_t(axis);
        for (int c = 0; c < 3; ++c) matrix_[(std::size_t(3) * row + std::size_t(c)) * size + column] = y[row].value[c];
    }
}

std::vector<CoarseBlock> CoarseGrid::inverse() {
    std::vector<double> a = std::move(matrix_);
    matrix_ = {};
    std::size_t const nodes = node_count(), n = 3 * nodes;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) a[i * n + j] = 0.5 * (a[i * n + j] + a[j * n + i]);
    invert_symmetric(a, n);
    std::vector<CoarseBlock> blocks(nodes * nodes);
    for (std::size_t row = 0; row < nodes; ++row)
        for (std::size_t column = 0; column < nodes; ++column)
            for (std::size_t c = 0; c < 3; ++c) {
                double const* const entry = &a[3 * row * n + 3 * column + c];
                blocks[row * nodes + column].column[c] =
                    Vec4::of(float(entry[0]), float(entry[n]), float(entry[2 * n]), 0);
            }
    return blocks;
}

// Reads the lower triangle; afterwards both halves hold the inverse. The matrix was built from floats, so a pivot below
// a millionth of its original diagonal is rounding.
void invert_symmetric(std::vector<double>& a, std::size_t n) {
    constexpr double least = 1e-6;
    std::vector<double> limit(n), column(n);
    for (std::size_t i = 0; i < n; ++i) limit[i] = least * a[i * n + i];
    for (std::size_t k = 0; k < n; ++k) {
        double const pivot = a[k * n + k];
        for (std::size_t i = 0; i < n; ++i) column[i] = i < k ? a[k * n + i] : a[i * n + k];
        bool const depends = !(pivot > limit[k]);
        double const scale = depends ? 0 : 1 / pivot;
        for (std::size_t i = 0; i < n; ++i) {
            double const factor = column[i] * scale;
            double* const row = &a[i * n];
            if (i != k && factor != 0)
                for (std::size_t j = 0; j <= i; ++j) row[j] -= factor * column[j];
        }
        for (std::size_t i = 0; i < n; ++i) (i < k ? a[k * n + i] : a[i * n + k]) = column[i] * scale;
        a[k * n + k] = -scale;
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) a[j * n + i] = a[i * n + j] = -a[i * n + j];
}

}  // namespace pliant
