// Good scenes: what is read, what the defaults are, and what overrides do.
#include <pliant/materials/presets.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/solvers/explicit/method.hpp>
#include <pliant/solvers/implicit/method.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

namespace pliant {
namespace {

std::string const small = R"([materials.jelly]
[[bodies]]
material = "jelly"
shape = { box = [1, 1, 1] }
particles = 1000
)";

Scene read_small(std::vector<std::string> const& overrides = {}, std::string const& more = "") {
    return read_scene_text(small + more, "s.toml", overrides);
}

std::string message(std::vector<std::string> const& overrides) {
    return message_of([&] { read_small(overrides); });
}

TEST(ReadScene, FillsInDefaults) {
    Scene const scene = read_small();
    EXPECT_EQ(scene.file, "s.toml");
    EXPECT_EQ(scene.method, "implicit");
    EXPECT_EQ(scene.dt, 0.002);
    EXPECT_EQ(scene.gravity, (Vec3d{0, -9.81, 0}));
    ASSERT_EQ(scene.bodies.size(), 1u);
    EXPECT_EQ(scene.bodies[0].name, "body0");
    EXPECT_EQ(scene.bodies[0].line, 2);
    EXPECT_EQ(scene.materials[0].second.young, 1e5);
    EXPECT_EQ(scene.output.particles, std::vector<std::string>{"vtp"});
    EXPECT_EQ(scene.output.surface, "none");
    EXPECT_EQ(scene.output.meshes, std::vector<std::string>{"ply"});
    EXPECT_EQ(scene.output.surface_inner, 0.3);
    EXPECT_EQ(scene.output.surface_outer, 1.4);
}

TEST(ReadScene, ReadsTheSurfaceAndItsFormats) {
    Scene const level_set = read_small({}, R"(
[output]
particles     = ["usda"]
surface       = "levelset"
meshes        = ["vdb", "ply", "obj", "vtp", "usda"]
surface_inner = 0.5
surface_outer = 1.25
)");
    EXPECT_EQ(level_set.output.surface, "levelset");
    EXPECT_EQ(level_set.output.meshes, (std::vector<std::string>{"vdb", "ply", "obj", "vtp", "usda"}));
    EXPECT_EQ(level_set.output.surface_inner, 0.5);
    EXPECT_EQ(level_set.output.surface_outer, 1.25);
    EXPECT_EQ(read_small({}, "[output]\nsurface = \"skin\"\nmeshes = [\"pc2\"]").output.surface, "skin");
    EXPECT_EQ(read_small({}, "[output]\nmeshes = [\"vdb\", \"pc2\"]").output.meshes.size(), 2u)
        << "without a surface none of them is written";
}

TEST(ReadScene, TheDefaultStepIsNotLongerThanAFrame) {
    EXPECT_EQ(read_small({"fps=1000"}).dt, 0.001);
    EXPECT_EQ(read_small({"fps=60", "dt=0.0166667"}).dt, 1.0 / 60);  // rounded up by hand: still one step per frame
}

TEST(ReadScene, ReadsTheExampleOfTheContract) {
    Scene const scene = read_scene_text(R"(
title    = "Soft armadillo falls on the floor"
method   = "implicit"
duration = 4.0
fps      = 60
dt       = 0.002
gravity  = [0, -9.81, 0]
[solver]
tolerance = 1e-4
rest      = "bonds"
radius    = 2.5
[materials.jelly]
preset       = "jelly"
density      = 1100
young        = 2e4
poisson      = 0.35
elasticity   = "corotated"
plasticity   = "flow"
yield_stress = 2e3
flow_rate    = 10
hardening    = 5
[[bodies]]
name      = "armadillo"
material  = "jelly"
shape     = { star = [5, 1.0, 0.5, 0.3] }
particles = 19866
position  = [0, 1, 0]
rotation  = [0, 0, 30]
velocity  = [1, 2, 3]
spin      = [4, 5, 6]
array     = { count = [1, 1, 1], step = [0, 0, 0] }
[[colliders]]
shape    = { plane = [0, 2, 0], offset = -2 }
friction = 0.25
motion   = { velocity = [0, 1, 0], spin = [0, 0, 0], from = 0.5, until = 1.0 }
[[colliders]]
shape    = { cylinder = [1, 2] }
position = [9, 0, 0]
rotation = [90, 0, 0]
[[handles]]
body   = "armadillo"
region = { box = { min = [-1, 1.4, -1], max = [1, 2, 1] } }
motion = "fixed"
from   = 0.5
until  = 2.0
[output]
particles = ["vtp", "ply"]
F         = true
surface   = "none"
meshes    = ["ply"]
)",
                                        "s.toml");
    EXPECT_EQ(scene.duration, 4);
    EXPECT_EQ(scene.materials[0].second.density, 1100);
    EXPECT_EQ(scene.materials[0].second.flow_rate, 10);
    EXPECT_EQ(scene.bodies[0].name, "armadillo");
    EXPECT_EQ(std::get<StarShape>(scene.bodies[0].shape), (StarShape{5, 1.0, 0.5, 0.3}));
    EXPECT_EQ(scene.bodies[0].spin, (Vec3d{4, 5, 6}));
    ASSERT_EQ(scene.colliders.size(), 2u);
    EXPECT_EQ(std::get<PlaneShape>(scene.colliders[0].shape).normal, (Vec3d{0, 1, 0}));  // normalised
    EXPECT_EQ(scene.colliders[0].motion.until, 1);
    EXPECT_EQ(scene.colliders[1].friction, 0.5);
    EXPECT_EQ(scene.colliders[1].motion.until, 1e300);
    ASSERT_EQ(scene.handles.size(), 1u);
    EXPECT_EQ(std::get<BoxRegion>(scene.handles[0].region).max, (Vec3d{1, 2, 1}));
    EXPECT_EQ(scene.handles[0].until, 2);
    EXPECT_TRUE(scene.output.F);
}

