#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>

#include <pliant/render/canvas.hpp>

#include <cassert>
#include <numbers>
#include <stdexcept>

namespace pliant::render {

namespace {

void expect_success(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error(std::string{"the picture cannot be drawn: "} + cairo_status_to_string(status));
}

// Exceptions must not pass through cairo.
cairo_status_t append(void* bytes, unsigned char const* data, unsigned size) noexcept {
    try {
        static_cast<std::string*>(bytes)->append(reinterpret_cast<char const*>(data), size);
        return CAIRO_STATUS_SUCCESS;
    } catch (...) {
        return CAIRO_STATUS_WRITE_ERROR;
    }
}

// The length of the UTF-8 character at the beginning; 0 if there is none.
std::size_t character_length(std::string_view text) {
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    std::size_t const length = byte(0) < 0x80 ? 1 : byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    if (length == 0 || length > text.size() || byte(0) > 0xF4) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(k) & 0xC0) != 0x80) return 0;
    // Overlong form, half of a surrogate pair, beyond the last character.
    bool const wrong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
                       (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F);
    return wrong ? 0 : length;
}

// One bad byte would make cairo refuse all further drawing.
std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        std::size_t const length = character_length(text);
        bool const control = static_cast<unsigned char>(text[0]) < ' ' || text[0] == 127;
        if (length == 0 || control)
            result += '?';
        else
            result += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

void set_font(cairo_t* cairo, TextStyle const& style) {
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, style.size);
}

void set_ink(cairo_t* cairo, Ink ink) { cairo_set_source_rgba(cairo, ink.red, ink.green, ink.blue, ink.opacity); }

void trace(cairo_t* cairo, std::span<Spot const> spots) {
    cairo_new_path(cairo);
    for (Spot const spot : spots) cairo_line_to(cairo, spot.x, spot.y);
}

double advance(cairo_t* cairo, std::string const& words) {
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, words.c_str(), &extents);
    return extents.x_advance;
}

}  // namespace

struct Canvas::Sheet {
    int width, height;
    std::string svg;  // what cairo has written so far
    cairo_surface_t* surface = nullptr;
    cairo_t* cairo = nullptr;

    Sheet(int w, int h, bool is_svg) : width(w), height(h) {
        assert(w > 0 && h > 0);
        surface = is_svg ? cairo_svg_surface_create_for_stream(append, &svg, w, h)
                         : cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
        if (is_svg) cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        cairo = cairo_create(surface);
        try {
            expect_success(cairo_status(cairo));
        } catch (...) {
            release();
            throw;
        }
        // Without hinting, outlines are the same at any size: layouts rely on the measured widths.
        cairo_font_options_t* const options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        cairo_set_font_options(cairo, options);
        cairo_font_options_destroy(options);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_paint(cairo);
    }
    Sheet(Sheet const&) = delete;
    Sheet& operator=(Sheet const&) = delete;
    ~Sheet() { release(); }

    void release() {
        cairo_destroy(cairo);
        cairo_surface_destroy(surface);
    }
    void expect_drawn() const {
        expect_success(cairo_status(cairo));
        expect_success(cairo_surface_status(surface));
    }
};

Canvas::Canvas(std::unique_ptr<Sheet> sheet) : sheet_(std::move(sheet)) {}
Canvas::~Canvas() = default;
Canvas::Canvas(Canvas&&) noexcept = default;
Canvas& Canvas::operator=(Canvas&&) noexcept = default;

Canvas Canvas::raster(int width, int height) { return Canvas{std::make_unique<Sheet>(width, height, false)}; }
Canvas Canvas::svg(int width, int height) { return Canvas{std::make_unique<Sheet>(width, height, true)}; }

int Canvas::width() const { return sheet_->width; }
int Canvas::height() const { return sheet_->height; }

void Canvas::line(Spot from, Spot to, Stroke const& stroke) {
    Spot const ends[]{from, to};
    polyline(ends, stroke);
}

void Canvas::polyline(std::span<Spot const> spots, Stroke const& stroke) {
    cairo_t* const cairo = sheet_->cairo;
    set_ink(cairo, stroke.ink);
    cairo_set_line_width(cairo, stroke.width);
    cairo_set_dash(cairo, stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0);
    trace(cairo, spots);
    cairo_stroke(cairo);
}

void Canvas::rectangle(Area const& area, Ink ink) {
    set_ink(sheet_->cairo, ink);
    cairo_rectangle(sheet_->cairo, area.left, area.top, area.width, area.height);
    cairo_fill(sheet_->cairo);
}

