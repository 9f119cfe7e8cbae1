// Sampling: counts, spacings, volumes and symmetry of every shape, and how bodies may start.
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/shapes.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <set>

namespace pliant {
namespace {

constexpr double pi = std::numbers::pi;

struct Part {
    Shape shape;
    std::optional<std::int64_t> particles;
    std::optional<double> spacing;
    Vec3d position{};
    Vec3d rotation{};
};

Scene scene_of(std::vector<Part> const& parts, std::vector<ColliderSpec> colliders = {}) {
    Scene scene;
    scene.file = "s.toml";
    scene.materials.emplace_back("jelly", MaterialParameters{});
    for (Part const& part : parts) {
        BodySpec body;
        body.name = std::string(1, static_cast<char>('a' + scene.bodies.size()));
        body.material = "jelly";
        body.shape = part.shape;
        body.particles = part.particles;
        body.spacing = part.spacing;
        body.position = part.position;
        body.rotation = part.rotation;
        body.line = 10 * static_cast<int>(scene.bodies.size() + 1);
        scene.bodies.push_back(body);
    }
    for (ColliderSpec& collider : colliders) collider.line = 90;
    scene.colliders = std::move(colliders);
    return scene;
}

SampledBody sample(Part const& part) { return sample_bodies(scene_of({part}))[0]; }

std::string overlap_message(Scene const& scene) {
    return message_of([&] { check_overlaps(scene, sample_bodies(scene)); });
}

Vec3d centroid(std::vector<Vec3d> const& points) {
    Vec3d sum;
    for (Vec3d p : points) sum += p;
    return sum / static_cast<double>(points.size());
}

std::vector<Shape> const round_shapes{SphereShape{0.5}, CylinderShape{0.3, 1.0}, TorusShape{0.5, 0.15},
                                      StarShape{5, 0.6, 0.25, 0.3}, StarShape{6, 0.6, 0.25, 0.3}};

TEST(SampleBox, GivesTheCubeAskedFor) {
    auto const body = sample({BoxShape{{1, 1, 1}}, 2744, {}});
    EXPECT_EQ(body.position.size(), 2744u);
    EXPECT_NEAR(body.spacing, 1.0 / 14, 1e-15);
    EXPECT_NEAR(body.volume, 1.0 / 2744, 1e-18);
    EXPECT_NEAR(norm(centroid(body.position)), 0, 1e-12);
    EXPECT_NEAR(body.position.front().x, -0.5 + 0.5 / 14, 1e-15);
}

TEST(SampleBox, RoundsToWholeCellsForASpacing) {
    auto const body = sample({BoxShape{{2, 0.4, 0.4}}, {}, 0.025});
    EXPECT_EQ(body.position.size(), 80u * 16 * 16);
    EXPECT_EQ(body.spacing, 0.025);
    EXPECT_NEAR(body.volume, 0.025 * 0.025 * 0.025, 1e-18);
    EXPECT_EQ(sample({BoxShape{{1, 0.01, 1}}, {}, 0.1}).position.size(), 100u);  // thin: one layer
    EXPECT_EQ(sample({BoxShape{{0.1, 0.1, 0.1}}, {}, 1.0}).position.size(), 1u);
}

TEST(SampleBox, MeetsCountsWithinOnePercentAndFitsTheBox) {
    int close = 0;
    for (Vec3d size : {Vec3d{1, 1, 1}, Vec3d{2, 0.4, 0.4}, Vec3d{1, 2, 3}, Vec3d{0.7, 1.1, 0.45}})
        for (std::int64_t target : {1000, 2744, 5000, 20480, 100000}) {
            auto const body = sample({BoxShape{size}, target, {}});
            double const count = static_cast<double>(body.position.size());
            // 5,000 in a cube and a few others have no triple of cell counts within 1 % that still fits the box.
            EXPECT_NEAR(count, static_cast<double>(target), 0.018 * static_cast<double>(target));
            close += std::abs(count - static_cast<double>(target)) <= 0.01 * static_cast<double>(target);
            EXPECT_NEAR(body.volume * count, size.x * size.y * size.z, 1e-12);
            for (int k = 0; k < 3; ++k) {  // the outermost particles lie within one cell of the ideal place
                double far = 0;
                for (Vec3d p : body.position) far = std::max(far, p[k]);
                EXPECT_NEAR(far + body.spacing / 2, size[k] / 2, body.spacing) << size[k] << " " << target;
            }
        }
    EXPECT_GE(close, 16);  // of 20
}

TEST(SampleBox, SheetsAndRodsStayOneLayerThick) {
    auto const sheet = sample({BoxShape{{1, 0.001, 1}}, 10000, {}});
    EXPECT_EQ(sheet.position.size(), 10000u);
    EXPECT_NEAR(sheet.spacing, 0.01, 1e-12);
    EXPECT_NEAR(sheet.volume, 0.001 / 10000, 1e-15);
    auto const rod = sample({BoxShape{{10, 0.01, 0.01}}, 500, {}});
    EXPECT_EQ(rod.position.size(), 500u);
    EXPECT_NEAR(rod.spacing, 0.02, 1e-12);
}

TEST(SampleBox, SmallCountsWork) {
    for (std::int64_t target = 1; target < 64; ++target) {
        auto const body = sample({BoxShape{{1, 1, 1}}, target, {}});
        EXPECT_GE(body.position.size(), 1u);
        EXPECT_NEAR(static_cast<double>(body.position.size()), static_cast<double>(target),
                    std::max(1.0, 0.3 * static_cast<double>(target)));
        EXPECT_GT(body.spacing, 0);
    }
}

TEST(SampleShapes, MeetCountsWithinOnePercent) {
    for (Shape const& shape : round_shapes)
        for (std::int64_t target : {500, 1000, 5000, 20000}) {
            auto const body = sample({shape, target, {}});
            double const count = static_cast<double>(body.position.size());
            EXPECT_NEAR(count, static_cast<double>(target), 0.01 * static_cast<double>(target)) << shape.index();
            EXPECT_NEAR(body.volume * count, volume(shape), 1e-12);
            EXPECT_NEAR(body.spacing, std::cbrt(volume(shape) / count), 0.06 * body.spacing);
            for (Vec3d p : body.position) EXPECT_LT(signed_distance(shape, p), 0);
        }
}

TEST(SampleShapes, FillTheVolumeAtAGivenSpacing) {
    for (Shape const& shape : round_shapes) {
        auto const body = sample({shape, {}, 0.02});
        EXPECT_EQ(body.spacing, 0.02);
        EXPECT_NEAR(static_cast<double>(body.position.size()) * 8e-6, volume(shape), 0.02 * volume(shape))
            << shape.index();
    }
}

TEST(SampleShapes, AreMirrorSymmetric) {
    for (Shape const& shape : round_shapes) {
        auto const body = sample({shape, 2000, {}});
        bool const odd_star = shape.index() == 5 && std::get<StarShape>(shape).tips % 2 == 1;
        std::set<std::array<long, 3>> points;
        auto const key = [&](Vec3d p) {
            auto const half_cells = [&](double a) { return std::lround(2 * a / body.spacing); };
            return std::array<long, 3>{half_cells(p.x), half_cells(p.y), half_cells(p.z)};
        };
        for (Vec3d p : body.position) points.insert(key(p));
        EXPECT_EQ(points.size(), body.position.size());
        for (Vec3d p : body.position) {
            EXPECT_TRUE(odd_star || points.count(key({-p.x, p.y, p.z})));
            EXPECT_TRUE(points.count(key({p.x, -p.y, p.z})));
            EXPECT_TRUE(points.count(key({p.x, p.y, -p.z})));
        }
    }
}

TEST(SampleShapes, DiscsAndRingsThinnerThanACellAreOneLayer) {
    for (Shape const& shape : {Shape{CylinderShape{1, 1e-4}}, Shape{StarShape{5, 1, 0.5, 1e-8}}}) {
        auto const body = sample({shape, 900, {}});
        EXPECT_NEAR(static_cast<double>(body.position.size()), 900, 9);
        for (Vec3d p : body.position) EXPECT_EQ(p.y, 0);
        EXPECT_NEAR(body.volume * static_cast<double>(body.position.size()), volume(shape), 1e-12);
    }
    EXPECT_GT(sample({CylinderShape{1, 1e-4}, {}, 0.1}).position.size(), 300u);
}

TEST(SampleShapes, TooWideASpacingIsAnError) {
    EXPECT_EQ(message_of([] {
                  sample({SphereShape{0.1}, {}, 1.0});
              }),
              "s.toml:10: body \"a\": a spacing of 1 m gives no particle; the shape holds one at a spacing of about "
              "0.161 m");
}

TEST(SampleShapes, TooFineASpacingIsAnErrorBeforeMemoryRunsOut) {
    EXPECT_EQ(message_of([] {
                  sample({BoxShape{{1, 1, 1}}, {}, 1e-4});
              }),
              "s.toml:10: body \"a\": a spacing of 0.0001 m gives about 1e+12 particles; at most 20000000 are allowed");
    std::vector<Part> const many(3, {BoxShape{{1, 1, 1}}, 10'000'000, {}});
    EXPECT_EQ(message_of([&] { sample_bodies(scene_of(many)); }),
              "s.toml: the bodies have about 3e+07 particles together; at most 20000000 are allowed");
}

TEST(SampleShapes, PositionsBeyondSinglePrecisionAreAnError) {
    EXPECT_EQ(
        message_of([] {
            sample({BoxShape{{1, 1, 1}}, 1000, {}, {1e6, 0, 0}});
        }),
        "s.toml:10: body \"a\": lies 1e+06 m from the origin, where single precision cannot resolve a spacing of 0.1 "
        "m; move it nearer than 1e+05 m");
    EXPECT_EQ(
        message_of([] {
            sample({BoxShape{{1e-12, 1e-12, 1e-12}}, 1000, {}});
        }),
        "s.toml:10: body \"a\": particles of 1e-39 m3 are beyond single precision; sizes are in metres, use between "
        "1e-30 and 1e30 m3");
    EXPECT_EQ(
        message_of([] {
            sample({StarShape{5, 1e12, 0.5, 0.4}, 900, {}});
        }),
        "s.toml:10: body \"a\": the shape is too thin for cells of 868 m: its bounding box has 2.31e+09 x 0.000461 x "
        "2.31e+09 of them");
}

TEST(SampleShapes, AreRotatedThenMoved) {
    auto const body = sample({BoxShape{{2, 1, 1}}, 16, {}, {10, 0, 0}, {0, 0, 90}});
    Vec3d low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
    for (Vec3d p : body.position)
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
    EXPECT_NEAR(high.y - low.y, 1.5, 1e-12);  // the long axis, 4 particles of 0.5 m, now points along y
    EXPECT_NEAR(high.x - low.x, 0.5, 1e-12);
    EXPECT_NEAR(centroid(body.position).x, 10, 1e-12);
}

TEST(Shapes, RotationsApplyAboutXThenYThenZ) {
    Vec3d const turned = rotation_matrix({90, 0, 90}) * Vec3d{0, 1, 0};  // y -> z about x, z stays about z
    EXPECT_NEAR(turned.x, 0, 1e-15);
    EXPECT_NEAR(turned.z, 1, 1e-15);
    Vec3d const about_y = rotation_matrix({0, 90, 0}) * Vec3d{1, 0, 0};
    EXPECT_NEAR(about_y.z, -1, 1e-15);
    EXPECT_NEAR(determinant(rotation_matrix({10, 20, 30})), 1, 1e-15);
}

TEST(Shapes, VolumesAgreeWithTheirSignedDistances) {
    for (Shape const& shape : round_shapes) {
        Vec3d const half = half_extent(shape);
        int const n = 100;
        int inside = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k) {
                    Vec3d const p{(2.0 * i + 1 - n) / n * half.x, (2.0 * j + 1 - n) / n * half.y,
                                  (2.0 * k + 1 - n) / n * half.z};
                    inside += signed_distance(shape, p) < 0;
                }
        double const box = 8 * half.x * half.y * half.z;
        EXPECT_NEAR(box * inside / (n * n * n), volume(shape), 0.005 * volume(shape)) << shape.index();
    }
}

TEST(Shapes, DistancesAreDistances) {
    std::vector<Shape> shapes = round_shapes;
    shapes.push_back(BoxShape{{1, 0.5, 0.25}});
    shapes.push_back(PlaneShape{{0.6, 0.8, 0}, 0.1});
    double const h = 1e-6;
    for (Shape const& shape : shapes)
        for (Vec3d p :
             {Vec3d{0.31, 0.22, 0.13}, Vec3d{-0.9, 0.17, 0.4}, Vec3d{0.12, -0.05, -0.07}, Vec3d{0.3, 0.9, -0.8}}) {
            Vec3d gradient;  // of length one almost everywhere
            for (int k = 0; k < 3; ++k) {
                Vec3d step;
                step[k] = h;
                gradient[k] = (signed_distance(shape, p + step) - signed_distance(shape, p - step)) / (2 * h);
            }
            EXPECT_NEAR(norm(gradient), 1, 1e-6) << shape.index();
            double const distance = signed_distance(shape, p);
            EXPECT_NEAR(signed_distance(shape, p - distance * gradient), 0, 1e-6) << shape.index();
        }
    StarShape const star{5, 1, 0.4, 2};
    EXPECT_NEAR(signed_distance(star, {1.5, 0, 0}), 0.5, 1e-15);  // outside a tip
    EXPECT_NEAR(signed_distance(star, {0, 0, -1.5}),
                norm(Vec3d{0, 0, -1.5} - Vec3d{std::cos(0.4 * pi), 0, -std::sin(0.4 * pi)}), 1e-12);
    EXPECT_NEAR(signed_distance(star, {0.2, 1.25, 0}), 0.25, 1e-15);  // above
}

TEST(Overlaps, TouchingBodiesAreFine) {
    EXPECT_EQ(overlap_message(scene_of({{BoxShape{{1, 1, 1}}, 1000, {}, {0, 0, 0}},
                                        {BoxShape{{1, 1, 1}}, 1728, {}, {1, 0, 0}},
                                        {SphereShape{0.5}, 1000, {}, {0, 1, 0}}})),
              "(no error)");
    // A ball in the hole of a ring: bounding boxes overlap, the bodies do not.
    EXPECT_EQ(overlap_message(scene_of({{TorusShape{0.5, 0.1}, 2000, {}}, {SphereShape{0.35}, 1000, {}}})),
              "(no error)");
}

TEST(Overlaps, NameBothBodiesAndTheDepth) {
    EXPECT_EQ(
        overlap_message(scene_of({{BoxShape{{1, 1, 1}}, 1000, {}}, {BoxShape{{1, 1, 1}}, 1000, {}, {0.8, 0, 0}}})),
        "s.toml:20: body \"b\" overlaps body \"a\" (line 10): a particle lies 0.15 m inside, 0.05 m (half the "
        "smaller spacing) is the most allowed; move them apart by about 0.2 m");
}

TEST(Overlaps, InterlockingLatticesAreFoundThoughNoTwoParticlesAreNear) {
    auto const message = overlap_message(
        scene_of({{BoxShape{{1, 1, 1}}, 1000, {}}, {BoxShape{{1, 1, 1}}, 1000, {}, {0.55, 0.55, 0.55}}}));
    EXPECT_NE(message.find("overlaps body \"a\""), std::string::npos) << message;
}

TEST(Overlaps, ABodyInsideAnotherIsFoundWhateverTheSpacings) {
    auto const message = overlap_message(
        scene_of({{SphereShape{1}, 1000, {}}, {SphereShape{0.05}, 500, {}, {0.1, 0.2, 0.03}, {0, 0, 0}}}));
    EXPECT_NE(message.find("body \"b\" overlaps body \"a\" (line 10): a particle lies 0.8"), std::string::npos)
        << message;
}

TEST(Overlaps, PointsAreComparedByDistance) {
    PointsShape const grid{"p.ply", {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}}, 3e-3};
    EXPECT_EQ(
        overlap_message(scene_of({{grid, {}, 0.1}, {grid, {}, 0.1, {0, 0.03, 0}}})),
        "s.toml:20: body \"b\" overlaps body \"a\" (line 10): two particles are only 0.03 m apart, 0.05 m (half the "
        "smaller spacing) is the least allowed; move them apart by about 0.02 m");
    EXPECT_EQ(overlap_message(scene_of({{grid, {}, 0.1}, {grid, {}, 0.1, {0, 0.06, 0}}})), "(no error)");
    EXPECT_EQ(overlap_message(scene_of({{PointsShape{"p.ply", {{0, 0, 0}, {1, 0, 0}, {1, 0, 0.01}}, 3e-3}, {}, 0.1}})),
              "s.toml:10: body \"a\": point 1 is only 0.01 m from another; at a spacing of 0.1 m, 0.025 m is the least "
              "allowed");
}

