// Regions of handles and probes: what lies in them, and what is refused.
#include <pliant/data/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/region.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(Region, HoldsWhatLiesInItFacesIncluded) {
    Region const box = BoxRegion{{0, 0, 0}, {1, 2, 3}}, sphere = SphereRegion{{1, 0, 0}, 0.5},
                 cylinder = CylinderRegion{{0, 0, 0}, {0, 2, 0}, 0.5}, side = HalfspaceRegion{{0, 1, 0}, {0, 2, 0}},
                 ids = IdsRegion{{3, 7}};
    EXPECT_TRUE(contains(box, {1, 2, 3}, 0));
    EXPECT_FALSE(contains(box, {1, 2, 3.001}, 0));
    EXPECT_TRUE(contains(sphere, {1.5, 0, 0}, 0));
    EXPECT_FALSE(contains(sphere, {1.4, 0.4, 0}, 0));
    EXPECT_TRUE(contains(cylinder, {0.3, 2, 0.4}, 0));
    EXPECT_FALSE(contains(cylinder, {0.3, 2.001, 0.4}, 0));
    EXPECT_FALSE(contains(cylinder, {0.4, 1, 0.4}, 0));
    EXPECT_TRUE(contains(side, {9, 1, -9}, 0));
    EXPECT_FALSE(contains(side, {0, 0.999, 0}, 0));
    EXPECT_TRUE(contains(ids, {}, 7));
    EXPECT_FALSE(contains(ids, {}, 4));
}

Scene with_region(std::string const& region) {
    return read_scene_text(
        "[materials.m]\n[[bodies]]\nname = 'b'\nmaterial = 'm'\nshape = { box = [1, 1, 1] }\nspacing = 0.5\n"
        "[[handles]]\nbody = 'b'\nmotion = 'fixed'\nregion = " +
            region + "\n",
        "s.toml");
}

std::string message_of(std::string const& region) {
    try {
        with_region(region);
    } catch (InputError const& error) {
        return error.what();
    }
    return "(no error)";
}

TEST(Region, IsReadInEveryForm) {
    auto const sphere =
        std::get<SphereRegion>(with_region("{ sphere = { center = [1, 2, 3], radius = 0.5 } }").handles[0].region);
    EXPECT_EQ(sphere.center, (Vec3d{1, 2, 3}));
    EXPECT_EQ(sphere.radius, 0.5);
    auto const cylinder = std::get<CylinderRegion>(
        with_region("{ cylinder = { start = [0, 0, 0], end = [0, 1, 0], radius = 0.2 } }").handles[0].region);
    EXPECT_EQ(cylinder.end, (Vec3d{0, 1, 0}));
    EXPECT_EQ(cylinder.radius, 0.2);
    auto const side = std::get<HalfspaceRegion>(
        with_region("{ halfspace = { point = [0, 0.5, 0], normal = [0, 1, 0] } }").handles[0].region);
    EXPECT_EQ(side.point, (Vec3d{0, 0.5, 0}));
    EXPECT_EQ(std::get<IdsRegion>(with_region("{ ids = [7, 3] }").handles[0].region).ids,
              (std::vector<std::uint32_t>{3, 7}));
}

TEST(Region, ThatMakesNoSenseIsRefused) {
    EXPECT_EQ(message_of("{ sphere = { center = [0, 0, 0], radius = 0 } }"),
              "s.toml:10: handles.0.region.sphere.radius: 0 is out of range; must be greater than 0");
    EXPECT_EQ(message_of("{ cylinder = { start = [0, 1, 0], end = [0, 1, 0], radius = 1 } }"),
              "s.toml:10: handles.0.region.cylinder: start and end are the same point; the axis needs a length");
    EXPECT_EQ(message_of("{ halfspace = { point = [0, 0, 0], normal = [0, 0, 0] } }"),
              "s.toml:10: handles.0.region.halfspace: normal must not be zero; it points into the region");
    EXPECT_EQ(message_of("{ ids = [] }"),
              "s.toml:10: handles.0.region.ids: must be a list of one or more particle ids, as frames have them");
    EXPECT_EQ(message_of("{ ids = [1, 1] }"), "s.toml:10: handles.0.region.ids: the id 1 is listed twice");
    EXPECT_EQ(message_of("{ ids = [1], sphere = { center = [0, 0, 0], radius = 1 } }"),
              "s.toml:10: handles.0.region: has several shapes; keep one of box, sphere, cylinder, halfspace, ids");
}

}  // namespace
}  // namespace pliant
