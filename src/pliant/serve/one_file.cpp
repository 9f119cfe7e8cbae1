#include <pliant/data/error.hpp>
#include <pliant/io/json.hpp>
#include <pliant/render/quantity.hpp>
#include <pliant/serve/one_file.hpp>
#include <pliant/serve/pack.hpp>
#include <pliant/serve/page.hpp>

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace pliant {
namespace {

constexpr std::size_t most_thinned_frames = 4, most_thinned_particles = 4096;

std::string deflated(std::string const& bytes) {
    uLongf size = compressBound(uLong(bytes.size()));
    std::string small(size, '\0');
    auto const* from = reinterpret_cast<Bytef const*>(bytes.data());
    if (compress2(reinterpret_cast<Bytef*>(small.data()), &size, from, uLong(bytes.size()), 6) != Z_OK)
        throw std::runtime_error("zlib could not compress the frames");
    small.resize(size);
    return small;
}

std::string base64(std::string const& bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve(4 * bytes.size() / 3 + 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63u] : '=';
    }
    return text;
}

// What is kept of a run: every `frames`-th frame and the last, every `particles`-th particle.
struct Thinning {
    std::size_t frames = 1, particles = 1;
};

struct Grid {  // of the positions of a run: x = low + q * step
    Vec3d low;
    double step = 1;
};

class RunBytes {
public:
    RunBytes(ViewedRun& run, Thinning thinning) : run_(run), thinning_(thinning), info_(Json::parse(run.info())) {
        for (std::size_t k = 0; k < run.frame_count(); k += thinning.frames) chosen_.push_back(k);
        if (chosen_.back() + 1 < run.frame_count()) chosen_.push_back(run.frame_count() - 1);
        names_ = field_names(run.particles(0)->channels);
        measure();
        for (std::size_t k = 0; k < chosen_.size(); ++k) add(k, *run.particles(chosen_[k]));
    }

    std::string const& bytes() const { return bytes_; }
    std::string note() const {
        if (thinning_.frames == 1 && thinning_.particles == 1) return "";
        std::string what;
        if (thinning_.frames > 1)
            what = std::to_string(chosen_.size()) + " of " + std::to_string(run_.frame_count()) + " frames";
        if (thinning_.particles > 1)
            what += (what.empty() ? "" : " and ") + ("1 of " + std::to_string(thinning_.particles)) + " particles";
        return info_["name"].get<std::string>() + " is shown with " + what + ", to stay within the size asked for.";
    }

    Json header(std::size_t begin) const {
        Json info = info_;
        thin(info);
        info["every"] = thinning_.particles;
        info["surface"] = false;
        if (!note().empty()) info["note"] = note();
        Json fields = Json::array(), colliders = Json::array();
        for (std::size_t f = 0; f < names_.size(); ++f)
            fields.push_back({{"name", names_[f]}, {"low", ranges_[f].first}, {"high", ranges_[f].second}});
        for (std::size_t c = 0; c < info["colliders"].size(); ++c)
            colliders.push_back(info["colliders"][c]["mesh"] ? Json(base64(run_.collider(c))) : Json(nullptr));
        return {{"info", info},       {"begin", begin},        {"count", count_},
                {"frames", chosen_},  {"fields", fields},      {"low", to_json(grid_.low)},
                {"step", grid_.step}, {"colliders", colliders}};
    }

private:
    // Times and poses of the frames that are kept; statistics stay whole.
    void thin(Json& info) const {
        auto const kept = [&](Json const& all) {
            Json some = Json::array();
            for (std::size_t k : chosen_) some.push_back(all[k]);
            return some;
        };
        info["times"] = kept(info["times"]);
        info["frames"] = kept(info["frames"]);
        for (Json& collider : info["colliders"])
            if (collider["poses"].size() > 1) collider["poses"] = kept(collider["poses"]);
    }

    void measure() {
        Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
        constexpr float most = std::numeric_limits<float>::max();
        ranges_.assign(names_.size(), {most, -most});
        for (std::size_t k : chosen_) {
            auto const frame = run_.particles(k);
            for (Vec3f const& x : frame->position)
                for (int a = 0; a < 3; ++a)
                    low[a] = std::min(low[a], double(x[a])), high[a] = std::max(high[a], double(x[a]));
            for (std::size_t f = 0; f < names_.size(); ++f)
                for (float v : render::values_of(*frame, render::quantity_named(names_[f])))
                    if (std::isfinite(v)) ranges_[f] = {std::min(ranges_[f].first, v), std::max(ranges_[f].second, v)};
        }
        for (auto& [least, largest] : ranges_)
            if (!(largest >= least)) least = largest = 0;
        double spacing = 1e300, widest = 0;
        for (Json const& body : info_["bodies"]) spacing = std::min(spacing, body["spacing"].get<double>());
        for (int a = 0; a < 3; ++a) widest = std::max(widest, high[a] - low[a]);
        grid_ = {low, std::max({spacing / 64, widest / 65535, 1e-12})};
        count_ = (run_.particles(0)->position.size() + thinning_.particles - 1) / thinning_.particles;
    }

    // Position residuals: x of all particles, then y, then z; low bytes, then high bytes. Then the fields.
    void add(std::size_t k, Frame const& frame) {
        std::string low_bytes, high_bytes;
        std::vector<std::uint16_t> now(3 * count_);
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t i = 0; i < count_; ++i) {
                std::size_t const p = a * count_ + i;
                double const x = frame.position[i * thinning_.particles][int(a)];
                now[p] = std::uint16_t(std::clamp(std::round((x - grid_.low[int(a)]) / grid_.step), 0., 65535.));
                int predicted = i > 0 ? now[p - 1] : 0;
                if (k > 0) predicted = k > 1 ? 2 * last_[p] - before_[p] : last_[p];
                auto const difference = std::int16_t(now[p] - predicted);
                auto const folded = std::uint16_t(std::uint16_t(difference << 1) ^ std::uint16_t(difference >> 15));
                low_bytes += char(folded & 255), high_bytes += char(folded >> 8);
            }
        bytes_ += low_bytes + high_bytes;
        before_ = std::move(last_), last_ = std::move(now);
        fields_.resize(names_.size() * count_, 0);
        for (std::size_t f = 0; f < names_.size(); ++f) {
            auto const values = render::values_of(frame, render::quantity_named(names_[f]));
            auto const [low, high] = ranges_[f];
            for (std::size_t i = 0; i < count_; ++i) {
                std::size_t const from = i * thinning_.particles;
                float const v = from < values.size() && std::isfinite(values[from]) ? values[from] : low;
                auto const q = std::uint8_t(high > low ? std::lround(255 * (v - low) / (high - low)) : 0);
                std::uint8_t& old = fields_[f * count_ + i];
                bytes_ += char(std::uint8_t(q - old));
                old = q;
            }
        }
    }

    ViewedRun& run_;
    Thinning thinning_;
    Json info_;
    std::vector<std::string> names_;
    std::vector<std::size_t> chosen_;
    std::vector<std::pair<float, float>> ranges_;
    Grid grid_;
    std::size_t count_ = 0;
    std::vector<std::uint16_t> last_, before_;
    std::vector<std::uint8_t> fields_;
    std::string bytes_;
};

