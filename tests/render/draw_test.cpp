#include <gtest/gtest.h>
#include <render/fixtures.hpp>

#include <random>

namespace pliant::test {

using namespace render;

namespace {

// Pixels covered by something other than the backdrop; edge pixels count by how much they differ from it.
double covered_pixels(Image const& with, Image const& without) {
    double sum = 0;
    for (std::size_t i = 0; i < with.pixel.size(); ++i)
        sum += std::min(1.0f, norm(with.pixel[i] - without.pixel[i]) / 0.25f);
    return sum;
}

Camera camera_at(Vec3d position, Vec3d target) { return {position, target, {0, 1, 0}, 30}; }

Paint painted_black() {
    Paint paint;
    paint.body_colors = {{0, 0, 0}};
    return paint;
}

}  // namespace

TEST(Draw, TheSilhouetteOfABallHasTheRightArea) {
    RenderSettings settings = small_picture(240, 180);
    settings.paint = painted_black();
    settings.look.gloss = 0;  // black on a light backdrop: covered or not
    Renderer renderer(settings, Scenery{}, {});
    float const radius = 0.5f, distance = 4;
    Camera const camera = camera_at({0, 0, distance}, {});
    Image const empty = renderer.draw({}, camera);
    // A ball's outline is a circle of radius tan(asin(r/d)) at depth 1; half the picture's height is tan(15 degrees).
    double const pixels = 90 / std::tan(15 * std::numbers::pi / 180) * std::tan(std::asin(radius / distance));
    double const area = std::numbers::pi * pixels * pixels;

    Frame frame;
    frame.position = {{0, 0, 0}};
    frame.body = {0};
    Subject ball;
    ball.particles = &frame;
    ball.radius = {&radius, 1};
    double dark = 0;
    Image const image = renderer.draw(ball, camera);
    for (std::size_t i = 0; i < image.pixel.size(); ++i)
        dark += 1 - luminance(image.pixel[i]) / luminance(empty.pixel[i]);
    EXPECT_NEAR(dark, area, 0.005 * area);

    SurfaceMesh const mesh = ball_mesh(radius, {}, 64);
    Subject surface;
    surface.surface = &mesh;
    Image const faceted = renderer.draw(surface, camera);
    dark = 0;
    for (std::size_t i = 0; i < image.pixel.size(); ++i)
        dark += 1 - luminance(faceted.pixel[i]) / luminance(empty.pixel[i]);
    EXPECT_NEAR(dark, area, 0.01 * area);  // facets lie inside the ball
}

TEST(Draw, AFloatingBoxShadesTheGround) {
    SurfaceMesh const mesh = box_mesh({1, 0.5f, 1}, {0, 1, 0});
    Scenery const scenery = scenery_with_ground();
    Framing framing(scenery);
    framing.add(mesh.position);
    std::vector<Vec3f> const ground{{-2, 0, -2}, {2, 0, 2}, {2, 0, -2}, {-2, 0, 2}};
    framing.add(ground);
    Camera const camera = framing.camera(160.0 / 120);
    Renderer renderer(small_picture(), scenery, {SurfaceMesh{}});
    Subject subject;
    subject.surface = &mesh;
    Image const with = renderer.draw(subject, camera), without = renderer.draw({}, camera);
    // Umbra: from its middle the whole sun is hidden by the box. The look gives the direction of the sun.
    Look const look;
    ViewAxes const axes = axes_of(camera);
    Vec3d const toward = normalized(Vec3d{-axes.forward.x, 0, -axes.forward.z}), side = cross(Vec3d{0, 1, 0}, toward);
    double const around = look.sun_azimuth * std::numbers::pi / 180;
    Vec3d const away = -1.0 / std::tan(look.sun_height * std::numbers::pi / 180) *
                       (std::cos(around) * toward + std::sin(around) * side);
    Vec3d const umbra = away, open{-2, 0, 2};
    EXPECT_LT(light_at(with, camera, umbra), 0.55 * light_at(without, camera, umbra));
    EXPECT_GT(light_at(with, camera, umbra), 0.05);  // light from the sky still reaches it
    EXPECT_NEAR(light_at(with, camera, open), light_at(without, camera, open), 0.03);
}

// A ball that floats over the ground, drawn with soft light and as a preview.
TEST(Draw, APreviewShowsTheSameBallWithAHardShadow) {
    SurfaceMesh const mesh = ball_mesh(0.5f, {0, 1, 0}, 32);
    Scenery const scenery = scenery_with_ground();
    Camera const camera = camera_at({0, 3, 5}, {0, 0.5, 0});
    Subject ball;
    ball.surface = &mesh;
    RenderSettings settings = small_picture(240, 180);
    Renderer soft(settings, scenery, {SurfaceMesh{}});
    settings.preview = true;
    Renderer quick(settings, scenery, {SurfaceMesh{}});
    Image const with = soft.draw(ball, camera), without = soft.draw({}, camera);
    Image const preview = quick.draw(ball, camera), empty = quick.draw({}, camera);
    // Soft light darkens more of the ground, by the sky that the ball hides; the body and the shadow's core stay.
    double const covered = covered_pixels(preview, empty);
    EXPECT_LT(covered, covered_pixels(with, without));
    EXPECT_GT(covered, 0.75 * covered_pixels(with, without));
    // Pixels half in the sun: a soft shadow has a rim of them, a hard one only its outline.
    auto const half_lit = [](Image const& shadow, Image const& lit) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < shadow.pixel.size(); ++i) {
            float const part = luminance(shadow.pixel[i]) / luminance(lit.pixel[i]);
            count += part > 0.6f && part < 0.8f;
        }
        return count;
    };
    EXPECT_LT(half_lit(preview, empty), half_lit(with, without) / 2);
}

