#include <pliant/data/error.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/source.hpp>
#include <pliant/scene/tessellate.hpp>
#include <pliant/setup/make_skin.hpp>

#include <algorithm>

namespace pliant {
namespace {

// The first frame with all bodies at rest, since the skin is bound to their shapes.
Frame at_rest(Scene const& scene, Frame const& first) {
    Frame frame = first;
    std::size_t id = 0;
    for (SampledBody const& body : sample_bodies(scene))
        for (Vec3d const& X : body.position) frame.position.at(id++) = cast<float>(X);
    return frame;
}

// The particles of cloth are the vertices of its skin.
PolygonMesh polygons_of(SampledBody const& body) {
    PolygonMesh mesh;
    mesh.vertex = body.position;
    for (auto const& triangle : body.triangle) {
        mesh.corner.insert(mesh.corner.end(), triangle.begin(), triangle.end());
        mesh.end_polygon();
    }
    return mesh;
}

}  // namespace

surface::Skin make_skin(Scene const& scene, Frame const& first, std::vector<BodySummary> const& bodies, int threads) {
    std::vector<surface::SkinBody> skins;
    PolygonMesh mesh;
    std::vector<SampledBody> const sampled =
        find_method(scene.method)->cloth ? sample_bodies(scene) : std::vector<SampledBody>{};
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        BodySpec const& body = scene.bodies[b];
        double const spacing = bodies.at(b).spacing;
        if (std::holds_alternative<PointsShape>(body.shape))
            throw InputError(where(scene, body.line) + "body \"" + body.name +
                             "\": points have no surface that a skin could be made of; use output.surface = "
                             "\"levelset\"");
        if (find_method(scene.method)->cloth) {
            skins.push_back({polygons_of(sampled[b]), spacing, true});
            continue;
        }
        bool const again = b > 0 && body.shape == scene.bodies[b - 1].shape && spacing == bodies[b - 1].spacing;
        if (!again) mesh = tessellate(body.shape, spacing);
        Mat3d const R = rotation_matrix(body.rotation);
        surface::SkinBody skin{mesh, spacing};
        for (Vec3d& p : skin.mesh.vertex) p = body.position + R * p;
        skins.push_back(std::move(skin));
    }
    bool const rests = std::none_of(scene.bodies.begin(), scene.bodies.end(), [](auto const& b) { return b.start; });
    return surface::Skin(rests ? first : at_rest(scene, first), std::move(skins), threads);
}

}  // namespace pliant
