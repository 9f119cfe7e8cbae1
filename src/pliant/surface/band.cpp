#include <pliant/surface/band.hpp>
#include <pliant/surface/tiles.hpp>

#include <algorithm>

namespace pliant::surface {
namespace {

// Lengths in cells.
constexpr float spacing = 2;                      // of particles: about four mesh vertices per particle of the surface
constexpr float kernel_radius = 2.25f * spacing;  // R; bodies stretched to twice their length stay whole
constexpr float band_width = 1.4f * spacing;      // two thirds of R, where chi still resolves heights
constexpr float search_radius = 1.9f * spacing;   // farther from all particles, chi is beyond the band
constexpr float dense = 0.7f;                     // share of the usual number of particles at which a block is full
constexpr float sheet_radius = 0.5f * spacing;
constexpr float lone_radius = 0.62f * spacing;  // of a sphere with a particle's volume, d^3
constexpr float far = 1e9f;
static_assert(kernel_radius <= block_side);

// d^3 W(r) = peak (1 - r^2/R^2)^3
constexpr float peak =
    315 / (64 * 3.14159265f) * (spacing / kernel_radius) * (spacing / kernel_radius) * (spacing / kernel_radius);
constexpr float inverse_radius_squared = 1 / (kernel_radius * kernel_radius);

// Height above the edge of a half space, in kernel radii, at which occupancy is chi. The share of the kernel beyond
// height z is 1/2 - 315/256 (z - 4/3 z^3 + 6/5 z^5 - 4/7 z^7 + 1/9 z^9).
class HeightOfOccupancy {
public:
    HeightOfOccupancy() {
        for (int k = 0; k <= steps; ++k) {
            double low = -1, high = 1;
            while (high - low > 1e-9) {
                double const z = 0.5 * (low + high);
                (share_beyond(z) > double(k) / steps ? low : high) = z;
            }
            height_[std::size_t(k)] = float(low);
        }
    }
    float operator()(float chi) const {
        float const at = std::clamp(chi, 0.f, 1.f) * steps;
        auto const k = std::size_t(std::min(int(at), steps - 1));
        return height_[k] + (at - float(k)) * (height_[k + 1] - height_[k]);
    }

private:
    static double share_beyond(double z) {
        double const q = z * z;
        return 0.5 - 315.0 / 256 * z * (1 - q * (4.0 / 3 - q * (6.0 / 5 - q * (4.0 / 7 - q / 9))));
    }
    static constexpr int steps = 1024;
    std::array<float, steps + 1> height_{};
};

// Which neighbours of a block lie within reach of its particles.
struct Reach {
    Vec3f low{far, far, far}, high{-far, -far, -far};
    void include(Vec3f p) {
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    }
    bool covers(Block step) const {
        for (int k = 0; k < 3; ++k) {
            int const s = step[std::size_t(k)];
            if ((s < 0 && low[k] > search_radius) || (s > 0 && high[k] < block_side - search_radius)) return false;
        }
        return true;
    }
};

bool deep(Tiles const& tiles, Block at) {
    constexpr float usual = block_nodes / (spacing * spacing * spacing);
    bool full = true;
    for_each_around(at, [&](Block near, Block) {
        Tiles::Tile const* tile = tiles.find(near);
        full = full && tile && float(tile->size()) >= dense * usual;
    });
    return full;
}

// The blocks that may hold part of the surface, in the order of their keys.
std::vector<Block> surface_blocks(Tiles const& tiles) {
    std::vector<std::pair<std::uint64_t, Block>> found;
    for (Tiles::Tile const& tile : tiles.tiles()) {
        if (deep(tiles, tile.at)) continue;
        Reach reach;
        for (Index k = tile.begin; k < tile.end; ++k) reach.include(tiles.local(k));
        for_each_around(tile.at, [&](Block near, Block step) {
            if (reach.covers(step) && !(tiles.find(near) && deep(tiles, near))) found.emplace_back(key_of(near), near);
        });
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<Block> blocks;
    blocks.reserve(found.size());
    for (auto const& [key, at] : found) blocks.push_back(at);
    return blocks;
}

// The inner radii of the particles of a tile. Occupancy at a particle is 1 deep inside, 0.76 on a flat face, 0.58 at
// the edge of a cube, 0.55 in a sheet of one layer, 0.44 at a corner, 0.3 in a rod, and `peak` if alone. Particles with
// neighbours on all sides, but too few, are in a sheet or a rod: without an inner radius of half a spacing, smoothing
// would tear holes.
struct InnerRadius {
    Tiles const& tiles;
    float inner;
    float* out;

    void operator()(Index t) const {
        Tiles::Tile const& tile = tiles.tiles()[t];
        for (Index i = tile.begin; i < tile.end; ++i) out[i] = inner;
        if (deep(tiles, tile.at)) return;
        for (Index i = tile.begin; i < tile.end; ++i) {
            Vec3f const x = tiles.local(i);
            float sum = 0;
            Vec3f lean;
            tiles.for_each_within(tile.at, x, kernel_radius, [&](Vec3f p) {
                float const s = std::max(0.f, 1 - inverse_radius_squared * norm_squared(p - x)), w = s * s * s;
                sum += w;
                lean += w * (p - x);
            });
            out[i] = radius_at(peak * sum, norm(lean) / sum);
        }
    }

    // `lean`: distance from the particle to the mean of its neighbours; 0.7 spacings on a face.
    float radius_at(float chi, float lean) const {
        float const alone = std::clamp((0.5f - chi) / (0.5f - peak), 0.f, 1.f);
        float const two_sided = std::clamp(1 - lean / (0.35f * spacing), 0.f, 1.f);
        float const sheet = two_sided * std::clamp((0.62f - chi) / 0.07f, 0.f, 1.f);
        return std::max({inner, inner + alone * (lone_radius - inner), inner + sheet * (sheet_radius - inner)});
    }
};

using BlockField = std::array<float, block_nodes>;

struct BlockValues {
    BlockField distance;                    // from occupancy
    BlockField nearest;                     // distance to the nearest particle, up to search_radius
    BlockField sphere;                      // distance to the nearest sphere of inner radius, likewise
    std::array<Index, block_nodes> number;  // index in the band, or none
};

// What the surrounding particles contribute at the nodes of one block.
struct ReadParticles {
    Tiles const& tiles;
    HeightOfOccupancy const& height;
    float const* inner;
    Block const* at;
    BlockValues* out;

    void operator()(Index b) const {
        BlockValues& values = out[b];
        values.distance.fill(0);
        values.nearest.fill(search_radius);
        values.sphere.fill(far);
        tiles.for_each_near(at[b], [&](Index k, Vec3f p) {
            add_occupancy(p, values.distance);
            add_spheres(p, inner[k], values);
        });
        for (float& value : values.distance) value = kernel_radius * height(peak * value);
    }

    // visit(row of nodes, squared distance in y and z) for the rows of a block that a ball around p meets.
    template <class Visit>
    static void for_each_row(Vec3f p, float radius, Visit const& visit) {
        auto const first = [&](float x) { return std::max(0, int(std::ceil(x - radius))); };
        auto const last = [&](float x) { return std::min(block_side - 1, int(std::floor(x + radius))); };
        if (first(p.x) > last(p.x)) return;
        for (int z = first(p.z); z <= last(p.z); ++z)
            for (int y = first(p.y); y <= last(p.y); ++y) {
                float const dy = float(y) - p.y, dz = float(z) - p.z;
                visit(block_side * (y + block_side * z), dy * dy + dz * dz);
            }
    }

    static void add_occupancy(Vec3f p, BlockField& sum) {
        for_each_row(p, kernel_radius, [&](int row, float across) {
            for (int x = 0; x < block_side; ++x) {
                float const dx = float(x) - p.x;
                float const s = std::max(0.f, 1 - inverse_radius_squared * (across + dx * dx));
                sum[std::size_t(row + x)] += s * s * s;
            }
        });
    }

    static void add_spheres(Vec3f p, float radius, BlockValues& values) {
        for_each_row(p, search_radius, [&](int row, float across) {
            for (int x = 0; x < block_side; ++x) {
                auto const node = std::size_t(row + x);
                float const dx = float(x) - p.x, r = std::sqrt(across + dx * dx);
                values.nearest[node] = std::min(values.nearest[node], r);
                values.sphere[node] = std::min(values.sphere[node], r - radius);
            }
        });
    }
};

// Finds the neighbours of a node in the list.
struct FindBeside {
    std::unordered_map<std::uint64_t, Index> const& block_number;
    Block const* at;
    BlockValues const* values;
    std::array<Index, 6>* beside;

    void operator()(Index b) const {
        std::array<BlockValues const*, 6> around{};
        for (std::size_t k = 0; k < 6; ++k) {
            Block near = at[b];
            near[k / 2] += k % 2 ? 1 : -1;
            auto const found = block_number.find(key_of(near));
            around[k] = found == block_number.end() ? nullptr : values + found->second;
        }
        constexpr std::array<int, 3> stride{1, block_side, block_side * block_side};
        for (int n = 0; n < block_nodes; ++n) {
            Index const number = values[b].number[std::size_t(n)];
            if (number == Band::none) continue;
            for (std::size_t k = 0; k < 6; ++k) {
                int const along = n / stride[k / 2] % block_side, to = along + (k % 2 ? 1 : -1);
                int const wrapped = (to + block_side) % block_side;
                BlockValues const* block = to == wrapped ? values + b : around[k];
                beside[number][k] =
                    block ? block->number[std::size_t(n + (wrapped - along) * stride[k / 2])] : Band::none;
            }
        }
    }
};

void list_nodes(std::vector<Block> const& blocks, std::vector<BlockValues>& values, float outer, Band& band) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (int n = 0; n < block_nodes; ++n) {
            auto const k = std::size_t(n);
            values[b].number[k] = Band::none;
            if (!(std::abs(values[b].distance[k]) < band_width)) continue;
            values[b].number[k] = Index(band.node.size());
            band.node.push_back({block_side * blocks[b][0] + n % block_side,
                                 block_side * blocks[b][1] + n / block_side % block_side,
                                 block_side * blocks[b][2] + n / (block_side * block_side)});
            band.distance.push_back(values[b].distance[k]);
            float const nearest = values[b].nearest[k], sphere = values[b].sphere[k];
            band.low.push_back(nearest > outer ? nearest - outer : -far);
            band.high.push_back(sphere < 1 ? sphere : far);  // farther out, chi is more accurate
        }
}

}  // namespace

Band make_band(Cpu& exec, std::span<Vec3f const> position, double spacing_of_particles, SurfaceRadii radii) {
    Band band;
    band.cell = spacing_of_particles / double(spacing);
    band.spacing = double(spacing);
    band.width = band_width;
    Tiles const tiles(exec, position, band.cell);
    std::vector<float> inner(position.size());
    exec.for_each_large("surface: spheres", {0, Index(tiles.tiles().size())},
                        InnerRadius{tiles, float(radii.inner) * spacing, inner.data()});
    std::vector<Block> const blocks = surface_blocks(tiles);
    static HeightOfOccupancy const height;
    std::vector<BlockValues> values(blocks.size());
    Range const all{0, Index(blocks.size())};
    exec.for_each_large("surface: occupancy", all,
                        ReadParticles{tiles, height, inner.data(), blocks.data(), values.data()});
    list_nodes(blocks, values, float(radii.outer) * spacing, band);
    std::unordered_map<std::uint64_t, Index> number;
    for (std::size_t b = 0; b < blocks.size(); ++b) number.emplace(key_of(blocks[b]), Index(b));
    band.beside.resize(band.node.size());
    exec.for_each_large("surface: neighbours", all,
                        FindBeside{number, blocks.data(), values.data(), band.beside.data()});
    return band;
}

}  // namespace pliant::surface
