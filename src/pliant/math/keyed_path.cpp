#include <pliant/math/keyed_path.hpp>
#include <pliant/math/rotation.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {
namespace {

using std::numbers::pi;

struct Quaternion {
    double w;
    Vec3d v;
};

// Shepperd's method: the largest of the four parts is found by a root, the others by divisions through it.
Quaternion quaternion_of(Mat3d const& R) {
    double const parts[4] = {trace(R), R(0, 0), R(1, 1), R(2, 2)};
    int const most = int(std::max_element(parts, parts + 4) - parts);
    if (most == 0) {
        double const w = 0.5 * std::sqrt(1 + parts[0]);
        return {w, Vec3d{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)} / (4 * w)};
    }
    int const i = most - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    double const root = 0.5 * std::sqrt(1 + R(i, i) - R(j, j) - R(k, k));
    Quaternion q{(R(k, j) - R(j, k)) / (4 * root), {}};
    q.v[i] = root, q.v[j] = (R(i, j) + R(j, i)) / (4 * root), q.v[k] = (R(i, k) + R(k, i)) / (4 * root);
    return q;
}

// The turn from one key to the next [rad]. Where only one angle differs, its axis is fixed: z of the world, y turned
// by the last angle, or x turned by both.
Vec3d turn_between(PathKey const& from, PathKey const& to, Mat3d const& turned_from, Mat3d const& turned_to) {
    Vec3d const change = to.rotation - from.rotation;
    int const differ = int(change.x != 0) + int(change.y != 0) + int(change.z != 0);
    if (differ > 1) return rotation_vector(turned_to * transpose(turned_from));
    Vec3d const radians = change * (pi / 180);
    if (change.z != 0) return {0, 0, radians.z};
    if (change.y != 0) return rotation_matrix({0, 0, from.rotation.z}) * Vec3d{0, radians.y, 0};
    return turned_from * Vec3d{radians.x, 0, 0};
}

// The speed at a key between two pieces with the mean speeds a and b: zero at a turning point, else their harmonic
// mean, weighted by how long they last.
double speed_at_key(double a, double b, double length_a, double length_b) {
    if (a * b <= 0) return 0;
    double const near_a = 2 * length_b + length_a, near_b = length_b + 2 * length_a;
    return (near_a + near_b) / (near_a / a + near_b / b);
}

Vec3d speed_at_key(Vec3d a, Vec3d b, double length_a, double length_b) {
    Vec3d speed;
    for (int k = 0; k < 3; ++k) speed[k] = speed_at_key(a[k], b[k], length_a, length_b);
    return speed;
}

}  // namespace

Vec3d rotation_vector(Mat3d const& rotation) {
    Quaternion const q = quaternion_of(rotation);
    double const sine = norm(q.v);
    if (sine == 0) return {};
    double const half = q.w < 0 ? std::atan2(-sine, -q.w) : std::atan2(sine, q.w);
    return (2 * half / sine) * q.v;
}

Vec3d rotation_vector_near(Mat3d const& rotation, Vec3d guess) {
    Vec3d const shortest = rotation_vector(rotation);
    double const angle = norm(shortest), guessed = norm(guess);
    if (angle < 1e-12 && guessed == 0) return shortest;
    Vec3d const axis = angle < 1e-12 ? guess / guessed : shortest / angle;
    return (angle + 2 * pi * std::round((dot(guess, axis) - angle) / (2 * pi))) * axis;
}

bool turns_unclearly(PathKey const& from, PathKey const& to) {
    Vec3d const change = to.rotation - from.rotation;
    int const differ = int(change.x != 0) + int(change.y != 0) + int(change.z != 0);
    double const most = std::max({std::abs(change.x), std::abs(change.y), std::abs(change.z)});
    return differ > 1 && most > 180;
}

