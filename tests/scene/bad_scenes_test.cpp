// Every way a scene can be wrong, made by one edit of a good scene, with the message that the user gets.
#include <pliant/scene/read.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

#include <fstream>

namespace pliant {
namespace {

std::string const good = R"(title = "A good scene"
method = "implicit"
duration = 1.0
fps = 60
dt = 0.002
gravity = [0, -9.81, 0]
[solver]
tolerance = 1e-4
[materials.jelly]
density = 1000
young = 1e4
[[bodies]]
name = "cube"
material = "jelly"
shape = { box = [1, 1, 1] }
particles = 1000
[[colliders]]
shape = { plane = [0, 1, 0], offset = -1 }
friction = 0.5
[[handles]]
body = "cube"
region = { box = { min = [-1, -1, -1], max = [1, 1, 0] } }
motion = "fixed"
[output]
particles = ["vtp"]
)";

// The message for the good scene with `from` (which must occur) replaced by `to`.
std::string edited(std::string const& from, std::string const& to) {
    std::string text = good;
    auto const at = text.find(from);
    if (at == std::string::npos) return "(the edit does not apply)";
    text.replace(at, from.size(), to);
    return message_of([&] { read_scene_text(text, "s.toml"); });
}

std::string message_of_text(std::string const& text) {
    return message_of([&] { read_scene_text(text, "s.toml"); });
}

TEST(BadScene, TheUneditedSceneIsGood) { EXPECT_EQ(message_of_text(good), "(no error)"); }

TEST(BadScene, AMissingFileIsNamed) {
    EXPECT_EQ(message_of([] { read_scene("no-such.toml"); }),
              "no-such.toml: cannot read the scene file: No such file or directory");
    EXPECT_EQ(message_of([] { read_scene(PLIANT_SCENES_DIR); }),
              std::string(PLIANT_SCENES_DIR) + ": is a folder, not a scene file");
}

TEST(BadScene, SyntaxErrorsHaveFileAndLine) {
    EXPECT_TRUE(edited("young = 1e4", "young = ").starts_with("s.toml:11: not TOML: "));
    EXPECT_TRUE(edited("[solver]", "[solver").starts_with("s.toml:7: not TOML: "));
    EXPECT_TRUE(edited("fps = 60", "fps = 60\nfps = 30").starts_with("s.toml:5: not TOML: "));
    EXPECT_TRUE(message_of_text("\xff\xfe").starts_with("s.toml:1: not TOML: "));
}

TEST(BadScene, UnknownKeysNameTheNearestAndAllAllowedOnes) {
    EXPECT_EQ(edited("young = 1e4", "yuong = 1e4"),
              "s.toml:11: materials.jelly.yuong: unknown key; did you mean \"young\"? allowed: preset, density, young, "
              "poisson, elasticity, fibres, plasticity, yield_stress, flow_rate, hardening, thickening_stress, "
              "saturation_stress, saturation_rate, rate, stretches, compaction, damping, friction, weld, tear, "
              "viscosity, sound_speed, surface_tension, shear, bending, thickness");
    EXPECT_EQ(
        edited("title", "titel"),
        "s.toml:1: titel: unknown key; did you mean \"title\"? allowed: title, method, duration, fps, dt, gravity, "
        "solver, materials, bodies, colliders, handles, cuts, probes, restraint, output");
    EXPECT_EQ(edited("tolerance", "tolerence"),
              "s.toml:8: solver.tolerence: unknown key; did you mean \"tolerance\"? allowed: tolerance, rest, radius, "
              "order, zero_energy, relinearize, max_iterations, integrator, coarse, held_damping");
    EXPECT_EQ(edited("particles = 1000", "particle = 1000"),
              "s.toml:16: bodies.0.particle: unknown key; did you mean \"particles\"? allowed: name, material, shape, "
              "particles, spacing, sampling, position, rotation, velocity, spin, start, self_contact, "
              "array");
    EXPECT_EQ(edited("friction", "frction"),
              "s.toml:19: colliders.0.frction: unknown key; did you mean \"friction\"? allowed: name, shape, position, "
              "rotation, friction, motion");
    EXPECT_EQ(edited("motion = \"fixed\"", "motoin = \"fixed\""),
              "s.toml:23: handles.0.motoin: unknown key; did you mean \"motion\"? allowed: name, body, region, motion, "
              "force, from, until");
    EXPECT_EQ(edited("[output]", "[output]\ncolour = 1"),
              "s.toml:25: output.colour: unknown key; allowed: particles, F, stress, pair_forces, surface, meshes, "
              "surface_inner, surface_outer, checkpoints");
    EXPECT_EQ(edited("min = [", "mni = ["),
              "s.toml:22: handles.0.region.box.mni: unknown key; did you mean \"min\"? allowed: min, max");
    EXPECT_EQ(edited("offset", "ofset"),
              "s.toml:18: colliders.0.shape.ofset: unknown key; did you mean \"offset\"? allowed: plane, offset");
    EXPECT_EQ(edited("[1, 1, 1]", "[1, 1, 1], height = 2"),
              "s.toml:15: bodies.0.shape.height: unknown key; allowed: box");
}

TEST(BadScene, AStartMustBeABallAndNeedsARestShape) {
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\nstart = { ball = 0 }"),
              "s.toml:17: bodies.0.start.ball: 0 is out of range; must be greater than 0");
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\nstart = { cube = 1 }"),
              "s.toml:17: bodies.0.start.cube: unknown key; allowed: ball");
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\nstart = {}"),
              "s.toml:17: bodies.0.start: missing key \"ball\"; a radius [m]");
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\nself_contact = 1"),
              "s.toml:17: bodies.0.self_contact: must be true or false, is the number 1");
    std::string without = good;
    without.replace(without.find("method = \"implicit\""), 19, "method = \"gerszewski\"");
    without.replace(without.find("tolerance = 1e-4"), 16, "");
    without.replace(without.find("particles = 1000"), 16, "particles = 1000\nstart = { ball = 0.1 }");
    EXPECT_EQ(message_of_text(without),
              "s.toml:17: bodies.0.start: a start away from the rest shape needs method = \"implicit\", \"explicit\", "
              "\"xpbd\", \"cloth\", is \"gerszewski\"");
}

