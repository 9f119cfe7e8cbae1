#include <pliant/io/bytes.hpp>
#include <pliant/io/usd_layer.hpp>
#include <pliant/io/write_atomically.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <stdexcept>

namespace pliant {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view indent = "    ";
constexpr std::string_view samples_follow = ".timeSamples = {";
constexpr std::string_view start_key = "    startTimeCode = ", end_key = "    endTimeCode = ";
constexpr std::string_view interpolation_key = "        interpolation = ";

std::string metadata(UsdAttribute const& attribute) {
    return std::string{" (\n"} + std::string{interpolation_key} + "\"" + attribute.interpolation + "\"\n    )\n";
}

// The lines before a value without time samples, and those after it.
std::string opening(UsdAttribute const& attribute) {
    return std::string{indent}.append(attribute.declaration).append(" = ");
}
std::string closing(UsdAttribute const& attribute) {
    return attribute.interpolation.empty() ? "\n" : metadata(attribute);
}

// The same around time samples.
std::string samples_opening(UsdAttribute const& attribute) {
    std::string text;
    if (!attribute.interpolation.empty()) text.append(indent).append(attribute.declaration).append(metadata(attribute));
    return text.append(indent).append(attribute.declaration).append(samples_follow).append("\n");
}
std::string sample_opening(int frame) { return std::string{"        "} + std::to_string(frame) + ": "; }
constexpr std::string_view sample_closing = ",\n", samples_closing = "    }\n";

// Where the value of an attribute stands in the file of a layer.
struct Sample {
    std::size_t layer = 0;
    std::streamoff offset = 0;
    std::size_t size = 0, hash = 0;
    bool same_value(Sample const& other) const { return size == other.size && hash == other.hash; }
};

struct Track {
    UsdAttribute attribute;
    std::vector<Sample> samples;  // in the order of layers
};

// What the layers hold together.
struct Contents {
    std::vector<std::string> head;  // lines up to the opening brace of the prim, without the time codes
    std::vector<int> frames;        // of the layers
    std::vector<Track> tracks;

    void add(UsdAttribute const& attribute, Sample const& sample) {
        auto const same = [&](Track const& track) { return track.attribute.declaration == attribute.declaration; };
        auto track = std::find_if(tracks.begin(), tracks.end(), same);
        if (track == tracks.end()) track = tracks.insert(tracks.end(), Track{attribute, {}});
        track->samples.push_back(sample);
    }
};

[[noreturn]] void fail(fs::path const& layer) {
    throw std::runtime_error("cannot stitch '" + layer.string() + "': it is not a layer that pliant wrote");
}

// Reads the lines of a layer one by one and knows where each starts.
class LayerReader {
public:
    LayerReader(fs::path const& path, std::size_t number)
        : path_(path), number_(number), stream_(path, std::ios::binary) {}

    void read_into(Contents& contents) {
        read_head(contents);
        UsdAttribute attribute;
        while (next_line() && line_ != "}") {
            std::string_view text = line_;
            if (!text.starts_with(indent)) fail(path_);
            text.remove_prefix(indent.size());
            if (text.ends_with(samples_follow)) {
                attribute.declaration = text.substr(0, text.size() - samples_follow.size());
                attribute.timed = true;
                contents.add(attribute, timed_value(contents.frames.back()));
                attribute = {};
            } else if (std::size_t const equals = text.find(" = "); equals != text.npos) {
                attribute = {.declaration = std::string{text.substr(0, equals)}, .timed = false};
                Sample const sample = untimed_value(indent.size() + equals + 3);
                if (text.ends_with(" (")) attribute.interpolation = interpolation();
                contents.add(attribute, sample);
                attribute = {};
            } else if (text.ends_with(" (")) {
                attribute.interpolation = interpolation();
            } else {
                fail(path_);
            }
        }
        if (line_ != "}") fail(path_);
    }

private:
    bool next_line() {
        line_start_ += static_cast<std::streamoff>(line_.size()) + (started_ ? 1 : 0);
        started_ = true;
        return static_cast<bool>(std::getline(stream_, line_));
    }

    void read_head(Contents& contents) {
        std::vector<std::string> head;
        int frame = -1;
        while (next_line() && line_ != "{") {
            if (line_.starts_with(start_key))
                std::from_chars(line_.data() + start_key.size(), line_.data() + line_.size(), frame);
            if (!line_.starts_with(start_key) && !line_.starts_with(end_key)) head.push_back(line_);
        }
        if (line_ != "{" || frame < 0 || head.empty() || head[0] != "#usda 1.0") fail(path_);
        if (contents.head.empty()) contents.head = head;
        contents.frames.push_back(frame);
    }

