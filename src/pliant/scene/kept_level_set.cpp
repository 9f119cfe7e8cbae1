// Most nodes are beyond the band and hold +band or -band. The file has the key, then stretches: how many nodes hold
// +band, how many -band, how many have distances of their own (u32 each), and these distances; at last a sum over all
// of it. An armadillo of a million particles takes 30 MB. The folder keeps the newest files, at most 1 GB of them.
#include <pliant/scene/kept_level_set.hpp>
#include <pliant/scene/read_mesh.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <string>

namespace pliant {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t version = 1;  // of what a level set is made by; another one makes it anew
constexpr std::uintmax_t most_bytes = 1'000'000'000;

std::uint64_t mixed(std::uint64_t sum, std::uint64_t value) {
    return std::rotl((sum ^ value) * 0x9E3779B97F4A7C15u, 29);
}

std::uint64_t sum_of(std::vector<std::uint32_t> const& words) {
    std::uint64_t sum = words.size();
    for (std::uint32_t word : words) sum = mixed(sum, word);
    return sum;
}

// As 32-bit words.
std::vector<std::uint32_t> packed(std::vector<float> const& value, float band) {
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < value.size();) {
        auto const end_of = [&](std::size_t from, auto const& belongs) {
            std::size_t const most = std::min<std::size_t>(value.size(), from + 0xffffffffu);
            while (from < most && belongs(value[from])) ++from;
            return from;
        };
        std::size_t const outside = end_of(i, [&](float v) { return v == band; });
        std::size_t const inside = end_of(outside, [&](float v) { return v == -band; });
        std::size_t const end = end_of(inside, [&](float v) { return v != band && v != -band; });
        for (std::size_t length : {outside - i, inside - outside, end - inside})
            words.push_back(static_cast<std::uint32_t>(length));
        for (std::size_t k = inside; k < end; ++k) words.push_back(std::bit_cast<std::uint32_t>(value[k]));
        i = end;
    }
    return words;
}

// Empty if the words do not make `count` values.
std::vector<float> unpacked(std::vector<std::uint32_t> const& words, std::size_t count, float band) {
    std::vector<float> value(count);
    std::size_t i = 0, at = 0;
    while (at + 3 <= words.size()) {
        std::size_t const outside = words[at], inside = words[at + 1], own = words[at + 2];
        at += 3;
        if (i + outside + inside + own > count || at + own > words.size()) return {};
        std::fill_n(value.begin() + std::ptrdiff_t(i), outside, band);
        std::fill_n(value.begin() + std::ptrdiff_t(i + outside), inside, -band);
        i += outside + inside;
        if (own > 0) std::memcpy(&value[i], &words[at], own * sizeof(float));
        i += own, at += own;
    }
    if (i != count) value.clear();
    return value;
}

// Removes the oldest files beyond the most that is kept.
void tidy(fs::path const& folder) {
    struct Kept {
        fs::file_time_type time;
        std::uintmax_t bytes;
        fs::path path;
    };
    std::vector<Kept> all;
    for (fs::directory_entry const& entry : fs::directory_iterator{folder})
        if (entry.is_regular_file()) all.push_back({entry.last_write_time(), entry.file_size(), entry.path()});
    std::sort(all.begin(), all.end(), [](Kept const& a, Kept const& b) { return a.time > b.time; });
    std::uintmax_t bytes = 0;
    std::error_code ignored;
    for (Kept const& kept : all)
        if ((bytes += kept.bytes) > most_bytes) fs::remove(kept.path, ignored);
}

}  // namespace

KeptLevelSet::KeptLevelSet(std::uint64_t fingerprint, double cells_per_unit, std::array<int, 3> nodes, float band)
    : key_{version,
           fingerprint,
           std::bit_cast<std::uint64_t>(cells_per_unit),
           std::uint64_t(nodes[0]),
           std::uint64_t(nodes[1]),
           std::uint64_t(nodes[2]),
           std::bit_cast<std::uint32_t>(band)},
      count_(std::size_t(nodes[0]) * std::size_t(nodes[1]) * std::size_t(nodes[2])),
      band_(band) {
    if (fs::path const cache = cache_folder(); cache.is_absolute()) folder_ = cache / "level-sets";
    std::uint64_t name = 0;
    for (std::uint64_t part : key_) name = mixed(name, part);
    if (!folder_.empty()) (file_ = folder_ / std::to_string(name)) += ".levelset";
}

std::vector<float> KeptLevelSet::read() const {
    std::error_code none;
    auto const bytes = file_.empty() ? 0 : fs::file_size(file_, none);
    std::size_t const around = (key_.size() + 1) * sizeof(std::uint64_t);
    if (none || bytes < around || (bytes - around) % sizeof(std::uint32_t) != 0) return {};
    std::ifstream stream(file_, std::ios::binary);
    std::vector<std::uint64_t> key(key_.size());
    std::vector<std::uint32_t> words((bytes - around) / sizeof(std::uint32_t));
    std::uint64_t sum = 0;
    auto const take = [&](auto* to, std::size_t count) {
        stream.read(reinterpret_cast<char*>(to), std::streamsize(count * sizeof *to));
    };
    take(key.data(), key.size()), take(words.data(), words.size()), take(&sum, 1);
    if (!stream || key != key_ || sum != sum_of(words)) return {};
    fs::last_write_time(file_, fs::file_time_type::clock::now(), none);  // it was needed
    return unpacked(words, count_, band_);
}

void KeptLevelSet::write(std::vector<float> const& value) const {
    if (file_.empty()) return;
    std::error_code failed;
    fs::create_directories(folder_, failed);
    fs::path partial = file_;
    partial += ".partial" + std::to_string(::getpid());
    std::vector<std::uint32_t> const words = packed(value, band_);
    std::uint64_t const sum = sum_of(words);
    std::ofstream stream(partial, std::ios::binary);
    auto const put = [&](auto const* from, std::size_t count) {
        stream.write(reinterpret_cast<char const*>(from), std::streamsize(count * sizeof *from));
    };
    put(key_.data(), key_.size()), put(words.data(), words.size()), put(&sum, 1);
    stream.close();
    if (stream) fs::rename(partial, file_, failed);
    if (!stream || failed)
        fs::remove(partial, failed);
    else
        try {
            tidy(folder_);
        } catch (fs::filesystem_error const&) {  // another program tidies too
        }
}

}  // namespace pliant
