// What level sets have beyond the band of exact distances, and what is kept of them for the next run.
#include <pliant/scene/kept_level_set.hpp>
#include <pliant/scene/level_set.hpp>

#include <gtest/gtest.h>
#include <scene/mesh_fixtures.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace pliant {
namespace {

namespace fs = std::filesystem;

// A cache folder of its own for each test.
class KeptLevelSets : public testing::Test {
protected:
    void SetUp() override {
        if (char const* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
        folder_ = fs::temp_directory_path() / ("pliant-kept-" + std::to_string(::getpid()));
        ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    void TearDown() override {
        before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
        fs::remove_all(folder_);
    }
    fs::path only_file() const {
        return fs::directory_iterator { folder_ / "pliant/level-sets" } -> path();
    }

    fs::path folder_;
    std::string before_;
};

std::vector<float> some_values(std::array<int, 3> nodes) {
    std::vector<float> value(std::size_t(nodes[0] * nodes[1] * nodes[2]), 3);
    for (std::size_t i = 100; i < 150; ++i) value[i] = 0.1f * float(i) - 12;
    for (std::size_t i = 150; i < 300; ++i) value[i] = -3;
    value.back() = 0.5f;
    return value;
}

TEST_F(KeptLevelSets, AreReadAsTheyWereWritten) {
    std::array<int, 3> const nodes{7, 8, 9};
    KeptLevelSet const kept(42, 10.5, nodes, 3);
    EXPECT_TRUE(kept.read().empty());
    kept.write(some_values(nodes));
    EXPECT_EQ(kept.read(), some_values(nodes));
    EXPECT_LT(fs::file_size(only_file()), 400u);  // 504 values; those of the band take four bytes each
}

TEST_F(KeptLevelSets, BelongToOneMeshAtOneResolution) {
    std::array<int, 3> const nodes{7, 8, 9};
    KeptLevelSet(42, 10.5, nodes, 3).write(some_values(nodes));
    EXPECT_TRUE(KeptLevelSet(43, 10.5, nodes, 3).read().empty());
    EXPECT_TRUE(KeptLevelSet(42, 10.6, nodes, 3).read().empty());
    EXPECT_TRUE(KeptLevelSet(42, 10.5, {7, 9, 8}, 3).read().empty());
}

TEST_F(KeptLevelSets, ThatAreDamagedAreMadeAgain) {
    std::array<int, 3> const nodes{7, 8, 9};
    KeptLevelSet const kept(42, 10.5, nodes, 3);
    for (std::uintmax_t const size : {std::uintmax_t(0), std::uintmax_t(40), std::uintmax_t(200)}) {
        kept.write(some_values(nodes));
        fs::resize_file(only_file(), size);
        EXPECT_TRUE(kept.read().empty()) << size;
    }
    kept.write(some_values(nodes));
    EXPECT_EQ(kept.read(), some_values(nodes));
}

TEST(LevelSetOfManyNodes, HasLowerBoundsOfDistancesFarFromTheSurface) {
    Soup const sphere = sphere_soup(3);
    TriangleMesh raw;
    raw.vertex = sphere.vertex, raw.triangle = sphere.triangle;
    double const cell = 2. / 130;  // 139^3 nodes: more than are swept
    LevelSet const set = make_level_set(ordered_mesh(std::move(raw)), 1, cell, Reach::inside);
    ASSERT_GT(set.value.size(), 2e6);
    DistanceGrid const grid = set.view();
    double deepest = 0;
    for (double x = -1; x <= 1; x += 0.0613)
        for (double y = -1; y <= 1; y += 0.0511)
            for (double z = -1; z <= 1; z += 0.0707) {
                Vec3d const p{x, y, z};
                double const exact = norm(p) - 1, known = grid.distance(p);  // facets lie up to 0.006 inside
                if (std::abs(exact) > 0.01) {
                    EXPECT_EQ(known > 0, exact > 0) << x << " " << y << " " << z;
                }
                EXPECT_LT(std::abs(known), std::abs(exact) + 0.02) << x << " " << y << " " << z;
                deepest = std::max(deepest, -known);
            }
    EXPECT_GT(deepest, 0.25);  // so that much can be skipped
}

}  // namespace
}  // namespace pliant
