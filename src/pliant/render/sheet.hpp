// A contact sheet: many pictures of one size in rows and columns of a single picture, as figures in papers show the
// course of a run. Bands above the cells and to their left are left white for words (legend.hpp).
#pragma once

#include <pliant/render/image.hpp>

#include <vector>

namespace pliant::render {

struct SheetLayout {
    int gap = 4;          // between cells [pixels]
    int caption = 0;      // height of the band under every cell
    int left_margin = 0;  // width of the band left of all cells
    int top_margin = 0;   // height of the band above all cells
};

struct SheetCell {
    int column = 0, row = 0;  // of its upper left corner [pixels]
    int width = 0, height = 0;
};

struct Sheet {
    Picture picture;
    std::vector<std::vector<SheetCell>> cell;  // in the given rows; the band of its caption lies right under it
};

// Rows may differ in length; missing cells at their end stay white. All pictures must have the same size.
Sheet make_sheet(std::vector<std::vector<Picture>> const& rows, SheetLayout const& layout = {});

}  // namespace pliant::render
