// pliant render as a user sees it: pictures of real runs, and a clear message about anything that cannot be drawn.
#include <cases/small_run.hpp>

#include <pliant/io/frame_folder.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/io/read_stats.hpp>
#include <pliant/io/write_stats.hpp>
#include <pliant/io/write_vtp.hpp>
#include <pliant/render/write_png.hpp>

#include <limits>

namespace pliant::test {

using namespace render;

namespace {

class CommandLineRender : public CommandOnRuns {
protected:
    CommandLineRender() : CommandOnRuns("render") {}
    // Small and quick, without a video.
    Outcome render(std::vector<std::string> arguments) const {
        for (char const* more : {"--size", "96x64", "--sheet-size", "60x45", "--samples", "4", "--no-video"})
            arguments.emplace_back(more);
        return call(arguments);
    }
    Picture picture(std::string const& name) const { return read_png(file_bytes(folder / name), name); }
    std::size_t pictures_in(std::string const& name) const {
        std::size_t count = 0;
        for (fs::directory_entry const& entry : fs::directory_iterator{folder / name}) count += is_png(entry.path());
        return count;
    }
};

// Number of pixels much bluer than red: the first body's colour.
std::size_t blue_pixels(Picture const& picture) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < picture.rgb.size(); k += 3) count += picture.rgb[k + 2] > picture.rgb[k] + 60;
    return count;
}

}  // namespace

