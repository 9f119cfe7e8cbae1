#include <pliant/scene/canonical.hpp>
#include <pliant/scene/direction_field.hpp>
#include <pliant/scene/triangle_mesh.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>

namespace pliant {
namespace {

class Text {
public:
    Text& operator<<(char const* word) { return append(word); }
    Text& operator<<(std::string const& word) { return append(word); }
    Text& operator<<(std::int64_t number) { return append(std::to_string(number)); }
    Text& operator<<(double number) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17g", number == 0 ? 0.0 : number);  // -0 and 0 mean the same motion
        return append(digits);
    }
    Text& operator<<(Vec3d v) { return *this << v.x << v.y << v.z; }
    void end_line() { text_ += '\n'; }
    std::string take() { return std::move(text_); }

private:
    Text& append(std::string const& word) {
        if (!text_.empty() && text_.back() != '\n') text_ += ' ';
        text_ += word;
        return *this;
    }
    std::string text_;
};

// FNV-1a over the bits: the points of a file are part of the scene, whatever the name of the file.
std::string fingerprint(std::vector<Vec3d> const& points) {
    std::uint64_t hash = 14695981039346656037u;
    for (Vec3d p : points)
        for (int k = 0; k < 3; ++k) hash = (hash ^ std::bit_cast<std::uint64_t>(p[k])) * 1099511628211u;
    return std::to_string(hash);
}

void write(Text& text, PlaneShape const& s) { text << "plane" << s.normal << s.offset; }
void write(Text& text, SphereShape const& s) { text << "sphere" << s.radius; }
void write(Text& text, BoxShape const& s) { text << "box" << s.size; }
void write(Text& text, CylinderShape const& s) { text << "cylinder" << s.radius << s.height; }
void write(Text& text, TorusShape const& s) { text << "torus" << s.major << s.minor; }
void write(Text& text, StarShape const& s) { text << "star" << std::int64_t{s.tips} << s.outer << s.inner << s.height; }
void write(Text& text, PointsShape const& s) {
    text << "points" << static_cast<std::int64_t>(s.points.size()) << fingerprint(s.points) << s.volume;
}
void write(Text& text, MeshShape const& s) {
    text << "mesh" << static_cast<std::int64_t>(s.mesh->triangle.size()) << std::to_string(s.mesh->fingerprint)
         << s.scale;
}

void write(Text& text, SheetShape const& s) { text << "sheet" << s.x << s.z; }

void write(Text& text, Shape const& shape) {
    std::visit([&](auto const& s) { write(text, s); }, shape);
}

void write(Text& text, BoxRegion const& r) { text << r.min << r.max; }
void write(Text& text, SphereRegion const& r) { text << "sphere" << r.center << r.radius; }
void write(Text& text, CylinderRegion const& r) { text << "cylinder" << r.start << r.end << r.radius; }
void write(Text& text, HalfspaceRegion const& r) { text << "halfspace" << r.point << r.normal; }
void write(Text& text, IdsRegion const& r) {
    text << "ids";
    for (std::uint32_t id : r.ids) text << std::int64_t{id};
}

void write(Text& text, Motion const& m) {
    text << "moving" << m.velocity << m.spin << m.from << m.until;
    if (m.path.empty()) return;
    text << (m.path.smooth() ? "smooth" : "straight");
    for (PathKey const& key : m.path.keys()) text << key.time << key.position << key.rotation;
}

void write(Text& text, MaterialParameters const& m) {
    text << "material" << m.density << m.young << m.poisson << m.elasticity << m.plasticity << m.yield_stress
         << m.flow_rate << m.hardening << m.friction << std::int64_t{m.weld};
    if (m.thickening_stress > 0) text << "thickening" << m.thickening_stress;
    if (m.damping > 0) text << "damping" << m.damping;
    if (m.compaction >= 0) text << "compaction" << m.compaction;
    if (m.saturation_rate > 0) text << "saturation" << m.saturation_stress << m.saturation_rate;
    if (m.rate > 0) text << "rate" << m.rate;
    for (FibreParameters const& f : m.fibres) {
        text << "fibres" << f.axis << std::int64_t{f.radial} << f.young;
        if (!f.property.empty()) text << f.property;
    }
    if (m.tears()) text << "tear" << m.tear_stretch << m.tear_energy;
    if (m.viscosity != MaterialParameters{}.viscosity || m.sound_speed > 0 || m.surface_tension > 0)
        text << "fluid" << m.viscosity << m.sound_speed << m.surface_tension;
    if (m.shear > 0 || m.bending >= 0 || m.thickness != MaterialParameters{}.thickness)
        text << "cloth" << m.shear << m.bending << m.thickness;
    if (m.stretches != "linear") text << "stretches" << m.stretches;
}

class WriteOptions : public OptionVisitor {
public:
    explicit WriteOptions(Text& text) : text_(text) {}
    void number(char const*, double& value, Limits const&, char const*) override { text_ << value; }
    void integer(char const*, int& value, int, int, char const*) override { text_ << std::int64_t{value}; }
    void flag(char const*, bool& value, char const*) override { text_ << std::int64_t{value}; }
    void word(char const*, int& value, std::vector<std::string> const& words, char const*) override {
        text_ << words[std::size_t(value)];
    }
    void derived(char const*, double value) override { text_ << value; }

private:
    Text& text_;
};

void write(Text& text, MethodOptions const& options) {
    text << "solver";
    WriteOptions visitor(text);
    options.copy()->visit(visitor);
}

}  // namespace

