#include <pliant/formats/ply.hpp>
#include <pliant/io/input.hpp>
#include <pliant/io/ply_channels.hpp>
#include <pliant/io/read_ply.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

namespace pliant {

namespace {

using std::filesystem::path;

static_assert(std::endian::native == std::endian::little, "the values are taken as they lie in the file");

using Kind = PlyType::Kind;

struct Ply {
    path const& file;
    std::string bytes;
    PlyHeader header;
};

std::string message(PlyFault const& fault) {
    switch (fault.kind) {
        case PlyFault::Kind::not_ply:
            return "is not a PLY file (it does not begin with 'ply')";
        case PlyFault::Kind::no_end:
            return "ends within its header";
        case PlyFault::Kind::count:
            return "'" + excerpt(fault.word) + "' is no number of elements";
        case PlyFault::Kind::property:
            return "is damaged: a property of the header is not one";
        case PlyFault::Kind::line:
            break;
    }
    return "is damaged: its header has a line '" + excerpt(fault.word) + "'";
}

void check_properties(path const& file, PlyElement const& element) {
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
        PlyProperty const& property = element.properties[k];
        bool const countable = property.count_type.size % 8 != 0 && property.count_type.kind != Kind::real;
        if (property.type.size == 0 || (property.is_list && !countable))
            refuse_file(file, "the property '" + excerpt(property.name) + "' is of an unknown type");
        for (std::size_t other = 0; other < k; ++other)
            if (element.properties[other].name == property.name)
                refuse_file(file, "has the property '" + excerpt(property.name) + "' twice");
    }
}

void check_header(path const& file, PlyHeader const& header) {
    if (header.format.empty()) refuse_file(file, "is damaged: its header names no format");
    if (header.format != "binary_little_endian")
        refuse_file(file, "is a PLY of format " + excerpt(header.format) +
                              "; only binary_little_endian, as pliant writes it, can be read here");
    for (std::size_t k = 0; k < header.elements.size(); ++k) {
        check_properties(file, header.elements[k]);
        for (std::size_t other = 0; other < k; ++other)
            if (header.elements[other].name == header.elements[k].name)
                refuse_file(file, "has the element '" + excerpt(header.elements[k].name) + "' twice");
    }
}

Ply parse(path const& file) {
    Ply ply{file, read_bytes(file), {}};
    try {
        ply.header = parse_ply_header(ply.bytes);
    } catch (PlyFault const& fault) {
        refuse_file(file, message(fault));
    }
    check_header(file, ply.header);
    return ply;
}

// Walks through the data of the elements, never beyond their end.
class Cursor {
public:
    explicit Cursor(Ply const& ply) : ply_(ply), left_(std::string_view{ply.bytes}.substr(ply.header.data)) {}

    char const* take(std::uint64_t size, PlyElement const& element) {
        if (size > left_.size()) refuse_short(element);
        char const* const bytes = left_.data();
        left_.remove_prefix(size);
        return bytes;
    }
    // All rows at once; the count in the header is only trusted if the file has that many bytes.
    char const* rows(PlyElement const& element) {
        check_count(element);
        return take(element.count * element.row_size, element);
    }
    void check_count(PlyElement const& element) const {
        if (element.count == 0) return;
        if (element.row_size == 0)
            refuse_file(ply_.file, "is damaged: the element '" + excerpt(element.name) + "' has no properties");
        if (element.count > left_.size() / element.row_size) refuse_short(element);
    }
    std::uint64_t list_size(PlyProperty const& list, PlyElement const& element) {
        std::uint64_t size = 0;
        std::memcpy(&size, take(list.count_type.size, element), list.count_type.size);
        return size;
    }
    void expect_end() const {
        if (!left_.empty())
            refuse_file(ply_.file, "is damaged: " + std::to_string(left_.size()) +
                                       " bytes follow the elements that its header names");
    }

private:
    [[noreturn]] void refuse_short(PlyElement const& element) const {
        refuse_file(ply_.file, "is cut off or damaged: the header promises " + std::to_string(element.count) + " of " +
                                   excerpt(element.name) + ", the file has not that many");
    }
    Ply const& ply_;
    std::string_view left_;
};

struct Rows {
    Ply const& ply;
    PlyElement const& element;
    char const* bytes;