TEST(ReadScene, HandlesHoldMoveOrPull) {
    Scene const scene = read_small({}, R"(
[[handles]]
body   = "body0"
region = {}
motion = { velocity = [1, 2, 3], spin = [0, 0, 4], from = 0.25, until = 0.75 }
from   = 0.125
until  = 1.5
[[handles]]
body   = "body0"
region = { box = { min = [0, -1, -1], max = [1, 1, 1] } }
force  = [5, 6, 7]
until  = 2
[[handles]]
body   = "body0"
motion = "fixed"
)");
    ASSERT_EQ(scene.handles.size(), 3u);
    HandleSpec const &moved = scene.handles[0], &pulled = scene.handles[1], &held = scene.handles[2];
    EXPECT_EQ(std::get<BoxRegion>(moved.region).min.x, -1e300);  // no box: the whole body
    EXPECT_EQ(moved.motion.velocity, (Vec3d{1, 2, 3}));
    EXPECT_EQ(moved.motion.spin, (Vec3d{0, 0, 4}));
    EXPECT_EQ(moved.motion.from, 0.25);
    EXPECT_EQ(moved.motion.until, 0.75);
    EXPECT_EQ(moved.from, 0.125);
    EXPECT_EQ(moved.until, 1.5);
    EXPECT_FALSE(moved.force);
    ASSERT_TRUE(pulled.force);
    EXPECT_EQ(*pulled.force, (Vec3d{5, 6, 7}));
    EXPECT_EQ(std::get<BoxRegion>(pulled.region).min, (Vec3d{0, -1, -1}));
    EXPECT_EQ(pulled.until, 2);
    EXPECT_EQ(held.motion.velocity, (Vec3d{}));
    EXPECT_FALSE(held.force);
}

