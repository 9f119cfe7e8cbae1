// Where the time of a run's commands went, beside that of its steps.
#pragma once

namespace pliant {

// In seconds, summed over all commands that have worked on the run.
struct RunTimes {
    double total_s = 0;    // from the start of the command
    double setup_s = 0;    // before the first step
    double output_s = 0;   // steps waiting for output
    double surface_s = 0;  // making surfaces, beside the steps
    double files_s = 0;    // writing files, beside the steps
};

}  // namespace pliant
