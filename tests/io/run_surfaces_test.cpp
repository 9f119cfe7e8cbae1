// The folder of a run with surfaces: files per frame, indices, the point cache, stitched layers, and what happens to
// them when a run starts over, resumes, or resumes with other formats.
#include <pliant/data/error.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_pc2.hpp>

#include <io/fixtures.hpp>
#include <io/parse_usda.hpp>

#include <set>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

Names names(fs::path const& folder) {
    Names result;
    for (fs::directory_entry const& entry : fs::directory_iterator{folder})
        result.insert(entry.path().filename().string());
    return result;
}

Summary summary_at(int frame) {
    Summary summary;
    summary.frames = frame + 1;
    summary.bodies.resize(2);
    for (BodySummary& body : summary.bodies) body.spacing = 0.25;
    return summary;
}

// A few nodes around one that is inside.
NarrowBand small_band() {
    NarrowBand band{.cell = 0.5, .width = 1, .node = {}, .distance = {}, .velocity = {}};
    for (int k = -1; k <= 1; ++k) {
        band.node.push_back({0, 0, k});
        band.distance.push_back(k == 0 ? -0.25f : 0.25f);
    }
    return band;
}

void store(RunDirectory& directory, int frame) {
    SurfaceMesh const mesh = small_surface(frame);
    NarrowBand const band = small_band();
    directory.store(small_frame(frame), summary_at(frame), small_checkpoint(frame), {&mesh, {&band, 1}});
}

void make_run(fs::path const& path, int last, RunOutput const& output) {
    RunDirectory directory{path, output};
    directory.start_over();
    for (int frame = 0; frame <= last; ++frame) store(directory, frame);
    directory.finish();
}

// Resumes from the checkpoint up to frame `last`.
void resume_run(fs::path const& path, int last, RunOutput const& output) {
    RunDirectory directory{path, output};
    Checkpoint const checkpoint = directory.checkpoint();
    int const frame = checkpoint.stats.back().frame;
    directory.resume(checkpoint, summary_at(frame));
    for (int next = frame + 1; next <= last; ++next) store(directory, next);
    directory.finish();
}

std::size_t occurrences(std::string const& text, std::string const& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
    return count;
}

RunOutput const all_formats{{"vtp", "usda"}, {"ply", "obj", "vtp", "vdb", "pc2", "usda"}, 24, 'Y'};

}  // namespace

TEST(RunSurfaces, AreWrittenInAllFormats) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, all_formats);
    EXPECT_EQ(names(folder / "run"),
              (Names{"particles", "particles.pvd", "particles.usda", "surface", "surface.pvd", "surface.obj",
                     "surface.pc2", "surface.usda", "stats.csv", "bodies.csv", "summary.json", "checkpoint.bin"}));
    EXPECT_EQ(names(folder / "run/surface"), (Names{"00000.ply", "00000.obj", "00000.vtp", "00000.vdb", "00000.usda",
                                                    "00001.ply", "00001.obj", "00001.vtp", "00001.vdb", "00001.usda"}));
    EXPECT_EQ(names(folder / "run/particles"), (Names{"00000.vtp", "00000.usda", "00001.vtp", "00001.usda"}));
    EXPECT_EQ(file_bytes(folder / "run/surface.obj"), file_bytes(folder / "run/surface/00000.obj"));
    EXPECT_EQ(read_pc2_header(folder / "run/surface.pc2")->samples, 2);
    EXPECT_NE(file_bytes(folder / "run/surface.pvd").find("file=\"surface/00001.vtp\""), std::string::npos);
    Usda const surface = parse_usda(file_bytes(folder / "run/surface.usda"));
    EXPECT_EQ(surface.attributes.at("points").samples.size(), 2u);
    EXPECT_EQ(surface.layer.at("timeCodesPerSecond"), "24");
    Usda const particles = parse_usda(file_bytes(folder / "run/particles.usda"));
    EXPECT_EQ(particles.attributes.at("widths").value, "[0.25,0.25,0.25]") << "the spacings of the summary's bodies";
}

