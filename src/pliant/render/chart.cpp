#include <pliant/render/axis.hpp>
#include <pliant/render/chart.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace pliant::render {

namespace {

constexpr Ink text_ink = ink_of_hex(0x222222), faint_ink = ink_of_hex(0x666666), grid_ink = ink_of_hex(0xe3e3e3),
              frame_ink = ink_of_hex(0x888888);
constexpr double title_size = 15, head_size = 11.5, text_size = 10;
constexpr double outer_margin = 16, panel_gap = 26, head_height = 20, legend_line = 15, sample_width = 18;

// A number that can be drawn: a run that blows up passes through numbers that no axis should follow.
bool drawable(double value) { return std::abs(value) < 1e60; }

struct Extent {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    void add(double value) {
        if (!drawable(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return low > high; }
    double largest() const { return std::max(std::abs(low), std::abs(high)); }
};

// What is drawn in one cell of the grid, measured before anything is drawn.
struct PanelLayout {
    Axis x, y;
    double factor = 1;  // of y values
    std::string head;   // title and unit
    bool empty = false;
    int legend_lines = 0;    // below the head
    double label_width = 0;  // of the widest tick label
};

class ChartPainter {
public:
    ChartPainter(Canvas& canvas, Chart const& chart)
        : canvas_(canvas), chart_(chart), s_(std::min(canvas.width() / 800.0, canvas.height() / 500.0)) {}

    void draw() {
        double const top = draw_titles();
        if (chart_.panels.empty()) return;
        int const count = static_cast<int>(chart_.panels.size());
        int const columns = std::clamp(chart_.columns, 1, count), rows = (count + columns - 1) / columns;
        double const bottom_room = 30 * s_;  // ticks and title of x under the last row
        double const width = (canvas_.width() - 2 * outer_margin * s_ - (columns - 1) * panel_gap * s_) / columns;
        double const height =
            (canvas_.height() - top - bottom_room - outer_margin * s_ - (rows - 1) * panel_gap * s_) / rows;
        std::vector<PanelLayout> layouts;
        for (ChartPanel const& panel : chart_.panels) layouts.push_back(layout(panel, {0, 0, width, height}));
        for (int k = 0; k < count; ++k) {
            int const row = k / columns, column = k % columns;
            // The plots of a row start at the same height, those of a column at the same left edge.
            int lines = 0;
            double labels = 0;
            for (int j = 0; j < count; ++j) {
                if (j / columns == row) lines = std::max(lines, layouts[j].legend_lines);
                if (j % columns == column) labels = std::max(labels, layouts[j].label_width);
            }
            Area const cell{outer_margin * s_ + column * (width + panel_gap * s_),
                            top + row * (height + panel_gap * s_), width, height};
            double const head = (head_height + lines * legend_line) * s_, left = labels + 8 * s_;
            Area const plot{cell.left + left, cell.top + head, cell.width - left, cell.height - head};
            bool const last_row = k + columns >= count;
            draw_panel(chart_.panels[k], layouts[k], cell, plot, last_row);
        }
    }

private:
    TextStyle style(double size, Ink ink, Align align = Align::left, bool bold = false) const {
        return {size * s_, ink, align, bold, false};
    }
    Stroke scaled(Stroke stroke) const {
        stroke.width *= s_;
        for (double& dash : stroke.dashes) dash *= s_;
        return stroke;
    }

    // Cut to the width, with an ellipsis.
    std::string fitted(std::string words, double width, TextStyle const& text) const {
        if (canvas_.text_width(words, text) <= width) return words;
        while (!words.empty() && canvas_.text_width(words + "…", text) > width) {
            while (!words.empty() && (words.back() & 0xC0) == 0x80) words.pop_back();  // whole UTF-8 characters
            if (!words.empty()) words.pop_back();
        }
        return words + "…";
    }

    // Title, subtitle and common legend; returns where the panels begin.
    double draw_titles() {
        double const left = outer_margin * s_, width = canvas_.width() - 2 * left;
        double y = outer_margin * s_;
        if (!chart_.title.empty()) {
            auto const text = style(title_size, text_ink, Align::left, true);
            y += title_size * s_;
            canvas_.text({left, y}, fitted(chart_.title, width, text), text);
        }
        if (!chart_.subtitle.empty()) {
            y += 16 * s_;
            auto const text = style(text_size, faint_ink);
            canvas_.text({left, y}, fitted(chart_.subtitle, width, text), text);
        }
        if (!chart_.names.empty()) y += (chart_.title.empty() ? text_size : 18) * s_;
        double x = left;
        auto const text = style(text_size, text_ink);
        for (ChartName const& name : chart_.names) {
            std::string const words = fitted(name.name, width - 30 * s_, text);
            double const needed = entry_width(words);
            if (x > left && x + needed > left + width) {
                x = left;
                y += legend_line * s_;
            }
            draw_entry({x, y}, words, name.stroke);
            x += needed + 14 * s_;
        }
        return y + 16 * s_;
    }

