// stats.csv, summary.json, stage.json and the list of frames, read back.
#include <pliant/io/formats.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/io/read_scenery.hpp>
#include <pliant/io/read_stats.hpp>
#include <pliant/io/read_summary.hpp>
#include <pliant/io/write_scenery.hpp>
#include <pliant/io/write_stats.hpp>
#include <pliant/io/write_summary.hpp>

#include <io/damage.hpp>

#include <cmath>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;

class ReadRun : public testing::Test {
protected:
    // The refusal without the path of the file.
    template <class Read>
    std::string message(fs::path const& file, Read&& read) const {
        std::string const text = refusal_of([&] { read(file); });
        expect_named(text, file);
        return text.substr(std::min(text.size(), file.string().size() + 2));
    }
    TemporaryFolder folder;
};

std::vector<FrameStats> three_rows() {
    std::vector<FrameStats> rows{stats_row(0), stats_row(1), stats_row(2)};
    rows[1].elastic_energy = std::numeric_limits<double>::infinity();
    for (FrameStats& row : rows) row.probes.clear(), row.forces.clear();  // these have files of their own
    return rows;
}

Summary two_bodies() {
    Summary summary{"0.1.0",    "implicit", "cpu", 2,  9, 8, 63, 700,   0.002, 1.5, 1.0 / 3,
                    1ull << 40, true,       4,     70, 6, 5, 1,  false, {},    {}};
    summary.channels = {{"von_mises", "Pa"}, {"plastic_strain", ""}};
    summary.bodies.resize(2);
    BodySummary& body = summary.bodies[1];
    body = {"b \"2\"", 3, 0.02, 8, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, -2, -3}, {10, 20, 30}, 0.5, 0.25, 0.125, {}};
    for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 3; ++c) body.rotation(row, c) = 3 * row + c;
    summary.bodies[0].volume_ratio = std::numeric_limits<double>::quiet_NaN();
    return summary;
}

Scenery scenery_with_two_colliders() {
    Scenery scenery{"A \"floor\"", {0, 0, -1.62}, 24, "skin", {}};
    scenery.colliders.resize(2);
    scenery.colliders[0].shape = "plane";
    scenery.colliders[1] = {"box", "colliders/1.ply", {1, 2, 3}, {}, {4, 5, 6}, {7, 8, 9}, 0.25, 0.75};
    for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 3; ++c) scenery.colliders[1].rotation(row, c) = 3 * row + c;
    return scenery;
}

}  // namespace

TEST_F(ReadRun, StatisticsComeBackBitForBit) {
    write_stats(folder / "stats.csv", three_rows());
    EXPECT_EQ(read_stats(folder / "stats.csv"), three_rows());
    write_stats(folder / "stats.csv", {});
    EXPECT_TRUE(read_stats(folder / "stats.csv").empty());
}

TEST_F(ReadRun, StatisticsCutOffAnywhereAreRefusedOrEndWithAWholeRow) {
    fs::path const file = folder / "stats.csv";
    write_stats(file, three_rows());
    std::string const whole = file_bytes(file);
    cut_everywhere(file, whole, read_stats, [&](std::size_t size) {
        EXPECT_EQ(whole[size - 1], '\n');
        std::vector<FrameStats> const found = read_stats(file), rows = three_rows();
        ASSERT_LT(found.size(), rows.size());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), rows.begin()));
    });
    damage_at_random(file, whole, read_stats);
}

TEST_F(ReadRun, ErrorsInStatisticsNameTheLine) {
    fs::path const file = folder / "stats.csv";
    std::string const header = std::string{stats_header} + "\n";
    auto const told = [&](std::string const& bytes) {
        overwrite(file, bytes);
        return message(file, read_stats);
    };
    std::string const row = "0,0,9,100,1,2,3,4,5,6,7,8,0,0,0\n";
    EXPECT_EQ(told(""), "is empty");
    EXPECT_EQ(told("epoch,loss\n1,0.5\n"), "line 1: is not the header of pliant's statistics (frame,time,steps,...)");
    EXPECT_EQ(told(header + "0,0,9,100,1,2,3\n"),
              "line 2: has 7 columns instead of 15; the file is cut off or damaged");
    EXPECT_EQ(told(header + row + "1,1,9,100,1,2,3,4,5,6,7,8,0,0,0,9\n"),
              "line 3: has 16 columns instead of 15; the file is cut off or damaged");
    EXPECT_EQ(told(header + row + "1,1,9,100,1,two,3,4,5,6,7,8,0,0,0\n"),
              "line 3: 'two' is no number for the column kinetic_energy");
    EXPECT_EQ(told(header + row + "1,1,-9,100,1,2,3,4,5,6,7,8,0,0,0\n"),
              "line 3: '-9' is no number for the column steps");
    EXPECT_EQ(told(header + row + "1,1,9,100,1,,3,4,5,6,7,8,0,0,0\n"),
              "line 3: '' is no number for the column kinetic_energy");
    EXPECT_EQ(told(header + row + row), "line 3: frame 0 does not come after the one above it");
    EXPECT_EQ(told(header + row + "1,1,9,100,1,2,3,4,5,6,7,8,0,0,0"),
              "line 3: the file ends in the middle of this line");
}

