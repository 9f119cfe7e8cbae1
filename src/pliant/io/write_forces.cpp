#include <pliant/io/bytes.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_forces.hpp>

namespace pliant {
namespace {

std::string row_of(FrameStats const& frame, ForceOn const& on, std::string const& body, Wrench const& w) {
    std::string row = std::to_string(frame.frame) + "," + number_text(frame.time) + "," + on.kind + "," + on.name +
                      "," + (body.find(',') == body.npos ? body : "\"" + body + "\"");  // copies are called name[0,1,0]
    for (Vec3d const& v : {w.force, w.torque})
        for (int k = 0; k < 3; ++k) row.append(",").append(number_text(v[k]));
    return row + "\n";
}

}  // namespace

void write_forces(std::filesystem::path const& path, std::span<ForceOn const> on, std::span<FrameStats const> rows) {
    std::string csv = std::string{forces_header} + "\n";
    for (FrameStats const& frame : rows) {
        if (frame.forces.size() != on.size()) continue;
        for (std::size_t k = 0, next = 0; k < on.size(); k = next) {
            Wrench sum;
            for (next = k; next < on.size() && on[next].kind == on[k].kind && on[next].name == on[k].name; ++next)
                sum.force += frame.forces[next].force, sum.torque += frame.forces[next].torque;
            csv += row_of(frame, on[k], "", sum);
            for (std::size_t c = k; c < next && next > k + 1; ++c)
                csv += row_of(frame, on[c], on[c].body, frame.forces[c]);
        }
    }
    write_atomically(path, csv);
}

}  // namespace pliant
