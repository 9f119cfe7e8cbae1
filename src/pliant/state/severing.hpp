// Bonds that are severed during a run: by the blades of the scene, and where matter tears.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/neighbors/blade.hpp>
#include <pliant/neighbors/cut_stages.hpp>
#include <pliant/physics/tear.hpp>
#include <pliant/state/rest_state.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace pliant {

template <class Exec>
class Severing {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using View = typename BondsOf<Exec>::template View<false>;

public:
    Severing(Exec& exec, Model const& model, RestState<Exec>& rest) : exec_(exec), model_(model), rest_(rest) {
        for (BodyModel const& body : model.bodies) any_tears_ = any_tears_ || body.tear_stretch > 0;
    }

    bool any_tears() const { return any_tears_; }

    // At the start of a step, for the blades that are at work in it: those that have just come see where the particles
    // are. The others are forgotten.
    void start(std::vector<Blade> const& blades, Vec4d const* place) {
        std::erase_if(seen_, [&](auto const& entry) {
            return std::none_of(blades.begin(), blades.end(), [&](Blade const& b) { return b.cut == entry.first; });
        });
        for (Blade const& blade : blades) {
            auto const [entry, is_new] = seen_.try_emplace(blade.cut);
            if (!is_new) continue;
            Array<Vec4>& before = entry->second.before;
            before.resize(model_.rest.size());
            exec_.fill(before, Vec4::zero());
            for (Range body : blade.bodies)
                exec_.for_each("blade", body, SeeFromBlade{blade.now, blade.margin, place, before.data()});
        }
    }

    // At the end of a step. Severs the bonds that the blades have crossed; returns whether there are any.
    bool cut(std::vector<Blade> const& blades, Vec4d const* place) {
        if (blades.empty()) return false;
        std::vector<Blade const*> near;
        for (Blade const& blade : blades)
            if (follow(blade, place)) near.push_back(&blade);
        if (near.empty()) return finish(false);
        auto const marks = rest_.marks();
        std::vector<CutBetween> between;
        double severed = 0;
        for (Blade const* blade : near) {
            Seen const& seen = seen_.at(blade->cut);
            between.push_back({blade->outline, seen.before.data(), seen.after.data()});
            lost_to_blade_.remake(model_.rest.size());
            exec_.fill(lost_to_blade_, std::uint8_t{0});
            double to_blade = 0;
            for (Range body : blade->bodies)
                to_blade += mark("blade", body, between.back(), {marks.severed, lost_to_blade_.data()});
            if (to_blade > 0) remember(*blade, seen.after.data(), marks.lost);
            severed += to_blade;
        }
        if (severed == 0) return finish(false);
        exec_.upload(between_, between);
        rest_.sever(PartedByBlades{between_.data(), int(between.size())});
        return finish(true);
    }

    // Of the particles that have lost bonds to blades, with their numbers in place of ids.
    std::vector<CutMark> const& cut_marks() const { return cut_marks_; }

    // The same where matter tears. measure(body, pulled) gives the largest of what MeasurePull writes.
    template <class Measure>
    bool tear(Vec4d const* place, Measure const& measure) {
        if (pulled_.size() == 0) {
            pulled_.resize(model_.rest.size()), tears_.resize(model_.rest.size());
            exec_.fill(pulled_, Vec4::zero());
        }
        bool any = false;
        for (BodyModel const& body : model_.bodies)
            any = (body.tear_stretch > 0 && measure(body, pulled_.data()) > 1) || any;
        if (!any) return false;
        exec_.fill(tears_, std::uint8_t{0});
        for (BodyModel const& body : model_.bodies)
            if (body.tear_stretch > 0) mark_torn(body);
        double const severed = rest_.with_plain_bonds([&](View bonds) {
            return mark("tear", all(), TornBetween<View>{bonds, place, pulled_.data(), tears_.data()}, rest_.marks());
        });
        if (severed == 0) return false;
        rest_.sever();  // new neighbours could be across the crack, around its tip
        constexpr int most_rounds = 4;
        for (int round = 0; round < most_rounds && break_off(); ++round) rest_.sever();
        return true;
    }

    // Marks of cuts, and where the particles are as the blades at work see them.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        if (self.model_.cuts) visit("cut marks", self.cut_marks_);
        for (auto& [cut, seen] : self.seen_) visit(("blade " + std::to_string(cut)).c_str(), seen.before);
    }
    // Call before for_each_stored reads a checkpoint.
    void expect(Checkpoint const& checkpoint) {
        seen_.clear(), known_marks_.clear();
        std::string const name = "blade ";
        for (Checkpoint::Array const& array : checkpoint.arrays)
            if (array.name.starts_with(name)) seen_[std::stoul(array.name.substr(name.size()))];
    }

    std::uint64_t bytes() const {
        std::uint64_t total = pulled_.bytes() + tears_.bytes() + lost_to_blade_.bytes() + listed_.bytes() +
                              listed_seen_.bytes() + between_.bytes();
        for (auto const& [cut, seen] : seen_) total += seen.before.bytes() + seen.after.bytes();
        return total;
    }

