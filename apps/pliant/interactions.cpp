#include "interactions.hpp"

#include <pliant/data/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/resolved.hpp>
#include <pliant/scene/shapes.hpp>

#include <algorithm>
#include <cstdio>

namespace pliant::app {

void Interactions::apply(Simulation& simulation, Interaction const& interaction) {
    if (interaction.set.empty()) {
        hand_ = interaction.hand;
        return;
    }
    overrides_.push_back(interaction.set);
    try {
        simulation.change(read_scene(scene_, overrides_));
    } catch (InputError const&) {  // the values do not go together: as before
        overrides_.pop_back();
        throw;
    }
    held_ = false;
}

void Interactions::before_frame(Simulation& simulation) {
    if (hand_.is_free() && !held_) return;
    simulation.hold(hand_);
    held_ = !hand_.is_free();
}

void Replay::before_frame(Simulation& simulation) {
    auto const& all = recording_.interactions;
    for (; next_ < all.size() && all[next_].frame <= simulation.frame_index(); ++next_) try {
            interactions_.apply(simulation, all[next_]);
        } catch (InputError const& error) {
            throw InputError("the recording sets '" + all[next_].set + "' at frame " +
                             std::to_string(all[next_].frame) + ": " + error.what());
        }
    interactions_.before_frame(simulation);
}

std::string scene_with_ball(std::filesystem::path const& file, std::vector<std::string> const& overrides, bool quick) {
    Scene const scene = read_scene(file, overrides);
    std::vector<std::string> usual;
    if (quick && scene.method == "implicit") usual.push_back("solver.tolerance=0.001");
    std::string const text = resolved_scene(file, overrides, usual);
    for (ColliderSpec const& collider : scene.colliders)
        if (collider.name == Hand::ball_name) return text;
    double size = 0;  // of the largest body
    for (BodySpec const& body : scene.bodies) size = std::max(size, norm(half_extent(body.shape)));
    Vec3d const up = norm(scene.gravity) > 0 ? -normalized(scene.gravity) : Vec3d{0, 1, 0};
    Vec3d const parked = 1000 * size * up;
    char table[400];
    std::snprintf(table, sizeof table,
                  "\n[[colliders]]\nname = \"%s\"\nshape = { sphere = %.9g }\nposition = [%.9g, %.9g, %.9g]\n"
                  "friction = 0.2\n",
                  Hand::ball_name, 0.22 * size, parked.x, parked.y, parked.z);
    return text + table;
}

}  // namespace pliant::app