TEST(ReadScene, MaterialsHaveFrictionAndMayWeld) {
    EXPECT_EQ(read_small().materials[0].second.friction, 0.5);
    EXPECT_FALSE(read_small().materials[0].second.weld);
    Scene const dough = read_small({"materials.jelly.preset=dough", "materials.jelly.friction=0"});
    EXPECT_EQ(dough.materials[0].second.friction, 0);
    EXPECT_TRUE(dough.materials[0].second.weld);
    EXPECT_FALSE(read_small({"materials.jelly.preset=dough", "materials.jelly.weld=false"}).materials[0].second.weld);
    // Without flow nothing can weld.
    EXPECT_FALSE(
        read_small({"materials.jelly.preset=dough", "materials.jelly.plasticity=none"}).materials[0].second.weld);
}

TEST(ReadScene, PresetsComeFirstAndKeysOverrideThem) {
    Scene const scene = read_small({"materials.jelly.preset=clay", "materials.jelly.young=1e6"});
    EXPECT_EQ(scene.materials[0].second.young, 1e6);
    EXPECT_EQ(scene.materials[0].second.plasticity, "flow");
    EXPECT_EQ(scene.materials[0].second.density, 1800);
}

TEST(ReadScene, APresetsYieldStressGoesWhenItsPlasticityDoes) {
    Scene const scene = read_small({"materials.jelly.preset=clay", "materials.jelly.plasticity=none"});
    EXPECT_EQ(scene.materials[0].second.yield_stress, 0);
    EXPECT_EQ(scene.materials[0].second.flow_rate, 0);
}

TEST(ReadScene, EveryPresetIsAMaterialOfItsOwn) {
    EXPECT_EQ(material_presets().size(), 14u);
    for (auto const& preset : material_presets()) {
        auto const material = read_small({"materials.jelly.preset=" + preset.name}).materials[0].second;
        EXPECT_EQ(material.density, preset.parameters.density) << preset.name;
        EXPECT_EQ(material.young, preset.parameters.young) << preset.name;
        EXPECT_FALSE(preset.source.empty()) << preset.name;
    }
}

TEST(ReadScene, ArraysBecomeNamedCopies) {
    Scene const scene = read_small({"bodies.0.name=cube"},
                                   "array = { count = [2, 1, 3], step = [2, 5, 4] }\n"
                                   "[[handles]]\nbody = \"cube\"\nmotion = \"fixed\"\n"
                                   "[[handles]]\nbody = \"cube[1,0,2]\"\nmotion = \"fixed\"\n");
    ASSERT_EQ(scene.bodies.size(), 6u);
    EXPECT_EQ(scene.bodies[0].name, "cube[0,0,0]");
    EXPECT_EQ(scene.bodies[5].name, "cube[1,0,2]");
    EXPECT_EQ(scene.bodies[5].position, (Vec3d{2, 0, 8}));
    ASSERT_EQ(scene.handles.size(), 7u);  // one per copy, and one for the copy that is named
    EXPECT_EQ(scene.handles[5].body, "cube[1,0,2]");
    EXPECT_EQ(scene.handles[6].body, "cube[1,0,2]");
}

TEST(ReadScene, ABodyThatBeginsInABallDoesNotTouchItselfUnlessAskedTo) {
    EXPECT_FALSE(read_small().bodies[0].start);
    EXPECT_TRUE(read_small().bodies[0].self_contact);
    BodySpec const ball = read_small({"bodies.0.start={ ball = 0.2 }"}).bodies[0];
    EXPECT_EQ(ball.start->radius, 0.2);
    EXPECT_FALSE(ball.self_contact);
    EXPECT_TRUE(read_small({"bodies.0.start={ ball = 0.2 }", "bodies.0.self_contact=true"}).bodies[0].self_contact);
    EXPECT_FALSE(read_small({"bodies.0.self_contact=false"}).bodies[0].self_contact);
}