private:
    Range all() const { return {0, Index(model_.rest.size())}; }

    void mark_torn(BodyModel const& body) {
        rest_.with_plain_bonds([&](View bonds) {
            exec_.for_each("tear", body.range, MarkTorn<View>{bonds, pulled_.data(), tears_.data()});
            return 0;
        });
    }

    // Marks the bonds of particles that are left with too few; returns whether there are any.
    bool break_off() {
        auto const marks = rest_.more_marks();
        return rest_.with_plain_bonds([&](View bonds) {
            return mark("tear", all(), BreaksOff<View>{bonds, marks.lost}, {marks.severed, spare_lost()});
        }) > 0;
    }
    // Particles that lose bonds to others that break off do not break off for that alone.
    std::uint8_t* spare_lost() {
        lost_to_blade_.remake(model_.rest.size());
        return lost_to_blade_.data();
    }

    struct Seen {  // by a blade, with the sides of the particles
        Array<Vec4> before, after;
    };

    // Returns whether the blade comes near any of its particles.
    bool follow(Blade const& blade, Vec4d const* place) {
        Seen& seen = seen_.at(blade.cut);
        if (seen.after.size() == 0) exec_.copy(seen.before.data(), seen.before.size(), seen.after);
        double near = 0;
        for (Range body : blade.bodies)
            near = std::max(near, exec_.max("blade", body, 0,
                                            FollowBlade{blade.outline, blade.next, blade.reach, blade.margin, place,
                                                        seen.before.data(), seen.after.data()}));
        return near > 0;
    }

    template <class Severs>
    double mark(char const* name, Range body, Severs const& severs, typename RestState<Exec>::Marks marks) {
        return rest_.with_plain_bonds([&](View bonds) {
            return exec_.sum(name, body, MarkSevered<View, Severs>{bonds, severs, marks.severed, marks.lost})[0];
        });
    }

    // Where particles were when they first lost a bond to a blade.
    void remember(Blade const& blade, Vec4 const* seen, std::uint8_t* lost) {
        Range const all{0, Index(model_.rest.size())};
        exec_.for_each("sever", all, AddLost{lost_to_blade_.data(), lost});
        exec_.select("sever", all, lost_to_blade_.data(), listed_);
        listed_seen_.remake(listed_.size());
        exec_.for_each("sever", {0, Index(listed_.size())}, ListSeen{listed_.data(), seen, listed_seen_.data()});
        auto const particles = exec_.on_host(listed_);
        std::vector<Index> const numbers(particles.begin(), particles.end());
        auto const where = exec_.on_host(listed_seen_);
        if (known_marks_.size() != cut_marks_.size())  // a checkpoint has been read
            for (CutMark const& m : cut_marks_) known_marks_.insert({m.cut, m.particle});
        for (std::size_t k = 0; k < numbers.size(); ++k)
            if (known_marks_.insert({std::uint32_t(blade.cut), numbers[k]}).second) {
                // A particle that has passed the plane against its side still counts as on it.
                float const side = std::copysign(1.f, where[k][3]), height = where[k][2];
                float const beside = side * height > 0 ? height : side * 0.1f * float(blade.margin);
                Vec3d const at =
                    blade.first.seen(blade.next.center + blade.next.rotation * cast<double>(where[k].xyz()));
                cut_marks_.push_back({numbers[k], std::uint32_t(blade.cut), {float(at.x), float(at.y), beside}});
            }
    }

    bool finish(bool severed) {
        for (auto& [cut, seen] : seen_) swap(seen.before, seen.after);
        return severed;
    }

    Exec& exec_;
    Model const& model_;
    RestState<Exec>& rest_;
    bool any_tears_ = false;
    std::map<std::size_t, Seen> seen_;  // by the number of the cut
    std::vector<CutMark> cut_marks_;
    // Scratch.
    std::set<std::pair<std::uint32_t, std::uint32_t>> known_marks_;  // cut and particle of the marks
    Array<std::uint8_t> lost_to_blade_;
    Array<Index> listed_;
    Array<Vec4> listed_seen_;
    Array<CutBetween> between_;
    Array<Vec4> pulled_;
    Array<std::uint8_t> tears_;
};

}  // namespace pliant
