// Skins: rigid and affine motions are followed exactly, thin bodies keep their thickness, and there are no spikes.
#include <pliant/scene/tessellate.hpp>
#include <pliant/setup/colliders.hpp>
#include <pliant/surface/skin.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numbers>
#include <random>

namespace pliant::surface {
namespace {

constexpr double d = 0.1;          // spacing [m]
constexpr double rounding = 1e-6;  // [m]: positions of one or two metres are floats with steps of 1.2e-7

using Map = std::function<Vec3d(Vec3d)>;

Map affine(Mat3d const& A, Vec3d b) {
    return [=](Vec3d p) { return A * p + b; };
}
Mat3d const far_turn = rotation_about(170 * std::numbers::pi / 180 * normalized(Vec3d{1, 2, -1}));

void append_lattice(Frame& frame, std::array<int, 3> n, Vec3d center, std::uint32_t body) {
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i) {
                Vec3d const p{i - 0.5 * (n[0] - 1), j - 0.5 * (n[1] - 1), k - 0.5 * (n[2] - 1)};
                frame.position.push_back(cast<float>(center + d * p));
                frame.body.push_back(body);
            }
    frame.velocity.assign(frame.position.size(), {});
    std::vector<float> const zeros(frame.position.size());
    frame.channels = {{"von_mises", "Pa", 1, zeros}, {"plastic_strain", "", 1, zeros}};
}

// A box of n particles along its axes, with half a spacing of material around them, and the box as its skin.
struct Body {
    Frame rest;
    SkinBody skin;
    explicit Body(std::array<int, 3> n, double edge = 0.5 * d) {
        append_lattice(rest, n, {}, 0);
        skin = {tessellate(BoxShape{d * Vec3d{double(n[0]), double(n[1]), double(n[2])}}, edge), d};
    }
    std::vector<Vec3d> const& vertex() const { return skin.mesh.vertex; }
};

Frame moved(Frame frame, Map const& map) {
    for (Vec3f& x : frame.position) x = cast<float>(map(cast<double>(x)));
    return frame;
}

double largest_error(SurfaceMesh const& mesh, std::vector<Vec3d> const& X, Map const& map) {
    double largest = 0;
    for (std::size_t i = 0; i < X.size(); ++i)
        largest = std::max(largest, norm(cast<double>(mesh.position[i]) - map(X[i])));
    return largest;
}

double rigid_vertices(Skin const& skin) {
    auto const& rigid = skin.weights().rigid;
    return double(std::count_if(rigid.begin(), rigid.end(), [](Vec3f c) { return c != Vec3f{}; }));
}

TEST(Skin, AtRestIsTheMeshItself) {
    Body const body({6, 5, 4});
    Skin const skin(body.rest, {body.skin});
    EXPECT_LT(largest_error(skin.move(body.rest), body.vertex(), affine(Mat3d::identity(), {})), rounding);
    EXPECT_EQ(rigid_vertices(skin), 0);  // a solid needs no help, even at its corners
}

TEST(Skin, FollowsAffineMotionsExactlyOutsideOfTheParticlesToo) {
    Body const body({6, 5, 4});
    Skin const skin(body.rest, {body.skin});
    Map const map = affine({{{2, 0.3, -0.5}, {0.1, 0.4, 0.2}, {-0.7, 0.2, 1.5}}}, {0.3, -0.2, 0.5});
    EXPECT_LT(largest_error(skin.move(moved(body.rest, map)), body.vertex(), map), rounding);
    Map const inverted = affine(Mat3d::diagonal({1, -1, 1}), {});
    EXPECT_LT(largest_error(skin.move(moved(body.rest, inverted)), body.vertex(), inverted), rounding);
}

TEST(Skin, FollowsARotationBy170DegreesExactlyFarFromTheOrigin) {
    Body const body({6, 5, 4});
    Skin const skin(body.rest, {body.skin});
    Map const map = affine(far_turn, {1000, 500, -200});
    EXPECT_LT(largest_error(skin.move(moved(body.rest, map)), body.vertex(), map), 2e-4);  // a float's step: 6e-5 there
}

struct Thin {
    char const* what;
    std::array<int, 3> n;
};
class ThinSkin : public testing::TestWithParam<Thin> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ThinSkin,
                         testing::Values(Thin{"sheet", {8, 1, 8}}, Thin{"upright sheet", {1, 8, 8}},
                                         Thin{"narrow sheet", {2, 1, 8}}, Thin{"two layers", {8, 2, 8}},
                                         Thin{"slab of eight", {2, 2, 2}}, Thin{"triple", {3, 1, 2}}));

