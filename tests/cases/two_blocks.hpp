// Two blocks of one material on a floor, one dropped onto the other.
#pragma once

#include <string>

namespace pliant::test {

struct TwoBlocks {
    std::string head;      // the lines above the tables: duration, method, dt ...
    std::string material;  // its keys
    std::string position = "[0.03, 0.33, 0.02]", velocity = "[0, -1, 0]";      // of the upper block [m], [m/s]
    std::string lower_size = "spacing = 0.05", upper_size = "spacing = 0.05";  // or particles
    std::string floor = "friction = 0.5";                                      // its keys

    std::string scene() const {
        return head + "\n[materials.m]\n" + material + R"(
[[bodies]]
name = "lower"
material = "m"
shape = { box = [0.4, 0.2, 0.4] }
position = [0, 0.1, 0]
)" + lower_size +
               R"(
[[bodies]]
name = "upper"
material = "m"
shape = { box = [0.3, 0.2, 0.3] }
)" + upper_size +
               "\nposition = " + position + "\nvelocity = " + velocity +
               "\n[[colliders]]\nshape = { plane = [0, 1, 0] }\n" + floor + "\n";
    }
};

}  // namespace pliant::test
