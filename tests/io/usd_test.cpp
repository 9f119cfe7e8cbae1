// USD layers of single frames, and the layer stitched from them.
#include <pliant/io/usd_layer.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_usd.hpp>

#include <io/fixtures.hpp>
#include <io/parse_usda.hpp>

#include <cmath>
#include <limits>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;

std::vector<float> scalars(std::vector<Vec3f> const& vectors) {
    std::vector<float> result;
    for (Vec3f const& v : vectors) result.insert(result.end(), {v.x, v.y, v.z});
    return result;
}

template <class Frames>
Usda stitched(Frames const& frames, RunFacts const& facts) {
    TemporaryFolder const folder;
    std::vector<fs::path> layers;
    for (auto const& frame : frames) {
        layers.push_back(folder / (std::to_string(frame.index) + ".usda"));
        write_atomically(layers.back(), usda_bytes(frame, facts));
    }
    stitch_usd(folder / "all.usda", layers);
    EXPECT_EQ(file_count(folder.path()), frames.size() + 1);
    return parse_usda(file_bytes(folder / "all.usda"));
}

RunFacts const facts{.fps = 24, .up_axis = 'Z', .spacing = {0.5, 0.25}};

}  // namespace

TEST(UsdLayer, OfASurfaceOpensAlone) {
    SurfaceMesh const mesh = seamed_surface(7);
    Usda usda = parse_usda(usda_bytes(mesh, facts));
    EXPECT_EQ(usda.layer["startTimeCode"], "7");
    EXPECT_EQ(usda.layer["endTimeCode"], "7");
    EXPECT_EQ(usda.layer["timeCodesPerSecond"], "24");
    EXPECT_EQ(usda.layer["framesPerSecond"], "24");
    EXPECT_EQ(usda.layer["upAxis"], "\"Z\"");
    EXPECT_EQ(usda.layer["metersPerUnit"], "1");
    EXPECT_EQ(usda.layer["defaultPrim"], "\"surface\"");
    EXPECT_EQ(usda.prim_type, "Mesh");
    EXPECT_EQ(usda.prim_name, "\"surface\"");
    auto& found = usda.attributes;
    EXPECT_EQ(found.size(), 11u);
    EXPECT_EQ(found["subdivisionScheme"].type, "uniform token");
    EXPECT_EQ(found["subdivisionScheme"].value, "\"none\"");
    EXPECT_EQ(found["points"].type, "point3f[]");
    ASSERT_EQ(found["points"].samples.size(), 1u);
    EXPECT_EQ(numbers(found["points"].samples.at(7)), scalars(mesh.position)) << "bit for bit";
    EXPECT_EQ(found["velocities"].type, "vector3f[]");
    EXPECT_EQ(numbers(found["velocities"].samples.at(7)), scalars(mesh.velocity));
    EXPECT_EQ(found["extent"].type, "float3[]");
    float const rise = 7 / 60.0f;
    EXPECT_EQ(numbers(found["extent"].samples.at(7)), (std::vector<float>{0, rise, 0, 1, mesh.position[4].y, 1}));
    EXPECT_EQ(found["faceVertexCounts"].value, "[4,3,3,3,3]");
    EXPECT_EQ(found["faceVertexIndices"].value, "[0,1,2,3,0,4,1,1,4,2,2,4,3,3,4,0]");
    EXPECT_EQ(numbers(found["primvars:von_mises"].samples.at(7)), mesh.channels[0].values);
    EXPECT_EQ(found["primvars:von_mises"].metadata, "interpolation=\"vertex\"");
    EXPECT_EQ(numbers(found["primvars:plastic_strain"].samples.at(7)), mesh.channels[1].values);
    EXPECT_EQ(found["primvars:body"].value, "[0,0,0,0,1]");
    EXPECT_EQ(found["primvars:st"].type, "texCoord2f[]");
    EXPECT_EQ(found["primvars:st"].metadata, "interpolation=\"faceVarying\"");
    EXPECT_EQ(found["primvars:st"].value, "[(0,0),(1,0),(1,1),(0,1),(0.5,0.25),(0.75,0.5)]");
    EXPECT_EQ(found["primvars:st:indices"].value, "[0,1,2,3,0,4,1,1,4,2,2,4,3,3,5,0]");
}