TEST(BadScene, WrongTypesSayWhatIsExpectedAndWhatWasFound) {
    EXPECT_EQ(edited("young = 1e4", "young = \"soft\""),
              "s.toml:11: materials.jelly.young: must be a number, is the text \"soft\"");
    EXPECT_EQ(edited("\"A good scene\"", "3"), "s.toml:1: title: must be a text in quotes, is the number 3");
    EXPECT_EQ(edited("[0, -9.81, 0]", "-9.81"), "s.toml:6: gravity: must be a list of 3 numbers, is the number -9.81");
    EXPECT_EQ(edited("[0, -9.81, 0]", "[0, -9.81]"), "s.toml:6: gravity: must be a list of 3 numbers, has 2");
    EXPECT_EQ(edited("[0, -9.81, 0]", "[0, true, 0]"), "s.toml:6: gravity.1: must be a number, is true");
    EXPECT_EQ(edited("particles = 1000", "particles = 10.5"),
              "s.toml:16: bodies.0.particles: must be a whole number from 1 to 20000000, is the number 10.5");
    EXPECT_EQ(edited("[[bodies]]", "[bodies]"),
              "s.toml:12: bodies: must be a list of tables, is a table; write [[bodies]] above each entry");
    EXPECT_EQ(edited("{ box = [1, 1, 1] }", "\"box\""),
              "s.toml:15: bodies.0.shape: must be a table such as { box = [1, 1, 1] }, is the text \"box\"; allowed: "
              "box, sphere, cylinder, torus, star, points, mesh, sheet");
    EXPECT_EQ(
        edited("[\"vtp\"]", "\"vtp\""),
        "s.toml:25: output.particles: must be a list of particle formats, any of vtp, ply, usda, is the text \"vtp\"");
    EXPECT_EQ(edited("[output]", "[output]\nF = 1"), "s.toml:25: output.F: must be true or false, is the number 1");
    EXPECT_EQ(edited("fps = 60", "fps = 1979-05-27"), "s.toml:4: fps: must be a number, is a date or time");
}

