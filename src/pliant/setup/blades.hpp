// The blades of a scene, posed where their motions lead them.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/neighbors/blade.hpp>
#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

class Blades {
public:
    Blades(Scene const& scene, Model const& model);

    // Those at work during a step, overwritten by the next call; null: none.
    std::vector<Blade> const* over(double begin, double end);

private:
    struct Cut {
        CutSpec spec;
        Blade blade;
    };
    std::vector<Cut> cuts_;
    std::vector<Blade> at_work_;
};

}  // namespace pliant
