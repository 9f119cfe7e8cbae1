#include <pliant/data/error.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/scene/tessellate.hpp>
#include <pliant/setup/make_skin.hpp>

namespace pliant {

surface::Skin make_skin(Scene const& scene, Frame const& first, std::vector<BodySummary> const& bodies, int threads) {
    std::vector<surface::SkinBody> skins;
    PolygonMesh mesh;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        BodySpec const& body = scene.bodies[b];
        double const spacing = bodies.at(b).spacing;
        if (std::holds_alternative<PointsShape>(body.shape))
            throw InputError(where(scene, body.line) + "body \"" + body.name +
                             "\": points have no surface that a skin could be made of; use output.surface = "
                             "\"levelset\"");
        bool const again = b > 0 && body.shape == scene.bodies[b - 1].shape && spacing == bodies[b - 1].spacing;
        if (!again) mesh = tessellate(body.shape, spacing);
        Mat3d const R = rotation_matrix(body.rotation);
        surface::SkinBody skin{mesh, spacing};
        for (Vec3d& p : skin.mesh.vertex) p = body.position + R * p;
        skins.push_back(std::move(skin));
    }
    return surface::Skin(first, std::move(skins), threads);
}

}  // namespace pliant