TEST(BadScene, ValuesOutOfRangeSayTheRange) {
    EXPECT_EQ(edited("young = 1e4", "young = 0"),
              "s.toml:11: materials.jelly.young: 0 is out of range; must be greater than 0");
    EXPECT_EQ(edited("young = 1e4", "poisson = 0.5"),
              "s.toml:11: materials.jelly.poisson: 0.5 is out of range; must be in (-1, 0.5)");
    EXPECT_EQ(edited("density = 1000", "density = -1"),
              "s.toml:10: materials.jelly.density: -1 is out of range; must be greater than 0");
    EXPECT_EQ(edited("tolerance = 1e-4", "tolerance = 1"),
              "s.toml:8: solver.tolerance: 1 is out of range; must be in (0, 1)");
    EXPECT_EQ(edited("tolerance = 1e-4", "radius = 1"),
              "s.toml:8: solver.radius: 1 is out of range; must be in [1.2, 6]");
    EXPECT_EQ(edited("tolerance = 1e-4", "order = 3"),
              "s.toml:8: solver.order: 3 is out of range; must be a whole number from 1 to 2");
    EXPECT_EQ(edited("tolerance = 1e-4", "relinearize = 21"),
              "s.toml:8: solver.relinearize: 21 is out of range; must be a whole number from 0 to 20");
    EXPECT_EQ(edited("tolerance = 1e-4", "zero_energy = -0.1"),
              "s.toml:8: solver.zero_energy: -0.1 is out of range; must be at least 0");
    EXPECT_EQ(edited("tolerance = 1e-4", "zero_energy = 1\nrest = 'updated'"),
              "s.toml:8: solver.zero_energy: must be 0 (or left out) with rest = \"updated\"; the control needs rest = "
              "\"bonds\"");
    EXPECT_EQ(edited("tolerance = 1e-4", "order = 2\nrest = 'updated'"),
              "s.toml:8: solver.order: must be 1 with rest = \"updated\"; second order needs rest = \"bonds\"");
    EXPECT_EQ(edited("friction = 0.5", "friction = -0.5"),
              "s.toml:19: colliders.0.friction: -0.5 is out of range; must be at least 0");
    EXPECT_EQ(edited("particles = 1000", "particles = 0"),
              "s.toml:16: bodies.0.particles: 0 is out of range; must be a whole number from 1 to 20000000");
    EXPECT_EQ(edited("particles = 1000", "particles = 20000001"),
              "s.toml:16: bodies.0.particles: 20000001 is out of range; must be a whole number from 1 to 20000000");
    EXPECT_EQ(edited("particles = 1000", "spacing = 0"),
              "s.toml:16: bodies.0.spacing: 0 is out of range; must be greater than 0");
    EXPECT_EQ(edited("[1, 1, 1]", "[1, -1, 1]"),
              "s.toml:15: bodies.0.shape.box.1: -1 is out of range; must be greater than 0");
}

TEST(BadScene, NumbersMustBeFinite) {
    EXPECT_EQ(edited("young = 1e4", "young = inf"),
              "s.toml:11: materials.jelly.young: must be a finite number, is inf");
    EXPECT_EQ(edited("-9.81", "nan"), "s.toml:6: gravity.1: must be a finite number, is nan");
    EXPECT_EQ(edited("young = 1e4", "young = 1e40"),
              "s.toml:11: materials.jelly.young: 1e+40 is out of range; numbers go up to 1e+30");
}

TEST(BadScene, TimesMustFitTogether) {
    EXPECT_EQ(edited("dt = 0.002", "dt = 0.02"),
              "s.toml:5: dt: 0.02 is out of range; dt must be at most 1/fps = 0.016666666666666666");
    EXPECT_EQ(edited("dt = 0.002", "dt = 0"), "s.toml:5: dt: 0 is out of range; must be greater than 0");
    EXPECT_EQ(edited("dt = 0.002", "dt = 1e-20"),
              "s.toml:5: dt: 1e-20 is out of range; a frame would take more than a billion steps");
    EXPECT_EQ(edited("fps = 60", "fps = 0"), "s.toml:4: fps: 0 is out of range; must be greater than 0");
    EXPECT_EQ(edited("duration = 1.0", "duration = -1"),
              "s.toml:3: duration: -1 is out of range; must be greater than 0");
    EXPECT_EQ(edited("duration = 1.0", "duration = 0.01"),
              "s.toml:3: duration: a duration of 0.01 s gives no frame; must be at least 1/fps = 0.016666666666666666");
    EXPECT_EQ(edited("duration = 1.0", "duration = 1e20"),
              "s.toml:3: duration: a duration of 1e+20 s gives more than ten million frames; must be at most "
              "166666.66666666666");
}

