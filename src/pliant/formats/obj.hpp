// Wavefront OBJ, the lines v, vt, f and usemtl of it (Wavefront Technologies, Advanced Visualizer Manual, appendix B1).
// A corner is v, v/vt, v//vn or v/vt/vn; numbers count from one, negative ones back from the latest. A backslash joins
// a line to the next.
#pragma once

#include <pliant/data/polygon_mesh.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

// Whose files: those of any program, or only what pliant writes. The latter have single precision, know no other lines,
// do not count back, and whatever they call a face is one.
enum class ObjDialect { any, pliant };

struct Obj : PolygonMesh {  // every v and vt once, in its place; objects and groups are one mesh
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();  // corner_uv of corners without
    std::vector<std::size_t> polygon_line;                                            // where each polygon stands
    std::vector<std::string> material;                                                // as named by usemtl
    std::vector<std::uint32_t> polygon_material;                                      // entry of material, or none
};

struct ObjFault {  // thrown: each reader has its own words for it
    enum class Kind { number, index, counts_back, line };
    Kind kind;
    std::size_t line;
    std::string word;  // that is none of these; empty: it is missing
};

// Corners may name vertices and texture coordinates that are not there.
Obj parse_obj(std::string_view text, ObjDialect dialect);

}  // namespace pliant
