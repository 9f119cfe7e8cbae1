// Line charts fit to print: panels over a common quantity, round ticks, a thin grid, names beside the panels' titles.
// Colours are those of Okabe and Ito (2008), which stay apart under the common kinds of colour blindness.
#pragma once

#include <pliant/render/canvas.hpp>

#include <string>
#include <vector>

namespace pliant::render {

struct ChartSeries {
    std::string name;          // in the panel's legend; without a name it is not listed
    std::vector<double> x, y;  // of equal length, x increasing; where y is not finite there is a gap
    Stroke stroke;             // widths and dashes in units of the chart (see draw_chart)
};

struct ChartPanel {
    std::string title;
    std::string unit;  // of y, "J"; it gets a prefix where the numbers ask for one
    std::vector<ChartSeries> series;
    std::string note = {};          // small, beside the title, where there is no legend
    bool from_zero = false;         // the axis begins at zero, unless numbers are negative
    bool log_over_decades = false;  // logarithmic if all numbers are positive and span two decades
};

struct ChartName {  // an entry of the legend over all panels
    std::string name;
    Stroke stroke;
};

struct Chart {
    std::string title, subtitle;
    std::vector<ChartName> names;
    std::vector<ChartPanel> panels;
    int columns = 2;
    std::string x_title = "time [s]";
};

// Fills the whole canvas. The unit of all sizes is a pixel of a chart 800 wide or 500 high, whichever comes out
// smaller: larger canvases get the same chart enlarged.
void draw_chart(Canvas& canvas, Chart const& chart);

// The k-th colour and dashes for lines that must be told apart: seven colours, then again dashed, then dotted.
inline constexpr int stroke_kinds = 21;
Stroke distinct_stroke(int k);

// A line reduced to few points, for columns of the given width: the first, lowest, highest and last of each column. x
// must not decrease.
std::vector<Spot> thinned(std::vector<Spot> const& spots, double column_width);

}  // namespace pliant::render
