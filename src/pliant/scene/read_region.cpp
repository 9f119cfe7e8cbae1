// The region of a handle or a probe.
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

#include <algorithm>

namespace pliant {
namespace {

BoxRegion read_box(Value const& box) {
    Fields const corners(box, {"min", "max"});
    BoxRegion const region{vector_of(corners.require("min")), vector_of(corners.require("max"))};
    for (int k = 0; k < 3; ++k)
        if (region.min[k] > region.max[k])
            fail(box, std::string("min must not exceed max, but along ") + "xyz"[k] + " " + in_words(region.min[k]) +
                          " > " + in_words(region.max[k]));
    return region;
}

SphereRegion read_sphere(Value const& sphere) {
    Fields const fields(sphere, {"center", "radius"});
    return {vector_of(fields.require("center")), number_of(fields.require("radius"), above(0))};
}

CylinderRegion read_cylinder(Value const& cylinder) {
    Fields const fields(cylinder, {"start", "end", "radius"});
    std::string const hint = "a cylinder is { start = [x, y, z], end = [x, y, z], radius = r }";
    CylinderRegion const region{vector_of(fields.require("start", hint)), vector_of(fields.require("end", hint)),
                                number_of(fields.require("radius", hint), above(0))};
    if (region.start == region.end) fail(cylinder, "start and end are the same point; the axis needs a length");
    return region;
}

HalfspaceRegion read_halfspace(Value const& halfspace) {
    Fields const fields(halfspace, {"point", "normal"});
    HalfspaceRegion const region{vector_of(fields.require("point")), vector_of(fields.require("normal"))};
    if (region.normal == Vec3d{}) fail(halfspace, "normal must not be zero; it points into the region");
    return region;
}

IdsRegion read_ids(Value const& list) {
    if (list.kind != Value::Kind::list || list.children.empty())
        fail(list, "must be a list of one or more particle ids, as frames have them");
    IdsRegion region;
    for (Value const& id : list.children)
        region.ids.push_back(static_cast<std::uint32_t>(integer_of(id, 0, particle_limit - 1)));
    std::sort(region.ids.begin(), region.ids.end());
    auto const twice = std::adjacent_find(region.ids.begin(), region.ids.end());
    if (twice != region.ids.end()) fail(list, "the id " + std::to_string(*twice) + " is listed twice");
    return region;
}

}  // namespace

Region read_region(Value const& table) {
    Fields const fields(table, {"box", "sphere", "cylinder", "halfspace", "ids"});
    if (table.children.empty()) return BoxRegion{};  // everything
    if (table.children.size() > 1) fail(table, "has several shapes; keep one of box, sphere, cylinder, halfspace, ids");
    if (Value const* sphere = fields.find("sphere")) return read_sphere(*sphere);
    if (Value const* cylinder = fields.find("cylinder")) return read_cylinder(*cylinder);
    if (Value const* halfspace = fields.find("halfspace")) return read_halfspace(*halfspace);
    if (Value const* ids = fields.find("ids")) return read_ids(*ids);
    return read_box(fields.require("box"));
}

}  // namespace pliant
