#include <pliant/exec/cpu.hpp>
#include <pliant/math/triangle_area.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/solvers/cloth/fabric.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace pliant {
namespace {

// Second derivatives at a particle: sums over others, weighed by h [1/m2], of their difference to it.
struct CurvatureFit {
    std::vector<Index> others;
    std::vector<std::array<double, 3>> h;  // along uu, uv, vv
};

using Five = std::array<double, 5>;
using Matrix5 = std::array<Five, 5>;

// A = V diag(w) V^T by Jacobi's rotations.
void diagonalize(Matrix5& A, Matrix5& V) {
    V = {};
    for (std::size_t k = 0; k < 5; ++k) V[k][k] = 1;
    for (int sweep = 0; sweep < 30; ++sweep)
        for (std::size_t p = 0; p < 5; ++p)
            for (std::size_t q = p + 1; q < 5; ++q) {
                if (A[p][q] == 0) continue;
                double const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                double const t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                double const c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (std::size_t k = 0; k < 5; ++k) {
                    double const a = A[k][p], b = A[k][q];
                    A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
                }
                for (std::size_t k = 0; k < 5; ++k) {
                    double const a = A[p][k], b = A[q][k];
                    A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
                    double const x = V[k][p], y = V[k][q];
                    V[k][p] = c * x - s * y, V[k][q] = s * x + c * y;
                }
            }
}

// Fits u, v, u^2/2, uv, v^2/2 to points (in units of the spacing) with weights. Returns how many directions of these
// the points resolve; the others are left out, as in a strip one cell wide.
int fit_quadratic(std::vector<std::array<double, 2>> const& points, double radius,
                  std::vector<std::array<double, 3>>& h) {
    std::vector<Five> basis;
    std::vector<double> weight;
    Matrix5 A{}, V;
    for (auto const& [u, v] : points) {
        double const q = std::sqrt(u * u + v * v) / radius;
        basis.push_back({u, v, 0.5 * u * u, u * v, 0.5 * v * v});
        weight.push_back((1 - q) * (1 - q) * (1 + 2 * q) + 1e-3);
        for (std::size_t a = 0; a < 5; ++a)
            for (std::size_t b = 0; b < 5; ++b) A[a][b] += weight.back() * basis.back()[a] * basis.back()[b];
    }
    diagonalize(A, V);
    double largest = 0;
    for (std::size_t k = 0; k < 5; ++k) largest = std::max(largest, A[k][k]);
    int rank = 0;
    Matrix5 inverse{};
    for (std::size_t k = 0; k < 5; ++k) {
        if (!(A[k][k] > 1e-4 * largest)) continue;
        ++rank;
        for (std::size_t a = 0; a < 5; ++a)
            for (std::size_t b = 0; b < 5; ++b) inverse[a][b] += V[a][k] * V[b][k] / A[k][k];
    }
    h.assign(points.size(), {});
    for (std::size_t n = 0; n < points.size(); ++n)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 5; ++b) h[n][a] += inverse[a + 2][b] * basis[n][b] * weight[n];
    return rank;
}

class Weaver {
public:
    Weaver(Model const& model, Fabric& fabric) : model_(model), fabric_(fabric), n_(Index(model.rest.size())) {
        around_.resize(n_), area_.resize(n_, 0), normal_.resize(n_);
        for (BodyModel const& body : model_.bodies) add_triangles(body);
        list_corners();
        list_near();
        bend();
    }

private:
    void add_triangles(BodyModel const& body) {
        MaterialParameters const& p = body.parameters;
        double const shear = p.shear > 0 ? p.shear : 0.5 * p.young;
        for (auto const& corner : body.triangles) {
            Vec3d const x0 = model_.rest[corner[0]], e1 = model_.rest[corner[1]] - x0, e2 = model_.rest[corner[2]] - x0,
                        twice = cross(e1, e2);
            double const area = 0.5 * norm(twice);
            if (!(area > 1e-12 * body.spacing * body.spacing)) continue;
            Vec3d const n = twice / (2 * area);
            // The warp runs along x where the cloth does not stand across it.
            Vec3d warp = Vec3d{1, 0, 0} - n.x * n;
            if (norm(warp) < 0.3) warp = Vec3d{0, 0, 1} - n.z * n;
            warp = normalized(warp);
            Vec3d const weft = cross(n, warp);
            double const u1 = dot(e1, warp), v1 = dot(e1, weft), u2 = dot(e2, warp), v2 = dot(e2, weft);
            double const det = u1 * v2 - u2 * v1;
            double const gx1 = v2 / det, gx2 = -v1 / det, gy1 = -u2 / det, gy2 = u1 / det;
            fabric_.triangles.push_back({{corner[0], corner[1], corner[2]},
                                         {float(-gx1 - gx2), float(gx1), float(gx2)},
                                         {float(-gy1 - gy2), float(gy1), float(gy2)},
                                         float(area * p.thickness),
                                         float(p.young),
                                         float(shear),
                                         cast<float>(warp),
                                         cast<float>(weft)});
            auto const areas = corner_areas(x0, x0 + e1, x0 + e2);
            for (std::size_t k = 0; k < 3; ++k) area_[corner[k]] += areas[k], normal_[corner[k]] += twice;
        }
    }

