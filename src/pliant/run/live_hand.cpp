#include <pliant/run/live_hand.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {

LiveHand::LiveHand(Scene const& scene, std::vector<std::uint32_t> const& id_of)
    : id_of_(id_of), number_of_(id_of.size()), gravity_(std::max(9.81, norm(scene.gravity))) {
    for (std::size_t i = 0; i < id_of.size(); ++i) number_of_[id_of[i]] = Index(i);
    for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
        auto const* sphere = std::get_if<SphereShape>(&scene.colliders[c].shape);
        if (scene.colliders[c].name != Hand::ball_name || sphere == nullptr) continue;
        ball_ = int(c), ball_radius_ = sphere->radius;
        parked_ = from_ = to_ = scene.colliders[c].position;
    }
}

bool LiveHand::take(Hand const& hand, Frame const& frame, Model const& model, double h) {
    bool const other =
        hand.grab.has_value() != hand_.grab.has_value() ||
        (hand.grab && (hand.grab->particle != hand_.grab->particle || hand.grab->radius != hand_.grab->radius));
    move_ball(hand, frame, model);
    hand_ = hand;
    if (other) {
        pulled_.clear();
        if (hand.grab && hand.grab->particle < number_of_.size()) choose(*hand.grab, frame, model);
    }
    acceleration_ = {};
    if (!pulled_.empty()) pull(*hand.grab, frame, h);
    return other;
}

// All particles of the body within the radius, at least the nearest neighbours.
void LiveHand::choose(Hand::Grab const& grab, Frame const& frame, Model const& model) {
    Index const grabbed = number_of_[grab.particle];
    BodyModel const* of = &model.bodies.front();
    for (BodyModel const& body : model.bodies)
        if (grabbed >= body.range.begin && grabbed < body.range.end) of = &body;
    double const radius = std::max(grab.radius, 1.8 * of->spacing);
    Vec3d const center = cast<double>(frame.position[grab.particle]);
    offset_ = {};
    for (Index i = of->range.begin; i < of->range.end; ++i) {
        Vec3d const away = cast<double>(frame.position[id_of_[i]]) - center;
        if (norm_squared(away) > radius * radius) continue;
        pulled_.push_back(i);
        offset_ += away;
    }
    offset_ = offset_ / double(pulled_.size());
    double const body_mass = of->mass * of->range.size(), held_mass = of->mass * double(pulled_.size());
    double force = 30 * body_mass * gravity_;
    if (of->parameters.young > 0)
        force = std::min(force, 4 * of->parameters.young * std::numbers::pi * radius * radius);
    strongest_ = force / held_mass;
}

void LiveHand::pull(Hand::Grab const& grab, Frame const& frame, double h) {
    Vec3d x, v;
    for (Index i : pulled_) {
        x += cast<double>(frame.position[id_of_[i]]);
        v += cast<double>(frame.velocity[id_of_[i]]);
    }
    x = x / double(pulled_.size()), v = v / double(pulled_.size());
    Vec3d const reach = grab.target + offset_ - x - h * v;
    Vec3d a = ((4 / (h * h)) * reach - (1 / h) * v) / 6;
    if (double const size = norm(a); size > strongest_) a = (strongest_ / size) * a;
    acceleration_ = cast<float>(a);
}

void LiveHand::move_ball(Hand const& hand, Frame const& frame, Model const& model) {
    if (ball_ < 0) return;
    from_ = to_;
    if (!hand.ball) {
        from_ = to_ = parked_;
        return;
    }
    if (!hand_.ball) {  // appears: on the viewer's side of all particles
        Vec3d const toward = hand.ball->toward;
        double spacing = 0, out = 0;
        for (BodyModel const& body : model.bodies) spacing = std::max(spacing, body.spacing);
        for (Vec3f const& place : frame.position) {
            Vec3d const x = cast<double>(place) - hand.ball->center;
            double const along = dot(x, toward), reach = ball_radius_ + spacing;
            double const side = norm_squared(x) - along * along;
            if (side < reach * reach) out = std::max(out, along + std::sqrt(reach * reach - side));
        }
        from_ = to_ = hand.ball->center + out * toward;
        return;
    }
    Vec3d const way = hand.ball->center - from_;
    double const most = 0.2 * ball_radius_;
    to_ = from_ + (norm(way) > most ? (most / norm(way)) * way : way);
}

}  // namespace pliant
