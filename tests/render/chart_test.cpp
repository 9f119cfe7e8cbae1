// Charts: what a run's statistics become, and drawings of ordinary and of strange data.
#include <pliant/render/run_chart.hpp>

#include <io/fixtures.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>

namespace pliant::test {

using namespace render;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

ChartSeries series(std::vector<double> y, std::uint32_t color = 0x0000ff) {
    ChartSeries result{"", {}, std::move(y), {ink_of_hex(color), 2, {}}};
    for (std::size_t i = 0; i < result.y.size(); ++i) result.x.push_back(static_cast<double>(i));
    return result;
}

Chart chart_of_one(ChartSeries const& one) { return {"", "", {}, {{"title", "J", {one}}}, 1, "time"}; }

bool is_well_formed(std::string const& svg) {
    TemporaryFolder const folder;
    overwrite(folder / "a.svg", svg);
    if (std::system("command -v xmllint > /dev/null") != 0) return true;
    return std::system(("xmllint --noout '" + (folder / "a.svg").string() + "'").c_str()) == 0;
}

std::string svg_of(Chart const& chart) {
    Canvas canvas = Canvas::svg(800, 500);
    draw_chart(canvas, chart);
    return canvas.svg_text();
}

// Columns of the sheet that show a blue line.
std::vector<int> blue_columns(Chart const& chart) {
    Canvas canvas = Canvas::raster(800, 500);
    draw_chart(canvas, chart);
    auto const rgb = canvas.rgb_bytes();
    std::vector<int> columns;
    for (int x = 0; x < 800; ++x)
        for (int y = 0; y < 500; ++y) {
            std::size_t const at = std::size_t{3} * (static_cast<std::size_t>(y) * 800 + x);
            if (rgb[at] < 60 && rgb[at + 1] < 60 && rgb[at + 2] > 200) {
                columns.push_back(x);
                break;
            }
        }
    return columns;
}

// Falls from y = 2 to y = 1 in ten frames of five steps each, with a mass of 1 kg and g = 10.
std::vector<FrameStats> falling() {
    std::vector<FrameStats> rows;
    for (int k = 0; k <= 10; ++k) {
        FrameStats row;
        row.frame = k;
        row.time = 0.1 * k;
        row.steps = k == 0 ? 0 : 5;
        row.cg_iterations = k == 0 ? 0 : 20;
        row.wall_ms = k == 0 ? 0 : 15;
        row.center_of_mass = {0, 2 - 0.1 * k, 0};
        row.potential_energy = 10 * row.center_of_mass.y;
        row.kinetic_energy = 20 - row.potential_energy;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace

TEST(Thinned, KeepsFirstLowestHighestAndLastOfEachColumn) {
    std::vector<Spot> spots;
    for (int i = 0; i < 100000; ++i) spots.push_back({i * 1e-3, std::sin(i * 0.7) * i});
    auto const kept = thinned(spots, 1);
    EXPECT_LE(kept.size(), 4u * 100);
    EXPECT_EQ(kept.front().x, spots.front().x);
    EXPECT_EQ(kept.back().x, spots.back().x);
    auto const by_y = [](Spot a, Spot b) { return a.y < b.y; };
    EXPECT_EQ(std::min_element(kept.begin(), kept.end(), by_y)->y,
              std::min_element(spots.begin(), spots.end(), by_y)->y);
    EXPECT_EQ(std::max_element(kept.begin(), kept.end(), by_y)->y,
              std::max_element(spots.begin(), spots.end(), by_y)->y);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](Spot a, Spot b) { return a.x < b.x; }));
}

TEST(Thinned, LeavesFewSpotsAlone) {
    std::vector<Spot> const spots{{0, 1}, {10, 5}, {20, 2}, {30, 2}};
    EXPECT_EQ(thinned(spots, 1).size(), 4u);
    EXPECT_TRUE(thinned({}, 1).empty());
}

TEST(Chart, ALineReachesFromOneEndOfThePanelToTheOther) {
    auto const columns = blue_columns(chart_of_one(series({1, 2, 3, 4, 5})));
    ASSERT_FALSE(columns.empty());
    EXPECT_LT(columns.front(), 60);  // margin and tick labels
    EXPECT_GT(columns.back(), 780);  // margin of 16
    EXPECT_EQ(static_cast<int>(columns.size()), columns.back() - columns.front() + 1) << "without a gap";
}

TEST(Chart, NonFiniteNumbersLeaveAGap) {
    auto const columns = blue_columns(chart_of_one(series({1, 2, nan, infinity, 1e200, 3, 4})));
    ASSERT_FALSE(columns.empty());
    int widest = 0;
    for (std::size_t k = 1; k < columns.size(); ++k) widest = std::max(widest, columns[k] - columns[k - 1]);
    // Two of six intervals of about 740 / 6 pixels are drawn, with four between them.
    EXPECT_NEAR(widest, 4 * 740 / 6, 20);
}

TEST(Chart, StrangeDataDoNotBreakIt) {
    for (std::vector<double> const& y : std::vector<std::vector<double>>{{},
                                                                         {0},
                                                                         {7},
                                                                         {nan},
                                                                         {5, 5, 5},
                                                                         {0, 0},
                                                                         {-1e-300, 1e-300},
                                                                         {1e59, -1e59},
                                                                         {infinity, -infinity},
                                                                         {1, 1 + 1e-15},
                                                                         {-3, -2},
                                                                         {1e-20, 1e20}})
        for (bool const log : {false, true}) {
            Chart chart = chart_of_one(series(y));
            chart.panels[0].log_over_decades = log;
            EXPECT_TRUE(is_well_formed(svg_of(chart)));
        }
    EXPECT_TRUE(is_well_formed(svg_of({})));
    EXPECT_FALSE(blue_columns(chart_of_one(series({7}))).empty()) << "a single number is a dot";
}

