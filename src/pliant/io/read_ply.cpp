#include <pliant/io/input.hpp>
#include <pliant/io/read_ply.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

namespace pliant {

namespace {

using std::filesystem::path;

static_assert(std::endian::native == std::endian::little, "the values are taken as they lie in the file");

enum class Kind { whole, real, other };  // of four bytes and an integer, of four bytes and a float, anything else

struct Type {
    std::size_t size = 0;  // [bytes]; 0: no type
    Kind kind = Kind::other;
};

struct Property {
    std::string name;
    Type type, count_type;  // the latter of lists
    bool is_list = false;
    std::size_t offset = 0;  // in a row without lists [bytes]
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
    bool has_lists = false;
    std::size_t row_size = 0;  // [bytes], the least where there are lists
};

struct Ply {
    path const& file;
    std::string bytes;
    double time = 0;
    std::vector<Element> elements;
    std::size_t data = 0;  // where they begin
};

Type type_named(std::string_view name) {
    if (name == "char" || name == "uchar" || name == "int8" || name == "uint8") return {1, Kind::other};
    if (name == "short" || name == "ushort" || name == "int16" || name == "uint16") return {2, Kind::other};
    if (name == "int" || name == "uint" || name == "int32" || name == "uint32") return {4, Kind::whole};
    if (name == "float" || name == "float32") return {4, Kind::real};
    if (name == "double" || name == "float64") return {8, Kind::other};
    return {};
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view blanks = " \t\r";
    for (std::size_t start = line.find_first_not_of(blanks); start != line.npos;) {
        std::size_t const end = std::min(line.find_first_of(blanks, start), line.size());
        words.push_back(line.substr(start, end - start));
        start = line.find_first_not_of(blanks, end);
    }
    return words;
}

void add_property(Ply& ply, std::vector<std::string_view> const& words) {
    Property property;
    property.is_list = words[1] == "list";
    if (ply.elements.empty() || words.size() != (property.is_list ? 5 : 3))
        refuse_file(ply.file, "is damaged: a property of the header is not one");
    property.name = words.back();
    property.type = type_named(words[words.size() - 2]);
    if (property.is_list) property.count_type = type_named(words[2]);
    bool const countable = property.count_type.size % 8 != 0 && property.count_type.kind != Kind::real;
    if (property.type.size == 0 || (property.is_list && !countable))
        refuse_file(ply.file, "the property '" + excerpt(property.name) + "' is of an unknown type");
    Element& element = ply.elements.back();
    for (Property const& other : element.properties)
        if (other.name == property.name) refuse_file(ply.file, "has the property '" + excerpt(other.name) + "' twice");
    property.offset = element.row_size;
    element.row_size += property.is_list ? property.count_type.size : property.type.size;
    element.has_lists = element.has_lists || property.is_list;
    element.properties.push_back(property);
}

void check_format(Ply const& ply, std::vector<std::string_view> const& words) {
    if (words.size() != 3 || words[1] != "binary_little_endian")
        refuse_file(ply.file, "is a PLY of format " + excerpt(words.size() > 1 ? words[1] : "(none)") +
                                  "; only binary_little_endian, as pliant writes it, can be read here");
}

void add_header_line(Ply& ply, std::vector<std::string_view> const& words) {
    if (words.empty() || words[0] == "obj_info") return;
    if (words[0] == "comment") {
        if (words.size() == 3 && words[1] == "time") ply.time = number_in<double>(words[2]).value_or(0);
    } else if (words[0] == "format") {
        check_format(ply, words);
    } else if (words[0] == "element" && words.size() == 3) {
        auto const count = number_in<std::uint64_t>(words[2]);
        if (!count) refuse_file(ply.file, "'" + excerpt(words[2]) + "' is no number of elements");
        for (Element const& other : ply.elements)
            if (other.name == words[1]) refuse_file(ply.file, "has the element '" + excerpt(words[1]) + "' twice");
        ply.elements.push_back({std::string{words[1]}, *count, {}, false, 0});
    } else if (words[0] == "property" && words.size() >= 3) {
        add_property(ply, words);
    } else {
        refuse_file(ply.file, "is damaged: its header has a line '" + excerpt(words[0]) + "'");
    }
}

Ply parse_header(path const& file) {
    Ply ply{file, read_bytes(file), 0, {}, 0};
    std::string_view const all = ply.bytes;
    bool has_format = false;
    for (std::size_t start = 0;; start = ply.data) {
        std::size_t const end = all.find('\n', start);
        std::string_view const line = all.substr(start, end - start);
        if (start == 0 && line != "ply" && line != "ply\r")
            refuse_file(file, "is not a PLY file (it does not begin with 'ply')");
        if (end == all.npos) refuse_file(file, "ends within its header");
        ply.data = end + 1;
        auto const words = words_of(line);
        if (start == 0) continue;
        if (words == std::vector<std::string_view>{"end_header"}) break;
        has_format = has_format || (!words.empty() && words[0] == "format");
        add_header_line(ply, words);
    }
    if (!has_format) refuse_file(file, "is damaged: its header names no format");
    return ply;
}

// Goes through the data of the elements and never beyond their end.
class Cursor {
public:
    explicit Cursor(Ply const& ply) : ply_(ply), left_(std::string_view{ply.bytes}.substr(ply.data)) {}