TEST(BadScene, MissingKeysAreNamed) {
    EXPECT_EQ(edited("material = \"jelly\"\n", ""),
              "s.toml:12: bodies.0: missing key \"material\"; materials of this scene: jelly");
    EXPECT_EQ(
        edited("shape = { box = [1, 1, 1] }\n", ""),
        "s.toml:12: bodies.0: missing key \"shape\"; allowed: box, sphere, cylinder, torus, star, points, mesh, sheet");
    EXPECT_EQ(
        edited("shape = { plane = [0, 1, 0], offset = -1 }\n", ""),
        "s.toml:17: colliders.0: missing key \"shape\"; allowed: plane, sphere, box, cylinder, torus, star, mesh");
    EXPECT_EQ(edited("body = \"cube\"\n", ""),
              "s.toml:20: handles.0: missing key \"body\"; bodies of this scene: cube");
    EXPECT_EQ(
        edited("motion = \"fixed\"\n", ""),
        "s.toml:20: handles.0: missing key \"motion\" or \"force\"; write motion = \"fixed\", motion = { velocity = "
        "[x, y, z] } or force = [x, y, z]");
    EXPECT_EQ(edited(", max = [1, 1, 0]", ""), "s.toml:22: handles.0.region.box: missing key \"max\"");
    EXPECT_EQ(message_of_text("title = \"empty\""),
              "s.toml: missing key \"bodies\"; a scene needs at least one [[bodies]]");
    EXPECT_EQ(message_of_text("bodies = []"), "s.toml:1: bodies: a scene needs at least one [[bodies]]");
}

TEST(BadScene, ABodyNeedsExactlyOneOfParticlesAndSpacing) {
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\nspacing = 0.1"),
              "s.toml:17: bodies.0.spacing: particles and spacing exclude each other; keep one");
    EXPECT_EQ(
        edited("particles = 1000\n", ""),
        "s.toml:12: bodies.0: missing key \"particles\" (a count) or \"spacing\" (in metres); give one of the two");
}

TEST(BadScene, UnknownMaterialsAndPresetsListTheKnownOnes) {
    EXPECT_EQ(edited("material = \"jelly\"", "material = \"jely\""),
              "s.toml:14: bodies.0.material: unknown material \"jely\"; did you mean \"jelly\"? allowed: jelly");
    EXPECT_EQ(edited("[materials.jelly]\ndensity = 1000\nyoung = 1e4\n", ""),
              "s.toml:11: bodies.0.material: unknown material \"jelly\"; this scene has no materials; add a table "
              "[materials.NAME]");
    EXPECT_EQ(edited("density = 1000", "preset = \"steal\""),
              "s.toml:10: materials.jelly.preset: unknown preset \"steal\"; did you mean \"steel\"? allowed: jelly, "
              "rubber, clay, dough, wood, steel, steel-s235, steel-s355, copper, copper-annealed, copper-half-hard, "
              "aluminium-6061-t6, lead, titanium-6al-4v");
}

TEST(BadScene, OptionsOfAnotherMethodNameThatMethod) {
    EXPECT_EQ(edited("\"implicit\"", "\"explicit\""),
              "s.toml:8: solver.tolerance: is an option of method = \"implicit\", \"cloth\", not of \"explicit\"; "
              "allowed: rest, radius, order, zero_energy, viscosity, held_damping, safety");
    EXPECT_EQ(edited("tolerance = 1e-4", "safety = 0.5"),
              "s.toml:8: solver.safety: is an option of method = \"explicit\", \"gerszewski\", \"fluid\", not of "
              "\"implicit\"; allowed: "
              "tolerance, rest, radius, order, zero_energy, relinearize, max_iterations, integrator, coarse, "
              "held_damping");
}

TEST(BadScene, AStableStepIsForMethodsThatHaveOne) {
    EXPECT_EQ(edited("dt = 0.002", "dt = \"stable\""),
              "s.toml:5: dt: method = \"implicit\" is stable at every step; write it in seconds");
    EXPECT_EQ(edited("dt = 0.002", "dt = \"short\""), "s.toml:5: dt: unknown step \"short\"; allowed: stable");
}

TEST(BadScene, AStableStepExcludesSubsteps) {
    EXPECT_EQ(message_of_text("method = \"xpbd\"\ndt = \"stable\"\n[solver]\nsubsteps = 3\n"),
              "s.toml:2: dt: \"stable\" leaves the step to the method; leave out solver.substeps, or dt");
}

