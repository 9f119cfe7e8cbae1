// Some of the bodies of a model, as what stages run over: all particles while all bodies are chosen, else a compact
// list of the particles of those that are. It is made anew when the choice changes, and lists particles in ascending
// order, so that the chosen ones of a range of bodies are consecutive in it.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/exec/domain.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pliant {

template <class Exec>
class ChosenBodies {
public:
    explicit ChosenBodies(Model const& model) : model_(model) {
        chosen_.assign(model.bodies.size(), 1);
        count();
    }

    void choose(Exec& exec, std::vector<std::uint8_t> const& chosen) {
        chosen_ = chosen;
        count();
        if (everything()) return;
        std::vector<Index> particles;
        particles.reserve(size());
        for (std::size_t b = 0; b < chosen_.size(); ++b)
            for (Index i = model_.bodies[b].range.begin; chosen_[b] && i < model_.bodies[b].range.end; ++i)
                particles.push_back(i);
        exec.upload(list_, particles);
    }

    bool everything() const { return size() == Index(model_.rest.size()); }
    bool holds(std::size_t body) const { return chosen_[body] != 0; }
    std::vector<std::uint8_t> const& bodies() const { return chosen_; }
    Index size() const { return before_.back(); }  // particles

    Domain all() const { return of({0, Index(model_.rest.size())}); }
    // The chosen ones of a range of bodies.
    Domain of(Range bodies) const {
        if (everything()) return bodies;
        Index const begin = before_[number_of(bodies.begin)];
        return IndexList{list_.data() + begin, before_[number_of(bodies.end)] - begin};
    }
    // The position of a body's first particle among the chosen ones.
    Index before(std::size_t body) const { return before_[body]; }

    std::uint64_t bytes() const { return list_.bytes(); }

private:
    void count() {
        before_.assign(1, 0);
        for (std::size_t b = 0; b < chosen_.size(); ++b)
            before_.push_back(before_.back() + (chosen_[b] ? model_.bodies[b].range.size() : 0));
    }
    // The number of the first body that begins at or after a particle.
    std::size_t number_of(Index particle) const {
        auto const from = std::partition_point(model_.bodies.begin(), model_.bodies.end(),
                                               [&](BodyModel const& body) { return body.range.begin < particle; });
        return std::size_t(from - model_.bodies.begin());
    }

    Model const& model_;
    std::vector<std::uint8_t> chosen_;  // of each body
    std::vector<Index> before_;         // chosen particles before each body, and all of them
    typename Exec::template Buffer<Index> list_;
};

}  // namespace pliant
