// Wavefront OBJ, its lines v, vt, f and usemtl (Wavefront Technologies, Advanced Visualizer Manual, appendix B1). A
// corner is v, v/vt, v//vn or v/vt/vn; indices count from one, negative ones back from the latest. A backslash joins a
// line to the next.
#pragma once

#include <pliant/data/polygon_mesh.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

// Whose files: those of any program, or only those that pliant writes. The latter have single precision, no unknown
// lines and no negative indices, and each `f` line is a polygon, however few its corners.
enum class ObjDialect { any, pliant };

struct Obj : PolygonMesh {  // every v and vt once, in order; objects and groups become one mesh
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();  // no coordinates or material
    std::vector<std::size_t> polygon_line;                                            // line of each polygon
    std::vector<std::string> material;                                                // names given by usemtl
    std::vector<std::uint32_t> polygon_material;                                      // index into material, or none
};

struct ObjFault {  // thrown: each reader words its own message
    enum class Kind { number, index, counts_back, line };
    Kind kind;
    std::size_t line;
    std::string word;  // the offending word; empty: it is missing
};

// Corners may name vertices and texture coordinates that do not exist.
Obj parse_obj(std::string_view text, ObjDialect dialect);

}  // namespace pliant
