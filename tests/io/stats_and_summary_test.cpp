#include <pliant/io/write_forces.hpp>
#include <pliant/io/write_stats.hpp>
#include <pliant/io/write_summary.hpp>

#include <io/fixtures.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace pliant::test {

namespace {

std::set<std::string> keys(nlohmann::json const& json) {
    std::set<std::string> result;
    for (auto const& item : json.items()) result.insert(item.key());
    return result;
}

Summary small_summary() {
    Summary summary;
    summary.version = "0.1.0";
    summary.method = "implicit";
    summary.device = "cpu";
    summary.threads = 2;
    summary.particles = 3;
    summary.frames = 8;
    summary.steps = 63;
    summary.cg_iterations = 700;
    summary.dt = 0.002;
    summary.wall_s = 1.5;
    summary.step_ms = 1.0 / 3;
    summary.peak_memory_bytes = 1ull << 40;
    summary.retries = 4;
    summary.solves = 70;
    summary.backtracks = 6;
    summary.halvings = 5;
    BodySummary body;
    body.name = "a \"quoted\" cube";
    body.particles = 3;
    body.spacing = 0.02;
    body.mass = 8;
    body.center = {1, 2, 3};
    body.velocity = {4, 5, 6};
    body.spin = {7, 8, 9};
    body.bounds_min = {-1, -2, -3};
    body.bounds_max = {10, 20, 30};
    body.volume_ratio = std::numeric_limits<double>::quiet_NaN();
    body.shape_error = 0.5;
    body.max_plastic_strain = 0.25;
    for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 3; ++c) body.rotation(row, c) = 3 * row + c;
    summary.bodies.push_back(body);
    return summary;
}

nlohmann::json written(Summary const& summary) {
    TemporaryFolder const folder;
    write_summary(folder / "summary.json", summary);
    return nlohmann::json::parse(file_bytes(folder / "summary.json"));
}

}  // namespace

TEST(Stats, HeaderIsTheOneOfTheContract) {
    TemporaryFolder const folder;
    write_stats(folder / "stats.csv", {});
    EXPECT_EQ(file_bytes(folder / "stats.csv"),
              "frame,time,steps,cg_iterations,wall_ms,kinetic_energy,elastic_energy,potential_energy,com_x,com_y,com_z,"
              "penetration,solves,backtracks,halvings\n");
}

TEST(Forces, AreARowPerColliderAndHandleAndFrameAndCopiesAreAddedUp) {
    TemporaryFolder const folder;
    std::vector<FrameStats> const rows{stats_row(0), stats_row(2)};
    std::vector<ForceOn> const on{
        {"collider", "floor", ""}, {"handle", "grip", "ball[0,0,0]"}, {"handle", "grip", "ball[1,0,0]"}};
    write_forces(folder / "forces.csv", {on, {}}, rows);
    std::string const at = "2," + std::to_string(2 / 60.0).substr(0, 4);
    std::istringstream file{file_bytes(folder / "forces.csv")};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 5u);  // none of the start
    EXPECT_EQ(lines[0], "frame,time,kind,name,body,fx,fy,fz,tx,ty,tz");
    EXPECT_TRUE(lines[1].starts_with(at)) << lines[1];
    auto const rest = [&](std::size_t k) { return lines[k].substr(lines[k].find(',', 2) + 1); };
    EXPECT_EQ(rest(1), "collider,floor,,0.1,-1e-07,0.3333333333333333,0,2,3");
    EXPECT_EQ(rest(2), "handle,grip,,5,5,6,7,8.5,10");
    EXPECT_EQ(rest(3), "handle,grip,\"ball[0,0,0]\",4,5,6,7,8.5,9");
    EXPECT_EQ(rest(4), "handle,grip,\"ball[1,0,0]\",1,0,0,0,0,1");
}

TEST(Forces, BetweenBodiesHaveTheirNames) {
    TemporaryFolder const folder;
    FrameStats row;
    row.frame = 1, row.time = 0.5;
    row.pair_forces = {{0, 1, {{1, 2, 3}, {4, 5, 6}}}, {1, 0, {{-1, -2, -3}, {-4, -5, -6}}}};
    write_forces(folder / "forces.csv", {{}, {"lid", "pot[0,1,0]"}}, std::span(&row, 1));
    EXPECT_EQ(file_bytes(folder / "forces.csv"),
              "frame,time,kind,name,body,fx,fy,fz,tx,ty,tz\n"
              "1,0.5,pair,lid,\"pot[0,1,0]\",1,2,3,4,5,6\n"
              "1,0.5,pair,\"pot[0,1,0]\",lid,-1,-2,-3,-4,-5,-6\n");
}