TEST(ReadScene, UnusedMaterialsAreFine) { EXPECT_EQ(read_small({}, "[materials.spare]\n").materials.size(), 2u); }

TEST(Overrides, ChangeNumbersWordsAndLists) {
    Scene const scene = read_small({"materials.jelly.young=1e6", "bodies.0.particles=5e3", "gravity=[0,0,0]",
                                    "output.particles=[\"ply\"]", "title=two words", "gravity.1=-1"});
    EXPECT_EQ(scene.materials[0].second.young, 1e6);
    EXPECT_EQ(scene.bodies[0].particles, 5000);
    EXPECT_EQ(scene.gravity, (Vec3d{0, -1, 0}));
    EXPECT_EQ(scene.output.particles, std::vector<std::string>{"ply"});
    EXPECT_EQ(scene.title, "two words");
}

TEST(Step, IsLeftToTheMethodThatFindsIt) {
    std::string const text =
        "[[bodies]]\nmaterial = \"m\"\nshape = { box = [1, 1, 1] }\nparticles = 10\n[materials.m]\n";
    EXPECT_EQ(read_scene_text(text, "s.toml", {}).dt, 0.002);
    EXPECT_EQ(read_scene_text(text, "s.toml", {"method=explicit"}).dt, 0);
    EXPECT_EQ(read_scene_text(text, "s.toml", {"method=explicit", "dt=0.001"}).dt, 0.001);
    EXPECT_EQ(read_scene_text(text, "s.toml", {"method=explicit", "dt=stable"}).dt, 0);
}

TEST(Solver, TheExplicitMethodHasTheRestStateAndASafety) {
    Scene const scene = read_small({"method=explicit", "solver.rest=updated", "solver.radius=3", "solver.safety=0.5"});
    auto const options = scene.solver.as<ExplicitOptions>();
    EXPECT_EQ(options.rest, RestKind::updated);
    EXPECT_EQ(options.radius, 3);
    EXPECT_EQ(options.zero_energy, 0);
    EXPECT_EQ(options.safety, 0.5);
}

ImplicitOptions implicit_options(std::vector<std::string> const& overrides) {
    return read_small(overrides).solver.as<ImplicitOptions>();
}

TEST(Solver, ZeroEnergyControlDefaultsToWhatTheGradientFitNeeds) {
    EXPECT_EQ(implicit_options({}).zero_energy, 3);
    EXPECT_EQ(implicit_options({"solver.order=2"}).zero_energy, 1.5);
    EXPECT_EQ(implicit_options({"solver.rest=updated"}).zero_energy, 0);
    EXPECT_EQ(implicit_options({"solver.zero_energy=0.2"}).zero_energy, 0.2);
    EXPECT_EQ(implicit_options({}).zero_energy_flowing, 0.5);
    EXPECT_EQ(implicit_options({"solver.zero_energy=0.2"}).zero_energy_flowing, 0.2);  // one key sets both
}

TEST(Overrides, CreateWhatTheFileLacks) {
    Scene const scene = read_small({"solver.order=2", "solver.integrator=bdf2", "materials.\"two words\".young=5"});
    EXPECT_EQ(scene.solver.as<ImplicitOptions>().order, 2);
    EXPECT_EQ(scene.solver.as<ImplicitOptions>().integrator, Integrator::bdf2);
    EXPECT_EQ(scene.materials[1].first, "two words");
    EXPECT_EQ(read_small({"colliders=[{shape={plane=[0,1,0],offset=-1}}]"}).colliders.size(), 1u);
}

TEST(Overrides, SpacingTakesThePlaceOfParticles) {
    Scene const scene = read_small({"bodies.0.spacing=0.1"});
    EXPECT_EQ(scene.bodies[0].spacing, 0.1);
    EXPECT_FALSE(scene.bodies[0].particles);
    EXPECT_EQ(message({"bodies.0.spacing=0.1", "bodies.0.particles=5"}),
              "--set bodies.0.spacing: particles and spacing exclude each other; keep one");
}