std::string canonical_text(Scene const& scene) {
    Text text;
    text << "pliant scene 1 method" << scene.method << "fps" << scene.fps << "dt" << scene.dt << "gravity"
         << scene.gravity;
    if (scene.load_steps > 0) text << "static" << std::int64_t{scene.load_steps};
    text.end_line();
    if (scene.solver) write(text, *scene.solver);
    if (scene.restraint) text << "restraint" << scene.restraint->threshold << scene.restraint->full;
    text.end_line();
    for (BodySpec const& body : scene.bodies) {
        text << "body";
        write(text, body.shape);
        if (body.particles) text << "particles" << *body.particles;
        if (body.spacing) text << "spacing" << *body.spacing;
        if (body.sampling != "lattice") text << "sampling" << body.sampling;
        text << "at" << body.position << body.rotation << "moving" << body.velocity << body.spin;
        if (body.start) text << "ball" << body.start->radius;
        if (!body.self_contact) text << "no self contact";
        for (auto const& [name, material] : scene.materials)
            if (name == body.material) write(text, material);
        for (auto const& [name, field] : body.directions)
            text << "directions" << name << static_cast<std::int64_t>(field->fingerprint);
        text.end_line();
    }
    for (ColliderSpec const& collider : scene.colliders) {
        text << "collider";
        write(text, collider.shape);
        text << "at" << collider.position << collider.rotation << "friction" << collider.friction;
        write(text, collider.motion);
        text.end_line();
    }
    for (HandleSpec const& hold : scene.handles) {
        text << "handle";
        for (std::size_t b = 0; b < scene.bodies.size(); ++b)
            if (scene.bodies[b].name == hold.body) text << static_cast<std::int64_t>(b);
        std::visit([&](auto const& r) { write(text, r); }, hold.region);
        text << hold.from << hold.until;
        if (hold.force)
            text << "force" << *hold.force;
        else
            write(text, hold.motion);
        text.end_line();
    }
    for (CutSpec const& cut : scene.cuts) {
        text << "cut" << cut.width << cut.height << cut.radius << "at" << cut.position << cut.rotation;
        write(text, cut.motion);
        for (std::size_t b = 0; b < scene.bodies.size(); ++b)
            if (std::find(cut.bodies.begin(), cut.bodies.end(), scene.bodies[b].name) != cut.bodies.end())
                text << "body" << static_cast<std::int64_t>(b);
        text.end_line();
    }
    return text.take();
}

}  // namespace pliant