TEST_P(ThinSkin, FollowsRotationsExactly) {
    SCOPED_TRACE(GetParam().what);
    Body const body(GetParam().n);
    Skin const skin(body.rest, {body.skin});
    Map const map = affine(far_turn, {0.3, -0.2, 0.5});
    EXPECT_LT(largest_error(skin.move(body.rest), body.vertex(), affine(Mat3d::identity(), {})), rounding);
    EXPECT_LT(largest_error(skin.move(moved(body.rest, map)), body.vertex(), map), 2 * rounding);
}

TEST(Skin, OfASheetKeepsItsThicknessWhenTheSheetIsRolledUp) {
    // 20 x 1 x 6 particles on a cylinder of radius 5 d, covering 4 rad. The rest normal +y points outwards.
    Body const body({20, 1, 6}, d);
    Skin const skin(body.rest, {body.skin});
    double const radius = 5 * d;
    Map const roll = [&](Vec3d p) {
        double const angle = p.x / radius, r = radius + p.y;
        return Vec3d{r * std::sin(angle), r * std::cos(angle), p.z};
    };
    SurfaceMesh const mesh = skin.move(moved(body.rest, roll));
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
        Vec3d const X = body.vertex()[i], x = cast<double>(mesh.position[i]);
        if (std::abs(X.x) > 8 * d || std::abs(X.y) < 0.4 * d) continue;  // ends have one side only and stay straighter
        // The fit is affine over 3 d: it cuts the arc by up to 3^2 / (2 x 5) d / 4.
        EXPECT_NEAR(std::hypot(x.x, x.y), radius + X.y, 0.25 * d);
    }
    // The two sides of the sheet keep their distance.
    for (std::size_t i = 0; i < mesh.position.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            Vec3d const apart = body.vertex()[i] - body.vertex()[j];
            if (std::hypot(apart.x, apart.z) > 1e-6 * d || std::abs(apart.y) < 0.9 * d) continue;
            EXPECT_NEAR(double(norm(mesh.position[i] - mesh.position[j])), d, 0.02 * d);
        }
}

TEST(Skin, OfAStretchedSheetKeepsItsThickness) {
    Body const body({8, 1, 8});
    Skin const skin(body.rest, {body.skin});
    Map const stretch = affine(Mat3d::diagonal({2, 1, 1.5}), {});
    EXPECT_LT(largest_error(skin.move(moved(body.rest, stretch)), body.vertex(), stretch), rounding);
}

TEST(Skin, OfARodKeepsItsThicknessAndTurnsWithIt) {
    Body const body({12, 1, 1});
    Skin const skin(body.rest, {body.skin});
    // About an axis across the rod, the smallest rotation is the rotation itself.
    Map const across = affine(rotation_about({0, 0, 2}), {0.1, 0.2, 0.3});
    EXPECT_LT(largest_error(skin.move(moved(body.rest, across)), body.vertex(), across), 2 * rounding);
    // In general the twist is unknown, but the shape is known.
    SurfaceMesh const mesh = skin.move(moved(body.rest, affine(far_turn, {})));
    for (std::size_t i = 1; i < mesh.position.size(); ++i)
        EXPECT_NEAR(double(norm(mesh.position[i] - mesh.position[0])), norm(body.vertex()[i] - body.vertex()[0]),
                    2 * rounding);
}

TEST(Skin, OfABentRodKnowsItsTwistFromTheBody) {
    // An L: the twist that a rod alone does not know, the body does.
    Body body({12, 1, 1});
    Frame& rest = body.rest;
    append_lattice(rest, {1, 1, 11}, {5.5 * d, 0, 6 * d}, 0);
    Skin const skin(rest, {body.skin});
    Map const map = affine(far_turn, {0.1, 0.2, 0.3});
    EXPECT_LT(largest_error(skin.move(moved(rest, map)), body.vertex(), map), 2 * rounding);
}

TEST(Skin, OfASingleParticleMovesAlong) {
    Body const body({1, 1, 1});
    Skin const skin(body.rest, {body.skin});
    Map const map = affine(Mat3d::identity(), {1, 2, 3});
    EXPECT_LT(largest_error(skin.move(moved(body.rest, map)), body.vertex(), map), rounding);
}

