#include <pliant/data/error.hpp>
#include <pliant/io/bytes.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/write_atomically.hpp>

#include <bit>
#include <cstring>
#include <fstream>

namespace pliant {

namespace {

using std::filesystem::path;

constexpr std::string_view magic = "PLIANTCP";
// 2: positions and velocities in double; 3: rows count solves; 4: rows have forces and probes; 5: and forces of pairs
constexpr std::uint32_t format_version = 6;
constexpr std::size_t header_size = magic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);

// A running 64-bit sum over chunks, 8 bytes at a time. Every step is a bijection of both the sum and the word, hence
// no single changed word goes unnoticed. Not cryptographic: it guards against accidents.
class Checksum {
public:
    void add(std::string_view chunk) {
        mix(chunk.size());
        std::size_t at = 0;
        for (; at + 8 <= chunk.size(); at += 8) mix(word(chunk.data() + at, 8));
        if (at < chunk.size()) mix(word(chunk.data() + at, chunk.size() - at));
    }
    std::uint64_t value() const { return sum_; }

private:
    static std::uint64_t word(char const* bytes, std::size_t size) {
        std::uint64_t result = 0;
        std::memcpy(&result, bytes, size);
        return result;
    }
    void mix(std::uint64_t value) { sum_ = std::rotl((sum_ ^ value) * 0x9E3779B97F4A7C15u, 29); }
    std::uint64_t sum_ = 0xCBF29CE484222325u;
};

// The fields of a row, in the order of the file; the same list writes and reads.
template <class Stats, class Visitor>
void visit_fields(Stats& row, Visitor&& visit) {
    visit(row.frame), visit(row.time), visit(row.steps), visit(row.cg_iterations), visit(row.wall_ms);
    visit(row.kinetic_energy), visit(row.elastic_energy), visit(row.potential_energy);
    visit(row.center_of_mass), visit(row.penetration);
    visit(row.solves), visit(row.backtracks), visit(row.halvings);
}

void append_text(std::string& bytes, std::string_view text) {
    append_value(bytes, std::uint64_t{text.size()});
    bytes += text;
}

void append_row(std::string& index, FrameStats const& row) {
    visit_fields(row, [&](auto const& field) { append_value(index, field); });
    append_value(index, std::uint64_t{row.forces.size()});
    append_values(index, std::span(row.forces));
    append_value(index, std::uint64_t{row.probes.size()});
    append_values(index, std::span(row.probes));
    append_value(index, std::uint64_t{row.pair_forces.size()});
    append_values(index, std::span(row.pair_forces));
}

std::string index_bytes(Checkpoint const& checkpoint) {
    std::string index;
    append_text(index, checkpoint.scene_text);
    append_value(index, std::uint64_t{checkpoint.stats.size()});
    for (FrameStats const& row : checkpoint.stats) append_row(index, row);
    append_value(index, std::uint64_t{checkpoint.arrays.size()});
    for (Checkpoint::Array const& array : checkpoint.arrays) {
        append_text(index, array.name);
        append_value(index, std::uint64_t{array.bytes.size()});
    }
    return index;
}

std::string_view view(std::vector<std::byte> const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

[[noreturn]] void refuse(path const& file, std::string const& reason) {
    throw InputError(file.string() + ": " + reason + "; run again without --resume to start over");
}

[[noreturn]] void refuse_torn(path const& file) { refuse(file, "the checkpoint is incomplete or damaged"); }

// Takes values off the index and never reads beyond its end.
class IndexReader {
public:
    IndexReader(std::string_view bytes, path const& file) : bytes_(bytes), file_(file) {}

    template <class T>
    T value() {
        T result;
        std::memcpy(&result, take(sizeof(T)).data(), sizeof(T));
        return result;
    }
    std::string text() { return std::string{take(value<std::uint64_t>())}; }
    // A count of items of at least `item_size` bytes each: a damaged count must not allocate all memory.
    std::uint64_t count(std::size_t item_size) {
        auto const result = value<std::uint64_t>();
        if (result > bytes_.size() / item_size) refuse_torn(file_);
        return result;
    }

private:
    std::string_view take(std::uint64_t size) {
        if (size > bytes_.size()) refuse_torn(file_);
        std::string_view const taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    std::string_view bytes_;
    path const& file_;
};

// Reads a file front to back, sums what it reads and knows how much is left.
class CheckedReader {
public:
    explicit CheckedReader(path const& file) : file_(file), stream_(file, std::ios::binary) {
        std::error_code error;
        left_ = std::filesystem::file_size(file, error);
        if (!stream_ || error) refuse(file, "cannot be read");
    }
    std::uint64_t left() const { return left_; }
    void read(char* bytes, std::uint64_t size) {
        if (size > left_ || !stream_.read(bytes, static_cast<std::streamsize>(size))) refuse_torn(file_);
        left_ -= size;
        checksum_.add({bytes, size});
    }
    std::string read(std::uint64_t size) {
        if (size > left_) refuse_torn(file_);
        std::string bytes(size, '\0');
        read(bytes.data(), size);
        return bytes;
    }
    std::uint64_t checksum() const { return checksum_.value(); }

private:
    path const& file_;
    std::ifstream stream_;
    std::uint64_t left_ = 0;
    Checksum checksum_;
};

}  // namespace

void write_checkpoint(path const& file, Checkpoint const& checkpoint) {
    std::string const index = index_bytes(checkpoint);
    std::string header{magic};
    append_value(header, format_version);
    append_value(header, std::uint64_t{index.size()});
    std::vector<std::string_view> pieces{header, index};
    for (Checkpoint::Array const& array : checkpoint.arrays) pieces.push_back(view(array.bytes));
    Checksum checksum;
    for (std::string_view const piece : pieces) checksum.add(piece);
    std::string trailer;
    append_value(trailer, checksum.value());
    pieces.push_back(trailer);
    write_atomically(file, pieces);
}

Checkpoint read_checkpoint(path const& file) {
    if (!std::filesystem::exists(file))
        throw InputError("there is no '" + file.string() +
                         "' to resume from; check the directory, or run without --resume to start from the beginning");
    CheckedReader reader{file};
    if (!is_checkpoint(file)) refuse(file, "not a checkpoint of pliant");
    std::string const header = reader.read(header_size);
    IndexReader fields{std::string_view{header}.substr(magic.size()), file};
    if (auto const found = fields.value<std::uint32_t>(); found != format_version)
        refuse(file, "written by another version of pliant (checkpoint format " + std::to_string(found) +
                         ", this one reads " + std::to_string(format_version) + ")");
    std::string const index_text = reader.read(fields.value<std::uint64_t>());

    IndexReader index{index_text, file};
    Checkpoint checkpoint;
    checkpoint.scene_text = index.text();
    checkpoint.stats.resize(index.count(sizeof(double)));
    for (FrameStats& row : checkpoint.stats) {
        visit_fields(row, [&](auto& field) { field = index.value<std::remove_reference_t<decltype(field)>>(); });
        row.forces.resize(index.count(sizeof(Wrench)));
        for (Wrench& wrench : row.forces) wrench = index.value<Wrench>();
        row.probes.resize(index.count(sizeof(ProbeReading)));
        for (ProbeReading& reading : row.probes) reading = index.value<ProbeReading>();
        row.pair_forces.resize(index.count(sizeof(PairForce)));
        for (PairForce& force : row.pair_forces) force = index.value<PairForce>();
    }
    checkpoint.arrays.resize(index.count(sizeof(std::uint64_t)));
    std::uint64_t left = reader.left();
    for (Checkpoint::Array& array : checkpoint.arrays) {
        array.name = index.text();
        auto const size = index.value<std::uint64_t>();
        if (size > left) refuse_torn(file);
        left -= size;
        array.bytes.resize(size);
    }
    for (Checkpoint::Array& array : checkpoint.arrays)
        reader.read(reinterpret_cast<char*>(array.bytes.data()), array.bytes.size());
    std::uint64_t const expected = reader.checksum();
    std::uint64_t found = 0;
    reader.read(reinterpret_cast<char*>(&found), sizeof found);
    if (found != expected || reader.left() != 0 || checkpoint.stats.empty()) refuse_torn(file);
    return checkpoint;
}

bool is_checkpoint(path const& file) {
    char start[magic.size()] = {};
    std::ifstream stream{file, std::ios::binary};
    return stream.read(start, sizeof start) && std::string_view{start, sizeof start} == magic;
}

}  // namespace pliant