    double entry_width(std::string const& name) const {
        return (sample_width + 5) * s_ + canvas_.text_width(name, style(text_size, text_ink));
    }
    void draw_entry(Spot at, std::string const& name, Stroke const& stroke) {
        double const y = at.y - 0.35 * text_size * s_;
        canvas_.line({at.x, y}, {at.x + sample_width * s_, y}, scaled(stroke));
        canvas_.text({at.x + (sample_width + 5) * s_, at.y}, name, style(text_size, text_ink));
    }

    static std::vector<ChartSeries const*> named(ChartPanel const& panel) {
        std::vector<ChartSeries const*> result;
        for (ChartSeries const& series : panel.series)
            if (!series.name.empty()) result.push_back(&series);
        return result;
    }
    double legend_width(ChartPanel const& panel) const {
        double width = 0;
        for (ChartSeries const* series : named(panel)) width += entry_width(series->name) + 12 * s_;
        return std::max(0.0, width - 12 * s_);
    }

    PanelLayout layout(ChartPanel const& panel, Area const& cell) const {
        PanelLayout result;
        Extent x, y;
        for (ChartPanel const& each : chart_.panels)  // one range of x for all panels
            for (ChartSeries const& series : each.series)
                for (double const value : series.x) x.add(value);
        for (ChartSeries const& series : panel.series)
            for (double const value : series.y) y.add(value);
        result.empty = y.empty();
        if (x.empty()) x = {0, 1};
        if (x.low == x.high) x.high += 1;
        if (y.empty()) y = {0, 1};
        ScaledUnit const unit = scaled_unit(panel.unit, y.largest());
        result.factor = unit.factor;
        result.head = panel.title + (unit.name.empty() ? "" : " [" + unit.name + "]");
        result.x = linear_axis(x.low, x.high, ticks_in(cell.width, 50));
        result.y = y_axis(panel, {y.low * unit.factor, y.high * unit.factor}, ticks_in(cell.height, 22));
        if (result.empty) result.y.ticks.clear();
        for (Tick const& tick : result.y.ticks)
            result.label_width =
                std::max(result.label_width, canvas_.text_width(tick.label, style(text_size, faint_ink)));
        double const legend = legend_width(panel);
        double const beside =
            cell.width - canvas_.text_width(result.head, style(head_size, text_ink, Align::left, true)) - 20 * s_;
        result.legend_lines = legend > beside ? 1 : 0;
        return result;
    }
    int ticks_in(double length, double apart) const { return std::max(2, static_cast<int>(length / (apart * s_))); }
    static Axis y_axis(ChartPanel const& panel, Extent const& extent, int most_ticks) {
        if (panel.log_over_decades && extent.low > 0 && extent.high >= 100 * extent.low)
            return logarithmic_axis(extent.low, extent.high, most_ticks);
        double const margin = 0.05 * (extent.high - extent.low);
        if (panel.from_zero && extent.low >= 0)
            return linear_axis(0, extent.high > 0 ? 1.05 * extent.high : 1, most_ticks);
        return linear_axis(extent.low - margin, extent.high + margin, most_ticks);
    }

    void draw_panel(ChartPanel const& panel, PanelLayout const& layout, Area const& cell, Area const& plot,
                    bool with_x_title) {
        draw_head(panel, layout, cell);
        draw_grid(layout, plot);
        if (with_x_title)
            canvas_.text({plot.left + plot.width / 2, plot.bottom() + 29 * s_}, chart_.x_title,
                         style(text_size, faint_ink, Align::center));
        if (layout.empty) {
            canvas_.text({plot.left + plot.width / 2, plot.top + plot.height / 2}, "no data",
                         style(text_size, faint_ink, Align::center));
            return;
        }
        // Slightly beyond the edges, so that lines keep their full width there.
        canvas_.clip({plot.left - 4 * s_, plot.top - 4 * s_, plot.width + 8 * s_, plot.height + 8 * s_});
        for (ChartSeries const& series : panel.series) draw_series(series, layout, plot);
        canvas_.release_clip();
    }