TEST(BadScene, UnknownWordsNameTheNearestAndAllAllowedOnes) {
    EXPECT_EQ(edited("\"implicit\"", "\"implict\""),
              "s.toml:2: method: unknown method \"implict\"; did you mean \"implicit\"? allowed: implicit, "
              "explicit, gerszewski, xpbd, fluid, cloth");
    EXPECT_EQ(edited("\"implicit\"", "\"explict\""),
              "s.toml:2: method: unknown method \"explict\"; did you mean \"explicit\"? allowed: implicit, "
              "explicit, gerszewski, xpbd, fluid, cloth");
    EXPECT_EQ(edited("\"implicit\"", "\"clot\""),
              "s.toml:2: method: unknown method \"clot\"; did you mean \"cloth\"? "
              "allowed: implicit, explicit, gerszewski, xpbd, fluid, cloth");
    EXPECT_EQ(edited("tolerance = 1e-4", "rest = \"bond\""),
              "s.toml:8: solver.rest: unknown rest \"bond\"; did you mean \"bonds\"? allowed: bonds, updated");
    EXPECT_EQ(edited("tolerance = 1e-4", "integrator = \"newmark\""),
              "s.toml:8: solver.integrator: unknown integrator \"newmark\"; allowed: euler, bdf2");
    EXPECT_EQ(edited("[\"vtp\"]", "[\"vtp\", \"vtk\"]"),
              "s.toml:25: output.particles.1: unknown particle format \"vtk\"; did you mean \"vtp\"? allowed: vtp, "
              "ply, usda");
    EXPECT_EQ(edited("[\"vtp\"]", "[\"vtp\", \"vtp\"]"), "s.toml:25: output.particles.1: \"vtp\" is listed twice");
}

TEST(BadScene, MatterTakesItsOwnKeysOnly) {
    EXPECT_EQ(
        message_of_text("method = \"cloth\"\n[materials.m]\npoisson = 0.3\n"),
        "s.toml:3: materials.m.poisson: is a key of solids, and method = \"cloth\" makes everything cloth; allowed: "
        "density, young, damping, friction, shear, bending, thickness");
    EXPECT_EQ(message_of_text("[materials.m]\nbending = 1\n"),
              "s.toml:2: materials.m.bending: is a key of cloth; it needs method = \"cloth\", is \"implicit\"");
}

TEST(BadScene, SpheresCannotBeRestrained) {
    EXPECT_EQ(message_of_text("method = \"xpbd\"\n[solver]\ncollisions = \"layers\"\n[materials.m]\n[[bodies]]\n"
                              "material = \"m\"\nspacing = 0.1\nshape = { box = [1, 1, 1] }\n[restraint]\n"),
              "s.toml:9: restraint: needs solver.collisions = \"touches\": spheres do not tell what they do, and "
              "nothing would wake by it");
}

TEST(BadScene, MeshFormatsMustSuitTheSurface) {
    EXPECT_EQ(
        edited("[output]", "[output]\nsurface = \"skn\""),
        "s.toml:25: output.surface: unknown surface \"skn\"; did you mean \"skin\"? allowed: none, levelset, skin");
    EXPECT_EQ(edited("[output]", "[output]\nmeshes = [\"gltf\"]"),
              "s.toml:25: output.meshes.0: unknown mesh format \"gltf\"; allowed: ply, obj, vtp, vdb, pc2, usda");
    EXPECT_EQ(edited("[output]", "[output]\nsurface = \"skin\"\nmeshes = [\"ply\", \"vdb\"]"),
              "s.toml:26: output.meshes: \"vdb\" needs surface = \"levelset\", is \"skin\"");
    EXPECT_EQ(edited("[output]", "[output]\nsurface = \"levelset\"\nmeshes = [\"pc2\"]"),
              "s.toml:26: output.meshes: \"pc2\" needs surface = \"skin\", is \"levelset\"");
    EXPECT_EQ(edited("[output]", "[output]\nsurface_inner = 1"),
              "s.toml:25: output.surface_inner: 1 is out of range; must be in [0.1, 0.9]");
    EXPECT_EQ(edited("[output]", "[output]\nsurface_outer = 0.9"),
              "s.toml:25: output.surface_outer: 0.9 is out of range; must be in [1, 2]");
}

