#include <pliant/io/input.hpp>
#include <pliant/io/read_stats.hpp>
#include <pliant/io/write_stats.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

using std::filesystem::path;

[[noreturn]] void refuse_line(path const& file, std::size_t line, std::string const& reason) {
    refuse_file(file, std::string{"line "} + std::to_string(line) + ": " + reason);
}

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    for (std::size_t start = 0; start <= line.size();) {
        std::size_t const end = std::min(line.find(',', start), line.size());
        cells.push_back(line.substr(start, end - start));
        start = end + 1;
    }
    return cells;
}

// Takes the cells of a row one by one.
class Row {
public:
    Row(std::string_view line, std::string_view header, path const& file, std::size_t number)
        : cells_(cells_of(line)), names_(cells_of(header)), file_(file), number_(number) {
        if (cells_.size() != names_.size())
            refuse_line(file, number,
                        "has " + std::to_string(cells_.size()) + " columns instead of " +
                            std::to_string(names_.size()) + "; the file is cut off or damaged");
    }
    bool at_end() const { return next_ == cells_.size(); }
    template <class T>
    void take(T& value) {
        auto const number = number_in<T>(cells_[next_]);
        if (!number)
            refuse_line(file_, number_,
                        std::string{"'"} + excerpt(cells_[next_]) + "' is no number for the column " +
                            std::string{names_[next_]});
        value = *number;
        ++next_;
    }

private:
    std::vector<std::string_view> cells_, names_;
    path const& file_;
    std::size_t number_, next_ = 0;
};

FrameStats stats_in(std::string_view line, std::string_view header, path const& file, std::size_t number) {
    Row row{line, header, file, number};
    FrameStats stats;
    row.take(stats.frame), row.take(stats.time), row.take(stats.steps), row.take(stats.cg_iterations);
    row.take(stats.wall_ms);
    row.take(stats.kinetic_energy), row.take(stats.elastic_energy), row.take(stats.potential_energy);
    row.take(stats.center_of_mass.x), row.take(stats.center_of_mass.y), row.take(stats.center_of_mass.z);
    row.take(stats.penetration);
    if (!row.at_end()) row.take(stats.solves), row.take(stats.backtracks), row.take(stats.halvings);
    if (stats.frame < 0 || !std::isfinite(stats.time)) refuse_line(file, number, "frame and time make no sense");
    return stats;
}

}  // namespace

std::vector<FrameStats> read_stats(path const& file) {
    std::string const bytes = read_bytes(file);
    std::vector<FrameStats> rows;
    std::string_view left = bytes, header;
    for (std::size_t number = 1; !left.empty(); ++number) {
        std::size_t const end = left.find('\n');
        std::string_view line = left.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);  // edited on another system
        if (number == 1) header = line;
        if (header != stats_header && header != older_stats_header)
            refuse_line(file, 1, "is not the header of pliant's statistics (frame,time,steps,...)");
        // A truncated number would still be a number.
        if (end == left.npos) refuse_line(file, number, "the file ends in the middle of this line");
        left.remove_prefix(end + 1);
        if (number == 1) continue;
        rows.push_back(stats_in(line, header, file, number));
        if (rows.size() < 2) continue;
        FrameStats const &last = rows.back(), &before = rows[rows.size() - 2];
        if (last.frame <= before.frame || last.time < before.time)
            refuse_line(file, number, "frame " + std::to_string(last.frame) + " does not come after the one above it");
    }
    return rows;
}

}  // namespace pliant