TEST(Overlaps, PointsBodiesAreCentredOnTheirBounds) {
    auto const body = sample({PointsShape{"p.ply", {{5, 5, 5}, {6, 5, 5}, {6, 7, 5}}, 3e-3}, {}, 0.1, {1, 0, 0}});
    EXPECT_EQ(body.position[0], (Vec3d{0.5, -1, 0}));
    EXPECT_NEAR(body.volume, 1e-3, 1e-18);
}

TEST(Overlaps, ParticlesMustNotStartInsideColliders) {
    ColliderSpec floor;
    EXPECT_EQ(overlap_message(scene_of({{BoxShape{{1, 1, 1}}, 1000, {}, {0, 0.5, 0}}}, {floor})), "(no error)");
    EXPECT_EQ(overlap_message(scene_of({{BoxShape{{1, 1, 1}}, 1000, {}, {0, 0.2, 0}}}, {floor})),
              "s.toml:10: body \"a\" starts inside colliders.0 (line 90): its deepest particle is 0.25 m below the "
              "surface; move it out by 0.3 m along [0, 1, 0]");
    ColliderSpec ball;
    ball.shape = SphereShape{0.5};
    ball.position = {1.0, 0, 0};
    EXPECT_EQ(overlap_message(scene_of({{BoxShape{{1, 1, 1}}, 1000, {}, {0.2, 0, 0}}}, {ball})),
              "s.toml:10: body \"a\" starts inside colliders.0 (line 90): its deepest particle is 0.143 m below the "
              "surface; move it out by 0.193 m");
}