OneFile made_with(std::vector<std::unique_ptr<ViewedRun>> const& runs, Thinning thinning) {
    OneFile file;
    Json headers = Json::array();
    std::string arrays;
    for (auto const& run : runs) {
        RunBytes const bytes(*run, thinning);
        headers.push_back(bytes.header(arrays.size()));
        arrays += bytes.bytes();
        if (!bytes.note().empty()) file.notes.push_back(bytes.note());
    }
    std::string header = headers.dump(-1, ' ', false, Json::error_handler_t::replace);
    auto const length = std::uint32_t(header.size());
    header.insert(0, reinterpret_cast<char const*>(&length), sizeof length);
    file.html = page();
    auto const put = [&](std::string const& marker, std::string const& text) {
        file.html.replace(file.html.find(marker), marker.size(), text);
    };
    put("/*start*/", "window.pliantStart={mode:'file',runs:" + std::to_string(runs.size()) + "}");
    put("<script id=\"data\" type=\"text/plain\">",
        "<script id=\"data\" type=\"text/plain\">" + base64(deflated(header + arrays)));
    return file;
}

}  // namespace

OneFile one_file(std::vector<std::unique_ptr<ViewedRun>> const& runs, double budget) {
    Thinning thinning;
    for (;;) {
        OneFile file = made_with(runs, thinning);
        if (double(file.html.size()) <= budget) return file;
        double const frames = double(file.html.size() - page().size()), room = budget - double(page().size());
        double const over = frames / room;
        if (room <= 0)
            throw InputError("--budget: the page alone has " + std::to_string(page().size() / 1000 + 1) +
                             " kB; ask for more");
        if (thinning.particles > most_thinned_particles)
            throw InputError("--budget: even with few frames and particles, page, colliders and statistics have " +
                             std::to_string(file.html.size() / 1000 + 1) + " kB; ask for more");
        if (thinning.frames < most_thinned_frames)
            thinning.frames = std::clamp(std::size_t(std::ceil(double(thinning.frames) * over)), thinning.frames + 1,
                                         most_thinned_frames);
        else
            thinning.particles *= std::max(std::size_t{2}, std::size_t(over));
    }
}

}  // namespace pliant