void Canvas::polygon(std::span<Spot const> spots, Ink ink) {
    set_ink(sheet_->cairo, ink);
    trace(sheet_->cairo, spots);
    cairo_fill(sheet_->cairo);
}

void Canvas::disk(Spot center, double radius, Ink ink) {
    set_ink(sheet_->cairo, ink);
    cairo_new_path(sheet_->cairo);
    cairo_arc(sheet_->cairo, center.x, center.y, radius, 0, 2 * std::numbers::pi);
    cairo_fill(sheet_->cairo);
}

void Canvas::text(Spot at, std::string_view words, TextStyle const& style) {
    cairo_t* const cairo = sheet_->cairo;
    std::string const clean = printable(words);
    set_font(cairo, style);
    set_ink(cairo, style.ink);
    double const width = advance(cairo, clean);
    double const before = style.align == Align::left ? 0 : style.align == Align::center ? width / 2 : width;
    cairo_save(cairo);
    cairo_translate(cairo, at.x, at.y);
    if (style.upwards) cairo_rotate(cairo, -std::numbers::pi / 2);
    cairo_move_to(cairo, -before, 0);
    cairo_show_text(cairo, clean.c_str());
    cairo_restore(cairo);
}

double Canvas::text_width(std::string_view words, TextStyle const& style) const {
    set_font(sheet_->cairo, style);
    return advance(sheet_->cairo, printable(words));
}

void Canvas::clip(Area const& area) {
    release_clip();
    cairo_rectangle(sheet_->cairo, area.left, area.top, area.width, area.height);
    cairo_clip(sheet_->cairo);
}

void Canvas::release_clip() { cairo_reset_clip(sheet_->cairo); }

void Canvas::image(Spot upper_left, int width, int height, std::span<std::uint8_t const> rgb) {
    image(Area{upper_left.x, upper_left.y, double(width), double(height)}, width, height, rgb);
}

void Canvas::image(Area const& area, int width, int height, std::span<std::uint8_t const> rgb) {
    assert(rgb.size() == std::size_t{3} * width * height);
    cairo_surface_t* const picture = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    auto const stride = static_cast<std::size_t>(cairo_image_surface_get_stride(picture));
    unsigned char* const rows = cairo_image_surface_get_data(picture);
    for (int row = 0; rows != nullptr && row < height; ++row) {  // cairo keeps a pixel as a word 0x00rrggbb
        auto* const words = reinterpret_cast<std::uint32_t*>(rows + row * stride);
        std::uint8_t const* const from = rgb.data() + std::size_t{3} * width * row;
        for (int c = 0; c < width; ++c)
            words[c] = std::uint32_t{from[3 * c]} << 16 | std::uint32_t{from[3 * c + 1]} << 8 | from[3 * c + 2];
    }
    cairo_surface_mark_dirty(picture);
    cairo_t* const cairo = sheet_->cairo;
    cairo_save(cairo);
    cairo_translate(cairo, area.left, area.top);
    cairo_scale(cairo, area.width / width, area.height / height);
    cairo_set_source_surface(cairo, picture, 0, 0);
    cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);  // no white seam around a stretched one
    cairo_rectangle(cairo, 0, 0, width, height);
    cairo_fill(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(picture);
}

std::string Canvas::png_bytes() {
    sheet_->expect_drawn();
    std::string bytes;
    expect_success(cairo_surface_write_to_png_stream(sheet_->surface, append, &bytes));
    return bytes;
}

std::vector<std::uint8_t> Canvas::rgb_bytes() {
    sheet_->expect_drawn();
    cairo_surface_flush(sheet_->surface);
    auto const stride = static_cast<std::size_t>(cairo_image_surface_get_stride(sheet_->surface));
    unsigned char const* const rows = cairo_image_surface_get_data(sheet_->surface);
    std::vector<std::uint8_t> rgb;
    rgb.reserve(std::size_t{3} * width() * height());
    for (int row = 0; row < height(); ++row) {
        auto const* const words = reinterpret_cast<std::uint32_t const*>(rows + row * stride);
        for (int c = 0; c < width(); ++c)
            for (int const shift : {16, 8, 0}) rgb.push_back(static_cast<std::uint8_t>(words[c] >> shift & 255));
    }
    return rgb;
}

std::string Canvas::svg_text() {
    sheet_->expect_drawn();
    cairo_surface_finish(sheet_->surface);
    expect_success(cairo_surface_status(sheet_->surface));
    return sheet_->svg;
}

}  // namespace pliant::render
