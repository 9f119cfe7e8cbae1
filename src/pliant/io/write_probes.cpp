#include <pliant/io/bytes.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_probes.hpp>

namespace pliant {

void write_probes(std::filesystem::path const& path, std::span<std::string const> names,
                  std::span<FrameStats const> rows) {
    std::string csv = std::string{probes_header} + "\n";
    for (FrameStats const& row : rows) {
        if (row.probes.size() != names.size()) continue;
        for (std::size_t p = 0; p < names.size(); ++p) {
            ProbeReading const& r = row.probes[p];
            csv += std::to_string(row.frame) + "," + number_text(row.time) + "," + names[p];
            for (double const value :
                 {r.position.x, r.position.y, r.position.z, r.velocity.x, r.velocity.y, r.velocity.z, r.von_mises})
                csv.append(",").append(number_text(value));
            csv += "\n";
        }
    }
    write_atomically(path, csv);
}

}  // namespace pliant
