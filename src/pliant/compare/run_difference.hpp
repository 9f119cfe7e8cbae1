// How far apart two runs of one scene are: the same particles at the same time, in spacings of their body.
#pragma once

#include <pliant/data/frame.hpp>

#include <vector>

namespace pliant {

struct RunDifference {  // NaN if the frames differ in particles or time
    double particles;   // RMS distance between particles of the same id [spacings]
    double center;      // distance between the centres of mass [spacings, averaged over particles]
};

// `bodies` are those of either summary.
RunDifference difference(Frame const& a, Frame const& b, std::vector<BodySummary> const& bodies);

}  // namespace pliant
