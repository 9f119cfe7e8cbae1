#include <pliant/io/bytes.hpp>
#include <pliant/io/row_file.hpp>
#include <pliant/io/write_probes.hpp>

namespace pliant {
namespace {

std::string row_of(int frame, double time, std::string const& name, ProbeReading const& r) {
    std::string row = std::to_string(frame) + "," + number_text(time) + "," + name;
    for (double const value :
         {r.position.x, r.position.y, r.position.z, r.velocity.x, r.velocity.y, r.velocity.z, r.von_mises})
        row.append(",").append(number_text(value));
    return row + "\n";
}

}  // namespace

void write_probes(std::filesystem::path const& path, std::span<std::string const> names, Frame const& frame,
                  Unflushed* later) {
    std::string rows;
    for (StepReading const& step : frame.step_readings)  // the last step ends with the frame, which has its own rows
        if (step.time != frame.time && step.probe < names.size())
            rows += row_of(frame.index, step.time, names[step.probe], step.reading);
    for (std::size_t p = 0; p < names.size() && p < frame.stats.probes.size(); ++p)
        rows += row_of(frame.index, frame.time, names[p], frame.stats.probes[p]);
    append_rows(path, probes_header, rows, later);
}

}  // namespace pliant