TEST(BadScene, ABodyHasExactlyOneShapeAndItMakesSense) {
    EXPECT_EQ(edited("[1, 1, 1] }", "[1, 1, 1], sphere = 1 }"),
              "s.toml:15: bodies.0.shape: has more than one shape: box, sphere; keep one");
    EXPECT_EQ(
        edited("{ box = [1, 1, 1] }", "{ bx = [1, 1, 1] }"),
        "s.toml:15: bodies.0.shape.bx: unknown shape \"bx\"; did you mean \"box\"? allowed: box, sphere, cylinder, "
        "torus, star, points, mesh, sheet");
    EXPECT_EQ(
        edited("{ box = [1, 1, 1] }", "{ }"),
        "s.toml:15: bodies.0.shape: has no shape; allowed: box, sphere, cylinder, torus, star, points, mesh, sheet");
    EXPECT_EQ(edited("{ box = [1, 1, 1] }", "{ plane = [0, 1, 0] }"),
              "s.toml:15: bodies.0.shape.plane: a plane has no volume and cannot be a body; allowed: box, sphere, "
              "cylinder, torus, star, points, mesh, sheet");
    EXPECT_EQ(edited("{ box = [1, 1, 1] }", "{ torus = [0.1, 0.2] }"),
              "s.toml:15: bodies.0.shape.torus: the tube's radius 0.2 must be less than the ring's radius 0.1; torus = "
              "[ring, tube]");
    EXPECT_EQ(edited("{ box = [1, 1, 1] }", "{ star = [5, 1, 2, 1] }"),
              "s.toml:15: bodies.0.shape.star: the inner radius 2 must be less than the outer radius 1; star = [tips, "
              "outer, inner, height]");
    EXPECT_EQ(edited("{ box = [1, 1, 1] }", "{ star = [2, 2, 1, 1] }"),
              "s.toml:15: bodies.0.shape.star.0: 2 is out of range; must be a whole number from 3 to 100");
    EXPECT_EQ(edited("plane = [0, 1, 0]", "plane = [0, 0, 0]"),
              "s.toml:18: colliders.0.shape.plane: the normal of a plane must not be zero");
    EXPECT_EQ(
        edited("friction = 0.5", "position = [0, 1, 0]"),
        "s.toml:19: colliders.0.position: planes take no position; use shape = { plane = [x, y, z], offset = ... }");
    EXPECT_EQ(edited("{ box = [1, 1, 1] }", "{ points = \"no-such.ply\" }"),
              "s.toml:15: bodies.0.shape.points: no-such.ply: cannot be opened");
}

TEST(BadScene, AdditivePlasticityNeedsItsLawAndItsMethod) {
    std::string const additive = "plasticity = \"von-mises-additive\"\n";
    EXPECT_EQ(edited("density = 1000", additive + "elasticity = \"stvk\""),
              "s.toml:9: materials.jelly: plasticity = \"von-mises-additive\" needs the missing key yield_stress");
    EXPECT_EQ(edited("density = 1000", additive + "yield_stress = 100"),
              "s.toml:10: materials.jelly.plasticity: \"von-mises-additive\" needs elasticity = \"stvk\", is "
              "\"corotated\"");
    EXPECT_EQ(edited("density = 1000", additive + "yield_stress = 100\nelasticity = \"stvk\""),
              "s.toml:10: materials.jelly.plasticity: \"von-mises-additive\" needs method = \"xpbd\", is \"implicit\"");
    EXPECT_EQ(edited("density = 1000", additive + "yield_stress = 100\nelasticity = \"stvk\"\nweld = true"),
              "s.toml:13: materials.jelly.weld: only matter that flows can weld; set plasticity = \"flow\" or remove "
              "this key");
}

TEST(BadScene, PlasticityNeedsItsNumbersAndNumbersNeedPlasticity) {
    EXPECT_EQ(edited("density = 1000", "plasticity = \"flow\""),
              "s.toml:9: materials.jelly: plasticity = \"flow\" needs the missing keys yield_stress, flow_rate");
    EXPECT_EQ(edited("density = 1000", "plasticity = \"flow\"\nyield_stress = 0"),
              "s.toml:9: materials.jelly: plasticity = \"flow\" needs the missing key flow_rate");
    EXPECT_EQ(edited("density = 1000", "preset = \"steel\"\nplasticity = \"flow\""),
              "s.toml:9: materials.jelly: plasticity = \"flow\" needs the missing key flow_rate");
    EXPECT_EQ(edited("density = 1000", "plasticity = \"flow\"\nyield_stress = 1\nflow_rate = 0"),
              "s.toml:12: materials.jelly.flow_rate: 0 is out of range; must be greater than 0");
    EXPECT_EQ(edited("density = 1000", "yield_stress = 2e3"),
              "s.toml:10: materials.jelly.yield_stress: has no effect while plasticity is \"none\"; set plasticity = "
              "\"flow\" or remove this key");
    EXPECT_EQ(edited("density = 1000", "plasticity = \"von-mises\""),
              "s.toml:9: materials.jelly: plasticity = \"von-mises\" needs the missing key yield_stress");
    EXPECT_EQ(edited("density = 1000", "plasticity = \"von-mises\"\nyield_stress = 0"),
              "s.toml:11: materials.jelly.yield_stress: 0 is out of range; must be greater than 0 with plasticity = "
              "\"von-mises\"");
    EXPECT_EQ(edited("density = 1000", "plasticity = \"von-mises\"\nyield_stress = 1\nflow_rate = 2"),
              "s.toml:12: materials.jelly.flow_rate: has no effect while plasticity is \"von-mises\"; set plasticity = "
              "\"flow\" or remove this key");
    EXPECT_EQ(edited("density = 1000", "plasticity = \"flow\"\nyield_stress = 1\nflow_rate = 2\nrate = 1"),
              "s.toml:13: materials.jelly.rate: has no effect while plasticity is \"flow\"; set plasticity = "
              "\"von-mises\" or remove this key");
}

