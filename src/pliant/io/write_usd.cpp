#include <pliant/io/bytes.hpp>
#include <pliant/io/usd_layer.hpp>
#include <pliant/io/write_usd.hpp>

#include <algorithm>

namespace pliant {

namespace {

void append_text(std::string& text, float value) { append_number(text, value); }
void append_text(std::string& text, std::uint32_t value) { text += std::to_string(value); }
void append_text(std::string& text, Vec3f const& v) {
    text += '(', append_number(text, v.x), text += ", ", append_number(text, v.y), text += ", ";
    append_number(text, v.z), text += ')';
}
void append_text(std::string& text, std::array<float, 2> const& uv) {
    text += '(', append_number(text, uv[0]), text += ", ", append_number(text, uv[1]), text += ')';
}

template <class T>
std::string list(std::vector<T> const& values) {
    std::string text = "[";
    text.reserve(values.size() * sizeof(T) * 3);
    for (T const& value : values) {
        if (text.size() > 1) text += ", ";
        append_text(text, value);
    }
    return text += ']';
}

// Two corners; `margin` [m] around the points. Without points, both are the origin.
std::string extent(std::vector<Vec3f> const& points, float margin) {
    if (points.empty()) return list(std::vector<Vec3f>(2));
    Vec3f low = points[0], high = points[0];
    for (Vec3f const& p : points)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    Vec3f const around{margin, margin, margin};
    return list(std::vector{low - around, high + around});
}

std::vector<std::uint32_t> corner_counts(SurfaceMesh const& mesh) {
    std::vector<std::uint32_t> counts(mesh.polygon_count());
    for (std::size_t p = 0; p < counts.size(); ++p)
        counts[p] = mesh.polygon_end[p] - static_cast<std::uint32_t>(mesh.polygon_begin(p));
    return counts;
}

// One per particle; empty if a spacing is missing.
std::vector<float> widths(Frame const& frame, RunFacts const& facts) {
    std::vector<float> result;
    for (std::uint32_t const body : frame.body) {
        if (body >= facts.spacing.size()) return {};
        result.push_back(static_cast<float>(facts.spacing[body]));
    }
    return result;
}

std::vector<Vec3f> vectors_of(Channel const& channel) {
    std::vector<Vec3f> vectors;
    for (std::size_t k = 0; k + 2 < channel.values.size(); k += 3)
        vectors.push_back({channel.values[k], channel.values[k + 1], channel.values[k + 2]});
    return vectors;
}

constexpr char const* symmetric[] = {"_xx", "_yy", "_zz", "_xy", "_yz", "_xz"};

std::vector<float> component_of(Channel const& channel, int component) {
    auto const count = static_cast<std::size_t>(channel.components);
    std::vector<float> values;
    for (auto k = static_cast<std::size_t>(component); k < channel.values.size(); k += count)
        values.push_back(channel.values[k]);
    return values;
}

// What particles and surfaces have in common. Symmetric matrices are six numbers; others are left out: no program shows
// them.
template <class Points>
void add_values(UsdLayer& layer, Points const& points) {
    std::size_t const count = points.position.size();
    layer.add({"point3f[] points"}, list(points.position));
    if (points.velocity.size() == count) layer.add({"vector3f[] velocities"}, list(points.velocity));
    for (Channel const& channel : points.channels) {
        if (channel.components == 1)
            layer.add({"float[] primvars:" + channel.name, "vertex"}, list(channel.values));
        else if (channel.components == 3)
            layer.add({"vector3f[] primvars:" + channel.name, "vertex"}, list(vectors_of(channel)));
        for (int k = 0; channel.components == 6 && k < 6; ++k)
            layer.add({"float[] primvars:" + channel.name + symmetric[k], "vertex"}, list(component_of(channel, k)));
    }
    if (points.body.size() == count) layer.add({"int[] primvars:body", "vertex", false}, list(points.body));
}

}  // namespace

std::string usda_bytes(SurfaceMesh const& mesh, RunFacts const& facts) {
    UsdLayer layer{"Mesh", "surface", mesh.index, facts};
    layer.add({"uniform token subdivisionScheme", "", false}, "\"none\"");  // the polygons are meant as they are
    layer.add({"float3[] extent"}, extent(mesh.position, 0));
    layer.add({"int[] faceVertexCounts", "", false}, list(corner_counts(mesh)));
    layer.add({"int[] faceVertexIndices", "", false}, list(mesh.corner));
    add_values(layer, mesh);
    if (!mesh.corner_uv.empty()) {
        layer.add({"texCoord2f[] primvars:st", "faceVarying", false}, list(mesh.uv));
        layer.add({"int[] primvars:st:indices", "", false}, list(mesh.corner_uv));
    }
    return layer.take();
}

std::string usda_bytes(Frame const& frame, RunFacts const& facts) {
    UsdLayer layer{"Points", "particles", frame.index, facts};
    std::vector<float> const width = widths(frame, facts);
    float const widest = width.empty() ? 0 : *std::max_element(width.begin(), width.end());
    layer.add({"float3[] extent"}, extent(frame.position, widest / 2));
    add_values(layer, frame);
    if (!width.empty()) layer.add({"float[] widths", "", false}, list(width));
    layer.add({"int64[] ids", "", false}, list(frame.id));
    return layer.take();
}

}  // namespace pliant