TEST(RunSurfaces, WithoutASurfaceThereIsNoTraceOfOne) {
    TemporaryFolder const folder;
    RunDirectory directory{folder / "run", RunOutput{{"vtp"}}};
    directory.start_over();
    directory.store(small_frame(0), summary_at(0), small_checkpoint(0));
    directory.finish();
    EXPECT_EQ(names(folder / "run"),
              (Names{"particles", "particles.pvd", "stats.csv", "bodies.csv", "summary.json", "checkpoint.bin"}));
}

TEST(RunSurfaces, OfAnUnknownFormatAreRefused) {
    TemporaryFolder const folder;
    EXPECT_THROW((RunDirectory{folder / "run", RunOutput{{"vtp"}, {"stl"}}}), InputError);
    EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(RunSurfaces, ARunThatWasNeverFilledLeavesNoFolders) {
    TemporaryFolder const folder;
    { RunDirectory const directory{folder / "run", all_formats}; }
    EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(RunSurfaces, ANewRunRemovesAllThatAnOlderOneLeft) {
    TemporaryFolder const folder;
    make_run(folder / "run", 3, all_formats);
    fs::create_directories(folder / "run/colliders");
    fs::create_directories(folder / "run/frames");
    for (char const* name : {"stage.json", "colliders/0.ply", "frames/00000.png", "frames/00003.png",
                             "contact-sheet.png", "animation.mp4", "plot.png", "plot.svg", ".surface.pvd.partial"})
        overwrite(folder / "run" / name, "old");
    overwrite(folder / "run/frames/mine.png", "mine");
    make_run(folder / "run", 0, RunOutput{{"vtp"}});
    EXPECT_EQ(names(folder / "run"), (Names{"particles", "particles.pvd", "stats.csv", "bodies.csv", "summary.json",
                                            "checkpoint.bin", "frames"}));
    EXPECT_EQ(names(folder / "run/frames"), (Names{"mine.png"})) << "only what pliant wrote is removed";
}

TEST(RunSurfaces, ResumingBringsThemBackToTheCheckpoint) {
    TemporaryFolder const folder;
    make_run(folder / "run", 4, all_formats);
    make_run(folder / "whole", 5, all_formats);
    // As if killed after the files of frame 4 but before its checkpoint.
    write_checkpoint(folder / "run/checkpoint.bin", small_checkpoint(2));
    overwrite(folder / "run/surface/.00004.vdb.partial", "torn");
    overwrite(partial_path(folder / "run/surface.usda"), "torn");
    {
        RunDirectory directory{folder / "run", all_formats};
        directory.resume(directory.checkpoint(), summary_at(2));
        EXPECT_EQ(names(folder / "run/surface").size(), 3u * 5);
        EXPECT_EQ(read_pc2_header(folder / "run/surface.pc2")->last_frame(), 2);
        EXPECT_EQ(occurrences(file_bytes(folder / "run/surface.pvd"), "<DataSet"), 3u);
        EXPECT_FALSE(fs::exists(partial_path(folder / "run/surface.usda")));
    }
    resume_run(folder / "run", 5, all_formats);
    for (char const* name : {"surface.pvd", "surface.pc2", "surface.obj", "surface.usda", "particles.usda",
                             "particles.pvd", "surface/00005.ply", "surface/00004.usda"})
        EXPECT_EQ(file_bytes(folder / "run" / name), file_bytes(folder / "whole" / name)) << name;
    EXPECT_EQ(names(folder / "run/surface"), names(folder / "whole/surface"));
}

TEST(RunSurfaces, AnIndexListsOnlyFramesThatWereWritten) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, RunOutput{{"ply"}, {"ply"}});
    EXPECT_FALSE(fs::exists(folder / "run/particles.pvd"));
    resume_run(folder / "run", 3, RunOutput{{"vtp"}, {"vtp"}});
    for (std::string const name : {"particles", "surface"}) {
        std::string const index = file_bytes(folder / "run" / (name + ".pvd"));
        EXPECT_EQ(occurrences(index, "<DataSet"), 2u);
        EXPECT_EQ(occurrences(index, name + "/00001.vtp"), 0u) << "that frame is a PLY only";
        EXPECT_EQ(occurrences(index, name + "/00002.vtp"), 1u);
    }
    // Frames beyond the checkpoint are removed from the index even if the format is no longer requested.
    write_checkpoint(folder / "run/checkpoint.bin", small_checkpoint(2));
    resume_run(folder / "run", 2, RunOutput{{"ply"}, {"ply"}});
    EXPECT_EQ(occurrences(file_bytes(folder / "run/particles.pvd"), "<DataSet"), 1u);
    write_checkpoint(folder / "run/checkpoint.bin", small_checkpoint(1));
    resume_run(folder / "run", 1, RunOutput{{"ply"}, {"ply"}});
    EXPECT_FALSE(fs::exists(folder / "run/particles.pvd")) << "no frame is left to list";
}