TEST(Skin, FarFromAllParticlesTurnsRigidly) {
    Body body({4, 4, 4});
    for (Vec3d far : {Vec3d{1, 0, 0}, Vec3d{-0.5, 2, 0.3}, Vec3d{1e5, 0, -1e4}}) body.skin.mesh.vertex.push_back(far);
    Skin const skin(body.rest, {body.skin});
    auto const last = [&](Map const& map) {
        std::vector<Vec3f> const x = skin.move(moved(body.rest, map)).position;
        return std::vector<Vec3f>(x.end() - 3, x.end());
    };
    Map const turn = affine(far_turn, {});
    std::vector<Vec3f> const turned = last(turn);
    for (std::size_t i = 0; i < 3; ++i) {
        Vec3d const X = body.vertex()[body.vertex().size() - 3 + i];
        EXPECT_LT(norm(cast<double>(turned[i]) - turn(X)), 3e-6 * std::max(1.0, norm(X)));
    }
    // At twice its length the body would carry a vertex from ten spacings away to twenty; half of that is enough.
    std::vector<Vec3f> const stretched = last(affine(Mat3d::diagonal({2, 1, 1}), {}));
    EXPECT_LT(double(stretched[0].x), 1.5);
    EXPECT_GT(double(stretched[0].x), 1.2);  // the body's face is at 0.4, and the part beyond it stays 0.8 long
}

// Two fingers; the right one moves away by a metre. Returns how far that moves the left one's skin.
double pull_across(double gap, int n) {  // n particles thick
    Frame rest;
    double const half = 0.5 * (n * d + gap);
    append_lattice(rest, {n, 12, n}, {-half, 0, 0}, 0);
    append_lattice(rest, {n, 12, n}, {half, 0, 0}, 0);
    PolygonMesh left = tessellate(BoxShape{{n * d, 12 * d, n * d}}, 0.5 * d);
    for (Vec3d& p : left.vertex) p.x -= half;
    Skin const skin(rest, {{left, d}});
    SurfaceMesh const mesh = skin.move(moved(rest, [](Vec3d p) { return p.x > 0 ? p + Vec3d{0, 0, 1} : p; }));
    return largest_error(mesh, left.vertex, affine(Mat3d::identity(), {}));
}

TEST(Skin, OfAFingerFollowsItsOwnFinger) {
    for (int thickness : {2, 4}) {
        EXPECT_LT(pull_across(2.5 * d, thickness), rounding);
        EXPECT_LT(pull_across(1.75 * d, thickness), rounding);
        EXPECT_LT(pull_across(1.5 * d, thickness), 0.1);  // closer ones are bonded by the solver
    }
}

TEST(Skin, NeverEnlargesNoiseByMoreThanFive) {
    // Random particles and random vertices: the worst case.
    std::mt19937 random(1);
    std::uniform_real_distribution<double> within(0, 1);
    auto const point = [&] { return Vec3d{within(random), within(random), within(random)}; };
    Frame rest;
    append_lattice(rest, {500, 1, 1}, {}, 0);
    for (Vec3f& x : rest.position) x = cast<float>(point());
    SkinBody body{{}, d};
    for (int i = 0; i < 5000; ++i) body.mesh.vertex.push_back(2.0 * point() - Vec3d{0.5, 0.5, 0.5});
    Skin const skin(rest, {body});
    EXPECT_GT(skin.weights().amplification(), 3);
    EXPECT_LE(skin.weights().amplification(), 1 + extrapolation_limit + 1e-5);
    for (std::size_t i = 0; i < 5000; ++i) {
        double a = 0, w = 0;
        for (std::size_t k = skin.weights().begin[i]; k < skin.weights().begin[i + 1]; ++k) {
            a += double(skin.weights().a[k]);
            w += double(skin.weights().w[k]);
            EXPECT_GE(skin.weights().w[k], 0);
        }
        EXPECT_NEAR(a, 1, 1e-5);
        EXPECT_NEAR(w, 1, 1e-5);
    }
}

TEST(Skin, CarriesVelocitiesOfSpinningBodies) {
    Vec3d const spin{3, -2, 1}, velocity{1, 2, 3};
    for (std::array<int, 3> n : {std::array{6, 5, 4}, {8, 1, 8}, {2, 1, 8}}) {
        Body const body(n);
        Skin const skin(body.rest, {body.skin});
        Frame frame = body.rest;
        for (std::size_t i = 0; i < frame.position.size(); ++i)
            frame.velocity[i] = cast<float>(velocity + cross(spin, cast<double>(frame.position[i])));
        SurfaceMesh const mesh = skin.move(frame);
        for (std::size_t i = 0; i < mesh.position.size(); ++i)  // about 5 m/s, with steps of 5e-7
            EXPECT_LT(norm(cast<double>(mesh.velocity[i]) - velocity - cross(spin, body.vertex()[i])), 1e-5);
    }
}

