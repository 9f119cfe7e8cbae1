// pliant view: a run, or several side by side, in the browser.
#include "browser.hpp"
#include "commands.hpp"
#include "interruption.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/serve/one_file.hpp>
#include <pliant/serve/server.hpp>
#include <pliant/serve/viewed_run.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

namespace pliant::app {

namespace {

using Runs = std::vector<std::unique_ptr<ViewedRun>>;

Runs open_runs(std::vector<std::string> const& directories) {
    constexpr std::size_t most = 6;
    if (directories.size() > most)
        throw InputError("view: " + std::to_string(directories.size()) + " runs are more than the " +
                         std::to_string(most) + " that fit side by side");
    Runs runs;
    for (std::string const& directory : directories) runs.push_back(std::make_unique<ViewedRun>(directory));
    return runs;
}

Reply answer(Runs const& runs, std::string_view path) {
    if (path.empty()) return page_reply("view", runs.size());
    try {
        if (auto bytes = answer_of(runs, path))
            return {200, path.ends_with("info") ? "application/json" : "application/octet-stream",
                    std::make_shared<std::string const>(std::move(*bytes))};
    } catch (InputError const& error) {
        return {404, "text/plain; charset=utf-8", std::make_shared<std::string const>(error.what())};
    }
    return {404, "text/plain; charset=utf-8", nullptr};
}

int write_one_file(Runs const& runs, ViewOptions const& options) {
    auto const folder = std::filesystem::path(options.html).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        throw InputError("--html: there is no folder '" + folder.string() + "'");
    if (std::filesystem::is_directory(options.html))
        throw InputError("--html: '" + options.html + "' is a folder; give the name of a file");
    OneFile const file = one_file(runs, options.budget);
    write_atomically(options.html, file.html);
    std::printf("%s: %.1f MB, opens in any browser.\n", options.html.c_str(), 1e-6 * double(file.html.size()));
    for (std::string const& note : file.notes) std::printf("%s\n", note.c_str());
    return exit_code::done;
}

}  // namespace

int view(ViewOptions const& options) {
    expect_page();
    Runs const runs = open_runs(options.directories);
    if (!options.html.empty()) return write_one_file(runs, options);
    std::atomic<bool> const& interrupted = watch_for_interruption();
    Server const server([&](std::string_view path) { return answer(runs, path); }, {}, options.port);
    show_address(server.address(), options.no_open);
    while (!interrupted) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return exit_code::done;
}

}  // namespace pliant::app
