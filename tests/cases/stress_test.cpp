// The field `stress`: force over area of a bar that is pulled, whatever the method and the format.
#include <pliant/data/error.hpp>
#include <pliant/io/read_ply.hpp>
#include <pliant/io/read_vtp.hpp>

#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>

#include <cmath>

namespace pliant::test {
namespace {

// A bar along an oblique axis, drawn out slowly by its ends, at rest by damping.
std::string const pulled = R"(
duration = 0.5
fps = 10
gravity = [0, 0, 0]
[materials.m]
young = 2e6
poisson = 0.3
density = 1000
damping = 0.004
[[bodies]]
name = "bar"
material = "m"
shape = { box = [0.5, 0.1, 0.1] }
spacing = 0.02
[[handles]]
name = "clamp"
body = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.22, 1, 1] } }
motion = "fixed"
[[handles]]
name = "grip"
body = "bar"
region = { box = { min = [0.22, -1, -1], max = [1, 1, 1] } }
motion = { velocity = [0.02, 0, 0], until = 0.25 }
[output]
stress = true
)";

double von_mises_of(float const* s) {
    double const a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return std::sqrt(0.5 * (a * a + b * b + c * c) +
                     3. * (double(s[3]) * s[3] + double(s[4]) * s[4] + double(s[5]) * s[5]));
}

struct Section {  // the mean stress of the particles within 0.1 m of the middle, and what else is there
    double axial = 0, across = 0, shear = 0, worst = 0, area = 0;  // worst: von Mises of the tensor against the field
};
Section middle_of(RunResult const& r) {
    Channel const *const stress = r.last.channel("stress"), *const von_mises = r.last.channel("von_mises");
    Section s;
    double count = 0, half = 0;
    for (std::size_t i = 0; i < r.first.position.size(); ++i) {
        if (std::abs(r.first.position[i].x) > 0.1f) continue;
        float const* const t = &stress->values[6 * i];
        s.axial += t[0], s.across += 0.5 * (t[1] + t[2]), s.shear += std::abs(t[3]) + std::abs(t[4]) + std::abs(t[5]);
        s.worst = std::max(s.worst, std::abs(von_mises_of(t) / double(von_mises->values[i]) - 1));
        half = std::max(half, double(std::abs(r.last.position[i].y)));
        count += 1;
    }
    s.axial /= count, s.across /= count, s.shear /= count;
    s.area = 4 * half * half * 25. / 16;  // particles lie in the middle of five cells
    return s;
}

TEST(Stress, IsForceOverAreaInABarThatIsPulled) {
    RunResult const r = run_text(pulled, {"dt=0.005", "solver.tolerance=1e-6"});
    ASSERT_NE(r.last.channel("stress"), nullptr);
    EXPECT_EQ(r.last.channel("stress")->components, 6);
    Section const s = middle_of(r);
    double const force = -r.stats.back().forces[1].force.x;
    std::printf("  axial %.4f of F / A, across %.4f, shear %.4f of it; von Mises off by %.3f\n",
                s.axial / (force / s.area), s.across / s.axial, s.shear / s.axial, s.worst);
    // 2% where the cantilever is within 5%, at five particles across.
    EXPECT_NEAR(s.axial, force / s.area, 0.02 * s.axial);
    EXPECT_LT(std::abs(s.across), 0.02 * s.axial);
    EXPECT_LT(s.shear, 0.03 * s.axial);
    // `von_mises` is that of the force per area at rest: at a strain of 1% they differ by 1%.
    EXPECT_LT(s.worst, 0.015);
}

TEST(Stress, IsTheSameWithEveryMethodThatHasIt) {
    double const expected = 2e6 * 0.002 / 0.45;  // Young's modulus times the strain between the handles
    for (std::string const method : {"implicit", "explicit", "xpbd"}) {
        RunResult const r = run_text(pulled, {"method=" + method, "duration=0.2", "handles.1.motion.until=0.1"});
        Section const s = middle_of(r);
        std::printf("  %s: axial %.4f of E times the strain, von Mises off by %.3f\n", method.c_str(),
                    s.axial / expected, s.worst);
        EXPECT_NEAR(s.axial, expected, 0.05 * expected)
            << method;  // the handles' corners stiffen the bar by some per cent
        EXPECT_LT(s.worst, 0.02) << method;
    }
    // Without damping or a rest shape: only that the tensor is that of the field.
    std::string text = pulled;
    text.erase(text.find("damping = 0.004"), 15);
    RunResult const r = run_text(text, {"method=gerszewski", "duration=0.2", "bodies.0.sampling=blue-noise"});
    Section const s = middle_of(r);
    EXPECT_LT(s.worst, 0.02);
    EXPECT_GT(s.axial, 0);
}

TEST(Stress, IsLeftOutUnlessAskedForAndRefusedWhereThereIsNone) {
    EXPECT_EQ(run_text(pulled, {"output.stress=false", "duration=0.1"}).last.channel("stress"), nullptr);
    std::string text =
        "[materials.m]\n[[bodies]]\nmaterial = 'm'\nshape = { box = [1, 1, 1] }\nspacing = 0.25\n"
        "[output]\nstress = true\n";
    EXPECT_THROW(read_scene_text(text, "s.toml", {"method=fluid"}), InputError);
    EXPECT_NO_THROW(read_scene_text(text, "s.toml", {}));
}

TEST(CommandLineStress, IsReadBackFromVtpAndPly) {
    TemporaryFolder const folder;
    overwrite(folder / "pulled.toml", pulled);
    Outcome const outcome = run_command({"run", "pulled.toml", "-o", "out", "--quiet", "--set", "duration=0.1", "--set",
                                         "output.particles=[\"vtp\",\"ply\",\"usda\"]"},
                                        {.folder = folder.path(), .environment = {}, .largest_file = {}});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    Frame const vtp = read_vtp_particles(folder / "out/particles/00001.vtp"),
                ply = read_ply_particles(folder / "out/particles/00001.ply");
    ASSERT_NE(vtp.channel("stress"), nullptr);
    ASSERT_NE(ply.channel("stress"), nullptr);
    EXPECT_EQ(vtp.channel("stress")->components, 6);
    EXPECT_EQ(vtp.channel("stress")->values, ply.channel("stress")->values);
    std::string const xml = file_bytes(folder / "out/particles/00001.vtp");
    EXPECT_NE(xml.find("Name=\"stress\" NumberOfComponents=\"6\" ComponentName0=\"XX\" ComponentName1=\"YY\" "
                       "ComponentName2=\"ZZ\" ComponentName3=\"XY\" ComponentName4=\"YZ\" ComponentName5=\"XZ\""),
              std::string::npos);
    std::string const usd = file_bytes(folder / "out/particles/00001.usda");
    for (char const* name : {"stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_yz", "stress_xz"})
        EXPECT_NE(usd.find(std::string("primvars:") + name), std::string::npos) << name;
}

}  // namespace
}  // namespace pliant::test