TEST(RunSurfaces, ACacheThatMissesFramesBeginsAnew) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, RunOutput{{}, {"pc2"}});
    resume_run(folder / "run", 3, RunOutput{{}, {"ply"}});
    EXPECT_EQ(read_pc2_header(folder / "run/surface.pc2")->last_frame(), 1);
    resume_run(folder / "run", 5, RunOutput{{}, {"pc2"}});
    EXPECT_EQ(read_pc2_header(folder / "run/surface.pc2")->first_frame, 4);
    EXPECT_EQ(read_pc2_header(folder / "run/surface.pc2")->last_frame(), 5);
    EXPECT_NE(file_bytes(folder / "run/surface.obj").find("surface 4,"), std::string::npos) << "the mesh goes with it";
}

TEST(RunSurfaces, StitchingTakesTheFramesThatAreThere) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, RunOutput{{}, {"ply"}});
    resume_run(folder / "run", 3, RunOutput{{}, {"usda"}});
    Usda const usda = parse_usda(file_bytes(folder / "run/surface.usda"));
    EXPECT_EQ(usda.layer.at("startTimeCode"), "2");
    EXPECT_EQ(usda.layer.at("endTimeCode"), "3");
    EXPECT_EQ(usda.attributes.at("points").samples.size(), 2u);
}

TEST(RunSurfaces, AFailedStoreLeavesTheLastFrameResumable) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, all_formats);
    RunDirectory directory{folder / "run", all_formats};
    directory.resume(directory.checkpoint(), summary_at(1));
    fs::create_directories(folder / "run/surface/00002.usda/in-the-way");  // the last of the formats
    EXPECT_THROW(store(directory, 2), std::runtime_error);
    EXPECT_EQ(directory.checkpoint().stats.back().frame, 1);
    EXPECT_EQ(occurrences(file_bytes(folder / "run/surface.pvd"), "<DataSet"), 2u);
}

TEST(RunSurfaces, AFolderWithPicturesBesideARunIsStillARun) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, all_formats);
    fs::create_directories(folder / "run/frames");
    for (char const* name : {"stage.json", "frames/00000.png", "contact-sheet.png", "animation.mp4", "plot.png"})
        overwrite(folder / "run" / name, "x");
    EXPECT_NO_THROW((RunDirectory{folder / "run", all_formats}));
}

TEST(RunSurfaces, AStartKilledBeforeItsCheckpointMayBeOverwritten) {
    TemporaryFolder const folder;
    for (char const* name : {"particles", "surface", "colliders"}) fs::create_directories(folder / "run" / name);
    for (char const* name : {"surface/00000.vdb", "surface/.00000.usda.partial", "surface.obj", "surface.pc2",
                             "stage.json", "colliders/floor.ply", "surface.pvd"})
        overwrite(folder / "run" / name, "x");
    EXPECT_NO_THROW((RunDirectory{folder / "run", all_formats}));
    overwrite(folder / "run/colliders/thesis.tex", "years of work");
    EXPECT_THROW((RunDirectory{folder / "run", all_formats}), InputError);
    fs::create_directories(folder / "other");
    overwrite(folder / "other/stage.json", "of another program");
    EXPECT_THROW((RunDirectory{folder / "other", all_formats}), InputError);
}

}  // namespace pliant::test
