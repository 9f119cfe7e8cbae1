// A level set that took long to make, kept in the user's cache folder for the next run with the same mesh at the same
// resolution. Whatever goes wrong there only costs the time of making it again.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace pliant {

class KeptLevelSet {
public:
    // What it follows from: the mesh, cells per unit of its file, nodes, and the band in which distances are known.
    KeptLevelSet(std::uint64_t fingerprint, double cells_per_unit, std::array<int, 3> nodes, float band);

    std::vector<float> read() const;  // empty if there is none
    void write(std::vector<float> const& value) const;

private:
    std::vector<std::uint64_t> key_;
    std::size_t count_;
    float band_;
    std::filesystem::path folder_, file_;  // empty: there is no cache folder
};

}  // namespace pliant
