// A cut in a body at rest, from the particles that lost bonds to the blade: where the blade was as a function of the
// rest position, and back. Both are affine maps fitted to the marked particles around a point (moving least squares).
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/cell_grid.hpp>

#include <optional>
#include <vector>

namespace pliant::surface {

class CutField {
public:
    struct Mark {
        Vec3d X;   // at rest [m]
        Vec3d at;  // along the plane of the blade, and above it [m]
    };

    CutField(Cpu& exec, std::vector<Mark> marks, double spacing);

    // Along the plane of the blade, and above it, for a point of the body at rest; nothing where the blade has not been
    // within `reach` spacings.
    std::optional<Vec3d> seen(Vec3d X, double reach = usual_reach) const;
    // The rest position of a point in the plane.
    Vec3d place(double x, double y) const;

    static constexpr double usual_reach = 1.6;  // in spacings
    static constexpr double far_reach = 3.6;    // no farther than the grid's cells

private:
    std::vector<Mark> marks_;
    double spacing_;
    CellGrid at_rest_, in_plane_;
};

}  // namespace pliant::surface