    void list_corners() {
        std::vector<std::vector<ClothCorner>> corners(n_);
        for (Index t = 0; t < fabric_.triangles.size(); ++t)
            for (Index k = 0; k < 3; ++k) {
                ClothTriangle const& of = fabric_.triangles[t];
                corners[of.corner[k]].push_back({t, k, {}});
                for (Index other : of.corner)
                    if (other != of.corner[k]) around_[of.corner[k]].push_back(other);
            }
        for (Index i = 0; i < n_; ++i) {
            auto& ring = around_[i];
            std::sort(ring.begin(), ring.end());
            ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
            fabric_.ring_row.push_back(Index(fabric_.ring.size()));
            fabric_.corner_row.push_back(Index(fabric_.corners.size()));
            for (ClothCorner& c : corners[i]) {
                for (Index k = 0; k < 2; ++k) {
                    Index const other = fabric_.triangles[c.triangle].corner[(c.which + 1 + k) % 3];
                    c.slot[k] = fabric_.ring_row.back() +
                                Index(std::lower_bound(ring.begin(), ring.end(), other) - ring.begin());
                }
                fabric_.corners.push_back(c);
            }
            fabric_.ring.insert(fabric_.ring.end(), ring.begin(), ring.end());
        }
        fabric_.ring_row.push_back(Index(fabric_.ring.size()));
        fabric_.corner_row.push_back(Index(fabric_.corners.size()));
    }

    // Particles nearer than 2.6 spacings at rest, farther than touches reach.
    void list_near() {
        Cpu exec(1);
        std::vector<std::vector<Index>> near(n_);
        for (BodyModel const& body : model_.bodies) {
            CellGrid grid;
            double const reach = 2.6 * body.spacing;
            grid.build(exec, body.range, reach, [&](Index i) { return model_.rest[i]; });
            for (Index i = body.range.begin; i < body.range.end; ++i)
                grid.for_each_near(model_.rest[i], [&](Index j) {
                    if (j != i && norm_squared(model_.rest[j] - model_.rest[i]) < reach * reach) near[i].push_back(j);
                });
        }
        for (Index i = 0; i < n_; ++i) {
            near[i].insert(near[i].end(), around_[i].begin(), around_[i].end());
            std::sort(near[i].begin(), near[i].end());
            near[i].erase(std::unique(near[i].begin(), near[i].end()), near[i].end());
            fabric_.near_row.push_back(Index(fabric_.near.size()));
            fabric_.near.insert(fabric_.near.end(), near[i].begin(), near[i].end());
        }
        fabric_.near_row.push_back(Index(fabric_.near.size()));
    }

    // The particles within so many rings.
    std::vector<Index> rings(Index i, int count) const {
        std::vector<Index> all{i};
        for (std::size_t begin = 0; count > 0; --count) {
            std::size_t const end = all.size();
            for (; begin < end; ++begin)
                for (Index j : around_[all[begin]])
                    if (std::find(all.begin(), all.end(), j) == all.end()) all.push_back(j);
        }
        all.erase(all.begin());
        return all;
    }

