// A scene as plain data: what the scene file says, checked, with all defaults filled in. SI units.
// Read by scene/read.hpp, turned into particles by scene/sample.hpp, run by Simulation.
#pragma once

#include <pliant/data/method.hpp>
#include <pliant/materials/parameters.hpp>
#include <pliant/math/keyed_path.hpp>
#include <pliant/scene/region.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pliant {

struct DirectionField;
struct TriangleMesh;
struct LevelSet;

// Shapes are centred on the origin before `position` and `rotation` apply. Axes of cylinder, torus and star: y.
struct PlaneShape {  // points with dot(normal, x) < offset are inside
    Vec3d normal{0, 1, 0};
    double offset = 0;  // [m]
    bool operator==(PlaneShape const&) const = default;
};
struct SphereShape {
    double radius = 0;  // [m]
    bool operator==(SphereShape const&) const = default;
};
struct BoxShape {
    Vec3d size;  // [m]
    bool operator==(BoxShape const&) const = default;
};
struct CylinderShape {
    double radius = 0, height = 0;  // [m]
    bool operator==(CylinderShape const&) const = default;
};
struct TorusShape {
    double major = 0, minor = 0;  // R of the ring, r of the tube [m]
    bool operator==(TorusShape const&) const = default;
};
struct StarShape {  // star = [tips, outer, inner, height]
    int tips = 5;
    double outer = 0, inner = 0, height = 0;  // [m]
    bool operator==(StarShape const&) const = default;
};
struct PointsShape {
    std::filesystem::path file;
    std::vector<Vec3d> points;  // [m], as in the file
    double volume = 0;          // of all points together [m3]
    bool operator==(PointsShape const&) const = default;
};
struct MeshShape {
    std::shared_ptr<TriangleMesh const> mesh;   // in the units of the file; one for all copies
    double scale = 1;                           // [m] per unit of the file
    double volume = 0;                          // [m3]; this and the next are set by make_level_sets
    std::shared_ptr<LevelSet const> level_set;  // one for all copies
    bool operator==(MeshShape const&) const = default;
};
struct SheetShape {       // a rectangle in the plane of x and z, of cloth
    double x = 0, z = 0;  // [m]
    bool operator==(SheetShape const&) const = default;
};
using Shape = std::variant<PlaneShape, SphereShape, BoxShape, CylinderShape, TorusShape, StarShape, PointsShape,
                           MeshShape, SheetShape>;

struct Motion {            // rigid motion of a collider about its own centre, or of a handle about that of its region
    Vec3d velocity;        // [m/s]
    Vec3d spin;            // [rad/s]
    double from = 0;       // [s]
    double until = 1e300;  // [s]
    KeyedPath path = {};   // in place of a velocity and a spin; `from` and `until` are then its ends

    bool moves() const { return velocity != Vec3d{} || spin != Vec3d{} || !path.empty(); }
    PathSpeed fastest() const { return path.empty() ? PathSpeed{norm(velocity), norm(spin)} : path.fastest(); }
    PathPose at(double time) const;  // relative to the start
};

struct BallStart {      // all particles of a body at random in a ball about its centre
    double radius = 0;  // [m]
};

struct BodySpec {
    std::string name;
    std::string material;  // a key of Scene::materials
    Shape shape;
    std::optional<std::int64_t> particles;  // target count; either this or `spacing` is set
    std::optional<double> spacing;          // [m]
    std::string sampling = "lattice";       // lattice | blue-noise
    Vec3d position;                         // [m]
    Vec3d rotation;                         // [degrees] about x, then y, then z
    Vec3d velocity;                         // [m/s]
    Vec3d spin;                             // [rad/s] about the centre
    std::optional<BallStart> start = {};    // where its particles begin; none: at rest
    bool self_contact = true;               // parts of its surface touch each other
    // Of the families of fibres of its material that have a property, by name.
    std::map<std::string, std::shared_ptr<DirectionField const>> directions = {};
    int line = 0;  // in the scene file, for messages
};