    char const* take(std::uint64_t size, Element const& element) {
        if (size > left_.size()) refuse_short(element);
        char const* const bytes = left_.data();
        left_.remove_prefix(size);
        return bytes;
    }
    // All rows at once; the count of the header is only believed when the file has that many bytes.
    char const* rows(Element const& element) {
        check_count(element);
        return take(element.count * element.row_size, element);
    }
    void check_count(Element const& element) const {
        if (element.count == 0) return;
        if (element.row_size == 0)
            refuse_file(ply_.file, "is damaged: the element '" + excerpt(element.name) + "' has no properties");
        if (element.count > left_.size() / element.row_size) refuse_short(element);
    }
    std::uint64_t list_size(Property const& list, Element const& element) {
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
    [[noreturn]] void refuse_short(Element const& element) const {
        refuse_file(ply_.file, "is cut off or damaged: the header promises " + std::to_string(element.count) + " of " +
                                   excerpt(element.name) + ", the file has not that many");
    }
    Ply const& ply_;
    std::string_view left_;
};

struct Rows {
    Ply const& ply;
    Element const& element;
    char const* bytes;

    // Fills every `stride`-th entry of `values` with a property; false when there is none of that name.
    template <class T>
    bool column(std::string_view name, T* values, std::size_t stride = 1) const {
        constexpr Kind kind = std::is_floating_point_v<T> ? Kind::real : Kind::whole;
        for (Property const& property : element.properties) {
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

// What particles and vertices of a surface have in common.
template <class Points>
Rows read_vertices(Ply const& ply, Cursor& cursor, Points& points) {
    if (ply.elements.empty() || ply.elements[0].name != "vertex") refuse_file(ply.file, "does not begin with vertices");
    Element const& vertex = ply.elements[0];
    if (vertex.has_lists) refuse_file(ply.file, "has lists at its vertices, which pliant does not write");
    Rows const rows{ply, vertex, cursor.rows(vertex)};
    if (!read_vectors(rows, {"x", "y", "z"}, points.position)) refuse_file(ply.file, "its vertices have no x, y and z");
    read_vectors(rows, {"vx", "vy", "vz"}, points.velocity);
    read_scalars(rows, "body", points.body);
    read_scalars(rows, "von_mises", points.von_mises);
    read_scalars(rows, "plastic_strain", points.plastic_strain);
    points.time = ply.time;
    return rows;
}

void read_gradients(Rows const& rows, std::vector<Mat3f>& F) {
    constexpr std::array entries{"F_xx", "F_xy", "F_xz", "F_yx", "F_yy", "F_yz", "F_zx", "F_zy", "F_zz"};
    std::vector<float> values(9 * rows.element.count);
    for (std::size_t k = 0; k < 9; ++k)
        if (!rows.column(entries[k], values.data() + k, 9)) return;
    F.resize(rows.element.count);
    for (std::size_t i = 0; i < F.size(); ++i)
        for (std::size_t k = 0; k < 9; ++k) F[i](static_cast<int>(k / 3), static_cast<int>(k % 3)) = values[9 * i + k];
}

bool is_corners(Property const& property) {
    return property.is_list && (property.name == "vertex_indices" || property.name == "vertex_index");
}

// Rows with lists must be walked through one by one.
void read_element(Ply const& ply, Cursor& cursor, Element const& element, SurfaceMesh& mesh) {
    cursor.check_count(element);
    for (std::uint64_t row = 0; row < element.count; ++row)
        for (Property const& property : element.properties) {
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
    Ply const ply = parse_header(file);
    Cursor cursor{ply};
    Frame frame;
    Rows const rows = read_vertices(ply, cursor, frame);
    if (!read_scalars(rows, "id", frame.id)) std::iota(frame.id.begin(), frame.id.end(), 0u);
    read_gradients(rows, frame.F);
    if (ply.elements.size() == 1) cursor.expect_end();
    return frame;
}

SurfaceMesh read_ply_surface(path const& file) {
    Ply const ply = parse_header(file);
    Cursor cursor{ply};
    SurfaceMesh mesh;
    Rows const rows = read_vertices(ply, cursor, mesh);
    for (std::size_t k = 1; k < ply.elements.size(); ++k) read_element(ply, cursor, ply.elements[k], mesh);
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
