// Motions by keys: as they are read, and every way in which they can be wrong.
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/idle.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/setup/colliders.hpp>
#include <pliant/setup/handles.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

namespace pliant {
namespace {

Scene with(std::string const& collider, std::string const& handle = "motion = 'fixed'") {
    return read_scene_text(
        "[materials.m]\n[[bodies]]\nname = 'a'\nmaterial = 'm'\nshape = { box = [1, 1, 1] }\nspacing = 0.5\n"
        "[[colliders]]\nshape = { sphere = 1 }\nposition = [0, -5, 0]\nrotation = [0, 90, 0]\n" +
            collider + "\n[[handles]]\nbody = 'a'\n" + handle + "\n",
        "s.toml");
}
std::string const up_and_turn =
    "motion = { keys = [{ time = 0.25 }, { time = 0.5, position = [0, 2, 0] }, "
    "{ time = 1, rotation = [90, 0, 0] }], smooth = true }";

TEST(KeyedMotion, IsReadWithWhatAKeyLeavesOutAsInTheKeyBefore) {
    Scene const scene = with(up_and_turn, "motion = { keys = [{ time = 0 }, { time = 1, position = [1, 0, 0] }] }");
    Motion const& motion = scene.colliders[0].motion;
    EXPECT_TRUE(motion.moves());
    EXPECT_TRUE(motion.path.smooth());
    EXPECT_EQ(motion.from, 0.25);
    EXPECT_EQ(motion.until, 1);
    ASSERT_EQ(motion.path.keys().size(), 3u);
    EXPECT_EQ(motion.path.keys()[2].position, (Vec3d{0, 2, 0}));
    EXPECT_EQ(motion.path.keys()[2].rotation, (Vec3d{90, 0, 0}));
    EXPECT_FALSE(scene.handles[0].motion.path.smooth());
    // A straight motion cuts steps at its keys, a smooth one nowhere. Handles end them too.
    EXPECT_EQ(event_times(scene), (std::vector<double>{0, 1, 1e300}));
}

TEST(KeyedMotion, MovesACollidersPoseByItsKeys) {
    Scene const scene = with(up_and_turn);
    Collider const start = make_collider(scene.colliders[0]);
    Collider const end = at_time(start, scene.colliders[0].motion, 2);
    EXPECT_EQ(end.center, (Vec3d{0, -3, 0}));
    Mat3d const expected = rotation_matrix({90, 0, 0}) * rotation_matrix({0, 90, 0});  // turned from where it was
    for (int c = 0; c < 3; ++c) EXPECT_LT(norm(end.rotation[c] - expected[c]), 1e-15);
    EXPECT_EQ(end.velocity, (Vec3d{}));
}

TEST(KeyedMotion, IsPartOfWhatACheckpointBelongsTo) {
    std::string const plain = canonical_text(with(up_and_turn));
    auto const changed = [&](std::string const& from, std::string const& to) {
        std::string text = up_and_turn;
        text.replace(text.find(from), from.size(), to);
        return canonical_text(with(text));
    };
    EXPECT_EQ(plain, changed("time = 0.25", "time = 0.250"));
    EXPECT_NE(plain, changed("time = 0.25", "time = 0.26"));
    EXPECT_NE(plain, changed("[0, 2, 0]", "[0, 2, 1e-9]"));
    EXPECT_NE(plain, changed("[90, 0, 0]", "[91, 0, 0]"));
    EXPECT_NE(plain, changed("smooth = true", "smooth = false"));
}

TEST(KeyedMotion, ThatIsWrongIsRefusedWithItsKey) {
    auto const message = [](std::string const& motion) {
        return message_of([&] { with("motion = { " + motion + " }"); });
    };
    std::string const at = "s.toml:11: colliders.0.motion";
    EXPECT_EQ(message("keys = []"), at + ".keys: has 0 keys; at least two are needed, a start and an end");
    EXPECT_EQ(message("keys = [{ time = 1 }]"), at + ".keys: has 1 key; at least two are needed, a start and an end");
    EXPECT_EQ(message("keys = 3"), at + ".keys: must be a list of keys { time, position, rotation }, is the number 3");
    EXPECT_EQ(message("keys = [{ time = 1 }, { time = 1 }]"),
              at + ".keys.1.time: 1 must be later than the time of the key before, 1; times of keys ascend");
    EXPECT_EQ(message("keys = [{ time = -1 }, { time = 1 }]"),
              at + ".keys.0.time: -1 is out of range; must be at least 0");
    EXPECT_EQ(message("keys = [{ time = 0 }, { position = [0, 1, 0] }]"),
              at + ".keys.1: missing key \"time\"; a time [s]");
    EXPECT_EQ(message("keys = [{ time = 0 }, { time = 1, postion = [0, 1, 0] }]"),
              at + ".keys.1.postion: unknown key; did you mean \"position\"? allowed: time, position, rotation");
    EXPECT_EQ(message("keys = [{ time = 0, position = [0, 1, 0] }, { time = 1 }]"),
              at + ".keys.0: the first key is the start, to which positions and rotations are relative: it must have "
                   "none, or zeros");
    EXPECT_EQ(message("keys = [{ time = 0 }, { time = 1, rotation = [200, 10, 0] }]"),
              at + ".keys.1.rotation: turns by more than 180 degrees, about more than one axis, since the key before: "
                   "which way is unclear; add keys in between");
    EXPECT_EQ(message("keys = [{ time = 0 }, { time = 1 }], velocity = [1, 0, 0]"),
              at + ".velocity: velocity and keys exclude each other; the times of the keys say when it moves");
    EXPECT_EQ(message("keys = [{ time = 0 }, { time = 1 }], until = 1"),
              at + ".until: until and keys exclude each other; the times of the keys say when it moves");
    EXPECT_EQ(message("velocity = [1, 0, 0], smooth = true"), at + ".smooth: has no effect without keys");
    EXPECT_EQ(message_of([] { with("", "from = 0.5\nmotion = { keys = [{ time = 0 }, { time = 1 }] }"); }),
              "s.toml:15: handles.0.motion.keys: begin at 0, before the handle acts, from = 0.5; keys lead its "
              "particles from where they are at the start");
}

TEST(KeyedMotion, ThatBeginsAfterTheRunIsWarnedAbout) {
    Scene scene = with(up_and_turn);
    scene.duration = 0.2;
    auto const warnings = idle_warnings(scene);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], "s.toml:7: colliders.0 never moves: it begins at 0.25 s, and the run lasts 0.2 s");
}

}  // namespace
}  // namespace pliant
