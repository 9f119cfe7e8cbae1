// The sheet: everything is drawn where it should be, and files are what they claim to be.
#include <pliant/render/canvas.hpp>

#include <io/fixtures.hpp>

#include <array>
#include <cstdlib>

namespace pliant::test {

using namespace render;

namespace {

using Pixel = std::array<int, 3>;
constexpr Pixel white{255, 255, 255}, red{255, 0, 0};
constexpr Ink red_ink = ink_of_hex(0xff0000);

Pixel pixel(std::vector<std::uint8_t> const& rgb, int width, int x, int y) {
    std::size_t const at = std::size_t{3} * (static_cast<std::size_t>(y) * width + x);
    return {rgb[at], rgb[at + 1], rgb[at + 2]};
}

// Left, top, right and bottom of all that is not white.
std::array<int, 4> inked(std::vector<std::uint8_t> const& rgb, int width, int height) {
    std::array<int, 4> box{width, height, -1, -1};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            if (pixel(rgb, width, x, y) != white)
                box = {std::min(box[0], x), std::min(box[1], y), std::max(box[2], x), std::max(box[3], y)};
    return box;
}

}  // namespace

TEST(Canvas, RectanglesFillExactlyTheirPixels) {
    Canvas canvas = Canvas::raster(40, 30);
    canvas.rectangle({10, 5, 20, 10}, red_ink);
    auto const rgb = canvas.rgb_bytes();
    ASSERT_EQ(rgb.size(), 3u * 40 * 30);
    EXPECT_EQ(inked(rgb, 40, 30), (std::array{10, 5, 29, 14}));
    EXPECT_EQ(pixel(rgb, 40, 20, 10), red);
}

TEST(Canvas, LinesAndPolygonsLieWhereTheyShould) {
    Canvas canvas = Canvas::raster(40, 30);
    canvas.line({5, 10}, {25, 10}, {red_ink, 2});
    EXPECT_EQ(inked(canvas.rgb_bytes(), 40, 30), (std::array{5, 9, 24, 10}));
    Canvas other = Canvas::raster(40, 30);
    std::array<Spot, 4> const square{Spot{1, 1}, {9, 1}, {9, 9}, {1, 9}};
    other.polygon(square, red_ink);
    EXPECT_EQ(inked(other.rgb_bytes(), 40, 30), (std::array{1, 1, 8, 8}));
}

TEST(Canvas, NothingShowsOutsideAClip) {
    Canvas canvas = Canvas::raster(40, 30);
    canvas.clip({4, 6, 10, 10});
    canvas.rectangle({0, 0, 40, 30}, red_ink);
    EXPECT_EQ(inked(canvas.rgb_bytes(), 40, 30), (std::array{4, 6, 13, 15}));
    canvas.release_clip();
    canvas.rectangle({0, 0, 40, 30}, red_ink);
    EXPECT_EQ(inked(canvas.rgb_bytes(), 40, 30), (std::array{0, 0, 39, 29}));
}

TEST(Canvas, PicturesComeOutPixelByPixel) {
    std::vector<std::uint8_t> picture;
    for (int k = 0; k < 3 * 5 * 4; ++k) picture.push_back(static_cast<std::uint8_t>(4 * k));
    Canvas canvas = Canvas::raster(20, 20);
    canvas.image(Spot{3, 7}, 5, 4, picture);
    auto const rgb = canvas.rgb_bytes();
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 5; ++x) EXPECT_EQ(pixel(rgb, 20, 3 + x, 7 + y), pixel(picture, 5, x, y));
    EXPECT_EQ(pixel(rgb, 20, 2, 7), white);
    EXPECT_EQ(pixel(rgb, 20, 8, 7), white);
}

TEST(Canvas, TextIsPlacedAsItsAlignmentSays) {
    for (bool const upwards : {false, true}) {
        for (Align const align : {Align::left, Align::center, Align::right}) {
            Canvas canvas = Canvas::raster(300, 300);
            TextStyle const style{20, {}, align, false, upwards};
            double const width = canvas.text_width("nnnnn", style);
            canvas.text({150, 150}, "nnnnn", style);
            auto const box = inked(canvas.rgb_bytes(), 300, 300);
            double const begin = align == Align::left ? 0 : align == Align::center ? -width / 2 : -width;
            // Letters have a little space on both sides, here less than 3 pixels; n does not reach below the line.
            if (upwards) {
                EXPECT_NEAR(box[3], 150 - begin, 3);
                EXPECT_NEAR(box[1], 150 - begin - width, 3);
                EXPECT_NEAR(box[2], 150, 2);
            } else {
                EXPECT_NEAR(box[0], 150 + begin, 3);
                EXPECT_NEAR(box[2], 150 + begin + width, 3);
                EXPECT_NEAR(box[3], 150, 2);
            }
        }
    }
}

TEST(Canvas, TextThatIsNotUtf8DoesNotSpoilTheRest) {
    Canvas canvas = Canvas::raster(100, 50);
    for (char const* bad : {"\xff\xfe", "a\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80", "tab\there", "\x7f"})
        canvas.text({10, 20}, bad, {});
    EXPECT_EQ(canvas.text_width("\xff", {}), canvas.text_width("?", {}));
    EXPECT_GT(canvas.text_width("ä", {}), 0);
    canvas.rectangle({80, 30, 10, 10}, red_ink);
    EXPECT_EQ(pixel(canvas.rgb_bytes(), 100, 85, 35), red);
    EXPECT_NO_THROW(canvas.png_bytes());
}

TEST(Canvas, PngBytesAreAPngOfThatSize) {
    Canvas canvas = Canvas::raster(123, 45);
    std::string const png = canvas.png_bytes();
    ASSERT_GT(png.size(), 33u);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(png.substr(12, 12), (std::string{"IHDR\0\0\0\x7b\0\0\0\x2d", 12}));
    EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
}

TEST(Canvas, SvgTextIsWellFormedAndOfThatSize) {
    TemporaryFolder const folder;
    Canvas canvas = Canvas::svg(320, 200);
    canvas.text({10, 20}, "a < b & \"c\" ä", {});
    canvas.line({0, 0}, {320, 200}, {red_ink, 2, {4, 2}});
    canvas.image(Spot{0, 0}, 1, 1, std::array<std::uint8_t, 3>{1, 2, 3});
    std::string const svg = canvas.svg_text();
    EXPECT_NE(svg.find("width=\"320px\" height=\"200px\" viewBox=\"0 0 320 200\""), std::string::npos)
        << svg.substr(0, 300);
    overwrite(folder / "a.svg", svg);
    if (std::system("command -v xmllint > /dev/null") == 0) {
        EXPECT_EQ(std::system(("xmllint --noout '" + (folder / "a.svg").string() + "'").c_str()), 0);
    }
}

TEST(Canvas, MorePixelsThanCairoCanHoldAreRefused) { EXPECT_THROW(Canvas::raster(100000, 10), std::runtime_error); }

}  // namespace pliant::test
