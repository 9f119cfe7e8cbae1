// A vertex in each cell that the surface passes, at the mean of the points where it cuts the cell's edges; a quad of
// the four cells around each edge that it cuts, divided along its shorter diagonal. Volume is sum a . (b x c) / 6 over
// the triangles.
#include <pliant/surface/measure_band.hpp>

#include <array>
#include <cmath>

namespace pliant::surface {
namespace {

// A node of a cell that the surface passes is no farther from it, in cells: the diagonal of a cell, where distances
// grow by up to 1.2 per cell.
constexpr float farthest = 1.2f * 1.7320508f;

// The eight nodes of the cell above a node: bit k of their place says whether they are up axis k. False if one is
// missing.
bool corners_above(Band const& band, Index i, std::array<Index, 8>& corner) {
    corner[0] = i;
    for (std::size_t place = 1; place < 8; ++place) {
        std::size_t const axis = place & 4 ? 2 : place & 2 ? 1 : 0;
        corner[place] = band.beside[corner[place - (std::size_t{1} << axis)]][2 * axis + 1];
        if (corner[place] == Band::none) return false;
    }
    return true;
}

// Reads the band, writes the vertex of the cell above a node, from the first node on [cells].
struct CellVertex {
    Band const& band;
    Vec3f* vertex;

    void operator()(Index i) const {
        if (std::abs(band.distance[i]) > farthest) return;
        std::array<Index, 8> corner;
        if (!corners_above(band, i, corner)) return;
        Vec3f sum;
        int cuts = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t place = 0; place < 8; ++place) {
                if ((place >> axis & 1) != 0) continue;
                float const low = band.distance[corner[place]],
                            high = band.distance[corner[place | std::size_t{1} << axis]];
                if ((low < 0) == (high < 0)) continue;
                Vec3f cut{float(place & 1), float(place >> 1 & 1), float(place >> 2)};
                cut[int(axis)] = low / (low - high);
                sum += cut, ++cuts;
            }
        if (cuts == 0) return;
        Vec3f const from{float(band.node[i][0] - band.node[0][0]), float(band.node[i][1] - band.node[0][1]),
                         float(band.node[i][2] - band.node[0][2])};
        vertex[i] = from + sum / float(cuts);
    }
};

// Reads the band and vertices of cells; returns volume and area of the quads around the edges that go up from a node.
struct MeasureEdges {
    Band const& band;
    Vec3f const* vertex;

    std::array<double, 2> operator()(Index i) const {
        std::array<double, 2> sum{};
        bool const inside = band.distance[i] < 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Index const up = band.beside[i][2 * axis + 1];
            if (up == Band::none || (band.distance[up] < 0) == inside) continue;
            Index const right = band.beside[i][(2 * axis + 2) % 6], below = band.beside[i][(2 * axis + 4) % 6];
            if (right == Band::none || below == Band::none) continue;
            Index const across = band.beside[right][(2 * axis + 4) % 6];
            if (across == Band::none) continue;
            // Counter-clockwise seen from above.
            std::array const quad{cast<double>(vertex[i]), cast<double>(vertex[right]), cast<double>(vertex[across]),
                                  cast<double>(vertex[below])};
            std::size_t const s = norm_squared(quad[0] - quad[2]) <= norm_squared(quad[1] - quad[3]) ? 0 : 1;
            add(quad[s], quad[s + 1], quad[s + 2], inside, sum);
            add(quad[s], quad[s + 2], quad[(s + 3) % 4], inside, sum);
        }
        return sum;
    }

    static void add(Vec3d a, Vec3d b, Vec3d c, bool outwards, std::array<double, 2>& sum) {
        sum[0] += (outwards ? 1 : -1) * dot(a, cross(b, c)) / 6;
        sum[1] += 0.5 * norm(cross(b - a, c - a));
    }
};

}  // namespace

BandMeasure measure_band(Cpu& exec, Band const& band) {
    Range const all{0, Index(band.node.size())};
    std::vector<Vec3f> vertex(band.node.size());
    exec.for_each("surface: measure", all, CellVertex{band, vertex.data()});
    auto const [volume, area] = exec.sum("surface: measure", all, MeasureEdges{band, vertex.data()});
    return {volume, area};
}

}  // namespace pliant::surface
