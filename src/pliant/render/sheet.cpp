#include <pliant/render/sheet.hpp>

#include <algorithm>
#include <cassert>

namespace pliant::render {

Sheet make_sheet(std::vector<std::vector<Picture>> const& rows, SheetLayout const& layout) {
    int width = 0, height = 0, columns = 0;
    for (auto const& row : rows)
        for (Picture const& picture : row) {
            assert(width == 0 || (picture.width == width && picture.height == height));
            width = picture.width;
            height = picture.height;
            columns = std::max(columns, int(row.size()));
        }
    assert(columns > 0);
    int const right_step = width + layout.gap, down_step = height + layout.caption + layout.gap;
    Sheet sheet{{layout.left_margin + columns * right_step - layout.gap,
                 layout.top_margin + int(rows.size()) * down_step - layout.gap,
                 {}},
                {}};
    Picture& whole = sheet.picture;
    whole.rgb.assign(std::size_t(3) * whole.width * whole.height, 255);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        auto& cells = sheet.cell.emplace_back();
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
            SheetCell const cell{layout.left_margin + int(c) * right_step, layout.top_margin + int(r) * down_step,
                                 width, height};
            for (int y = 0; y < height; ++y)
                std::copy_n(rows[r][c].rgb.begin() + std::ptrdiff_t(rows[r][c].index(0, y)), 3 * width,
                            whole.rgb.begin() + std::ptrdiff_t(whole.index(cell.column, cell.row + y)));
            cells.push_back(cell);
        }
    }
    return sheet;
}

}  // namespace pliant::render
