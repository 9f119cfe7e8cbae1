#include <pliant/render/axis.hpp>
#include <pliant/render/canvas.hpp>
#include <pliant/render/legend.hpp>

#include <algorithm>
#include <cmath>

namespace pliant::render {
namespace {

Ink const words_ink = ink_of_hex(0x303438);

Canvas canvas_of(Picture const& picture) {
    Canvas canvas = Canvas::raster(picture.width, picture.height);
    canvas.image(Spot{0, 0}, picture.width, picture.height, picture.rgb);
    return canvas;
}

Picture picture_of(Canvas canvas) {
    Picture picture{canvas.width(), canvas.height(), {}};
    picture.rgb = canvas.rgb_bytes();
    return picture;
}

Ink ink_of_linear(Vec3f color) {
    auto const channel = [](float c) { return double(srgb_of_linear(std::clamp(c, 0.f, 1.f))); };
    return {channel(color.x), channel(color.y), channel(color.z)};
}

// Lengths of a legend for a picture of this height: readable in a small cell of a sheet, unobtrusive in a large
// picture.
double text_size(int height) { return std::max(9.0, 0.026 * height); }

double caption_size(int cell_height) { return std::clamp(0.055 * cell_height, 11.0, 26.0); }

}  // namespace

Picture with_legend(Picture picture, Quantity const& quantity, ValueRange range) {
    if (quantity.is_body()) return picture;
    ScaledUnit const in = scaled_unit(quantity.unit, std::max(std::abs(range.low), std::abs(range.high)));
    Axis const axis = linear_axis(in.factor * range.low, in.factor * range.high, 6);
    double const size = text_size(picture.height), height = 0.42 * picture.height, width = 0.7 * size;
    TextStyle const style{.size = size, .ink = words_ink};
    double labels = 0;
    Canvas canvas = canvas_of(picture);
    for (Tick const& tick : axis.ticks) labels = std::max(labels, canvas.text_width(tick.label, style));
    Area const bar{picture.width - labels - width - 1.6 * size, 0.5 * (picture.height - height) + size, width, height};
    int const shades = std::max(2, static_cast<int>(height));
    for (int k = 0; k < shades; ++k) {
        float const t = (static_cast<float>(k) + 0.5f) / static_cast<float>(shades);
        double const step = height / shades;
        canvas.rectangle({bar.left, bar.bottom() - (k + 1) * step, width, step + 0.5},
                         ink_of_linear((*quantity.map)(t)));
    }
    for (Tick const& tick : axis.ticks) {
        double const y = bar.bottom() - axis.part_of(tick.value) * height;
        canvas.line({bar.right(), y}, {bar.right() + 0.25 * size, y}, {words_ink, std::max(1.0, 0.08 * size)});
        canvas.text({bar.right() + 0.5 * size, y + 0.35 * size}, tick.label, style);
    }
    std::string title = quantity.words;
    if (!in.name.empty()) title += " [" + in.name + "]";
    canvas.text({picture.width - 0.8 * size, bar.top - 0.9 * size}, title,
                {.size = size, .ink = words_ink, .align = Align::right});
    return picture_of(std::move(canvas));
}

SheetLayout layout_for(SheetWords const& words, int cell_height) {
    double const size = caption_size(cell_height);
    bool const has_rows = std::any_of(words.row.begin(), words.row.end(), [](auto const& r) { return !r.empty(); });
    SheetLayout layout;
    layout.caption = static_cast<int>(std::lround(1.7 * size));
    layout.left_margin = has_rows ? static_cast<int>(std::lround(2 * size)) : 0;
    return layout;
}

Picture with_words(Sheet const& sheet, SheetWords const& words) {
    Canvas canvas = canvas_of(sheet.picture);
    for (std::size_t r = 0; r < sheet.cell.size(); ++r) {
        if (sheet.cell[r].empty()) continue;
        SheetCell const& first = sheet.cell[r].front();
        double const size = caption_size(first.height);
        TextStyle style{.size = size, .ink = words_ink, .align = Align::center};
        for (std::size_t c = 0; c < sheet.cell[r].size() && r < words.caption.size() && c < words.caption[r].size();
             ++c) {
            SheetCell const& cell = sheet.cell[r][c];
            canvas.text({cell.column + 0.5 * cell.width, cell.row + cell.height + 1.15 * size}, words.caption[r][c],
                        style);
        }
        style.upwards = true;
        if (r >= words.row.size()) continue;
        while (style.size > 8 && canvas.text_width(words.row[r], style) > 1.1 * first.height) style.size *= 0.95;
        canvas.text({first.column - 0.6 * size, first.row + 0.5 * first.height}, words.row[r], style);
    }
    return picture_of(std::move(canvas));
}

}  // namespace pliant::render
