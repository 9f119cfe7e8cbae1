#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pliant/data/error.hpp>
#include <pliant/render/video.hpp>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

extern char** environ;

namespace pliant::render {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(std::filesystem::path const& path, std::string const& reason) {
    throw std::runtime_error("cannot write '" + path.string() + "': " + reason);
}

std::vector<std::string> arguments(std::filesystem::path const& output, VideoSettings const& settings) {
    // Players assume BT.709 for HD video; crop: H.264 in 4:2:0 needs even sizes.
    std::string const filter =
        "crop=trunc(iw/2)*2:trunc(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
    return {"ffmpeg",      "-nostdin",     "-hide_banner",
            "-loglevel",   "error",        "-y",
            "-f",          "image2pipe",   "-c:v",
            "png",         "-framerate",   std::to_string(settings.fps),
            "-i",          "pipe:0",       "-vf",
            filter,        "-c:v",         "libx264",
            "-crf",        "18",           "-preset",
            "medium",      "-threads",     std::to_string(settings.threads),
            "-colorspace", "bt709",        "-color_primaries",
            "bt709",       "-color_trc",   "bt709",
            "-movflags",   "+faststart",   "-f",
            "mp4",         output.string()};
}

// A running ffmpeg. Its input is a socket pair, not a pipe: writing to a pipe whose reader has died ends this process
// by a signal, which can be switched off for a socket.
class Ffmpeg {
public:
    Ffmpeg(std::filesystem::path const& output, VideoSettings const& settings) : messages_(std::tmpfile()) {
        int ends[2];
        if (!messages_ || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            fail(output, std::generic_category().message(errno));
        input_ = ends[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, ::fileno(messages_.get()), STDERR_FILENO);
        std::vector<std::string> words = arguments(output, settings);
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        error_ = ::posix_spawnp(&process_, "ffmpeg", &actions, nullptr, pointers.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
    }
    Ffmpeg(Ffmpeg const&) = delete;
    Ffmpeg& operator=(Ffmpeg const&) = delete;
    ~Ffmpeg() { finish(); }

    bool is_missing() const { return error_ == ENOENT; }
    int error() const { return error_; }

    bool send(std::string_view bytes) {  // false once ffmpeg has stopped reading
        while (!bytes.empty()) {
            ssize_t const sent = ::send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) return false;
            bytes.remove_prefix(std::size_t(sent));
        }
        return true;
    }

    // Waits until it ends; true on success.
    bool finish() {
        if (input_ >= 0) ::close(input_);
        input_ = -1;
        if (error_ == 0 && process_ > 0) {
            while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
            }
            process_ = 0;
        }
        return error_ == 0 && WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
    }

    std::string messages() {
        std::string text(2000, '\0');
        std::rewind(messages_.get());
        text.resize(std::fread(text.data(), 1, text.size(), messages_.get()));
        return text.empty() ? "ffmpeg failed" : "ffmpeg says: " + text;
    }

private:
    TemporaryFile messages_;
    int input_ = -1, error_ = 0, status_ = -1;
    pid_t process_ = 0;
};

std::string bytes_of(std::filesystem::path const& picture) {
    std::ifstream file(picture, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file || bytes.empty()) throw InputError("cannot read the picture '" + picture.string() + "' for the video");
    return bytes;
}

}  // namespace

bool write_video(std::filesystem::path const& path, std::span<std::filesystem::path const> pictures,
                 VideoSettings const& settings) {
    assert(!pictures.empty() && settings.fps > 0);
    std::filesystem::path const partial =
        path.parent_path() / std::string{"."}.append(path.filename().string()).append(".partial");
    struct RemovePartial {
        std::filesystem::path const& path;
        ~RemovePartial() {
            std::error_code ignored;
            std::filesystem::remove(path, ignored);  // already renamed on success
        }
    } const cleanup{partial};

    Ffmpeg ffmpeg(std::filesystem::absolute(partial), settings);
    if (ffmpeg.is_missing()) return false;
    if (ffmpeg.error() != 0) fail(path, std::generic_category().message(ffmpeg.error()));
    for (std::filesystem::path const& picture : pictures)
        if (!ffmpeg.send(bytes_of(picture))) break;  // ffmpeg will tell why
    if (!ffmpeg.finish()) fail(path, ffmpeg.messages());
    std::filesystem::rename(partial, path);
    return true;
}

}  // namespace pliant::render