TEST_F(ReadRun, StatisticsOfTheFirstVersionHaveNoCountsOfSolves) {
    fs::path const file = folder / "stats.csv";
    std::string const header = std::string{older_stats_header} + "\n";
    overwrite(file, header + "0,0,9,100,1,2,3,4,5,6,7,0.25\n");
    ASSERT_EQ(read_stats(file).size(), 1u);
    EXPECT_EQ(read_stats(file)[0].penetration, 0.25);
    EXPECT_EQ(read_stats(file)[0].solves, 0u);
    overwrite(file, header + "0,0,9,100,1,2,3,4,5,6,7,8,1,2,3\n");
    EXPECT_EQ(message(file, read_stats), "line 2: has 15 columns instead of 12; the file is cut off or damaged");
}

TEST_F(ReadRun, TheSummaryComesBackBitForBit) {
    fs::path const file = folder / "summary.json";
    Summary const summary = two_bodies();
    write_summary(file, summary);
    Summary const found = read_summary(file);
    EXPECT_TRUE(std::isnan(found.bodies.at(0).volume_ratio));
    // Except for NaN and null, different summaries give different files, so equal files mean equal summaries.
    std::string const bytes = file_bytes(file);
    write_summary(file, found);
    EXPECT_EQ(file_bytes(file), bytes);
    EXPECT_EQ(found.bodies.at(1).rotation, summary.bodies[1].rotation);
    EXPECT_EQ(found.channels, summary.channels);
    EXPECT_EQ(found.particles, 9u);
    EXPECT_EQ(found.peak_memory_bytes, 1ull << 40);
    EXPECT_EQ(found.solves, 70u);
    EXPECT_EQ(found.backtracks, 6u);
    EXPECT_EQ(found.halvings, 5u);
    EXPECT_EQ(found.dt, 0.002);
    EXPECT_TRUE(found.finished);
}

TEST_F(ReadRun, ASummaryCutOffAnywhereIsRefused) {
    fs::path const file = folder / "summary.json";
    write_summary(file, two_bodies());
    std::string const whole = file_bytes(file);
    cut_everywhere(file, whole, read_summary,
                   [&](std::size_t size) { EXPECT_EQ(size + 1, whole.size()) << "only the last newline may miss"; });
    damage_at_random(file, whole, read_summary);
}

TEST_F(ReadRun, ErrorsInASummaryNameTheKey) {
    fs::path const file = folder / "summary.json";
    write_summary(file, two_bodies());
    std::string const whole = file_bytes(file);
    auto const told = [&](std::string const& part, std::string const& by) {
        overwrite(file, replaced(whole, part, by));
        return message(file, read_summary);
    };
    EXPECT_EQ(told("\"frames\"", "\"films\""),
              "frames is missing; another version of pliant may have written the file");
    EXPECT_EQ(told("\"dt\": 0.002", "\"dt\": \"short\""), "dt is not a number");
    EXPECT_EQ(told("\"particles\": 9", "\"particles\": -9"), "particles is not a whole number");
    EXPECT_EQ(told("\"threads\": 2", "\"threads\": 4294967296"), "threads is not a whole number");
    EXPECT_EQ(told("\"mass\": 8.0", "\"mass\": true"), "bodies[1].mass is not a number");
    EXPECT_EQ(told("\"max\"", "\"Max\""),
              "bodies[0].bounds.max is missing; another version of pliant may have written the file");
    EXPECT_EQ(told("{", "[{"), "is no JSON, or cut off (near byte " + std::to_string(whole.size() + 2) + ")");
    overwrite(file, "[]");
    EXPECT_EQ(message(file, read_summary), "is no object");
    overwrite(file, "{\"version\": 1e999}");
    EXPECT_EQ(message(file, read_summary), "is no JSON that can be read: it has a number out of range");
    overwrite(file, std::string(100000, '['));  // must not recurse without limit
    EXPECT_EQ(message(file, read_summary), "is no JSON, or cut off (near byte 100001)");
}

