// A run inside one HTML file that opens from the disk: the page, and the frames in a form made to be small.
//
// Positions are whole numbers q of one step for the whole run (a 64th of a spacing, or as fine as 16 bits allow),
// stored as what a straight motion over the last two frames does not predict; fields are 8-bit numbers of one range,
// stored as differences between frames. Both are deflated, and written in base64. What is too large is first thinned in
// time, to a quarter of the frames, then in particles. Rejected: float16, whose differences do not compress; an own
// entropy coder, since browsers inflate by themselves.
#pragma once

#include <pliant/serve/viewed_run.hpp>

#include <memory>
#include <string>
#include <vector>

namespace pliant {

struct OneFile {
    std::string html;
    std::vector<std::string> notes;  // what was left out, a sentence per run
};

// `budget` in bytes. Throws InputError when even a thinned run does not fit.
OneFile one_file(std::vector<std::unique_ptr<ViewedRun>> const& runs, double budget);

}  // namespace pliant
