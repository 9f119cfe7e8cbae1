// The folder of a run as the page sees it: what there is, as JSON; frames and meshes, packed (pack.hpp). Reading is
// done on demand, so that a run that is still going shows the frames that it has by then.
#pragma once

#include <pliant/data/scenery.hpp>
#include <pliant/io/read_run.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

class ViewedRun {
public:
    // Throws InputError when the folder holds no run, or one without particles that can be read.
    explicit ViewedRun(std::filesystem::path directory);

    // Everything but frames: title, bodies, times, statistics, channels with the ranges of their colours, colliders
    // with where they are at each frame.
    std::string info();
    std::string frame(std::size_t position) const;    // packed; positions count the frames that exist
    std::string surface(std::size_t position) const;  // packed
    std::string collider(std::size_t number) const;   // packed; centred on the origin, not rotated
    // Exact values of one particle: at one frame, and over the frames of the run (121 of them if there are more).
    std::string particle(std::uint32_t id, std::size_t position) const;

    std::size_t frame_count() const { return list()->frames.size(); }
    std::shared_ptr<Frame const> particles(std::size_t position) const;  // throws InputError

private:
    std::shared_ptr<RunFiles const> list() const;

    std::filesystem::path directory_;
    std::optional<Scenery> scenery_;
    mutable std::mutex mutex_;  // of what follows
    std::shared_ptr<RunFiles const> files_;
    mutable std::vector<std::pair<std::size_t, std::shared_ptr<Frame const>>> read_;  // the frames read last
};

// Answers runs/K/{info, frames/N, surfaces/N, colliders/N, particles/ID/N}; none for all other paths.
std::optional<std::string> answer_of(std::vector<std::unique_ptr<ViewedRun>> const& runs, std::string_view path);

}  // namespace pliant