    Sample value(std::size_t begin, std::size_t end) const {
        std::string_view const text = std::string_view{line_}.substr(begin, end - begin);
        return {number_, line_start_ + static_cast<std::streamoff>(begin), text.size(),
                std::hash<std::string_view>{}(text)};
    }
    Sample untimed_value(std::size_t begin) const {
        return value(begin, line_.ends_with(" (") ? line_.size() - 2 : line_.size());
    }
    Sample timed_value(int frame) {
        std::string const before = sample_opening(frame);
        if (!next_line() || !line_.starts_with(before) || !line_.ends_with(',')) fail(path_);
        Sample const sample = value(before.size(), line_.size() - 1);
        if (!next_line() || line_ + "\n" != samples_closing) fail(path_);
        return sample;
    }
    std::string interpolation() {
        if (!next_line() || !line_.starts_with(interpolation_key)) fail(path_);
        std::string const quoted = line_.substr(interpolation_key.size());
        if (quoted.size() < 2 || !next_line() || line_ != "    )") fail(path_);
        return quoted.substr(1, quoted.size() - 2);
    }

    fs::path const& path_;
    std::size_t number_;
    std::ifstream stream_;
    std::string line_;
    std::streamoff line_start_ = 0;
    bool started_ = false;
};

// Writes the stitched layer in few, large writes, however long the pieces are.
class Stitcher {
public:
    Stitcher(fs::path const& path, std::span<fs::path const> layers) : file_(path), layers_(layers) {}

    void write(Contents const& contents) {
        for (std::string const& line : contents.head) {
            add(line + "\n");
            if (line == "(") add_time_codes(contents.frames);
        }
        add("{\n");
        for (Track const& track : contents.tracks) write_track(track, contents.frames);
        add("}\n");
        flush();
        file_.commit();
    }

private:
    static constexpr std::size_t buffer_size = 1 << 20;

    void add(std::string_view text) {
        buffer_ += text;
        if (buffer_.size() >= buffer_size) flush();
    }
    void flush() {
        file_.write(buffer_);
        buffer_.clear();
    }
    void add_time_codes(std::vector<int> const& frames) {
        add(std::string{start_key} + std::to_string(frames.front()) + "\n");
        add(std::string{end_key} + std::to_string(frames.back()) + "\n");
    }
    void write_track(Track const& track, std::vector<int> const& frames) {
        auto const& [attribute, samples] = track;
        auto const as_first = [&](Sample const& s) { return s.same_value(samples.front()); };
        bool const stays = samples.size() == frames.size() && std::all_of(samples.begin(), samples.end(), as_first);
        if (!attribute.timed && stays) {
            add(opening(attribute));
            copy(samples.front());
            return add(closing(attribute));
        }
        add(samples_opening(attribute));
        for (Sample const& sample : samples) {
            add(sample_opening(frames[sample.layer]));
            copy(sample);
            add(sample_closing);
        }
        add(samples_closing);
    }
    void copy(Sample const& sample) {
        std::ifstream stream{layers_[sample.layer], std::ios::binary};
        stream.seekg(sample.offset);
        for (std::size_t left = sample.size; left > 0;) {
            std::size_t const size = std::min(left, buffer_size), at = buffer_.size();
            buffer_.resize(at + size);
            if (!stream.read(buffer_.data() + at, static_cast<std::streamsize>(size))) fail(layers_[sample.layer]);
            left -= size;
            if (buffer_.size() >= buffer_size) flush();
        }
    }

    AtomicFile file_;
    std::span<fs::path const> layers_;
    std::string buffer_;
};

}  // namespace

UsdLayer::UsdLayer(std::string_view type, std::string_view name, int frame, RunFacts const& facts) : frame_(frame) {
    std::string const fps = number_text(facts.fps);
    text_.append("#usda 1.0\n(\n");
    text_.append(start_key).append(std::to_string(frame)).append("\n");
    text_.append(end_key).append(std::to_string(frame)).append("\n");
    text_.append("    timeCodesPerSecond = ").append(fps).append("\n    framesPerSecond = ").append(fps);
    text_.append("\n    upAxis = \"").append(1, facts.up_axis).append("\"\n    metersPerUnit = 1\n");
    text_.append("    defaultPrim = \"").append(name).append("\"\n)\n\n");
    text_.append("def ").append(type).append(" \"").append(name).append("\"\n{\n");
}

void UsdLayer::add(UsdAttribute const& attribute, std::string_view value) {
    if (attribute.timed)
        text_.append(samples_opening(attribute)).append(sample_opening(frame_)).append(value);
    else
        text_.append(opening(attribute)).append(value);
    if (attribute.timed)
        text_.append(sample_closing).append(samples_closing);
    else
        text_.append(closing(attribute));
}

std::string UsdLayer::take() { return std::move(text_.append("}\n")); }

void stitch_usd(fs::path const& path, std::span<fs::path const> layers) {
    Contents contents;
    for (std::size_t k = 0; k < layers.size(); ++k) LayerReader{layers[k], k}.read_into(contents);
    if (!contents.frames.empty()) Stitcher{path, layers}.write(contents);
}

}  // namespace pliant
