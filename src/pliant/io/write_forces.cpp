#include <pliant/io/bytes.hpp>
#include <pliant/io/row_file.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_forces.hpp>

#include <algorithm>

namespace pliant {
namespace {

std::string row_of(FrameStats const& frame, ForceOn const& on, std::string const& body, Wrench const& w) {
    std::string row = std::to_string(frame.frame) + "," + number_text(frame.time) + "," + on.kind + "," +
                      cell_of(on.name) + "," + cell_of(body);
    for (Vec3d const& v : {w.force, w.torque})
        for (int k = 0; k < 3; ++k) row.append(",").append(number_text(v[k]));
    return row + "\n";
}

std::string rows_of_parts(FrameStats const& frame, std::vector<ForceOn> const& on) {
    std::string csv;
    for (std::size_t k = 0, next = 0; k < on.size(); k = next) {
        Wrench sum;
        for (next = k; next < on.size() && on[next].kind == on[k].kind && on[next].name == on[k].name; ++next)
            sum.force += frame.forces[next].force, sum.torque += frame.forces[next].torque;
        csv += row_of(frame, on[k], "", sum);
        for (std::size_t c = k; c < next && next > k + 1; ++c) csv += row_of(frame, on[c], on[c].body, frame.forces[c]);
    }
    return csv;
}

}  // namespace

void write_forces(std::filesystem::path const& path, ForcesOn const& on, std::span<FrameStats const> rows,
                  Unflushed* later) {
    std::string csv = std::string{forces_header} + "\n";
    for (FrameStats const& frame : rows) {
        if (frame.forces.size() == on.parts.size()) csv += rows_of_parts(frame, on.parts);
        for (PairForce const& pair : frame.pair_forces)
            if (std::max(pair.on, pair.by) < on.bodies.size())
                csv += row_of(frame, {"pair", on.bodies[pair.on], ""}, on.bodies[pair.by], pair.wrench);
    }
    write_atomically(path, csv, later);
}

}  // namespace pliant
