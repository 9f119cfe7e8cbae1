#include <pliant/io/bytes.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_stats.hpp>

namespace pliant {

void write_stats(std::filesystem::path const& path, std::span<FrameStats const> rows, Unflushed* later) {
    std::string csv = std::string{stats_header} + "\n";
    for (FrameStats const& row : rows) {
        csv += std::to_string(row.frame) + "," + number_text(row.time) + "," + std::to_string(row.steps) + "," +
               std::to_string(row.cg_iterations);
        for (double const value : {row.wall_ms, row.kinetic_energy, row.elastic_energy, row.potential_energy,
                                   row.center_of_mass.x, row.center_of_mass.y, row.center_of_mass.z, row.penetration})
            csv.append(",").append(number_text(value));
        for (std::uint64_t const count : {row.solves, row.backtracks, row.halvings})
            csv.append(",").append(std::to_string(count));
        csv += "\n";
    }
    write_atomically(path, csv, later);
}

}  // namespace pliant
