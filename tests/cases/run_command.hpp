// Runs the real binary as a user's shell would, and catches its output, its exit code and the signal that ended it.
#pragma once

#include <io/fixtures.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pliant::test {

struct Outcome {
    int exit_code = -1;  // -1 if a signal ended it
    int signal = 0;
    std::string out, err;
};

struct CommandSettings {
    std::filesystem::path folder = ".";              // where it runs
    std::map<std::string, std::string> environment;  // in addition to that of the tests
    std::optional<rlim_t> largest_file;              // [bytes], simulates a full disk
    std::filesystem::path binary = PLIANT_BINARY;
};

class RunningCommand {
public:
    explicit RunningCommand(std::vector<std::string> arguments, CommandSettings const& settings = {}) {
        arguments.insert(arguments.begin(), settings.binary.string());
        process_ = ::fork();
        if (process_ == 0) become(arguments, settings);
    }
    ~RunningCommand() {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    RunningCommand(RunningCommand const&) = delete;
    RunningCommand& operator=(RunningCommand const&) = delete;

    void send(int signal) const { ::kill(process_, signal); }

    // Waits for the file; false if the command ends or a minute passes without it.
    bool wait_for(std::filesystem::path const& file) const {
        for (auto const end = Clock::now() + std::chrono::minutes{1}; Clock::now() < end;) {
            if (std::filesystem::exists(file)) return true;
            siginfo_t ended{};
            ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
            if (ended.si_pid != 0) return std::filesystem::exists(file);
            std::this_thread::sleep_for(std::chrono::microseconds{200});
        }
        return false;
    }

    Outcome wait() {
        int status = 0;
        EXPECT_EQ(::waitpid(process_, &status, 0), process_);
        process_ = 0;
        Outcome outcome;
        if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
        outcome.out = file_bytes(captured_ / "out");
        outcome.err = file_bytes(captured_ / "err");
        return outcome;
    }

private:
    using Clock = std::chrono::steady_clock;

    // In the child, after fork: does not return.
    [[noreturn]] void become(std::vector<std::string> const& arguments, CommandSettings const& settings) const {
        for (auto const& [stream, name] : {std::pair{STDOUT_FILENO, "out"}, std::pair{STDERR_FILENO, "err"}})
            ::dup2(::open((captured_ / name).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), stream);
        for (auto const& [name, value] : settings.environment) ::setenv(name.c_str(), value.c_str(), 1);
        if (settings.largest_file) {
            rlimit const limit{*settings.largest_file, *settings.largest_file};
            ::setrlimit(RLIMIT_FSIZE, &limit);
        }
        std::vector<char*> words;
        for (std::string const& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
        words.push_back(nullptr);
        if (::chdir(settings.folder.c_str()) == 0) ::execv(words[0], words.data());
        ::_exit(127);
    }

    TemporaryFolder captured_;
    pid_t process_ = 0;
};

inline Outcome run_command(std::vector<std::string> const& arguments, CommandSettings const& settings = {}) {
    return RunningCommand{arguments, settings}.wait();
}

}  // namespace pliant::test
