// Fonts of a folder replace those of the system.
#include <pliant/render/canvas.hpp>
#include <pliant/render/fonts.hpp>

#include <io/fixtures.hpp>

#include <cmath>
#include <cstdlib>

namespace pliant::test {

using namespace render;

TEST(Fonts, AFolderWithoutFontsChangesNothing) {
    TemporaryFolder folder;
    double const before = Canvas::raster(10, 10).text_width("words", {.size = 20});
    EXPECT_FALSE(use_fonts(folder / "none"));
    overwrite(folder / "false.ttf", "no font");
    EXPECT_FALSE(use_fonts(folder.path()));
    EXPECT_EQ(Canvas::raster(10, 10).text_width("words", {.size = 20}), before);
}

// In its own process: fonts cannot be unset.
TEST(FontsDeathTest, TheFontOfAFolderIsUsed) {
    std::filesystem::path const mono = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";
    if (!std::filesystem::exists(mono)) GTEST_SKIP() << "needs Debian's fonts-dejavu-core";
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: cairo remembers fonts across a fork
    TemporaryFolder folder;
    auto const widths_agree = [&] {
        std::filesystem::copy_file(mono, folder / "mono.ttf");
        if (!use_fonts(folder.path())) return false;
        Canvas const canvas = Canvas::raster(10, 10);
        double const narrow = canvas.text_width("iiii", {.size = 20}), wide = canvas.text_width("mmmm", {.size = 20});
        return narrow > 20 && std::abs(narrow - wide) < 1e-6;  // all letters of a monospaced font are equally wide
    };
    EXPECT_EXIT(std::exit(widths_agree() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace pliant::test