    // One ring and a half where it resolves all derivatives, else two or three rings.
    CurvatureFit fit(Index i, Vec3d u, Vec3d v) const {
        CurvatureFit best;
        int best_rank = -1;
        for (double reach : {1.6, 2.4, 3.2}) {
            CurvatureFit now;
            std::vector<std::array<double, 2>> points;
            double unit = area_[i];  // of the surroundings: the mean edge of a square that a particle has there
            for (Index j : around_[i]) unit += area_[j];
            unit = std::sqrt(unit / double(around_[i].size() + 1));
            for (Index j : rings(i, reach > 3 ? 3 : 2)) {
                Vec3d const r = (model_.rest[j] - model_.rest[i]) / unit;
                if (norm(r) > reach) continue;
                now.others.push_back(j);
                points.push_back({dot(r, u), dot(r, v)});
            }
            if (points.size() < 5 && reach < 3) continue;
            int const rank = fit_quadratic(points, 1.3 * reach, now.h);
            for (auto& h : now.h)
                for (double& x : h) x /= unit * unit;
            if (rank > best_rank) best = std::move(now), best_rank = rank;
            if (best_rank == 5 && points.size() >= 7) break;
        }
        return best;
    }

    void bend() {
        struct Sum {
            double stiffness = 0, curve = 0;
        };
        std::vector<std::map<Index, Sum>> rows(n_);
        std::vector<double> own(n_, 0);
        for (BodyModel const& body : model_.bodies) {
            MaterialParameters const& p = body.parameters;
            double const D = p.bending >= 0 ? p.bending : p.young * p.thickness * p.thickness * p.thickness / 12;
            fabric_.rest_energy.push_back(0);
            for (Index i = body.range.begin; i < body.range.end && D > 0; ++i) {
                if (around_[i].empty() || !(norm(normal_[i]) > 0)) continue;
                Vec3d const n = normalized(normal_[i]);
                Vec3d const u = normalized(cross(n, std::abs(n.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
                CurvatureFit const f = fit(i, u, cross(n, u));
                std::array<double, 3> curvature{}, centre{};
                for (std::size_t k = 0; k < f.others.size(); ++k)
                    for (std::size_t a = 0; a < 3; ++a) {
                        curvature[a] += f.h[k][a] * dot(n, model_.rest[f.others[k]] - model_.rest[i]);
                        centre[a] -= f.h[k][a];
                    }
                add(i, f, centre, curvature, D * area_[i], body.spacing, rows, own);
            }
        }
        for (Index i = 0; i < n_; ++i) {
            fabric_.bend_row.push_back(Index(fabric_.bends.size()));
            for (auto const& [j, sum] : rows[i])
                if (j != i) fabric_.bends.push_back({sum.stiffness, float(sum.curve), j});
            fabric_.own_curve.push_back(float(own[i]));
        }
        fabric_.bend_row.push_back(Index(fabric_.bends.size()));
    }

    // Adds the energy `rigidity` / 2 |H - curvature n|^2 of particle i.
    template <class Rows>
    void add(Index i, CurvatureFit const& f, std::array<double, 3> const& centre,
             std::array<double, 3> const& curvature, double rigidity, double spacing, Rows& rows,
             std::vector<double>& own) {
        static constexpr std::array<double, 3> count{1, 2, 1};  // uv also stands for vu
        std::vector<Index> all = f.others;
        std::vector<std::array<double, 3>> h = f.h;
        all.push_back(i), h.push_back(centre);
        bool const bent = std::abs(curvature[0]) + std::abs(curvature[1]) + std::abs(curvature[2]) > 1e-6 / spacing;
        for (std::size_t a = 0; a < all.size(); ++a) {
            for (std::size_t b = 0; b < all.size(); ++b)
                for (std::size_t k = 0; k < 3; ++k)
                    rows[all[a]][all[b]].stiffness += rigidity * count[k] * h[a][k] * h[b][k];
            if (!bent) continue;
            double curve = 0;
            for (std::size_t k = 0; k < 3; ++k) curve += rigidity * count[k] * h[a][k] * curvature[k];
            if (all[a] == i)
                own[i] += curve;
            else
                rows[all[a]][i].curve += curve;
        }
        if (!bent) return;
        fabric_.curved = true;
        for (std::size_t k = 0; k < 3; ++k)
            fabric_.rest_energy.back() += 0.5 * rigidity * count[k] * curvature[k] * curvature[k];
    }

    Model const& model_;
    Fabric& fabric_;
    Index n_;
    std::vector<std::vector<Index>> around_;
    std::vector<double> area_;   // of a particle [m2]
    std::vector<Vec3d> normal_;  // sum over triangles
};

}  // namespace

Fabric::Fabric(Model const& model) { Weaver(model, *this); }

}  // namespace pliant
