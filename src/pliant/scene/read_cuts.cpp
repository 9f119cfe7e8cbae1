// [[cuts]].
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

namespace pliant {
namespace {

void read_blade(Value const& table, CutSpec& cut) {
    Fields const fields(table, {"rectangle", "disc"});
    Value const *rectangle = fields.find("rectangle"), *disc = fields.find("disc");
    if (!rectangle == !disc)
        fail(table, std::string(rectangle ? "has both a rectangle and a disc; keep one" : "has no shape") +
                        ": { rectangle = [width, height] } or { disc = radius }");
    if (disc) cut.radius = number_of(*disc, above(0));
    if (rectangle) {
        auto const sizes = numbers_of(*rectangle, 2, above(0));
        cut.width = sizes[0], cut.height = sizes[1];
    }
}

}  // namespace

void read_cuts(Value const& list, Scene& scene) {
    for (Value const& table : tables_of(list)) {
        Fields const fields(table, {"body", "blade", "position", "rotation", "motion"});
        CutSpec cut;
        cut.line = table.line;
        read_blade(fields.require("blade", "{ rectangle = [width, height] } or { disc = radius }"), cut);
        if (Value const* name = fields.find("body")) cut.bodies = bodies_named(*name, scene);
        fields.read("position", cut.position);
        fields.read("rotation", cut.rotation);
        if (Value const* motion = fields.find("motion")) cut.motion = read_motion(*motion);
        scene.cuts.push_back(std::move(cut));
    }
}

}  // namespace pliant
