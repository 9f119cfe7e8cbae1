// Files of a small run, read by the programs they are made for. What these must find is passed to them as JSON; the
// scripts beside this file compare. A test is skipped if its program is not installed.
#include <interop/moving_ball.hpp>

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <cstdlib>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int not_built_in = 77;  // exit code of a script whose program lacks the format

Json to_json(Vec3f const& v) { return {v.x, v.y, v.z}; }

Json bounds(std::vector<Vec3f> const& points) {
    Vec3f low = points[0], high = points[0];
    for (Vec3f const& p : points)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    return {to_json(low), to_json(high)};
}

// What every reader should find.
Json expectation() {
    Json json;
    SurfaceMesh const mesh = ball_surface(0);
    json["vertices"] = mesh.position.size();
    json["polygons"] = mesh.polygon_count();
    json["corners"] = mesh.corner.size();
    json["fps"] = ball_fps;
    json["velocity"] = to_json(ball_velocity);
    std::vector<float> const& stress = mesh.channel("von_mises")->values;
    json["von_mises"] = {stress.front(), stress.back()};
    json["center"] = to_json(ball_center(ball_frames - 1));
    json["radius"] = ball_radius;
    json["cell"] = ball_band(0).cell;
    for (std::uint32_t const entry : mesh.corner_uv) json["uv"].push_back(mesh.uv[entry]);
    for (int frame = 0; frame < ball_frames; ++frame) {
        SurfaceMesh const moved = ball_surface(frame);
        json["times"].push_back(moved.time);
        json["bounds"].push_back(bounds(moved.position));
        json["positions"].push_back(Json::array());
        for (Vec3f const& x : moved.position) json["positions"].back().push_back(to_json(x));
    }
    return json;
}

bool is_installed(std::string const& program) {
    return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

class Interop : public testing::Test {
protected:
    // Runs `command SCRIPT WHAT RUN EXPECTATION` and expects success.
    void expect_reads(std::string const& command, std::string const& script, std::string const& what) {
        overwrite(folder_ / "expected.json", expectation().dump());
        std::string const log = (folder_ / "log.txt").string();
        std::string const line = "cd '" + folder_.path().string() + "' && HOME='" + folder_.path().string() +
                                 "' timeout 120 " + command + " '" + PLIANT_INTEROP_DIR + "/" + script + "' " +
                                 (command.starts_with("blender") ? "-- " : "") + what + " run expected.json > '" + log +
                                 "' 2>&1";
        int const status = std::system(line.c_str());
        int const code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == not_built_in) GTEST_SKIP() << what << " is not built into this " << command.substr(0, 8);
        EXPECT_EQ(code, 0) << file_bytes(log);
        EXPECT_NE(file_bytes(log).find("read as expected: " + what), std::string::npos) << file_bytes(log);
    }
    void expect_paraview_reads(std::string const& what) { expect_reads("pvpython", "paraview_reads.py", what); }
    void expect_blender_reads(std::string const& what) {
        expect_reads("blender --background --factory-startup --python-exit-code 1 --python", "blender_reads.py", what);
    }
    fs::path run() const { return folder_ / "run"; }

private:
    TemporaryFolder folder_;
};

class ParaView : public Interop {
    void SetUp() override {
        if (!is_installed("pvpython")) GTEST_SKIP() << "pvpython is not installed";
    }
};

class Blender : public Interop {
    void SetUp() override {
        if (!is_installed("blender")) GTEST_SKIP() << "blender is not installed";
    }
};

}  // namespace

TEST_F(ParaView, ReadsParticlesAsVtpThroughTheirIndexAndAsPly) {
    write_ball_run(run(), {"vtp", "ply"}, {});
    expect_paraview_reads("particles");
}

TEST_F(ParaView, ReadsSurfacesAsVtpThroughTheirIndexAndAsPly) {
    write_ball_run(run(), {}, {"vtp", "ply"});
    expect_paraview_reads("surface");
}

TEST_F(Blender, ReadsObjWithTextureCoordinates) {
    write_ball_run(run(), {}, {"obj"});
    expect_blender_reads("obj");
}

TEST_F(Blender, ReadsPly) {
    write_ball_run(run(), {}, {"ply"});
    expect_blender_reads("ply");
}

TEST_F(Blender, ReadsLevelSetsAsVdb) {
    write_ball_run(run(), {}, {"vdb"});
    expect_blender_reads("vdb");
}

TEST_F(Blender, MovesTheMeshByThePointCache) {
    write_ball_run(run(), {}, {"pc2"});
    expect_blender_reads("pc2");
}

TEST_F(Blender, ReadsUsd) {
    write_ball_run(run(), {"usda"}, {"usda"});
    expect_blender_reads("usd");
}

}  // namespace pliant::test