TEST(BadScene, VocesHardeningNeedsBothItsNumbersAndAStressAboveYield) {
    std::string const yields = "plasticity = \"von-mises\"\nyield_stress = 100\n";
    EXPECT_EQ(edited("density = 1000", yields + "saturation_stress = 200"),
              "s.toml:9: materials.jelly: saturation_stress and saturation_rate need each other; the missing key is "
              "saturation_rate");
    EXPECT_EQ(edited("density = 1000", yields + "saturation_rate = 10"),
              "s.toml:9: materials.jelly: saturation_stress and saturation_rate need each other; the missing key is "
              "saturation_stress");
    EXPECT_EQ(edited("density = 1000", yields + "saturation_stress = 50\nsaturation_rate = 10"),
              "s.toml:12: materials.jelly.saturation_stress: saturation_stress = 50 must not be below yield_stress = "
              "100");
}

TEST(BadScene, NamesOfBodiesMustDiffer) {
    std::string const second =
        "[[bodies]]\nname = \"cube\"\nmaterial = \"jelly\"\nshape = { sphere = 1 }\nspacing = 0.1\n";
    EXPECT_EQ(
        edited("[[colliders]]", second + "[[colliders]]"),
        "s.toml:18: bodies.1.name: \"cube\" is already the name of bodies.0 (s.toml:12); names of bodies must differ");
    EXPECT_EQ(edited("name = \"cube\"", "name = \"\""), "s.toml:13: bodies.0.name: must not be empty");
}

TEST(BadScene, ArraysNeedCountsAndAStep) {
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\narray = { count = [0, 1, 1], step = [1, 1, 1] }"),
              "s.toml:17: bodies.0.array.count.0: 0 is out of range; must be a whole number from 1 to 10000");
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\narray = { count = [2, 1, 1] }"),
              "s.toml:17: bodies.0.array: missing key \"step\"");
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\narray = { count = [2, 1, 1], step = [0, 1, 0] }"),
              "s.toml:17: bodies.0.array: copies along x need a step along x");
    EXPECT_EQ(edited("particles = 1000", "particles = 1000\narray = { count = [1000, 1000, 1], step = [1, 1, 1] }"),
              "s.toml:17: bodies.0.array.count: gives 1000000 copies; at most 10000 are allowed");
}

TEST(BadScene, HandlesNameABodyAndAProperRegion) {
    EXPECT_EQ(edited("body = \"cube\"", "body = \"cueb\""),
              "s.toml:21: handles.0.body: unknown body \"cueb\"; did you mean \"cube\"? allowed: cube");
    EXPECT_EQ(edited("max = [1, 1, 0]", "max = [1, -2, 0]"),
              "s.toml:22: handles.0.region.box: min must not exceed max, but along y -1 > -2");
    EXPECT_EQ(
        edited("motion = \"fixed\"", "motion = \"free\""),
        "s.toml:23: handles.0.motion: unknown motion \"free\"; allowed: fixed, or a table { velocity, spin, from, "
        "until } or { keys, smooth }");
    EXPECT_EQ(edited("motion = \"fixed\"", "motion = \"fixed\"\nfrom = 2\nuntil = 1"),
              "s.toml:20: handles.0: from = 2 must not be later than until = 1");
}

