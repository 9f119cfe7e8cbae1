#include <pliant/io/input.hpp>
#include <pliant/io/read_obj.hpp>
#include <pliant/io/read_ply.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/io/read_stats.hpp>
#include <pliant/io/read_vtp.hpp>
#include <pliant/io/run_directory.hpp>

#include <array>
#include <cmath>

namespace pliant {

namespace fs = std::filesystem;

namespace {

// A new readable format is a file read_NAME.cpp and a row here.
struct ParticleReader {
    std::string_view extension;
    Frame (*read)(fs::path const&);
};
struct SurfaceReader {
    std::string_view extension;
    SurfaceMesh (*read)(fs::path const&);
};
constexpr std::array particle_readers{
    ParticleReader{"vtp", read_vtp_particles},
    ParticleReader{"ply", read_ply_particles},
};
constexpr std::array surface_readers{
    SurfaceReader{"ply", read_ply_surface},
    SurfaceReader{"vtp", read_vtp_surface},
    SurfaceReader{"obj", read_obj_surface},
};

template <class Readers>
auto read_by_extension(fs::path const& file, Readers const& readers) {
    std::string known;
    for (auto const& reader : readers) {
        std::string const extension = std::string{"."}.append(reader.extension);
        if (file.extension() == extension) return reader.read(file);
        known += (known.empty() ? "" : ", ") + extension;
    }
    refuse_file(file, "cannot be read: the extension is none of " + known);
}

template <class Readers>
std::vector<fs::path> present(fs::path const& folder, int index, Readers const& readers) {
    std::vector<fs::path> files;
    for (auto const& reader : readers) {
        fs::path const file = folder / frame_file_name(index, reader.extension);
        std::error_code error;
        if (fs::is_regular_file(file, error)) files.push_back(file);
    }
    return files;
}

void check_positions(fs::path const& file, std::vector<Vec3f> const& positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
        Vec3f const x = positions[i];
        if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z))
            throw NotFiniteError(file.string() + ": point " + std::to_string(i) + " is not finite");
    }
}

void check_polygons(fs::path const& file, SurfaceMesh const& mesh) {
    for (std::uint32_t const corner : mesh.corner)
        if (corner >= mesh.position.size())
            refuse_file(file, "is damaged: a polygon names vertex " + std::to_string(corner) + " of " +
                                  std::to_string(mesh.position.size()));
    std::uint32_t begin = 0;
    for (std::uint32_t const end : mesh.polygon_end) {
        if (end < begin || end - begin < 3 || end > mesh.corner.size())
            refuse_file(file, "is damaged: a polygon has fewer than three corners, or more than there are");
        begin = end;
    }
    if (begin != mesh.corner.size()) refuse_file(file, "is damaged: it has corners that belong to no polygon");
}

int index_in_name(fs::path const& file) { return number_in<int>(file.stem().string()).value_or(0); }

std::string folder_name(fs::path const& directory) {
    std::error_code error;
    fs::path path = fs::absolute(directory, error).lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    return path.filename().string();
}

}  // namespace

RunFiles list_run(fs::path const& directory) {
    std::string const hint = "; `pliant run SCENE -o DIR` makes one";
    std::error_code error;
    if (!fs::exists(directory, error)) refuse_file(directory, "there is no such folder" + hint);
    if (!fs::is_directory(directory, error)) refuse_file(directory, "is a file, not the folder of a run" + hint);
    if (fs::exists(directory / "recording.jsonl", error) && !fs::exists(directory / "stats.csv", error))
        refuse_file(directory, "holds what somebody did in pliant live, and no frames; `pliant run " +
                                   (directory / "scene.toml").string() + " --replay " +
                                   (directory / "recording.jsonl").string() + " -o DIR` makes them");
    if (!fs::exists(directory / "stats.csv", error))
        refuse_file(directory, "holds no run of pliant (there is no stats.csv in it)" + hint);
    RunFiles run{directory, folder_name(directory), read_stats(directory / "stats.csv"), {}};
    if (run.stats.empty()) refuse_file(directory / "stats.csv", "has no frame yet, only the header");
    for (FrameStats const& row : run.stats)
        run.frames.push_back({row.frame, row.time, present(directory / "particles", row.frame, particle_readers),
                              present(directory / "surface", row.frame, surface_readers)});
    return run;
}

Frame read_particles(fs::path const& file) {
    Frame frame = read_by_extension(file, particle_readers);
    check_positions(file, frame.position);
    frame.index = frame.stats.frame = index_in_name(file);
    frame.stats.time = frame.time;
    return frame;
}

SurfaceMesh read_surface(fs::path const& file) {
    SurfaceMesh mesh = read_by_extension(file, surface_readers);
    check_positions(file, mesh.position);
    check_polygons(file, mesh);
    mesh.index = index_in_name(file);
    return mesh;
}

}  // namespace pliant
