#include <gtest/gtest.h>
#include <pliant/data/error.hpp>
#include <pliant/render/sheet.hpp>
#include <pliant/render/write_png.hpp>

#include <cmath>

namespace pliant::test {

using namespace render;

TEST(Image, MiddleTonesComeOutAsSrgbAndHighlightsStayBelowWhite) {
    Image image{64, 8, std::vector<Vec3f>(64 * 8, Vec3f{0.2140f, 0.0f, 1.0f})};  // 0.2140 is sRGB 127.5
    Picture const picture = develop(image);
    double red = 0;
    for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
        red += picture.rgb[i];
        EXPECT_EQ(picture.rgb[i + 1], 0);
        EXPECT_LT(picture.rgb[i + 2], 255);  // white paper in sunlight leaves room for a highlight
        EXPECT_GT(picture.rgb[i + 2], 235);
    }
    // Dithering keeps the mean: its thresholds are multiples of 1/64 of a step.
    EXPECT_NEAR(red / (64 * 8), 127.5, 1.0 / 32);
}

TEST(Image, BrighterLightNeverComesOutDarker) {
    Image image{2048, 1, {}};
    for (int k = 0; k < 2048; ++k) {
        float const light = 0.003f * float(k);  // up to 6, beyond the end of the curve's table
        image.pixel.push_back({light, light, light});
    }
    Picture const picture = develop(image);
    for (int k = 8; k < 2048; ++k)  // the dither pattern repeats every 8 pixels
        EXPECT_GE(picture.rgb[picture.index(k, 0)], picture.rgb[picture.index(k - 8, 0)]) << k;
    EXPECT_EQ(picture.rgb.back(), 255);
}

TEST(Image, LightThatIsNotANumberIsBlack) {
    Image const image{1, 1, {Vec3f{NAN, -1, INFINITY}}};
    EXPECT_EQ(develop(image).rgb, (std::vector<std::uint8_t>{0, 0, 255}));
}

TEST(Png, HoldsThePixelsExactly) {
    Picture picture{37, 5, {}};  // odd sizes: rows of a PNG have no padding, rows of cairo do
    for (int k = 0; k < 3 * 37 * 5; ++k) picture.rgb.push_back(std::uint8_t(k * 89));
    for (PngSize const size : {PngSize::small, PngSize::quick}) {
        SCOPED_TRACE(size == PngSize::small ? "small" : "quick");
        std::string const file = png_bytes(picture, size);
        EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");  // the signature of the PNG specification
        Picture const back = read_png(file, "test.png");
        EXPECT_EQ(back.width, 37);
        EXPECT_EQ(back.height, 5);
        EXPECT_EQ(back.rgb, picture.rgb);
    }
}

TEST(Png, CutFilesAreNamedInTheError) {
    std::string const file = png_bytes(Picture{8, 8, std::vector<std::uint8_t>(3 * 8 * 8, 100)});
    for (std::size_t const length : {std::size_t(0), std::size_t(20), file.size() / 2}) try {
            read_png(std::string_view(file).substr(0, length), "cut.png");
            ADD_FAILURE() << length << " bytes were taken for a picture";
        } catch (InputError const& error) {
            EXPECT_NE(std::string(error.what()).find("cut.png"), std::string::npos);
        }
}

TEST(Sheet, PutsEveryPictureWhereItsCellSays) {
    auto const plain = [](std::uint8_t grey) { return Picture{10, 6, std::vector<std::uint8_t>(3 * 10 * 6, grey)}; };
    Sheet const sheet = make_sheet({{plain(10), plain(20), plain(30)}, {plain(40)}},
                                   {.gap = 2, .caption = 5, .left_margin = 7, .top_margin = 3});
    EXPECT_EQ(sheet.picture.width, 7 + 3 * 10 + 2 * 2);
    EXPECT_EQ(sheet.picture.height, 3 + 2 * (6 + 5) + 2);
    ASSERT_EQ(sheet.cell.size(), 2u);
    ASSERT_EQ(sheet.cell[0].size(), 3u);
    ASSERT_EQ(sheet.cell[1].size(), 1u);
    std::size_t dark = 0;
    for (std::uint8_t const value : sheet.picture.rgb) dark += value != 255;
    EXPECT_EQ(dark, 4u * 3 * 10 * 6);  // four pictures, the rest white
    SheetCell const last = sheet.cell[1][0];
    EXPECT_EQ(sheet.picture.rgb[sheet.picture.index(last.column, last.row)], 40);
    EXPECT_EQ(sheet.picture.rgb[sheet.picture.index(last.column + 9, last.row + 5)], 40);
    SheetCell const third = sheet.cell[0][2];
    EXPECT_EQ(sheet.picture.rgb[sheet.picture.index(third.column, third.row)], 30);
    EXPECT_EQ(sheet.picture.rgb[sheet.picture.index(third.column, third.row + 6)], 255);  // its caption
}

}  // namespace pliant::test
