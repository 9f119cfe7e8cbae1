#include "interruption.hpp"

#include "commands.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>

namespace pliant::app {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> saving{0};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");
sem_t signalled;  // posting it is one of the few things that a signal handler may do

extern "C" void raise_flag(int) {
    if (interrupted.exchange(true)) ::_exit(exit_code::interrupted);
    int const before = errno;
    ::sem_post(&signalled);
    errno = before;
}

// Never destroyed: the thread may outlive all other objects.
struct Words {
    std::mutex mutex;
    std::function<void()> say;
};
Words& last_words() {
    static Words* const words = new Words;
    return *words;
}

void end_when_signalled() {
    while (::sem_wait(&signalled) != 0) {
    }
    using Seconds = std::chrono::duration<double>;
    auto const signalled_at = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(Seconds(seconds_to_end));
    while (saving > 0 && std::chrono::steady_clock::now() - signalled_at < Seconds(seconds_to_save))
        std::this_thread::sleep_for(Seconds(0.01));
    std::lock_guard const lock(last_words().mutex);
    if (last_words().say) last_words().say();
    ::_exit(exit_code::interrupted);
}

}  // namespace

std::atomic<bool> const& watch_for_interruption() {
    static std::once_flag once;
    std::call_once(once, [] {
        ::sem_init(&signalled, 0, 0);
        last_words();
        std::thread(end_when_signalled).detach();
        struct sigaction action {};
        action.sa_handler = raise_flag;
        action.sa_flags = SA_RESTART;
        sigemptyset(&action.sa_mask);
        for (int const signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
    });
    return interrupted;
}

MoreTime::MoreTime() { ++saving; }
MoreTime::~MoreTime() { --saving; }

LastWords::LastWords(std::function<void()> words) {
    std::lock_guard const lock(last_words().mutex);
    last_words().say = std::move(words);
}
LastWords::~LastWords() {
    std::lock_guard const lock(last_words().mutex);
    last_words().say = nullptr;
}

}  // namespace pliant::app
