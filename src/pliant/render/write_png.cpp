#include <cairo/cairo.h>
#include <pliant/data/error.hpp>
#include <pliant/render/write_png.hpp>

#include <cassert>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace pliant::render {

namespace {

struct Destroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;

cairo_status_t append(void* file, unsigned char const* bytes, unsigned int count) {
    static_cast<std::string*>(file)->append(reinterpret_cast<char const*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
}

cairo_status_t take(void* rest, unsigned char* bytes, unsigned int count) {
    auto& view = *static_cast<std::string_view*>(rest);
    if (view.size() < count) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(bytes, view.data(), count);
    view.remove_prefix(count);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string png_bytes(Picture const& picture) {
    assert(picture.rgb.size() == std::size_t(3) * picture.width * picture.height);
    Surface const surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height));
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error("no memory for a picture of " + std::to_string(picture.width) + " x " +
                                 std::to_string(picture.height) + " pixels");
    unsigned char* const data = cairo_image_surface_get_data(surface.get());
    int const stride = cairo_image_surface_get_stride(surface.get());
    for (int row = 0; row < picture.height; ++row)
        for (int column = 0; column < picture.width; ++column) {
            std::uint8_t const* rgb = &picture.rgb[picture.index(column, row)];
            std::uint32_t const word = std::uint32_t(rgb[0]) << 16 | std::uint32_t(rgb[1]) << 8 | rgb[2];
            std::memcpy(data + std::ptrdiff_t(row) * stride + 4 * column, &word, 4);
        }
    cairo_surface_mark_dirty(surface.get());
    std::string file;
    cairo_status_t const status = cairo_surface_write_to_png_stream(surface.get(), append, &file);
    if (status != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error(std::string{"cannot make a PNG: "} + cairo_status_to_string(status));
    return file;
}

Picture read_png(std::string_view bytes, std::string const& name) {
    Surface const surface(cairo_image_surface_create_from_png_stream(take, &bytes));
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
        throw InputError("'" + name + "' is not a whole PNG picture");
    // Paint whatever the file holds (grey, palette, with alpha) onto plain 8-bit colour.
    int const width = cairo_image_surface_get_width(surface.get());
    int const height = cairo_image_surface_get_height(surface.get());
    Surface const plain(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
    cairo_t* const context = cairo_create(plain.get());
    cairo_set_source_rgb(context, 1, 1, 1);
    cairo_paint(context);
    cairo_set_source_surface(context, surface.get(), 0, 0);
    cairo_paint(context);
    cairo_destroy(context);
    cairo_surface_flush(plain.get());
    unsigned char const* const data = cairo_image_surface_get_data(plain.get());
    int const stride = cairo_image_surface_get_stride(plain.get());
    Picture picture{width, height, {}};
    picture.rgb.reserve(std::size_t(3) * width * height);
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) {
            std::uint32_t word;
            std::memcpy(&word, data + std::ptrdiff_t(row) * stride + 4 * column, 4);
            for (int const shift : {16, 8, 0}) picture.rgb.push_back(std::uint8_t(word >> shift));
        }
    return picture;
}

}  // namespace pliant::render
