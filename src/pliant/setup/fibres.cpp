#include <pliant/scene/direction_field.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/setup/fibres.hpp>

namespace pliant {
namespace {

FibreModel from_file(FibreParameters const& fibre, BodySpec const& body, std::span<Vec3d const> rest) {
    FibreModel family{fibre.young, {}};
    Mat3d const turned = rotation_matrix(body.rotation), back = transpose(turned);
    std::vector<Vec3d> places;
    for (Vec3d const& X : rest) places.push_back(back * (X - body.position));
    for (Vec3d const& b : body.directions.at(fibre.property)->at(places))
        family.direction.push_back(cast<float>(turned * b));
    return family;
}

}  // namespace

std::vector<FibreModel> fibres_of(MaterialParameters const& material, BodySpec const& body,
                                  std::span<Vec3d const> rest) {
    std::vector<FibreModel> families;
    Mat3d const turned = rotation_matrix(body.rotation);
    for (FibreParameters const& fibre : material.fibres) {
        if (!fibre.property.empty()) {
            families.push_back(from_file(fibre, body, rest));
            continue;
        }
        FibreModel family{fibre.young, {}};
        Vec3d const axis = turned * fibre.axis;
        for (Vec3d const& X : rest) {
            Vec3d const from_centre = X - body.position, out = from_centre - dot(from_centre, axis) * axis;
            Vec3d const direction =
                !fibre.radial ? axis : (norm(out) > 1e-6 * norm(from_centre) ? normalized(out) : Vec3d{});
            family.direction.push_back(cast<float>(direction));
        }
        families.push_back(std::move(family));
    }
    return families;
}

}  // namespace pliant
