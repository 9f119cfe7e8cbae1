// A rigid motion through keys: where something is, and how it is turned, at times that somebody has given.
//
// Between keys positions are interpolated by cubic Hermite polynomials, or by straight lines. A smooth path is at rest
// at its first and last key; in between it has Fritsch and Butland's speeds ("A method for constructing local monotone
// piecewise cubic interpolants", 1984), so that it never swings beyond a key, and rests between two equal ones.
// Rotations go along R(s) = exp(w3 s^3) exp(w2 (3 s^2 - 2 s^3)) exp(w1 (1 - (1 - s)^3)) R_k (Kim, Kim and Shin, "A
// general construction scheme for unit quaternion curves", 1995), whose ends have the spins 3 w1 / h and 3 w3 / h; or
// along exp(w s) R_k, which is slerp.
//
// Between two keys that differ in one angle only, the turn is about a fixed axis and as large as the angles say, any
// number of times around. Where several angles differ it is the shortest one.
#pragma once

#include <pliant/math/mat3.hpp>

#include <span>
#include <vector>

namespace pliant {

struct PathKey {
    double time = 0;  // [s]
    Vec3d position;   // [m]
    Vec3d rotation;   // [degrees] about x, then y, then z
    bool operator==(PathKey const&) const = default;
};

struct PathPose {
    Vec3d shift;                     // [m]
    Mat3d turn = Mat3d::identity();  // about the centre of what moves
};

struct PathSpeed {
    double speed = 0, spin = 0;  // [m/s], [rad/s]
};
struct PathSpeeds {
    Vec3d velocity, spin;  // [m/s], [rad/s]
};

class KeyedPath {
public:
    KeyedPath() = default;
    // At least two keys, with ascending times.
    KeyedPath(std::span<PathKey const> keys, bool smooth);

    bool empty() const { return keys_.empty(); }
    std::vector<PathKey> const& keys() const { return keys_; }
    bool smooth() const { return smooth_; }

    PathPose at(double time) const;  // before the first key that of the first, after the last that of the last
    PathSpeeds over(double begin, double end) const;             // the mean ones, that lead from one pose to the other
    PathSpeed fastest() const;                                   // an upper limit
    std::vector<double> const& jumps() const { return jumps_; }  // when the velocity jumps [s]

    bool operator==(KeyedPath const& other) const { return keys_ == other.keys_ && smooth_ == other.smooth_; }

private:
    struct Piece {                     // from one key to the next
        double begin = 0, length = 0;  // [s]
        Vec3d start, way;              // [m]
        Vec3d leave, arrive;           // velocities at its ends [m/s]
        Mat3d turned;                  // at its begin
        Vec3d turn[3];                 // w1, w2, w3; or w, 0, 0 of a straight path [rad]
    };

    void make_smooth(std::vector<Vec3d> const& whole);  // from the turn of each piece

    std::vector<PathKey> keys_;
    bool smooth_ = false;
    std::vector<Piece> pieces_;
    std::vector<Mat3d> turned_;  // at each key
    std::vector<double> jumps_;
};

// The shortest vector whose direction and length [rad] are axis and angle of a rotation; and, of all of its vectors,
// the one that is nearest to `guess`.
Vec3d rotation_vector(Mat3d const& rotation);
Vec3d rotation_vector_near(Mat3d const& rotation, Vec3d guess);
// Whether the way from one key to the next is unclear: several angles differ, one of them by more than half a turn.
bool turns_unclearly(PathKey const& from, PathKey const& to);

}  // namespace pliant
