#include <pliant/scene/shapes.hpp>
#include <pliant/setup/fibres.hpp>

namespace pliant {

std::vector<FibreModel> fibres_of(MaterialParameters const& material, BodySpec const& body,
                                  std::span<Vec3d const> rest) {
    std::vector<FibreModel> families;
    Mat3d const turned = rotation_matrix(body.rotation);
    for (FibreParameters const& fibre : material.fibres) {
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
