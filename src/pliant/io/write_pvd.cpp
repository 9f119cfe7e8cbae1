#include <pliant/io/bytes.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_pvd.hpp>

namespace pliant {

void write_pvd(std::filesystem::path const& path, std::span<SeriesEntry const> entries, Unflushed* later) {
    std::string xml =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n";
    for (SeriesEntry const& entry : entries)
        xml += "    <DataSet timestep=\"" + number_text(entry.time) + "\" part=\"0\" file=\"" + entry.file + "\"/>\n";
    write_atomically(path, xml + "  </Collection>\n</VTKFile>\n", later);
}

}  // namespace pliant
