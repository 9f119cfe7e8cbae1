#include <pliant/io/input.hpp>
#include <pliant/io/read_vtp.hpp>
#include <pliant/io/xml_tags.hpp>

#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

namespace pliant {

namespace {

using std::filesystem::path;

static_assert(std::endian::native == std::endian::little, "the values are taken as they lie in the file");
static_assert(sizeof(Vec3f) == 3 * sizeof(float));

struct Array {
    std::string section, name, type;  // section: PointData, Points, Polys ...
    std::uint64_t components = 1;
    std::uint64_t offset = 0;  // in the appended data
};

struct Vtp {
    path const& file;
    std::string bytes;
    std::size_t data_begin = 0, data_size = 0;  // the appended data among the bytes
    std::uint64_t points = 0, polys = 0;
    double time = 0;
    std::string texture_array;  // which array of PointData holds texture coordinates, if any
    std::vector<Array> arrays;
    std::string_view data() const { return std::string_view{bytes}.substr(data_begin, data_size); }
};

// For files of other programs, which may be valid.
[[noreturn]] void refuse_foreign(Vtp const& vtp, std::string const& what) {
    refuse_file(vtp.file, what + "; only raw appended data, as pliant writes them, can be read here");
}

std::uint64_t count_in(Vtp const& vtp, XmlTag const& tag, std::string_view key) {
    auto const count = number_in<std::uint64_t>(tag.attribute(key).value_or(""));
    if (!count) refuse_file(vtp.file, "is damaged: <" + excerpt(tag.name) + "> has no number for " + std::string{key});
    return *count;
}

void check_kind(Vtp const& vtp, XmlTag const& tag) {
    if (tag.attribute("type") != "PolyData")
        refuse_foreign(vtp, "holds " + excerpt(tag.attribute("type").value_or("nothing")) + ", not PolyData");
    if (tag.attribute("byte_order") != "LittleEndian" || tag.attribute("header_type") != "UInt64")
        refuse_foreign(vtp, "is not of byte_order LittleEndian and header_type UInt64");
    if (tag.attribute("compressor")) refuse_foreign(vtp, "is compressed");
}

void add_array(Vtp& vtp, XmlTag const& tag, std::string_view section) {
    std::string const name{tag.attribute("Name").value_or("")};
    if (section == "FieldData") {
        if (name == "TimeValue") vtp.time = number_in<double>(tag.text).value_or(0);
        return;
    }
    if (tag.attribute("format") != "appended") refuse_foreign(vtp, "the array '" + excerpt(name) + "' is not appended");
    for (Array const& other : vtp.arrays)
        if (other.section == section && other.name == name)
            refuse_file(vtp.file, "has the array '" + excerpt(name) + "' twice");
    std::uint64_t const components = tag.attribute("NumberOfComponents") ? count_in(vtp, tag, "NumberOfComponents") : 1;
    vtp.arrays.push_back({std::string{section}, name, std::string{tag.attribute("type").value_or("")}, components,
                          count_in(vtp, tag, "offset")});
}

void parse_xml(Vtp& vtp, std::string_view xml) {
    XmlTags tags{xml};
    std::string_view section;
    bool has_kind = false, has_piece = false;
    while (auto const tag = tags.next()) {
        if (tag->name == "VTKFile") {
            check_kind(vtp, *tag);
            has_kind = true;
        } else if (tag->name == "Piece") {
            if (has_piece) refuse_foreign(vtp, "has more than one piece");
            vtp.points = count_in(vtp, *tag, "NumberOfPoints");
            vtp.polys = tag->attribute("NumberOfPolys") ? count_in(vtp, *tag, "NumberOfPolys") : 0;
            has_piece = true;
        } else if (tag->name == "DataArray") {
            add_array(vtp, *tag, section);
        } else if (!tag->name.starts_with('/') && tag->name != "PolyData") {
            section = tag->name;
            if (section == "PointData") vtp.texture_array = tag->attribute("TCoords").value_or("");
        }
    }
    if (tags.broken() || !has_kind || !has_piece) refuse_file(vtp.file, "is damaged: its XML header is not whole");
}

// Three parts: the XML that describes the data, the data after an underscore, the closing tags.
Vtp parse(path const& file) {
    Vtp vtp{file, read_bytes(file), 0, 0, 0, 0, 0, {}, {}};
    std::string_view const all = vtp.bytes;
    std::string_view const head = all.substr(0, 1000);
    if (!all.starts_with('<') || head.find("<VTKFile") == head.npos)
        refuse_file(file, "is not a VTK file (there is no <VTKFile> at its beginning)");
    std::size_t const last = all.find_last_not_of(" \r\n");
    if (!all.substr(0, last + 1).ends_with("</VTKFile>"))
        refuse_file(file, "is cut off: it does not end with </VTKFile>");
    std::size_t const opening = all.find("<AppendedData");
    if (opening == all.npos) refuse_foreign(vtp, "has no appended data");
    std::size_t const start = all.find('_', opening), end = all.rfind("</AppendedData>");
    if (start == all.npos || end == all.npos || end <= start)
        refuse_file(file, "is damaged: its appended data are not whole");
    auto const tag = XmlTags{all.substr(opening, start - opening)}.next();
    if (!tag || tag->attribute("encoding") != "raw") refuse_foreign(vtp, "its appended data are encoded");
    vtp.data_begin = start + 1;
    vtp.data_size = end - start - 1;
    parse_xml(vtp, all.substr(0, opening));
    return vtp;
}

Array const* find(Vtp const& vtp, std::string_view section, std::string_view name) {
    for (Array const& array : vtp.arrays)
        if (array.section == section && array.name == name) return &array;
    return nullptr;
}

std::string_view bytes_of(Vtp const& vtp, Array const& array) {
    std::string_view const data = vtp.data();
    std::uint64_t size = 0;
    bool const begins = array.offset <= data.size() && data.size() - array.offset >= sizeof size;
    if (begins) std::memcpy(&size, data.data() + array.offset, sizeof size);
    if (!begins || size > data.size() - array.offset - sizeof size)
        refuse_file(vtp.file, "is cut off or damaged: the array '" + excerpt(array.name) + "' reaches beyond the data");
    return data.substr(array.offset + sizeof size, size);
}

void check_size(Vtp const& vtp, Array const& array, std::uint64_t bytes, std::uint64_t count, std::size_t entry_size) {
    if (bytes % entry_size != 0 || bytes / entry_size != count)
        refuse_file(vtp.file, "is damaged: the array '" + excerpt(array.name) + "' has " + std::to_string(bytes) +
                                  " bytes, which is not " + std::to_string(count) + " times " +
                                  std::to_string(entry_size));
}

// Entries of one or several floats each, zeros if there is no such array. Allocates no more than the file holds.
template <class T>
bool read_floats(Vtp const& vtp, char const* section, std::string const& name, std::vector<T>& values) {
    Array const* const array = find(vtp, section, name);
    if (!array) {
        values.resize(vtp.points);
        return false;
    }
    if (array->type != "Float32" || array->components * sizeof(float) != sizeof(T))
        refuse_file(vtp.file, std::string{"the array '"} + name + "' is not of " +
                                  std::to_string(sizeof(T) / sizeof(float)) + " x Float32, as pliant writes it");
    std::string_view const bytes = bytes_of(vtp, *array);
    check_size(vtp, *array, bytes.size(), vtp.points, sizeof(T));
    values.resize(vtp.points);
    if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return true;
}

template <class From>
std::vector<std::uint32_t> whole_numbers(Vtp const& vtp, Array const& array) {
    std::string_view const bytes = bytes_of(vtp, array);
    if (bytes.size() % sizeof(From) != 0) check_size(vtp, array, bytes.size(), 0, sizeof(From));
    std::vector<std::uint32_t> values(bytes.size() / sizeof(From));
    for (std::size_t i = 0; i < values.size(); ++i) {
        From value{};
        std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
        values[i] = static_cast<std::uint32_t>(value);
        if (static_cast<std::int64_t>(value) != static_cast<std::int64_t>(values[i]))
            refuse_file(vtp.file,
                        "is damaged: the array '" + excerpt(array.name) + "' has the entry " + std::to_string(value));
    }
    return values;
}

std::vector<std::uint32_t> whole_numbers_of(Vtp const& vtp, Array const& array) {
    if (array.components == 1 && array.type == "UInt32") return whole_numbers<std::uint32_t>(vtp, array);
    if (array.components == 1 && array.type == "Int32") return whole_numbers<std::int32_t>(vtp, array);
    if (array.components == 1 && array.type == "Int64") return whole_numbers<std::int64_t>(vtp, array);
    refuse_file(vtp.file, "the array '" + excerpt(array.name) + "' is not of UInt32, Int32 or Int64");
}

// One per point; false if there is no such array.
bool read_whole_numbers(Vtp const& vtp, char const* name, std::vector<std::uint32_t>& values) {
    Array const* const array = find(vtp, "PointData", name);
    if (array) values = whole_numbers_of(vtp, *array);
    if (array) check_size(vtp, *array, values.size(), vtp.points, 1);
    values.resize(vtp.points);
    return array != nullptr;
}

// Every array of floats, vectors or matrices that is not among the known ones; others belong to other programs.
void read_channels(Vtp const& vtp, std::vector<Channel>& channels) {
    for (Array const& array : vtp.arrays) {
        bool const fits =
            array.components == 1 || array.components == 3 || array.components == 6 || array.components == 9;
        if (array.section != "PointData" || array.type != "Float32" || !fits) continue;
        if (array.name == "velocity" || array.name == vtp.texture_array) continue;
        std::string_view const bytes = bytes_of(vtp, array);
        check_size(vtp, array, bytes.size(), vtp.points, array.components * sizeof(float));
        Channel channel{array.name, "", static_cast<int>(array.components), {}};
        channel.values.resize(bytes.size() / sizeof(float));
        if (!bytes.empty()) std::memcpy(channel.values.data(), bytes.data(), bytes.size());
        channels.push_back(std::move(channel));
    }
}

// What particles and vertices of a surface have in common. Positions first: they confirm the number of points.
template <class Points>
void read_points(Vtp const& vtp, Points& points) {
    if (vtp.points > 0 && !find(vtp, "Points", "Points")) refuse_file(vtp.file, "has no array 'Points'");
    read_floats(vtp, "Points", "Points", points.position);
    read_floats(vtp, "PointData", "velocity", points.velocity);
    read_whole_numbers(vtp, "body", points.body);
    read_channels(vtp, points.channels);
    points.time = vtp.time;
}

std::vector<std::uint32_t> read_polygons(Vtp const& vtp, char const* name) {
    Array const* const array = find(vtp, "Polys", name);
    if (!array) refuse_file(vtp.file, std::string{"its polygons have no array '"} + name + "'");
    return whole_numbers_of(vtp, *array);
}

}  // namespace

Frame read_vtp_particles(path const& file) {
    Vtp const vtp = parse(file);
    Frame frame;
    read_points(vtp, frame);
    if (!read_whole_numbers(vtp, "id", frame.id)) std::iota(frame.id.begin(), frame.id.end(), 0u);
    return frame;
}

SurfaceMesh read_vtp_surface(path const& file) {
    Vtp const vtp = parse(file);
    SurfaceMesh mesh;
    read_points(vtp, mesh);
    if (vtp.polys > 0) {
        mesh.corner = read_polygons(vtp, "connectivity");
        mesh.polygon_end = read_polygons(vtp, "offsets");
        check_size(vtp, *find(vtp, "Polys", "offsets"), mesh.polygon_end.size(), vtp.polys, 1);
    }
    if (!vtp.texture_array.empty() && read_floats(vtp, "PointData", vtp.texture_array, mesh.uv))
        mesh.corner_uv = mesh.corner;
    else
        mesh.uv.clear();
    return mesh;
}

}  // namespace pliant
