// A background thread that does one job at a time, in the order in which they are added. Adding a job waits until the
// previous one is done, so that only one is ever pending and memory stays bounded.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace pliant {

class Background {
public:
    Background() = default;
    Background(Background const&) = delete;
    Background& operator=(Background const&) = delete;
    ~Background() {  // finishes the current job; a failure that nobody asked for is lost
        {
            std::lock_guard const lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    // Accepts a job once the last one is done. If that one threw, rethrows and accepts no more jobs.
    void add(std::function<void()> job) {
        finish();
        {
            std::lock_guard const lock(mutex_);
            job_ = std::move(job);
        }
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        changed_.notify_all();
    }

    // Waits until the last job is done; rethrows what it threw.
    void finish() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !job_; });
        if (failure_) std::rethrow_exception(failure_);
    }

    bool failed() const { return failed_; }  // returns at once, for callers that want to stop early

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return job_ || closed_; });
            if (!job_) return;
            lock.unlock();
            std::exception_ptr failure;
            try {
                job_();  // nobody changes job_ while it is set
            } catch (...) {
                failure = std::current_exception();
            }
            std::function<void()> done;
            lock.lock();
            done.swap(job_);
            if (failure) failure_ = failure, failed_ = true;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> job_;  // running, or about to run
    bool closed_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::thread thread_;
};

}  // namespace pliant