TEST(Overlaps, ThreeHundredThousandParticlesAreCheckedInASecond) {
    std::vector<Part> parts;
    for (int i = 0; i < 3; ++i) parts.push_back({BoxShape{{1, 1, 1}}, 103823, {}, {1.0 * i, 0, 0}});
    Scene const scene = scene_of(parts, {ColliderSpec{PlaneShape{{0, 1, 0}, -1}, {}, {}, 0.5, {}, 1}});
    auto const bodies = sample_bodies(scene);
    auto const start = std::chrono::steady_clock::now();
    EXPECT_NO_THROW(check_overlaps(scene, bodies));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Handles, MustHoldAParticle) {
    Scene scene = scene_of({{BoxShape{{1, 1, 1}}, 1000, {}}});
    scene.handles.push_back({"a", BoxRegion{{5, 5, 5}, {6, 6, 6}}, 0, 1, 40});
    EXPECT_EQ(message_of([&] { check_handles(scene, sample_bodies(scene)); }),
              "s.toml:40: the handle of body \"a\" holds no particle; its region lies outside the body");
    scene.handles[0].region = IdsRegion{{0, 999, 1000}};
    EXPECT_EQ(message_of([&] { check_handles(scene, sample_bodies(scene)); }),
              "s.toml:40: the handle of body \"a\" has 3 ids, but only 2 are of particles of this body; frames have "
              "them in `id`");
    scene.handles[0].region = BoxRegion{{0, 0, 0}, {6, 6, 6}};
    EXPECT_EQ(message_of([&] { check_handles(scene, sample_bodies(scene)); }), "(no error)");
}