TEST(Stats, RowsReadBackInFullPrecision) {
    TemporaryFolder const folder;
    std::vector<FrameStats> const rows{stats_row(0), stats_row(1)};
    write_stats(folder / "stats.csv", rows);
    std::istringstream file{file_bytes(folder / "stats.csv")};
    std::string line;
    std::getline(file, line);
    for (FrameStats const& row : rows) {
        std::getline(file, line);
        std::istringstream cells{line};
        std::vector<double> values;
        for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
        EXPECT_EQ(values, (std::vector<double>{static_cast<double>(row.frame), row.time, static_cast<double>(row.steps),
                                               static_cast<double>(row.cg_iterations), row.wall_ms, row.kinetic_energy,
                                               row.elastic_energy, row.potential_energy, row.center_of_mass.x,
                                               row.center_of_mass.y, row.center_of_mass.z, row.penetration,
                                               static_cast<double>(row.solves), static_cast<double>(row.backtracks),
                                               static_cast<double>(row.halvings)}));
    }
    EXPECT_FALSE(std::getline(file, line));
}

TEST(Summary, KeysAreThoseOfTheContract) {
    nlohmann::json const json = written(small_summary());
    EXPECT_EQ(keys(json), (std::set<std::string>{
                              "version",  "method",  "device",        "threads",    "particles", "frames",
                              "steps",    "dt",      "cg_iterations", "wall_s",     "step_ms",   "peak_memory_bytes",
                              "finished", "retries", "solves",        "backtracks", "halvings",  "bodies",
                              "total_s",  "setup_s", "output_s",      "surface_s",  "files_s"}));
    EXPECT_EQ(keys(json["bodies"][0]),
              (std::set<std::string>{"name", "particles", "spacing", "mass", "center", "velocity", "spin", "bounds",
                                     "volume_ratio", "shape_error", "max_plastic_strain", "rotation"}));
    EXPECT_EQ(keys(json["bodies"][0]["bounds"]), (std::set<std::string>{"min", "max"}));
}

TEST(Summary, NamesTheChannelsOfTheFrames) {
    Summary summary = small_summary();
    summary.channels = {{"von_mises", "Pa"}, {"plastic_strain", ""}};
    nlohmann::json const json = written(summary);
    EXPECT_EQ(json["channels"][0], (nlohmann::json{{"name", "von_mises"}, {"unit", "Pa"}}));
    EXPECT_EQ(json["channels"][1], (nlohmann::json{{"name", "plastic_strain"}, {"unit", ""}}));
}

TEST(Summary, ValuesReadBack) {
    nlohmann::json const json = written(small_summary());
    EXPECT_EQ(json["version"], "0.1.0");
    EXPECT_EQ(json["method"], "implicit");
    EXPECT_EQ(json["device"], "cpu");
    EXPECT_EQ(json["threads"], 2);
    EXPECT_EQ(json["frames"], 8);
    EXPECT_EQ(json["steps"], 63);
    EXPECT_EQ(json["dt"], 0.002);
    EXPECT_EQ(json["cg_iterations"], 700);
    EXPECT_EQ(json["step_ms"], 1.0 / 3);
    EXPECT_EQ(json["peak_memory_bytes"], 1ull << 40);
    EXPECT_EQ(json["finished"], false);
    EXPECT_EQ(json["retries"], 4);
    EXPECT_EQ(json["solves"], 70);
    EXPECT_EQ(json["backtracks"], 6);
    EXPECT_EQ(json["halvings"], 5);
    nlohmann::json const& body = json["bodies"][0];
    EXPECT_EQ(body["name"], "a \"quoted\" cube");
    EXPECT_EQ(body["center"], (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(body["bounds"]["min"], (std::vector<double>{-1, -2, -3}));
    EXPECT_EQ(body["bounds"]["max"], (std::vector<double>{10, 20, 30}));
    EXPECT_EQ(body["rotation"], (std::vector<std::vector<double>>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
}

TEST(Summary, ANonFiniteNumberBecomesNull) {
    EXPECT_TRUE(written(small_summary())["bodies"][0]["volume_ratio"].is_null());
}

TEST(Summary, ANameThatIsNotUtf8StillGivesJson) {
    Summary summary = small_summary();
    summary.bodies[0].name = "caf\xe9";
    EXPECT_EQ(written(summary)["bodies"][0]["name"], "caf\xef\xbf\xbd");
}

}  // namespace pliant::test