TEST(UsdLayer, OfParticlesHasWidthsAndIds) {
    Frame const frame = small_frame(7);
    Usda usda = parse_usda(usda_bytes(frame, facts));
    EXPECT_EQ(usda.prim_type, "Points");
    EXPECT_EQ(usda.layer["defaultPrim"], "\"particles\"");
    auto& found = usda.attributes;
    EXPECT_EQ(numbers(found["points"].samples.at(7)), scalars(frame.position));
    EXPECT_EQ(found["ids"].type, "int64[]");
    EXPECT_EQ(found["ids"].value, "[0,1,2]");
    EXPECT_EQ(found["widths"].value, "[0.5,0.5,0.25]") << "the spacing of the body";
    EXPECT_EQ(found["primvars:body"].value, "[0,0,1]");
    std::vector<float> const extent = numbers(found["extent"].samples.at(7));
    ASSERT_EQ(extent.size(), 6u);
    EXPECT_EQ(extent[0], -0.25f) << "half a width beyond the leftmost particle";
    EXPECT_EQ(extent[5], 5.25f);
    EXPECT_EQ(found["primvars:von_mises"].samples.at(7), "[0,1500,nan]");
    EXPECT_EQ(parse_usda(usda_bytes(frame, RunFacts{})).attributes.count("widths"), 0u) << "no spacing is known";
}

TEST(UsdLayer, OfParticlesHasSymmetricTensorsAsSixNumbers) {
    auto found = parse_usda(usda_bytes(small_frame_with_stress(), facts)).attributes;
    EXPECT_EQ(found["primvars:stress_xx"].samples.at(7), "[-3,0,3]");
    EXPECT_EQ(found["primvars:stress_xz"].samples.at(7), "[-0.5,2.5,5.5]");
    EXPECT_EQ(found.count("primvars:F"), 0u);
}

TEST(UsdLayer, NansHaveNoSign) {
    SurfaceMesh mesh = small_surface(0);
    mesh.channels[0].values[0] = -std::numeric_limits<float>::quiet_NaN();
    mesh.channels[0].values[1] = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(parse_usda(usda_bytes(mesh, facts)).attributes["primvars:von_mises"].samples.at(0),
              "[nan,-inf,200,300,1500000]");
}

TEST(UsdLayer, OfAnEmptyMeshIsAWholeFile) {
    Usda usda = parse_usda(usda_bytes(SurfaceMesh{}, facts));
    EXPECT_EQ(usda.attributes["points"].samples.at(0), "[]");
    EXPECT_EQ(numbers(usda.attributes["extent"].samples.at(0)), std::vector<float>(6));
}

TEST(StitchUsd, GathersAllFramesAndLeavesPolygonsThatStayUntimed) {
    std::vector<SurfaceMesh> const frames{seamed_surface(0), seamed_surface(1), seamed_surface(12)};
    Usda usda = stitched(frames, facts);
    EXPECT_EQ(usda.layer["startTimeCode"], "0");
    EXPECT_EQ(usda.layer["endTimeCode"], "12");
    EXPECT_EQ(usda.layer["timeCodesPerSecond"], "24");
    EXPECT_EQ(usda.layer["defaultPrim"], "\"surface\"");
    auto& found = usda.attributes;
    EXPECT_EQ(found.size(), 11u);
    for (char const* name : {"points", "velocities", "extent", "primvars:von_mises", "primvars:plastic_strain"}) {
        EXPECT_EQ(found[name].samples.size(), 3u) << name;
        EXPECT_EQ(found[name].value, "") << name;
    }
    for (SurfaceMesh const& frame : frames) {
        EXPECT_EQ(numbers(found["points"].samples.at(frame.index)), scalars(frame.position));
        EXPECT_EQ(numbers(found["extent"].samples.at(frame.index))[4], frame.position[4].y);
    }
    EXPECT_EQ(found["faceVertexCounts"].value, "[4,3,3,3,3]");
    EXPECT_TRUE(found["faceVertexCounts"].samples.empty());
    EXPECT_EQ(found["primvars:st"].metadata, "interpolation=\"faceVarying\"");
    EXPECT_EQ(found["primvars:body"].metadata, "interpolation=\"vertex\"");
    EXPECT_EQ(found["primvars:von_mises"].metadata, "interpolation=\"vertex\"");
}