TEST(CanonicalText, ChangesWithWhatMovesAndOnlyWithThat) {
    std::filesystem::path const file = std::filesystem::path(PLIANT_SCENES_DIR) / "cantilever.toml";
    auto const text = [&](std::vector<std::string> const& overrides) {
        return canonical_text(read_scene(file, overrides));
    };
    std::string const plain = text({});
    EXPECT_EQ(plain, text({"title=other", "duration=3", "output.F=true", "output.particles=[\"ply\"]"}));
    EXPECT_EQ(plain, text({"materials.unused.young=3"}));
    for (char const* change :
         {"dt=0.001", "fps=30", "gravity=[0,0,0]", "solver.order=2", "solver.integrator=bdf2",
          "materials.beam.young=1000001", "bodies.0.spacing=0.02500001", "bodies.0.position=[1,0,1e-9]",
          "bodies.0.velocity=[0,0,1]", "handles.0.until=0.25", "colliders=[{shape={plane=[0,1,0],offset=-1}}]",
          "handles.0.from=0.25", "handles.0.motion={velocity=[0,1,0]}", "handles.0.motion={spin=[0,1,0]}",
          "handles.0.region={}", "materials.beam.friction=0.6"})
        EXPECT_NE(plain, text({change})) << change;
    std::string const moved = text({"handles.0.motion={velocity=[0,1,0]}"});
    EXPECT_NE(moved, text({"handles.0.motion={velocity=[0,1,0],from=0.5}"}));
    EXPECT_NE(moved, text({"handles.0.motion={velocity=[0,1,0],until=0.5}"}));
    auto const pulled = [&](char const* force) {
        return text({std::string("handles=[{body='beam',force=").append(force).append("}]")});
    };
    EXPECT_NE(pulled("[0,0,0]"), text({"handles=[{body='beam',motion='fixed'}]"}));
    EXPECT_NE(pulled("[0,0,0]"), pulled("[0,0,1]"));
    EXPECT_NE(text({"materials.beam.preset=dough"}),
              text({"materials.beam.preset=dough", "materials.beam.weld=false"}));
}

TEST(CanonicalText, KeepsSeventeenDigits) {
    Scene scene = scene_of({{SphereShape{0.1}, 100, {}}});
    EXPECT_NE(canonical_text(scene).find("sphere 0.10000000000000001 particles 100"), std::string::npos)
        << canonical_text(scene);
}

}  // namespace
}  // namespace pliant
