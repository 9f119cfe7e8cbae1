// Handles and motions outside the time of the run are pointed out; all others are not.
#include <pliant/scene/idle.hpp>
#include <pliant/scene/read.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

std::vector<std::string> warnings(std::string const& more) {
    return idle_warnings(read_scene_text(
        "duration = 2\n[materials.a]\n[[bodies]]\nname = 'b'\nmaterial = 'a'\nshape = { box = [1, 1, 1] }\n"
        "particles = 8\n" +
            more,
        "s.toml"));
}

using Texts = std::vector<std::string>;

TEST(Idle, HandlesOutsideTheRunAreNamed) {
    std::string const handle = "[[handles]]\nbody = 'b'\nmotion = 'fixed'\n";
    EXPECT_EQ(warnings(handle), Texts{});
    EXPECT_EQ(warnings(handle + "from = 1.9\n"), Texts{});
    EXPECT_EQ(warnings(handle + "from = 2\n"),
              Texts{"s.toml:8: the handle of body \"b\" never acts: it begins at 2 s, and the run lasts 2 s"});
    EXPECT_EQ(warnings(handle + "from = 1\nuntil = 1\n"),
              Texts{"s.toml:8: the handle of body \"b\" never acts: it begins and ends at 1 s"});
}

TEST(Idle, MotionsOutsideTheRunAreNamed) {
    std::string const handle = "[[handles]]\nbody = 'b'\n",
                      collider = "[[colliders]]\nshape = { sphere = 0.5 }\nposition = [0, -2, 0]\n";
    EXPECT_EQ(warnings(handle + "motion = { velocity = [1, 0, 0], until = 1 }\n"), Texts{});
    EXPECT_EQ(warnings(handle + "motion = { velocity = [1, 0, 0], from = 3 }\n"),
              Texts{"s.toml:8: the handle of body \"b\" never moves: it begins at 3 s, and the run lasts 2 s"});
    EXPECT_EQ(warnings(collider), Texts{});
    EXPECT_EQ(warnings(collider + "motion = { velocity = [0, 1, 0], until = 1 }\n"), Texts{});
    EXPECT_EQ(warnings(collider + "motion = { velocity = [0, 1, 0], from = 2.5 }\n"),
              Texts{"s.toml:8: colliders.0 never moves: it begins at 2.5 s, and the run lasts 2 s"});
}

}  // namespace
}  // namespace pliant