TEST(StitchUsd, PolygonsThatChangeBecomeTimeSamples) {
    SurfaceMesh other = small_surface(1);
    other.corner = {0, 1, 2, 3};
    other.polygon_end = {4};
    other.body[0] = 1;
    Usda usda = stitched(std::vector{small_surface(0), other, small_surface(2)}, facts);
    auto& found = usda.attributes;
    EXPECT_EQ(found["faceVertexCounts"].value, "");
    EXPECT_EQ(found["faceVertexCounts"].samples,
              (std::map<int, std::string>{{0, "[4,3,3,3,3]"}, {1, "[4]"}, {2, "[4,3,3,3,3]"}}));
    EXPECT_EQ(found["faceVertexIndices"].samples.at(1), "[0,1,2,3]");
    EXPECT_EQ(found["primvars:body"].samples.size(), 3u);
    EXPECT_EQ(found["primvars:body"].metadata, "interpolation=\"vertex\"");
    EXPECT_EQ(found["subdivisionScheme"].value, "\"none\"");
}

TEST(StitchUsd, OfParticlesKeepsWidthsAndIdsUntimed) {
    Usda usda = stitched(std::vector{small_frame(0), small_frame(1)}, facts);
    EXPECT_EQ(usda.attributes["points"].samples.size(), 2u);
    EXPECT_EQ(usda.attributes["ids"].value, "[0,1,2]");
    EXPECT_EQ(usda.attributes["widths"].value, "[0.5,0.5,0.25]");
}

TEST(StitchUsd, OfOneFrameIsThatFrame) {
    TemporaryFolder const folder;
    std::vector<fs::path> const layers{folder / "a.usda"};
    write_atomically(layers[0], usda_bytes(seamed_surface(3), facts));
    stitch_usd(folder / "all.usda", layers);
    EXPECT_EQ(file_bytes(folder / "all.usda"), file_bytes(layers[0]));
    EXPECT_NO_THROW(stitch_usd(folder / "none.usda", {}));
    EXPECT_FALSE(fs::exists(folder / "none.usda"));
}

TEST(StitchUsd, ValuesLongerThanTheBufferAreCopiedWhole) {
    SurfaceMesh mesh;
    for (int k = 0; k < 100'000; ++k) mesh.position.push_back({0.1f * static_cast<float>(k), 1.0f / 3, -1e-7f});
    std::vector<SurfaceMesh> const frames{mesh};  // 3 MB of text
    Usda usda = stitched(frames, facts);
    EXPECT_EQ(numbers(usda.attributes["points"].samples.at(0)), scalars(mesh.position));
}

TEST(StitchUsd, AForeignLayerIsRefusedAndNothingIsWritten) {
    TemporaryFolder const folder;
    std::vector<fs::path> const layers{folder / "a.usda", folder / "b.usda"};
    write_atomically(layers[0], usda_bytes(small_surface(0), facts));
    for (std::string const& text : {std::string{"#usda 1.0\ndef Xform \"x\"\n{\n}\n"}, std::string{"nonsense"},
                                    usda_bytes(small_surface(1), facts).substr(0, 600)}) {
        overwrite(layers[1], text);
        EXPECT_THROW(stitch_usd(folder / "all.usda", layers), std::runtime_error);
        EXPECT_EQ(file_count(folder.path()), 2u);
    }
}

}  // namespace pliant::test