struct ColliderSpec {
    Shape shape;
    Vec3d position;
    Vec3d rotation;  // [degrees]
    double friction = 0.5;
    Motion motion;
    int line = 0;
    std::string name = "";  // for forces.csv; unique
};

struct HandleSpec {
    std::string body;
    Region region;         // of rest positions [m]
    double from = 0;       // [s]
    double until = 1e300;  // [s]; afterwards the particles are free
    int line = 0;
    Motion motion{};               // zero for motion = "fixed"
    std::optional<Vec3d> force{};  // [N], shared by the particles of the region; in place of a motion
    std::string name = "";         // for forces.csv; unique, but for the copies of an array

    // Whether a particle of its body, by rest position and id, lies in the region.
    bool reaches(Vec3d X, std::uint32_t id) const { return contains(region, X, id); }
};

struct CutSpec {                      // a blade that severs the bonds it crosses
    std::vector<std::string> bodies;  // empty: all
    // Of the blade, in its own x-y plane [m]: a rectangle, or a disc if it has a radius.
    double width = 0, height = 0, radius = 0;
    Vec3d position;
    Vec3d rotation;  // [degrees]
    Motion motion;   // it cuts from motion.from until motion.until
    int line = 0;
};

struct ProbeSpec {  // reads the particle that is nearest to `point` at the start, or a region
    std::string name;
    std::optional<Vec3d> point;  // [m]
    Region region;               // of rest positions [m]; without a point
    std::string value = "mean";  // of a region: a word of words::probe_value
    bool every_step = false;     // not only at frames
    int line = 0;
};

struct OutputSpec {
    std::vector<std::string> particles{"vtp"};  // any of io's particle formats
    bool F = false;                             // write the deformation gradient too
    bool stress = false;                        // and the stress
    bool pair_forces = false;                   // and the forces between bodies
    std::string surface = "none";               // none | levelset | skin
    std::vector<std::string> meshes{"ply"};     // any of io's mesh formats; no effect without a surface
    double surface_inner = 0.3;                 // radii of the level set around particles, in spacings
    double surface_outer = 1.4;
    double checkpoints = -1;  // seconds of computing between checkpoints; negative: by what they cost
};

struct RestraintSpec {                 // of slow particles (data/restraint.hpp)
    double threshold = -1, full = -1;  // [m/s]; negative: from the scales of the scene
};

struct Scene {
    std::filesystem::path file;
    std::string title;
    std::string method = "implicit";
    double duration = 1;  // [s]
    double fps = 60;
    double dt = 0.002;           // [s]; 0: the method finds its largest stable step itself
    Vec3d gravity{0, -9.81, 0};  // [m/s2]
    ChosenOptions solver;        // [solver]: options of the method; none: its defaults
    std::vector<std::pair<std::string, MaterialParameters>> materials;
    std::vector<BodySpec> bodies;  // arrays are already expanded: one entry per copy, names get [i,j,k] appended
    std::vector<ColliderSpec> colliders;
    std::vector<HandleSpec> handles;
    std::vector<CutSpec> cuts;
    std::vector<ProbeSpec> probes;
    std::optional<RestraintSpec> restraint = {};
    int load_steps = 0;  // of a static run; 0: the run is in time
    OutputSpec output;
};

// The particles of one body at rest, in the order of their ids.
struct SampledBody {
    std::vector<Vec3d> position;  // [m], in the world, rotated and moved
    double spacing = 0;           // [m]
    double volume = 0;            // of one particle, on average [m3]: shape volume over particle count
    std::vector<std::string> warnings = {};
    // Of cloth: its triangles, and the matter of each particle over that of an average one.
    std::vector<std::array<std::uint32_t, 3>> triangle = {};
    std::vector<float> share = {};
};

}  // namespace pliant