TEST(Skin, TakesStressAndStrainAsAveragesOfParticles) {
    Body const body({6, 5, 4});
    Frame frame = body.rest;
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        frame.channels[0].values[i] = 100 + 1000 * frame.position[i].x;
        frame.channels[1].values[i] = 0.25;
    }
    auto const [low, high] = std::ranges::minmax_element(frame.channels[0].values);
    SurfaceMesh const mesh = Skin(body.rest, {body.skin}).move(frame);
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
        EXPECT_GE(mesh.channel("von_mises")->values[i], *low);  // never beyond, unlike positions
        EXPECT_LE(mesh.channel("von_mises")->values[i], *high);
        EXPECT_NEAR(mesh.channel("plastic_strain")->values[i], 0.25, 1e-6);
    }
}

TEST(Skin, TakesVectorsOfAnyNameAsAveragesOfParticles) {
    Body const body({4, 4, 4});
    Frame frame = body.rest;
    frame.channels = {{"heat_flow", "W/m2", 3, {}}};
    for (std::size_t i = 0; i < frame.position.size(); ++i)
        frame.channels[0].values.insert(frame.channels[0].values.end(), {1, -2, 0.5f});
    SurfaceMesh const mesh = Skin(body.rest, {body.skin}).move(frame);
    ASSERT_EQ(mesh.channels.size(), 1u);
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
        EXPECT_NEAR(mesh.channels[0].values[3 * i], 1, 1e-6);
        EXPECT_NEAR(mesh.channels[0].values[3 * i + 1], -2, 1e-6);
        EXPECT_NEAR(mesh.channels[0].values[3 * i + 2], 0.5, 1e-6);
    }
}

TEST(Skin, KeepsPolygonsTextureCoordinatesAndBodies) {
    Frame rest;
    append_lattice(rest, {3, 3, 3}, {}, 0);
    append_lattice(rest, {3, 3, 3}, {1, 0, 0}, 1);
    rest.index = 7;
    rest.time = 0.5;
    PolygonMesh const ball = tessellate(SphereShape{0.15}, d);
    PolygonMesh bare = ball;
    bare.uv.clear();
    bare.corner_uv.clear();
    for (Vec3d& p : bare.vertex) p.x += 1;
    SurfaceMesh const mesh = Skin(rest, {{ball, d}, {bare, d}}).move(rest);
    auto const vertices = std::uint32_t(ball.vertex.size()), corners = std::uint32_t(ball.corner.size());
    EXPECT_EQ(mesh.index, 7);
    EXPECT_EQ(mesh.time, 0.5);
    ASSERT_EQ(mesh.position.size(), 2 * vertices);
    ASSERT_EQ(mesh.polygon_count(), 2 * ball.polygon_count());
    ASSERT_EQ(mesh.corner_uv.size(), 2 * corners);
    ASSERT_EQ(mesh.uv.size(), ball.uv.size() + 1);
    EXPECT_EQ(mesh.polygon_end.back(), 2 * corners);
    for (std::uint32_t k = 0; k < corners; ++k) {
        EXPECT_EQ(mesh.corner[k], ball.corner[k]);
        EXPECT_EQ(mesh.corner[corners + k], vertices + ball.corner[k]);
        EXPECT_EQ(mesh.corner_uv[k], ball.corner_uv[k]);
        EXPECT_EQ(mesh.corner_uv[corners + k], ball.uv.size());  // one entry for all that have none
    }
    for (std::uint32_t i = 0; i < 2 * vertices; ++i) EXPECT_EQ(mesh.body[i], i < vertices ? 0u : 1u);
    EXPECT_TRUE(Skin(rest, {{bare, d}, {bare, d}}).move(rest).uv.empty());
}

TEST(Skin, IsTheSameForAnyNumberOfThreads) {
    Body const body({12, 1, 12}, 0.1 * d);
    Frame const frame = moved(body.rest, [](Vec3d p) { return Vec3d{p.x, 0.1 * std::sin(9 * p.x * p.z), p.z}; });
    SurfaceMesh const one = Skin(body.rest, {body.skin}, 1).move(frame);
    SurfaceMesh const two = Skin(body.rest, {body.skin}, 2).move(frame);
    EXPECT_EQ(one.position, two.position);
    EXPECT_EQ(one.velocity, two.velocity);
}

}  // namespace
}  // namespace pliant::surface
