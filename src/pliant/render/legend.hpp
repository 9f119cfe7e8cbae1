// Words on pictures: what the colours mean, and what the cells of a contact sheet show.
#pragma once

#include <pliant/render/quantity.hpp>
#include <pliant/render/sheet.hpp>

#include <string>
#include <vector>

namespace pliant::render {

// A bar of the quantity's colours with its numbers, at the right edge. For the colours of bodies, the picture
// unchanged.
Picture with_legend(Picture picture, Quantity const& quantity, ValueRange range);

struct SheetWords {
    std::vector<std::string> row;                   // left of each row; may be empty
    std::vector<std::vector<std::string>> caption;  // under each cell
};

// The layout that leaves room for the words, for cells of this height; and the sheet with its words in that room.
SheetLayout layout_for(SheetWords const& words, int cell_height);
Picture with_words(Sheet const& sheet, SheetWords const& words);

}  // namespace pliant::render