TEST(Draw, ARendererThatIsUsedAgainDrawsTheSamePicture) {
    SurfaceMesh const mesh = ball_mesh(0.5f, {0, 0.4f, 0}, 16);
    Camera const camera = camera_at({0, 2, 4}, {0, 0.3, 0});
    Subject ball;
    ball.surface = &mesh;
    Renderer renderer(small_picture(), scenery_with_ground(), {SurfaceMesh{}});
    Image const first = renderer.draw(ball, camera);
    renderer.draw({}, camera);
    Image const again = renderer.draw(ball, camera);
    for (std::size_t i = 0; i < first.pixel.size(); ++i) EXPECT_EQ(norm(first.pixel[i] - again.pixel[i]), 0) << i;
}

TEST(Draw, TheSideTowardsTheSunIsBrighter) {
    float const radius = 0.5f;
    Frame frame;
    frame.position = {{0, 0.5f, 0}};
    Subject subject;
    subject.particles = &frame;
    subject.radius = {&radius, 1};
    Camera const camera = camera_at({0, 0.5, 4}, {0, 0.5, 0});
    Renderer renderer(small_picture(), scenery_with_ground(), {SurfaceMesh{}});
    Image const image = renderer.draw(subject, camera);
    double const left = light_at(image, camera, {-0.25, 0.7, 0.37}), right = light_at(image, camera, {0.25, 0.3, 0.37});
    EXPECT_GT(left, 1.5 * right);  // the sun is at the upper left
}

