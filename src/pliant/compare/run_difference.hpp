// How far two runs of one scene are apart: the same particles at the same time, in spacings of their body.
#pragma once

#include <pliant/data/frame.hpp>

#include <vector>

namespace pliant {

struct RunDifference {  // NaN where the frames have not the same particles or the same time
    double particles;   // RMS distance of particles of one id [spacings]
    double center;      // distance of the centres of mass [spacings, their mean over particles]
};

// `bodies` are those of either summary.
RunDifference difference(Frame const& a, Frame const& b, std::vector<BodySummary> const& bodies);

}  // namespace pliant