TEST(BadScene, HandlesHoldOrPullAndDoSomething) {
    auto const handle = [](std::string const& keys) { return edited("motion = \"fixed\"", keys); };
    EXPECT_EQ(handle("motion = \"fixed\"\nforce = [0, 1, 0]"),
              "s.toml:24: handles.0.force: force and motion exclude each other; keep one");
    EXPECT_EQ(handle("force = [0, 1]"), "s.toml:23: handles.0.force: must be a list of 3 numbers, has 2");
    EXPECT_EQ(handle("motion = 3"),
              "s.toml:23: handles.0.motion: must be \"fixed\" or a table { velocity, spin, from, until } or { keys, "
              "smooth }, is "
              "the number 3");
    EXPECT_EQ(
        handle("motion = { velocty = [0, 1, 0] }"),
        "s.toml:23: handles.0.motion.velocty: unknown key; did you mean \"velocity\"? allowed: velocity, spin, from, "
        "until, keys, smooth");
    EXPECT_EQ(handle("motion = { from = 1 }"),
              "s.toml:23: handles.0.motion: has neither velocity nor spin nor keys; write motion = \"fixed\" to hold "
              "particles "
              "still");
    EXPECT_EQ(handle("motion = { velocity = [0, 1, 0], from = 2, until = 1 }"),
              "s.toml:23: handles.0.motion: from = 2 must not be later than until = 1");
    EXPECT_EQ(handle("motion = { velocity = [0, 1, 0], from = 1 }\nuntil = 1"),
              "s.toml:23: handles.0.motion: never moves: its from and until leave nothing of the time in which the "
              "handle acts");
}

TEST(BadScene, FrictionIsNotNegativeAndOnlyFlowingMaterialsWeld) {
    EXPECT_EQ(edited("young = 1e4", "friction = -0.1"),
              "s.toml:11: materials.jelly.friction: -0.1 is out of range; must be at least 0");
    EXPECT_EQ(edited("young = 1e4", "weld = 1"),
              "s.toml:11: materials.jelly.weld: must be true or false, is the number 1");
    EXPECT_EQ(edited("young = 1e4", "weld = true"),
              "s.toml:11: materials.jelly.weld: only matter that flows can weld; set plasticity = \"flow\" or remove "
              "this key");
    EXPECT_EQ(edited("young = 1e4", "weld = false"), "(no error)");
}

TEST(BadScene, NamesOfCollidersAndHandlesDiffer) {
    std::string const again = "[[colliders]]\nname = \"collider0\"\nshape = { sphere = 1 }\n[[handles]]";
    EXPECT_EQ(edited("[[handles]]", again),
              "s.toml:21: colliders.1.name: \"collider0\" is already the name of colliders.0 (s.toml:17); names of "
              "colliders must differ");
    EXPECT_EQ(edited("motion = \"fixed\"",
                     "motion = \"fixed\"\nname = \"a\"\n[[handles]]\nname = \"a\"\nbody = \"cube\"\nmotion = "
                     "\"fixed\""),
              "s.toml:26: handles.1.name: \"a\" is already the name of handles.0 (s.toml:20); names of handles must "
              "differ");
    EXPECT_EQ(
        edited("friction = 0.5", "name = \"a,b\""),
        "s.toml:19: colliders.0.name: must not be empty, and have no comma, quote or line break: it is written to a "
        "table");
    EXPECT_EQ(edited("friction = 0.5", "name = \"floor\""), "(no error)");
}

TEST(BadScene, ProbesHaveAPointOrARegion) {
    std::string const forms = ": point = [x, y, z] or region = { box = { min = [x, y, z], max = [x, y, z] } }";
    EXPECT_EQ(edited("[output]", "[[probes]]\nname = \"a\"\n[output]"),
              "s.toml:24: probes.0: has neither point nor region" + forms);
    EXPECT_EQ(edited("[output]",
                     "[[probes]]\npoint = [0, 0, 0]\nregion = { box = { min = [0, 0, 0], max = [1, 1, 1] } "
                     "}\n[output]"),
              "s.toml:24: probes.0: has both point and region; keep one" + forms);
    EXPECT_EQ(edited("[output]", "[[probes]]\npiont = [0, 0, 0]\n[output]"),
              "s.toml:25: probes.0.piont: unknown key; did you mean \"point\"? allowed: name, point, region, "
              "value, every");
    EXPECT_EQ(edited("[output]", "[[probes]]\npoint = [0, 0, 0]\n[output]"), "(no error)");
}

TEST(BadScene, MotionsOfCollidersEndAfterTheyBegin) {
    EXPECT_EQ(edited("friction = 0.5", "motion = { velocity = [0, 1, 0], from = 2, until = 1 }"),
              "s.toml:19: colliders.0.motion: from = 2 must not be later than until = 1");
    EXPECT_EQ(edited("friction = 0.5", "motion = { speed = 1 }"),
              "s.toml:19: colliders.0.motion.speed: unknown key; allowed: velocity, spin, from, until, keys, smooth");
    EXPECT_EQ(
        edited("friction = 0.5", "motion = \"fixed\""),
        "s.toml:19: colliders.0.motion: must be a table with keys of velocity, spin, from, until, keys, smooth, is the "
        "text \"fixed\"");
}

}  // namespace
}  // namespace pliant