TEST(Chart, ManyRowsStayQuickAndSmall) {
    std::vector<double> y;
    for (int i = 0; i < 200000; ++i) y.push_back(std::sin(i * 0.37) + i * 1e-5);
    auto const start = std::chrono::steady_clock::now();
    std::string const svg = svg_of(chart_of_one(series(y)));
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(svg.size(), 200000u);  // at most 4 points of 20 characters in each of 800 columns, and the axes
    EXPECT_LT(seconds.count(), 5);   // measured: 0.03
}

TEST(Chart, LongNamesAndOddSizesStayOnTheSheet) {
    Chart chart = chart_of_run({std::string(500, 'W') + "ä", "", falling(), Summary{}});
    for (int k = 0; k < 21; ++k)
        chart.names.push_back({"run of a long name, number " + std::to_string(k), distinct_stroke(k)});
    for (auto const& [width, height] : {std::pair{200, 200}, {200, 2000}, {2000, 200}, {800, 500}}) {
        Canvas canvas = Canvas::raster(width, height);
        draw_chart(canvas, chart);
        EXPECT_NO_THROW(canvas.png_bytes());
    }
}

TEST(Chart, StrokesCanBeToldApart) {
    for (int a = 0; a < stroke_kinds; ++a)
        for (int b = 0; b < a; ++b) {
            Stroke const first = distinct_stroke(a), second = distinct_stroke(b);
            EXPECT_TRUE(first.ink != second.ink || first.dashes != second.dashes) << a << " " << b;
        }
}

TEST(RunChart, EnergiesCountFromTheLowestPotentialAndAddUp) {
    Chart const chart = chart_of_run({"run", "A fall", falling(), {}});
    EXPECT_EQ(chart.title, "A fall");
    ASSERT_EQ(chart.panels.size(), 4u);
    auto const& energy = chart.panels[0].series;
    ASSERT_EQ(energy.size(), 4u);
    EXPECT_EQ(energy[0].name, "sum");
    for (double const sum : energy[0].y) EXPECT_NEAR(sum, 10, 1e-12);  // 20 J at the start, 10 J of it below y = 1
    EXPECT_EQ(energy[1].name, "potential");
    EXPECT_NEAR(energy[1].y.front(), 10, 1e-12);
    EXPECT_EQ(energy[1].y.back(), 0);
    EXPECT_EQ(energy[0].x.back(), 1.0);
}

TEST(RunChart, IterationsAndTimesArePerStep) {
    Chart const chart = chart_of_run({"run", "", falling(), {}});
    EXPECT_EQ(chart.title, "run");
    auto const &iterations = chart.panels[2], &times = chart.panels[3];
    EXPECT_TRUE(std::isnan(iterations.series[0].y[0])) << "no steps before the start";
    EXPECT_TRUE(std::isnan(times.series[0].y[0]));
    EXPECT_EQ(iterations.series[0].y[1], 4);  // 20 iterations in 5 steps
    EXPECT_EQ(times.series[0].y[1], 3);       // 15 ms for 5 steps
    EXPECT_EQ(iterations.note, "mean 4");
    EXPECT_EQ(times.note, "mean 3");
}

TEST(RunChart, TheSubtitleTellsWhatRan) {
    Summary summary;
    summary.particles = 19866;
    summary.method = "implicit";
    summary.dt = 0.002;
    summary.steps = 900;
    summary.device = "cpu";
    summary.threads = 2;
    summary.finished = true;
    EXPECT_EQ(chart_of_run({"run", "", falling(), summary}).subtitle,
              "19866 particles, implicit, dt 2 ms, 900 steps, cpu with 2 threads");
    summary.finished = false;
    summary.retries = 3;
    summary.threads = 1;
    EXPECT_EQ(chart_of_run({"run", "", falling(), summary}).subtitle,
              "19866 particles, implicit, dt 2 ms, 900 steps, cpu with 1 thread, 3 retries, not finished");
    EXPECT_EQ(chart_of_run({"run", "", falling(), {}}).subtitle, "");
}

TEST(RunChart, AComparisonHasOneColourPerRunAndOneZeroForAllEnergies) {
    std::vector<FrameStats> deeper = falling();
    for (FrameStats& row : deeper) row.potential_energy -= 5;
    Summary one, two;
    one.dt = 0.002;
    two.dt = 0.004;
    std::vector<ChartedRun> const runs{{"a", "A fall", falling(), one}, {"b", "A fall", deeper, two}};
    Chart const chart = chart_of_runs(runs);
    EXPECT_EQ(chart.title, "A fall") << "what the runs share";
    ASSERT_EQ(chart.names.size(), 2u);
    EXPECT_EQ(chart.names[0].name, "a, dt 2 ms");
    EXPECT_EQ(chart.names[1].name, "b, dt 4 ms");
    for (ChartPanel const& panel : chart.panels) {
        ASSERT_EQ(panel.series.size(), 2u);
        EXPECT_EQ(panel.series[1].stroke.ink, chart.names[1].stroke.ink);
    }
    EXPECT_NEAR(chart.panels[0].series[0].y[0], 15, 1e-12);  // the lowest of all: 10 J - 5 J
    EXPECT_NEAR(chart.panels[0].series[1].y[0], 10, 1e-12);
    EXPECT_EQ(chart.panels[1].title, "Centre of mass, y");
    EXPECT_NEAR(chart.panels[3].series[0].y.back(), 0.15, 1e-12);  // ten frames of 15 ms
}

}  // namespace pliant::test