TEST(Draw, LightIsSmoothOnOpenGroundAndInWideShadows) {
    SurfaceMesh const mesh = box_mesh({4, 0.1f, 4}, {0, 1.5f, 0});
    Subject subject;
    subject.surface = &mesh;
    RenderSettings settings = small_picture(320, 240);
    settings.look.other_tile = settings.look.tile;
    Camera const camera = camera_at({0, 1, 5}, {0, 0, 0});
    Renderer renderer(settings, scenery_with_ground(), {SurfaceMesh{}});
    Image const image = renderer.draw(subject, camera);
    // From pixel to pixel the light of the ground changes by less than two steps of 8 bits: no visible noise.
    double sum = 0;
    int count = 0;
    for (int row = 170; row < 240; ++row)
        for (int column = 1; column < 320; ++column, ++count)
            sum += std::pow(srgb_of_linear(luminance(image.pixel[image.index(column, row)])) -
                                srgb_of_linear(luminance(image.pixel[image.index(column - 1, row)])),
                            2);
    EXPECT_LT(std::sqrt(sum / count), 2.0 / 255);
}

TEST(Draw, TheBytesDoNotDependOnTheNumberOfThreads) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> unit(-1, 1);
    Frame frame;
    for (int k = 0; k < 3000; ++k) {
        frame.position.push_back({unit(random), 1 + unit(random), unit(random)});
        frame.body.push_back(std::uint32_t(k % 3));
    }
    float const radius = 0.05f;
    SurfaceMesh const mesh = ball_mesh(0.7f, {1, 0.7f, 1}, 60);
    Subject subject;
    subject.surface = &mesh;
    subject.particles = &frame;
    subject.radius = {&radius, 1};
    Scenery const scenery = scenery_with_ground();
    Framing framing(scenery);
    framing.add(frame.position);
    std::vector<std::uint8_t> first;
    for (int const threads : {1, 2}) {
        RenderSettings settings = small_picture(203, 151);  // not a multiple of a tile
        settings.threads = threads;
        Renderer renderer(settings, scenery, {SurfaceMesh{}});
        Picture const picture = develop(renderer.draw(subject, framing.camera(203.0 / 151)));
        if (first.empty()) first = picture.rgb;
        EXPECT_EQ(picture.rgb, first) << threads << " threads";
    }
}

class DrawChannel : public testing::TestWithParam<char const*> {};

TEST_P(DrawChannel, ColoursFollowTheQuantity) {
    SurfaceMesh mesh = box_mesh({2, 2, 0.1f}, {});
    mesh.channels = {{"other", "", 1, std::vector<float>(8)}, {GetParam(), "Pa", 1, {}}};
    for (Vec3f x : mesh.position) mesh.channels[1].values.push_back(x.x > 0 ? 1000.0f : 0.0f);
    Subject subject;
    subject.surface = &mesh;
    RenderSettings settings = small_picture();
    settings.paint = {quantity_named(GetParam()), {0, 1000}, {}};
    Camera const camera = camera_at({0, 0, 5}, {});
    Renderer renderer(settings, Scenery{}, {});
    Image const image = renderer.draw(subject, camera);
    // The light is white enough to keep the hue of the map's ends: violet and yellow.
    auto const [x, y] = project(camera, 160, 120, {-0.9, 0, 0});
    auto const [u, v] = project(camera, 160, 120, {0.9, 0, 0});
    Vec3f const low = image.pixel[image.index(int(x), int(y))], high = image.pixel[image.index(int(u), int(v))];
    EXPECT_GT(low.z, 2 * low.y);
    EXPECT_GT(high.y, 2 * high.z);
    mesh.channels.clear();  // without the channel: the body's own colour
    Vec3f const plain = renderer.draw(subject, camera).pixel[image.index(int(u), int(v))];
    EXPECT_GT(plain.z, plain.x);
}

INSTANTIATE_TEST_SUITE_P(, DrawChannel, testing::Values("von_mises", "made_up"),
                         [](auto const& name) { return std::string{name.param}; });

