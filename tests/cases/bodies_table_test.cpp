// bodies.csv: what it says of bodies is what frames and summary say, for every method.
#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>

#include <sstream>

namespace pliant::test {
namespace {

std::string const pair = R"(
duration = 0.1
fps = 50
[materials.m]
density = 1000
[[bodies]]
name = "still"
material = "m"
shape = { box = [0.2, 0.2, 0.2] }
spacing = 0.05
[[bodies]]
name = "ball[s]"
material = "m"
shape = { box = [0.2, 0.1, 0.2] }
spacing = 0.05
position = [0, 1, 0]
velocity = [0.5, 0, 0]
spin = [0, 0, 2]
)";

struct Row {
    int frame = 0;
    std::string body;
    std::vector<double> values;  // after the name
};
std::vector<Row> rows_of(std::string const& csv) {
    std::vector<Row> rows;
    std::istringstream file{csv};
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream cells{line};
        std::string cell;
        std::getline(cells, cell, ',');
        Row& row = rows.emplace_back();
        row.frame = std::stoi(cell);
        std::getline(cells, cell, ',');
        std::getline(cells, row.body, ',');
        while (std::getline(cells, cell, ',')) row.values.push_back(std::stod(cell));
    }
    return rows;
}

class BodiesTable : public testing::TestWithParam<std::string> {};

TEST_P(BodiesTable, SaysWhatTheSummarySaysAndItsEnergiesAddUp) {
    TemporaryFolder const folder;
    overwrite(folder / "pair.toml", pair);
    auto const run = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "pair.toml", "--quiet", "--set", "method=" + GetParam()});
        return run_command(more, {.folder = folder.path(), .environment = {}, .largest_file = {}});
    };
    Outcome const whole = run({"-o", "whole"});
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    ASSERT_EQ(run({"-o", "parts", "--frames", "2"}).exit_code, 0);
    ASSERT_EQ(run({"-o", "parts", "--resume"}).exit_code, 0);
    std::string const csv = file_bytes(folder / "whole/bodies.csv");
    EXPECT_EQ(csv, file_bytes(folder / "parts/bodies.csv"));
    std::vector<Row> const rows = rows_of(csv);
    ASSERT_EQ(rows.size(), 2u * 6);

    Simulation simulation(read_scene_text(pair, "pair.toml", {"method=" + GetParam()}), Device::cpu(2));
    for (std::size_t k = 0; k < rows.size(); k += 2) {
        ASSERT_EQ(rows[k].frame, int(k / 2));
        FrameStats const& stats = simulation.frame().stats;
        Summary const summary = simulation.summary();
        double kinetic = 0, elastic = 0;
        for (std::size_t b = 0; b < 2; ++b) {
            std::vector<double> const& v = rows[k + b].values;
            ASSERT_EQ(v.size(), 13u);
            EXPECT_EQ(rows[k + b].body, summary.bodies[b].name);
            EXPECT_EQ((Vec3d{v[0], v[1], v[2]}), summary.bodies[b].center);
            EXPECT_EQ((Vec3d{v[3], v[4], v[5]}), summary.bodies[b].velocity);
            EXPECT_EQ((Vec3d{v[6], v[7], v[8]}), summary.bodies[b].spin);
            kinetic += v[9], elastic += v[10];
            EXPECT_EQ(v[12], summary.bodies[b].shape_error);
        }
        EXPECT_NEAR(kinetic, stats.kinetic_energy, 1e-12 * stats.kinetic_energy);
        EXPECT_NEAR(elastic, stats.elastic_energy, 1e-12 * stats.elastic_energy);
        // The body without a velocity falls, whatever the other does: m v^2 / 2, and v = g t within half a step of the
        // methods whose velocities lie between frames.
        double const fallen = 9.81 * stats.time, mass = summary.bodies[0].mass;
        EXPECT_NEAR(rows[k].values[9], 0.5 * mass * fallen * fallen, 0.03 * mass * fallen + 1e-9);
        if (!simulation.finished()) simulation.advance();
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, BodiesTable, testing::Values("implicit", "explicit", "xpbd", "gerszewski", "fluid"),
                         [](auto const& method) { return method.param; });

}  // namespace
}  // namespace pliant::test
