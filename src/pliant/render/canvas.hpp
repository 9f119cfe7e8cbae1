// A sheet to draw on, a thin layer over cairo: lines, areas, text and pictures, as pixels or as SVG. Only .cpp files of
// render/ include cairo. Lengths are pixels, x to the right and y downwards from the upper left corner. Text goes
// through cairo's plain ("toy") interface with the system's sans font; in SVG it becomes outlines, so that a figure
// looks the same on machines without that font.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::render {

struct Ink {  // sRGB, each from 0 to 1
    double red = 0, green = 0, blue = 0, opacity = 1;
    bool operator==(Ink const&) const = default;
};

constexpr Ink ink_of_hex(std::uint32_t rrggbb, double opacity = 1) {  // 0x4e79a7 as in style sheets
    return {(rrggbb >> 16 & 255) / 255.0, (rrggbb >> 8 & 255) / 255.0, (rrggbb & 255) / 255.0, opacity};
}

struct Spot {  // a place on the sheet
    double x = 0, y = 0;
};

struct Area {
    double left = 0, top = 0, width = 0, height = 0;
    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

struct Stroke {
    Ink ink = {};
    double width = 1;
    std::vector<double> dashes = {};  // on, off, on, off ...; empty: unbroken
};

enum class Align { left, center, right };  // of text to its spot

struct TextStyle {
    double size = 12;  // of the font
    Ink ink = {};
    Align align = Align::left;
    bool bold = false;
    bool upwards = false;  // turned by 90 degrees, to be read from bottom to top
};

class Canvas {
public:
    // Start white. Throw std::runtime_error when there is no memory for that many pixels.
    static Canvas raster(int width, int height);
    static Canvas svg(int width, int height);
    ~Canvas();
    Canvas(Canvas&&) noexcept;
    Canvas& operator=(Canvas&&) noexcept;

    int width() const;
    int height() const;

    void line(Spot from, Spot to, Stroke const& stroke);
    void polyline(std::span<Spot const> spots, Stroke const& stroke);
    void rectangle(Area const& area, Ink ink);
    void polygon(std::span<Spot const> spots, Ink ink);
    void disk(Spot center, double radius, Ink ink);

    // The spot lies on the baseline. Bytes that are not UTF-8 are drawn as question marks.
    void text(Spot at, std::string_view words, TextStyle const& style);
    double text_width(std::string_view words, TextStyle const& style) const;

    // Nothing shows outside the area until the clip is released. Clips do not nest.
    void clip(Area const& area);
    void release_clip();

    // Red, green, blue of each pixel, row after row from the top. Drawn pixel by pixel into a raster.
    void image(Spot upper_left, int width, int height, std::span<std::uint8_t const> rgb);
    // The same, stretched over an area.
    void image(Area const& area, int width, int height, std::span<std::uint8_t const> rgb);

    // The results. Each ends the drawing. Throw std::runtime_error if cairo failed on the way.
    std::string png_bytes();                // of a raster
    std::vector<std::uint8_t> rgb_bytes();  // of a raster, as image() takes them
    std::string svg_text();                 // of an SVG

private:
    struct Sheet;
    explicit Canvas(std::unique_ptr<Sheet> sheet);
    std::unique_ptr<Sheet> sheet_;
};

}  // namespace pliant::render