    // Fills every `stride`-th entry of `values` with a property; false if there is none of that name.
    template <class T>
    bool column(std::string_view name, T* values, std::size_t stride = 1) const {
        constexpr Kind kind = std::is_floating_point_v<T> ? Kind::real : Kind::whole;
        for (PlyProperty const& property : element.properties) {
            if (property.name != name) continue;
            if (property.type.kind != kind)
                refuse_file(ply.file, std::string{"the property '"} + property.name + "' is not " +
                                          (kind == Kind::real ? "float" : "uint") + ", as pliant writes it");
            for (std::size_t i = 0; i < element.count; ++i)
                std::memcpy(values + i * stride, bytes + i * element.row_size + property.offset, sizeof(T));
            return true;
        }
        return false;
    }
};

template <class T>
bool read_scalars(Rows const& rows, char const* name, std::vector<T>& values) {
    values.resize(rows.element.count);
    return rows.column(name, values.data());
}

bool read_vectors(Rows const& rows, std::array<char const*, 3> names, std::vector<Vec3f>& values) {
    static_assert(sizeof(Vec3f) == 3 * sizeof(float));
    values.resize(rows.element.count);
    int found = 0;
    for (std::size_t k = 0; k < 3; ++k)
        found += rows.column(names[k], reinterpret_cast<float*>(values.data()) + k, 3) ? 1 : 0;
    return found == 3;
}

// Every float that is not among the known ones; other types belong to other programs.
void read_channels(Rows const& rows, std::vector<Channel>& channels) {
    constexpr std::array<std::string_view, 8> others{"x", "y", "z", "vx", "vy", "vz", "s", "t"};
    std::vector<std::string_view> names;
    for (PlyProperty const& property : rows.element.properties)
        if (property.type.kind == Kind::real && std::find(others.begin(), others.end(), property.name) == others.end())
            names.push_back(property.name);
    for (std::size_t k = 0; k < names.size();) {
        Channel channel = ply_channel(std::span{names}.subspan(k));
        auto const components = static_cast<std::size_t>(channel.components);
        channel.values.resize(rows.element.count * components);
        for (std::size_t c = 0; c < components; ++c) rows.column(names[k + c], channel.values.data() + c, components);
        k += components;
        channels.push_back(std::move(channel));
    }
}

// What particles and vertices of a surface have in common.
template <class Points>
Rows read_vertices(Ply const& ply, Cursor& cursor, Points& points) {
    if (ply.header.elements.empty() || ply.header.elements[0].name != "vertex")
        refuse_file(ply.file, "does not begin with vertices");
    PlyElement const& vertex = ply.header.elements[0];
    if (vertex.has_lists) refuse_file(ply.file, "has lists at its vertices, which pliant does not write");
    Rows const rows{ply, vertex, cursor.rows(vertex)};
    if (!read_vectors(rows, {"x", "y", "z"}, points.position)) refuse_file(ply.file, "its vertices have no x, y and z");
    read_vectors(rows, {"vx", "vy", "vz"}, points.velocity);
    read_scalars(rows, "body", points.body);
    read_channels(rows, points.channels);
    points.time = ply.header.time;
    return rows;
}

bool is_corners(PlyProperty const& property) {
    return property.is_list && (property.name == "vertex_indices" || property.name == "vertex_index");
}

// Rows with lists must be walked through one by one.
void read_element(Ply const& ply, Cursor& cursor, PlyElement const& element, SurfaceMesh& mesh) {
    cursor.check_count(element);
    for (std::uint64_t row = 0; row < element.count; ++row)
        for (PlyProperty const& property : element.properties) {
            std::uint64_t const size = property.is_list ? cursor.list_size(property, element) : 1;
            char const* const values = cursor.take(size * property.type.size, element);
            if (element.name != "face" || !is_corners(property)) continue;
            if (property.type.kind != Kind::whole)
                refuse_file(ply.file, "the corners of its faces are not int, as pliant writes them");
            std::size_t const before = mesh.corner.size();
            mesh.corner.resize(before + size);
            if (size > 0) std::memcpy(mesh.corner.data() + before, values, 4 * size);
            mesh.polygon_end.push_back(static_cast<std::uint32_t>(mesh.corner.size()));
        }
}

}  // namespace

Frame read_ply_particles(path const& file) {
    Ply const ply = parse(file);
    Cursor cursor{ply};
    Frame frame;
    Rows const rows = read_vertices(ply, cursor, frame);
    if (!read_scalars(rows, "id", frame.id)) std::iota(frame.id.begin(), frame.id.end(), 0u);
    if (ply.header.elements.size() == 1) cursor.expect_end();
    return frame;
}

SurfaceMesh read_ply_surface(path const& file) {
    Ply const ply = parse(file);
    Cursor cursor{ply};
    SurfaceMesh mesh;
    Rows const rows = read_vertices(ply, cursor, mesh);
    for (std::size_t k = 1; k < ply.header.elements.size(); ++k)
        read_element(ply, cursor, ply.header.elements[k], mesh);
    cursor.expect_end();
    mesh.uv.resize(rows.element.count);
    auto* const uv = reinterpret_cast<float*>(mesh.uv.data());
    if (rows.column("s", uv, 2) && rows.column("t", uv + 1, 2))
        mesh.corner_uv = mesh.corner;
    else
        mesh.uv.clear();
    return mesh;
}

}  // namespace pliant