TEST(Draw, CollidersStandWhereTheirMotionHasTakenThem) {
    Scenery scenery;
    SceneryCollider box;
    box.shape = "box";
    box.position = {-1, 0, 0};
    box.velocity = {1, 0, 0};
    box.from = 0.5;
    box.until = 1.5;
    scenery.colliders.push_back(box);
    RenderSettings settings = small_picture();
    settings.look.collider = {0, 0, 0};
    Renderer renderer(settings, scenery, {box_mesh({0.5f, 0.5f, 0.5f}, {})});
    Camera const camera = camera_at({0, 0, 6}, {});
    auto const light = [&](double time, double x) {
        Subject subject;
        subject.time = time;
        return light_at(renderer.draw(subject, camera), camera, {x, 0, 0.25});
    };
    EXPECT_LT(light(0.4, -1), 0.2);    // not moving yet
    EXPECT_LT(light(1.0, -0.5), 0.2);  // moving for half a second
    EXPECT_GT(light(1.0, -1), 0.5);
    EXPECT_LT(light(9.0, 0), 0.2);  // stopped after one second
}

TEST(Draw, GroundIsDrawnForPlanesThatFaceUpOnly) {
    auto const picture = [](Vec3d normal) {
        Scenery scenery;
        scenery.colliders.push_back(plane_through_origin(normal));
        Renderer renderer(small_picture(), scenery, {SurfaceMesh{}});
        return renderer.draw({}, camera_at({0, 1, 4}, {}));
    };
    Image const backdrop = picture({0, -1, 0}), floor = picture({0, 1, 0}), wall = picture({0, 0, 1});
    EXPECT_EQ(covered_pixels(wall, backdrop), 0);
    EXPECT_GT(norm(floor.pixel[floor.index(80, 100)] - backdrop.pixel[floor.index(80, 100)]), 0.02f);
}

// Water that absorbs nothing shows what is behind it but for the two hundredths that it mirrors, water that absorbs all
// shows what it scatters, and each colour fades with the length of the way.
TEST(Draw, ClearMatterShowsWhatIsBehindItAsFarAsItLetsLightThrough) {
    SurfaceMesh const slab = box_mesh({4, 4, 0.5f}, {});
    Subject subject;
    subject.surface = &slab;
    Camera const camera = camera_at({0, 0, 4}, {});
    auto const middle = [&](Subject const& shown, Vec3f absorbs) {
        RenderSettings settings = small_picture();
        settings.paint.clear = true;
        settings.look.water_absorbs = absorbs, settings.look.glint_strength = 0;
        Renderer renderer(settings, Scenery{}, {});
        Image const image = renderer.draw(shown, camera);
        return image.pixel[image.index(80, 60)];
    };
    Look const look;
    Vec3f const behind = middle({}, {}), clear = middle(subject, {}), deep = middle(subject, {1e4f, 1e4f, 1e4f});
    float const half_height = 4 * std::tan(15 * std::numbers::pi_v<float> / 180);
    Vec3f const some = middle(subject, half_height / 0.5f * Vec3f{0.5f, 1, 2});
    for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(clear[c], behind[c], 0.03f * behind[c]);
        EXPECT_NEAR(deep[c], look.deep_water[c], 0.03f);
        float const passes = std::exp(-(c == 0 ? 0.5f : c == 1 ? 1.f : 2.f));
        EXPECT_NEAR(some[c], deep[c] + passes * (clear[c] - deep[c]), 0.01f);
    }
}

TEST(Draw, BrokenPointsAreLeftOut) {
    Frame frame;
    frame.position = {{0, 0, 0}, {NAN, 0, 0}, {INFINITY, 1, 1}};
    frame.body = {0, 0, 0};
    SurfaceMesh mesh = box_mesh({1, 1, 1}, {2, 0, 0});
    mesh.position[0].y = NAN;
    float const radius = 0.3f;
    Subject subject;
    subject.surface = &mesh;
    subject.particles = &frame;
    subject.radius = {&radius, 1};
    Renderer renderer(small_picture(), scenery_with_ground(), {SurfaceMesh{}});
    for (Vec3f const pixel : renderer.draw(subject, camera_at({0, 1, 6}, {})).pixel)
        ASSERT_TRUE(std::isfinite(pixel.x + pixel.y + pixel.z));
}

}  // namespace pliant::test