// As older versions left them: the energy leaps, and particles are everywhere or nowhere.
TEST_F(CommandLineRender, LeavesOutFramesWhoseBodiesHaveFlownApart) {
    make_run("run");
    ASSERT_EQ(render({"run", "--frames", "0:8"}).exit_code, 0);
    std::string const calm = file_bytes(folder / "run/frames/00004.png");
    std::vector<FrameStats> rows = read_stats(folder / "run/stats.csv");
    for (int index : {9, 10}) {
        rows[std::size_t(index)].kinetic_energy = 1e19;
        fs::path const file = folder / "run/particles" / frame_file_name(index, "vtp");
        Frame frame = read_particles(file);
        for (Vec3f& x : frame.position) x = 1e9f * x;
        if (index == 10) frame.position[3].y = std::numeric_limits<float>::quiet_NaN();
        write_vtp(file, frame);
    }
    write_stats(folder / "run/stats.csv", rows);
    Outcome const outcome = render({"run"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("2 frames from 9 on are left out: the bodies have flown apart"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(pictures_in("run/frames"), 9u);
    EXPECT_EQ(file_bytes(folder / "run/frames/00004.png"), calm) << "the camera stands where it stood";
    EXPECT_NE(refusal({"run", "--frames", "9:10"}).find("choose earlier ones"), std::string::npos);
}

TEST_F(CommandLineRender, DrawsEveryFrameAndASheetOfSix) {
    make_run("run");
    Outcome const outcome = render({"run"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(pictures_in("run/frames"), 11u);
    Picture const first = picture("run/frames/00000.png");
    EXPECT_EQ(first.width, 96);
    EXPECT_EQ(first.height, 64);
    EXPECT_GT(blue_pixels(first), 96u * 64 / 50);  // the cube is visible at the start and at the end
    EXPECT_GT(blue_pixels(picture("run/frames/00010.png")), 96u * 64 / 50);
    Picture const sheet = picture("run/contact-sheet.png");
    EXPECT_GT(sheet.width, 3 * 60);
    EXPECT_GT(sheet.height, 2 * 45);
    EXPECT_NE(outcome.out.find("The contact sheet is in run/contact-sheet.png"), std::string::npos);
}

TEST_F(CommandLineRender, DrawsParticlesAndQuantitiesAndChosenFrames) {
    make_run("run");
    for (std::vector<std::string> const& options : {std::vector<std::string>{"--particles"},
                                                    {"--color", "von_mises"},
                                                    {"--color", "velocity", "--particles"},
                                                    {"--color", "plastic_strain", "--range", "0,0.1"}}) {
        std::vector<std::string> arguments{"run", "--frames", "2:8:3"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        ASSERT_EQ(render(arguments).exit_code, 0) << options[0];
        EXPECT_EQ(pictures_in("run/frames"), 3u);  // pictures of the previous command are gone
    }
    EXPECT_TRUE(fs::exists(folder / "run/frames/00005.png"));
    // The whole cube falls at one speed: deep blue at the top of one range, pale at the bottom of another.
    ASSERT_EQ(render({"run", "--frames", "0", "--color", "velocity", "--range", "0,1"}).exit_code, 0);
    std::size_t const deep = blue_pixels(picture("run/frames/00000.png"));
    ASSERT_EQ(render({"run", "--frames", "0", "--color", "velocity", "--range", "0,100"}).exit_code, 0);
    EXPECT_GT(deep, 2 * blue_pixels(picture("run/frames/00000.png")));
}

TEST_F(CommandLineRender, DrawsWhateverChannelTheParticlesHave) {
    make_run("run", {"--frames", "1", "--set", "output.F=true"});
    EXPECT_EQ(render({"run", "--sheet-only", "--particles", "--color", "F"}).exit_code, 0);
    EXPECT_EQ(refusal({"run", "--sheet-only", "--quiet", "--color", "F"}),
              "pliant: run/particles/00000.vtp: holds F for particles only; draw --particles\n");
}

TEST_F(CommandLineRender, DrawsTheSurfaceThatTheRunWrote) {
    for (std::string const surface : {"levelset", "skin"})
        for (std::string const format : {"ply", "vtp", "obj"}) {
            make_run("run", {"--frames", "2", "--set", "output.surface=" + surface, "--set",
                             "output.meshes=[\"" + format + "\"]", "--set", "output.particles=[]"});
            ASSERT_EQ(render({"run", "--sheet-only"}).exit_code, 0) << surface << format;
            EXPECT_GT(blue_pixels(picture("run/contact-sheet.png")), 100u);
            EXPECT_FALSE(fs::exists(folder / "run/frames"));
        }
}

TEST_F(CommandLineRender, AFormatWithoutTheQuantityIsRefused) {
    make_run("run", {"--frames", "1", "--set", "output.surface=levelset", "--set", R"(output.meshes=["obj"])"});
    EXPECT_EQ(
        refusal({"run", "--sheet-only", "--quiet", "--color", "von_mises"}),
        "pliant: run/surface/00000.obj: holds no von_mises; run the scene with output.meshes = [\"ply\"], or draw "
        "--particles\n");
}

TEST_F(CommandLineRender, OptionsMayComeBeforeTheFolderAndOtherPicturesStay) {
    make_run("run", {"--frames", "1"});
    fs::create_directories(folder / "art/frames");
    overwrite(folder / "art/frames/00042.png", "not ours");
    ASSERT_EQ(render({"--camera", "-0.6,0.5,0.9", "--target", "0,0.1,0", "-o", "art", "run"}).exit_code, 0);
    EXPECT_TRUE(is_png(folder / "art/frames/00001.png"));
    EXPECT_EQ(file_bytes(folder / "art/frames/00042.png"), "not ours");
}

TEST_F(CommandLineRender, SeveralRunsAreRowsOfOneSheet) {
    make_run("soft");
    make_run("stiff", {"--set", "materials.soft.young=1e6"});
    ASSERT_EQ(render({"soft", "stiff", "--sheet", "0,5,10", "-o", "rows.png"}).exit_code, 0);
    Picture const rows = picture("rows.png");
    EXPECT_GT(rows.width, 3 * 60);
    EXPECT_GT(rows.height, 2 * 45);
    EXPECT_LT(rows.height, 3 * 45 + 100);
    EXPECT_FALSE(fs::exists(folder / "soft/frames"));
}

TEST_F(CommandLineRender, FoldersWithoutARunAreRefused) {
    EXPECT_EQ(refusal({"nowhere"}), "pliant: nowhere: there is no such folder; `pliant run SCENE -o DIR` makes one\n");
    fs::create_directory(folder / "empty");
    EXPECT_EQ(refusal({"empty"}),
              "pliant: empty: holds no run of pliant (there is no stats.csv in it); `pliant run SCENE -o DIR` makes "
              "one\n");
    overwrite(folder / "file", "text");
    EXPECT_NE(refusal({"file"}).find("is a file, not the folder of a run"), std::string::npos);
}

TEST_F(CommandLineRender, DamagedFilesAreRefusedByName) {
    make_run("run");
    std::string const frame = "run/particles/00010.vtp", whole = file_bytes(folder / frame);
    for (std::string const& bytes : {std::string{}, whole.substr(0, whole.size() / 2), std::string(3000, 'x')}) {
        overwrite(folder / frame, bytes);
        EXPECT_TRUE(refusal({"run", "--sheet-only"}).starts_with("pliant: " + frame + ": "));
    }
    overwrite(folder / frame, whole);
    std::string const stats = file_bytes(folder / "run/stats.csv");
    overwrite(folder / "run/stats.csv", stats.substr(0, stats.size() - 20));
    EXPECT_TRUE(refusal({"run"}).starts_with("pliant: run/stats.csv"));
    overwrite(folder / "run/stats.csv", stats);
    for (char const* name : {"run/summary.json", "run/stage.json"}) {
        std::string const text = file_bytes(folder / name);
        overwrite(folder / name, text.substr(0, text.size() / 2));
        EXPECT_TRUE(refusal({"run"}).starts_with(std::string{"pliant: "} + name)) << name;
        overwrite(folder / name, text);
    }
    fs::remove(folder / "run/summary.json");
    EXPECT_TRUE(refusal({"run"}).starts_with("pliant: run/summary.json"));
    EXPECT_FALSE(fs::exists(folder / "run/contact-sheet.png"));
}

TEST_F(CommandLineRender, ARunWithoutDrawableFilesSaysWhichToAskFor) {
    make_run("run", {"--set", "output.particles=[]"});
    EXPECT_NE(refusal({"run"}).find("run the scene with output.particles = [\"vtp\"]"), std::string::npos);
}

TEST_F(CommandLineRender, WrongOptionsAreRefused) {
    make_run("run", {"--frames", "1"});
    EXPECT_EQ(refusal({"run", "--frames", "7"}), "pliant: run: has no frame 7; its last is 1\n");
    for (char const* frames : {"a", "1:2:3:4", "0:1:0", "-1", "0,,1"})
        EXPECT_NE(refusal({"run", "--frames", frames}).find("names no frames; use 10, 10:40"), std::string::npos)
            << frames;
    for (char const* sheet : {"0", "x", "1000"})
        EXPECT_NE(refusal({"run", "--sheet", sheet}).find("is neither a number of frames"), std::string::npos);
    EXPECT_NE(refusal({"run", "--frames", "1:0"}).find("the first comes after the last"), std::string::npos);
    for (char const* camera : {"nan,0,0", "inf,0,0", "1,2", "1,2,3,4", "a,b,c", "1,2,3x"})
        EXPECT_EQ(refusal({"run", "--camera", camera}),
                  std::string{"pliant: --camera: '"} + camera + "' is not X,Y,Z\n");
    EXPECT_NE(refusal({"run", "--camera", "1e30,0,0"}).find("give one with --camera and --target"), std::string::npos);
    EXPECT_NE(refusal({"run", "--sheet-only", "-o", "a.jpg"}).find("pictures are .png files"), std::string::npos);
    EXPECT_NE(refusal({"run", "--range", "2,1"}).find("must be less than"), std::string::npos);
    EXPECT_NE(refusal({"run", "--size", "10x10"}).find("is not WIDTHxHEIGHT"), std::string::npos);
    EXPECT_NE(refusal({"run", "-o", "a.png"}).find("needs a folder; or add --sheet-only"), std::string::npos);
    EXPECT_NE(refusal({"run", "--sheet-only", "-o", "no/such/a.png"}).find("choose another place with -o"),
              std::string::npos);
    EXPECT_EQ(refusal({"run", "--color", "blue", "--quiet"}),
              "pliant: run/particles/00000.vtp: holds no blue; colours can show: body, velocity, von_mises, "
              "plastic_strain\n");
}

TEST_F(CommandLineRender, IsTheSameForAnyNumberOfThreads) {
    make_run("run", {"--frames", "1"});
    ASSERT_EQ(render({"run", "--threads", "1", "-o", "one"}).exit_code, 0);
    ASSERT_EQ(render({"run", "--threads", "2", "-o", "two"}).exit_code, 0);
    EXPECT_EQ(file_bytes(folder / "one/frames/00001.png"), file_bytes(folder / "two/frames/00001.png"));
}

class CommandLineSurfaces : public CommandOnRuns {
protected:
    CommandLineSurfaces() : CommandOnRuns("check") {}
};

TEST_F(CommandLineSurfaces, ARunWritesEveryFormatOfALevelSet) {
    make_run("run", {"--frames", "2", "--set", "output.surface=levelset", "--set",
                     R"(output.meshes=["ply","obj","vtp","vdb","usda"])"});
    for (char const* name : {"surface.pvd", "surface.usda", "stage.json", "surface/00002.ply", "surface/00002.obj",
                             "surface/00002.vtp", "surface/00002.vdb", "surface/00002.usda"})
        EXPECT_TRUE(fs::exists(folder / "run" / name)) << name;
}

TEST_F(CommandLineSurfaces, ARunWritesAPointCacheOfItsSkin) {
    make_run("run", {"--frames", "2", "--set", "output.surface=skin", "--set", R"(output.meshes=["pc2"])"});
    std::string const cache = file_bytes(folder / "run/surface.pc2"), mesh = file_bytes(folder / "run/surface.obj");
    std::size_t vertices = 0;
    for (std::size_t at = 0; (at = mesh.find("\nv ", at)) != std::string::npos; ++at) ++vertices;
    EXPECT_GT(vertices, 64u);
    EXPECT_EQ(cache.size(), 32 + 3 * 12 * vertices);  // header; three frames of three floats per vertex
}

TEST_F(CommandLineSurfaces, ARunInPiecesWritesTheSameSurfaces) {
    for (std::string const surface : {"levelset", "skin"}) {
        std::vector<std::string> options{"--set", "output.surface=" + surface, "--set",
                                         R"(output.meshes=["ply","usda"])"};
        make_run("whole", options);
        options.insert(options.end(), {"--frames", "4"});
        make_run("pieces", options);
        options.resize(4);
        options.emplace_back("--resume");
        make_run("pieces", options);
        for (char const* name : {"surface/00003.ply", "surface/00010.ply", "surface.usda"})
            EXPECT_EQ(file_bytes(folder / "whole" / name), file_bytes(folder / "pieces" / name)) << surface << name;
    }
}

TEST_F(CommandLineSurfaces, CheckListsThem) {
    overwrite(folder / "small.toml", small_scene);
    Outcome const plain = call({"small.toml"});
    Outcome const meshed =
        call({"small.toml", "--set", "output.surface=levelset", "--set", R"(output.meshes=["ply"])"});
    EXPECT_NE(plain.out.find("(vtp)"), std::string::npos);
    EXPECT_NE(meshed.out.find("(vtp, levelset ply)"), std::string::npos) << meshed.out << meshed.err;
}

}  // namespace pliant::test
