#include <pliant/io/bytes.hpp>
#include <pliant/io/row_file.hpp>
#include <pliant/io/write_bodies.hpp>

namespace pliant {

void write_bodies(std::filesystem::path const& path, int frame, double time, std::span<BodySummary const> bodies,
                  Unflushed* later) {
    std::string rows;
    std::string const at = std::to_string(frame) + "," + number_text(time) + ",";
    for (BodySummary const& body : bodies) {
        rows += at + cell_of(body.name);
        for (Vec3d const& v : {body.center, body.velocity, body.spin})
            for (int k = 0; k < 3; ++k) rows.append(",").append(number_text(v[k]));
        for (double const value : {body.kinetic_energy, body.elastic_energy, body.max_plastic_strain, body.shape_error})
            rows.append(",").append(number_text(value));
        rows += "\n";
    }
    append_rows(path, bodies_header, rows, later);
}

}  // namespace pliant