    void draw_head(ChartPanel const& panel, PanelLayout const& layout, Area const& cell) {
        double const base = cell.top + head_size * s_;
        canvas_.text({cell.left, base}, layout.head, style(head_size, text_ink, Align::left, true));
        auto const entries = named(panel);
        if (entries.empty() && !panel.note.empty())
            canvas_.text({cell.right(), base}, panel.note, style(text_size, faint_ink, Align::right));
        Spot at{cell.right() - legend_width(panel), base + layout.legend_lines * legend_line * s_};
        if (layout.legend_lines > 0) at.x = cell.left;
        for (ChartSeries const* series : entries) {
            draw_entry(at, series->name, series->stroke);
            at.x += entry_width(series->name) + 12 * s_;
        }
    }

    void draw_grid(PanelLayout const& layout, Area const& plot) {
        Stroke const grid{grid_ink, 0.7 * s_}, edge{frame_ink, 0.9 * s_};
        for (Tick const& tick : layout.y.ticks) {
            double const y = plot.bottom() - layout.y.part_of(tick.value) * plot.height;
            canvas_.line({plot.left, y}, {plot.right(), y}, tick.value == 0 && layout.y.low < 0 ? edge : grid);
            canvas_.text({plot.left - 5 * s_, y + 0.35 * text_size * s_}, tick.label,
                         style(text_size, faint_ink, Align::right));
        }
        for (Tick const& tick : layout.x.ticks) {
            double const x = plot.left + layout.x.part_of(tick.value) * plot.width;
            canvas_.line({x, plot.top}, {x, plot.bottom()}, grid);
            canvas_.line({x, plot.bottom()}, {x, plot.bottom() + 3 * s_}, edge);
            canvas_.text({x, plot.bottom() + 14 * s_}, tick.label, style(text_size, faint_ink, Align::center));
        }
        canvas_.line({plot.left, plot.top}, {plot.left, plot.bottom()}, edge);
        canvas_.line({plot.left, plot.bottom()}, {plot.right(), plot.bottom()}, edge);
    }

    void draw_series(ChartSeries const& series, PanelLayout const& layout, Area const& plot) {
        assert(series.x.size() == series.y.size());
        Stroke stroke = scaled(series.stroke);
        if (static_cast<double>(series.x.size()) > 3 * plot.width / s_) stroke.width *= 0.6;  // crowded
        std::vector<Spot> piece;
        auto const finish = [&] {
            if (piece.size() == 1) canvas_.disk(piece[0], 1.2 * stroke.width, stroke.ink);
            if (piece.size() > 1) canvas_.polyline(thinned(piece, s_), stroke);
            piece.clear();
        };
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            double const value = series.y[i] * layout.factor;
            bool const shown = drawable(series.x[i]) && drawable(series.y[i]) && (!layout.y.logarithmic || value > 0);
            if (!shown)
                finish();
            else
                piece.push_back({plot.left + layout.x.part_of(series.x[i]) * plot.width,
                                 plot.bottom() - layout.y.part_of(value) * plot.height});
        }
        finish();
    }

    Canvas& canvas_;
    Chart const& chart_;
    double s_;  // pixels per unit of the chart
};

}  // namespace

void draw_chart(Canvas& canvas, Chart const& chart) { ChartPainter{canvas, chart}.draw(); }

Stroke distinct_stroke(int k) {
    constexpr std::array<std::uint32_t, 7> colors{0x0072b2, 0xd55e00, 0x009e73, 0xe69f00, 0x56b4e9, 0xcc79a7, 0x222222};
    assert(k >= 0);
    Stroke stroke{ink_of_hex(colors[static_cast<std::size_t>(k) % colors.size()]), 1.6, {}};
    if (k / 7 % 3 == 1) stroke.dashes = {5, 3};
    if (k / 7 % 3 == 2) stroke.dashes = {1.6, 2.4};
    return stroke;
}

std::vector<Spot> thinned(std::vector<Spot> const& spots, double column_width) {
    std::vector<Spot> result;
    for (std::size_t begin = 0, end = 0; begin < spots.size(); begin = end) {
        double const column = std::floor(spots[begin].x / column_width);
        std::size_t low = begin, high = begin;
        for (end = begin; end < spots.size() && std::floor(spots[end].x / column_width) == column; ++end) {
            if (spots[end].y < spots[low].y) low = end;
            if (spots[end].y > spots[high].y) high = end;
        }
        std::array kept{begin, std::min(low, high), std::max(low, high), end - 1};
        for (std::size_t k = 0; k < kept.size(); ++k)
            if (k == 0 || kept[k] != kept[k - 1]) result.push_back(spots[kept[k]]);
    }
    return result;
}

}  // namespace pliant::render
