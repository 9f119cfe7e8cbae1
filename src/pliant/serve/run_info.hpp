// What the page must know of a run beside its frames, as JSON: for a run of a folder, and for one that is computed
// while one watches.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/scenery.hpp>
#include <pliant/io/json.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/render/color.hpp>

#include <map>
#include <string>
#include <vector>

namespace pliant {

// Bodies in the order of their particles, with names, counts, spacing and colour.
Json bodies_info(std::vector<BodySummary> const& bodies);

// What colours can mean; `ranges` by name, those that are missing follow the frame shown.
Json fields_info(std::vector<std::string> const& names, std::vector<std::pair<std::string, std::string>> const& units,
                 std::map<std::string, render::ValueRange> const& ranges);

bool moves(SceneryCollider const& collider);

// Each with its pose, a list [x, y, z, and the rotation row by row], or one per time if it moves.
Json colliders_info(Scenery const& scenery, std::vector<double> const& times);

Json stats_info(std::vector<FrameStats> const& stats);
Json stats_row(FrameStats const& stats);  // in the order of stats_info's columns

}  // namespace pliant