TEST(Overrides, ForceAndMotionTakeEachOthersPlace) {
    std::string const held = "[[handles]]\nbody = 'body0'\nmotion = 'fixed'\n",
                      pulled = "[[handles]]\nbody = 'body0'\nforce = [0, 1, 0]\n";
    EXPECT_EQ(read_small({"handles.0.force=[2,0,0]"}, held).handles[0].force, (Vec3d{2, 0, 0}));
    EXPECT_FALSE(read_small({"handles.0.motion=fixed"}, pulled).handles[0].force);
    Scene const moved = read_small({"handles.0.motion.velocity=[0,3,0]"}, pulled);
    EXPECT_FALSE(moved.handles[0].force);
    EXPECT_EQ(moved.handles[0].motion.velocity, (Vec3d{0, 3, 0}));
    EXPECT_EQ(message_of([&] {
                  read_small({"handles.0.motion=fixed", "handles.0.force=[1,0,0]"}, held);
              }),
              "--set handles.0.force: force and motion exclude each other; keep one");
}

TEST(Overrides, ErrorsNameTheOverrideInPlaceOfTheLine) {
    EXPECT_EQ(message({"method=clooth"}),
              "--set method: unknown method \"clooth\"; did you mean \"cloth\"? allowed: implicit, explicit, "
              "gerszewski, xpbd, fluid, cloth");
    EXPECT_EQ(message({"materials.jelly.young=soft"}),
              "--set materials.jelly.young: must be a number, is the text \"soft\"");
    EXPECT_EQ(message({"materials.jelly.poisson=0.6"}),
              "--set materials.jelly.poisson: 0.6 is out of range; must be in (-1, 0.5)");
    EXPECT_EQ(message({"gravity=[0,0,inf]"}), "--set gravity: gravity.2: must be a finite number, is inf");
    EXPECT_EQ(message({"bodies.0.shape={bax=[1,1,1]}"}),
              "--set bodies.0.shape: bodies.0.shape.bax: unknown shape \"bax\"; did you mean \"box\"? allowed: box, "
              "sphere, cylinder, torus, star, points, mesh, sheet");
    EXPECT_EQ(message({"dt=1"}), "--set dt: 1 is out of range; dt must be at most 1/fps = 0.016666666666666666");
    EXPECT_EQ(
        message({"durtaion=2"}),
        "--set durtaion: unknown key; did you mean \"duration\"? allowed: title, method, duration, fps, dt, gravity, "
        "solver, materials, bodies, colliders, handles, cuts, probes, restraint, output");
}

TEST(Overrides, MalformedOnesAreQuotedWhole) {
    std::string const expected = "expected KEY=VALUE, for example materials.jelly.young=1e6";
    EXPECT_EQ(message({"fps"}), "--set fps: " + expected);
    EXPECT_EQ(message({"=3"}), "--set =3: " + expected);
    EXPECT_EQ(message({"a..b=3"}), "--set a..b=3: " + expected);
    EXPECT_EQ(message({"fps\n=3"}), "--set fps\n=3: " + expected);
    EXPECT_EQ(message({"fps="}), "--set fps=: expected a value after \"=\"");
    EXPECT_EQ(message({"bodies.1.particles=5"}),
              "--set bodies.1.particles=5: index 1 is out of range; bodies has one entry: bodies.0");
    EXPECT_EQ(message({"bodies.cube.particles=5"}),
              "--set bodies.cube.particles=5: \"cube\" is not an index; bodies has one entry: bodies.0");
    EXPECT_EQ(message({"colliders.0.friction=5"}), "--set colliders.0.friction=5: the scene has no colliders");
    EXPECT_EQ(message({"bodies.0.particles.x=5"}),
              "--set bodies.0.particles.x=5: bodies.0.particles is the number 1000 and has no key \"x\"");
}

}  // namespace
}  // namespace pliant
