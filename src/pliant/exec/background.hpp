// A thread beside the one that computes: it does one job at a time, in the order in which they come. Who brings a job
// while another is being done waits, so that never more than one is under way and memory stays bounded.
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
    ~Background() {  // does the job that it has; a failure that nobody asked for is lost
        {
            std::lock_guard const lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    // Takes a job as soon as the last one is done. Throws what that one threw, and then does nothing any more.
    void add(std::function<void()> job) {
        finish();
        {
            std::lock_guard const lock(mutex_);
            job_ = std::move(job);
        }
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        changed_.notify_all();
    }

    // Waits until the last job is done; throws what it threw.
    void finish() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !job_; });
        if (failure_) std::rethrow_exception(failure_);
    }

    bool failed() const { return failed_; }  // at once, for whoever would rather stop early

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return job_ || closed_; });
            if (!job_) return;
            lock.unlock();
            std::exception_ptr failure;
            try {
                job_();  // nobody changes it while it is there
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
    std::function<void()> job_;  // being done, or about to be
    bool closed_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::thread thread_;
};

}  // namespace pliant