TEST_F(ReadRun, TheStageComesBackBitForBit) {
    fs::path const file = folder / "stage.json";
    Scenery const scenery = scenery_with_two_colliders();
    write_scenery(file, scenery);
    auto const found = read_scenery(file);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->title, scenery.title);
    EXPECT_EQ(found->gravity, scenery.gravity);
    EXPECT_EQ(found->fps, 24);
    ASSERT_EQ(found->colliders.size(), 2u);
    EXPECT_EQ(found->colliders[0].until, 1e300);
    EXPECT_EQ(found->colliders[1].shape, "box");
    EXPECT_EQ(found->colliders[1].mesh, "colliders/1.ply");
    EXPECT_EQ(found->colliders[1].rotation, scenery.colliders[1].rotation);
    EXPECT_EQ(scenery_json(*found), scenery_json(scenery));
}

TEST_F(ReadRun, KeysOfTheStageComeBackBitForBit) {
    fs::path const file = folder / "stage.json";
    Scenery scenery = scenery_with_two_colliders();
    std::vector<PathKey> const keys{{0.1, {}, {}}, {0.3, {0, 1. / 3, 0}, {10, 20, 30}}};
    scenery.colliders[1].path = KeyedPath(keys, true);
    write_scenery(file, scenery);
    auto const found = read_scenery(file);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->colliders[0].path.empty());
    EXPECT_EQ(found->colliders[1].path, scenery.colliders[1].path);
    std::string const whole = scenery_json(scenery);
    overwrite(file, replaced(whole, "\"time\": 0.3", "\"time\": 0.1"));
    EXPECT_EQ(message(file, read_scenery), "colliders[1].keys[1].time is not later than the one before");
}

TEST_F(ReadRun, AMissingStageGivesNothingAndADamagedOneIsRefused) {
    fs::path const file = folder / "stage.json";
    EXPECT_FALSE(read_scenery(file));
    std::string const whole = scenery_json(scenery_with_two_colliders());
    cut_everywhere(file, whole, read_scenery, [&](std::size_t size) { EXPECT_EQ(size + 1, whole.size()); });
    damage_at_random(file, whole, read_scenery);
    overwrite(file, replaced(whole, "\"fps\": 24.0", "\"fps\": 0"));
    EXPECT_EQ(message(file, read_scenery), "fps is not above 0");
    overwrite(file, replaced(whole, "\"until\": 0.75", "\"until\": null"));
    EXPECT_EQ(message(file, read_scenery), "colliders[1].until is not finite");
}

TEST_F(ReadRun, ACollidersEndlessMotionIsWrittenAsAFiniteTime) {
    Scenery scenery = scenery_with_two_colliders();
    scenery.colliders[0].until = std::numeric_limits<double>::infinity();
    write_scenery(folder / "stage.json", scenery);
    EXPECT_EQ(read_scenery(folder / "stage.json")->colliders[0].until, 1e300);
}

TEST_F(ReadRun, TheListHasTheFramesOfTheStatisticsAndTheirFiles) {
    fs::create_directories(folder / "particles");
    fs::create_directories(folder / "surface");
    write_stats(folder / "stats.csv", three_rows());
    for (char const* name : {"particles/00000.vtp", "particles/00001.ply", "particles/00001.vtp", "particles/00003.vtp",
                             "particles/.00002.vtp.partial", "surface/00001.obj", "surface/00001.ply"})
        overwrite(folder / name, "x");
    RunFiles const run = list_run(folder.path());
    EXPECT_EQ(run.stats, three_rows());
    ASSERT_EQ(run.frames.size(), 3u) << "frame 3 is not in the statistics yet";
    EXPECT_EQ(run.frames[1].index, 1);
    EXPECT_EQ(run.frames[1].time, 1 / 60.0);
    EXPECT_EQ(run.frames[0].particles, (std::vector<fs::path>{folder / "particles/00000.vtp"}));
    EXPECT_TRUE(run.frames[0].surfaces.empty());
    EXPECT_EQ(run.frames[1].particles,
              (std::vector<fs::path>{folder / "particles/00001.vtp", folder / "particles/00001.ply"}));
    EXPECT_EQ(run.frames[1].surfaces,
              (std::vector<fs::path>{folder / "surface/00001.ply", folder / "surface/00001.obj"}));
    EXPECT_TRUE(run.frames[2].particles.empty()) << "only a partial file is there";
}

TEST_F(ReadRun, AFolderWithoutARunIsRefusedWithAHint) {
    std::string const hint = "; `pliant run SCENE -o DIR` makes one";
    EXPECT_EQ(message(folder / "nowhere", list_run), "there is no such folder" + hint);
    EXPECT_EQ(message(folder.path(), list_run), "holds no run of pliant (there is no stats.csv in it)" + hint);
    overwrite(folder / "file", "text");
    EXPECT_EQ(message(folder / "file", list_run), "is a file, not the folder of a run" + hint);
    write_stats(folder / "stats.csv", {});
    EXPECT_EQ(refusal_of([&] { list_run(folder.path()); }),
              (folder / "stats.csv").string() + ": has no frame yet, only the header");
}

}  // namespace pliant::test
