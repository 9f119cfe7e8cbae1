#include "browser.hpp"

#include <pliant/data/error.hpp>
#include <pliant/serve/page.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace pliant::app {

namespace {

// Through a process in between, so that the browser is nobody's child to wait for.
void open_browser(std::string const& address) {
    pid_t const between = ::fork();
    if (between > 0) ::waitpid(between, nullptr, 0);
    if (between != 0) return;
    if (::fork() == 0) {
        int const nowhere = ::open("/dev/null", O_RDWR);
        for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
        ::setsid();
        ::execlp("xdg-open", "xdg-open", address.c_str(), nullptr);
    }
    ::_exit(0);
}

bool has_screen() {
    auto const set = [](char const* name) {
        char const* value = std::getenv(name);
        return value != nullptr && *value != 0;
    };
    return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

}  // namespace

void expect_page() {
    if (page().empty()) throw InputError("this pliant has no page to show: " + std::string(why_no_page()));
}

Reply page_reply(std::string const& mode, std::size_t runs) {
    std::string text{page()};
    std::string const marker = "/*start*/";
    text.replace(text.find(marker), marker.size(),
                 "window.pliantStart={mode:'" + mode + "',runs:" + std::to_string(runs) + "}");
    return {200, "text/html; charset=utf-8", std::make_shared<std::string const>(std::move(text))};
}

void show_address(std::string const& address, bool no_open, bool quiet) {
    if (!quiet) std::printf("Look at it in the browser of this machine; Ctrl-C ends it.\n");
    std::printf("%s\n", address.c_str());
    std::fflush(stdout);
    if (!no_open && has_screen()) open_browser(address);
}

}  // namespace pliant::app