KeyedPath::KeyedPath(std::span<PathKey const> keys, bool smooth)
    : keys_(keys.begin(), keys.end()), smooth_(smooth), turned_(keys.size()) {
    for (std::size_t k = 0; k < keys.size(); ++k) turned_[k] = rotation_matrix(keys[k].rotation);
    std::vector<Vec3d> whole;  // turn of each piece
    for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
        PathKey const &from = keys[k], &to = keys[k + 1];
        double const length = to.time - from.time;
        Vec3d const way = to.position - from.position, mean = way / length;
        whole.push_back(turn_between(from, to, turned_[k], turned_[k + 1]));
        pieces_.push_back({from.time, length, from.position, way, mean, mean, turned_[k], {whole.back(), {}, {}}});
    }
    if (smooth) {
        make_smooth(whole);
        return;
    }
    Vec3d speed, spin;  // before a key
    for (std::size_t k = 0; k <= pieces_.size(); ++k) {
        bool const goes_on = k < pieces_.size();
        Vec3d const next = goes_on ? pieces_[k].leave : Vec3d{},
                    turn = goes_on ? whole[k] / pieces_[k].length : Vec3d{};
        if (next != speed || turn != spin) jumps_.push_back(keys[k].time);
        speed = next, spin = turn;
    }
}

void KeyedPath::make_smooth(std::vector<Vec3d> const& whole) {
    std::vector<Vec3d> spin(keys_.size());  // at each key
    for (std::size_t k = 0; k + 1 < pieces_.size(); ++k) {
        Piece &before = pieces_[k], &after = pieces_[k + 1];
        double const a = before.length, b = after.length;
        before.arrive = speed_at_key(before.way / a, after.way / b, a, b);
        spin[k + 1] = speed_at_key(whole[k] / a, whole[k + 1] / b, a, b);
    }
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
        Piece& piece = pieces_[k];
        piece.leave = k > 0 ? pieces_[k - 1].arrive : Vec3d{};
        if (k + 1 == pieces_.size()) piece.arrive = {};
        Vec3d const first = (piece.length / 3) * spin[k], last = (piece.length / 3) * spin[k + 1];
        Mat3d const between = rotation_about(-last) * turned_[k + 1] * transpose(turned_[k]) * rotation_about(-first);
        piece.turn[0] = first, piece.turn[2] = last;
        piece.turn[1] = rotation_vector_near(between, whole[k] - first - last);
    }
}

PathPose KeyedPath::at(double time) const {
    auto const after =
        std::upper_bound(keys_.begin(), keys_.end(), time, [](double t, PathKey const& key) { return t < key.time; });
    if (after == keys_.begin()) return {keys_.front().position, turned_.front()};
    auto const k = std::size_t(after - keys_.begin()) - 1;
    if (after == keys_.end() || time == keys_[k].time) return {keys_[k].position, turned_[k]};
    Piece const& piece = pieces_[k];
    double const s = (time - piece.begin) / piece.length, r = 1 - s;
    if (!smooth_) return {piece.start + s * piece.way, rotation_about(s * piece.turn[0]) * piece.turned};
    double const b[3] = {1 - r * r * r, s * s * (3 - 2 * s), s * s * s};
    PathPose pose{piece.start + b[1] * piece.way +
                      (piece.length * s * r) * (r * piece.leave - s * piece.arrive),  // Hermite's cubic
                  piece.turned};
    for (int i = 0; i < 3; ++i) pose.turn = rotation_about(b[i] * piece.turn[i]) * pose.turn;
    return pose;
}

PathSpeeds KeyedPath::over(double begin, double end) const {
    if (!(end > begin)) return {};
    PathPose const now = at(begin), next = at(end);
    return {(next.shift - now.shift) / (end - begin), rotation_vector(next.turn * transpose(now.turn)) / (end - begin)};
}

// The derivatives of s^2 (3 - 2 s), s (1 - s)^2 and -s^2 (1 - s) are at most 1.5, 1 and 1 in size; those of the
// factors of a turn 3, 1.5 and 3.
PathSpeed KeyedPath::fastest() const {
    PathSpeed most;
    for (Piece const& piece : pieces_) {
        double const mean = norm(piece.way) / piece.length;
        double const spin = (norm(piece.turn[0]) + norm(piece.turn[2])) / piece.length;
        most.speed = std::max(most.speed, smooth_ ? 1.5 * mean + norm(piece.leave) + norm(piece.arrive) : mean);
        most.spin = std::max(most.spin, smooth_ ? 3 * spin + 1.5 * norm(piece.turn[1]) / piece.length : spin);
    }
    return most;
}

}  // namespace pliant
