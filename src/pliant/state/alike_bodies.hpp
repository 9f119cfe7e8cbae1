// Bodies that follow one another and differ in nothing that a stage reads, so that one launch serves them all: on a GPU
// 324 launches of a stage for 324 small rings take far longer than their work.
#pragma once

#include <pliant/data/model.hpp>

#include <vector>

namespace pliant {

struct AlikeBodies {
    BodyModel const* first;
    Range range;  // of all their particles
};

inline bool alike(BodyModel const& a, BodyModel const& b) {
    return a.parameters == b.parameters && a.volume == b.volume && a.tear_stretch == b.tear_stretch;
}

inline std::vector<AlikeBodies> alike_bodies(std::vector<BodyModel> const& bodies) {
    std::vector<AlikeBodies> all;
    for (BodyModel const& body : bodies)
        if (!all.empty() && all.back().range.end == body.range.begin && alike(*all.back().first, body))
            all.back().range.end = body.range.end;
        else
            all.push_back({&body, body.range});
    return all;
}

}  // namespace pliant
