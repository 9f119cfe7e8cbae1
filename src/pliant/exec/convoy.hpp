// Jobs beside the thread that adds them, several under way at once. Each has three parts: the first and the last ones
// of all jobs are done in the order in which jobs were added, one at a time; the middle ones side by side. A bounded
// number is under way, so that memory is bounded too.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pliant {

class Convoy {
public:
    struct Job {
        std::function<void()> first, middle, last;
    };

    explicit Convoy(int most) : most_(std::uint64_t(most)) {}
    Convoy(Convoy const&) = delete;
    Convoy& operator=(Convoy const&) = delete;
    ~Convoy() {  // finishes the jobs under way; a failure that nobody asked for is lost
        {
            std::lock_guard const lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    // Waits until a job can be added: the first parts of all others are done, and fewer than `most` are under way.
    // After a failure it waits for the jobs before and rethrows; then nothing more is accepted.
    void make_room() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return failed_ || (begun_ == added_ && added_ - ended_ < most_); });
        if (failed_) wait_for_all(lock);
    }

    void add(Job job) {
        make_room();
        std::lock_guard const lock(mutex_);
        jobs_.push_back(std::move(job));
        ++added_;
        // A thread for each job under way: one that has ended its job takes the next.
        if (added_ - ended_ > threads_.size()) threads_.emplace_back([this] { work(); });
        changed_.notify_all();
    }

    // Waits until all jobs are done; rethrows what the first of those that failed has thrown. What came after it has
    // not been ended.
    void finish() {
        std::unique_lock lock(mutex_);
        wait_for_all(lock);
    }

    bool failed() const { return failed_; }  // returns at once, for callers that want to stop early

private:
    void wait_for_all(std::unique_lock<std::mutex>& lock) {
        changed_.wait(lock, [&] { return ended_ == added_; });
        if (failure_) std::rethrow_exception(failure_);
    }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return !jobs_.empty() || closed_; });
            if (jobs_.empty()) return;
            Job job = std::move(jobs_.front());
            jobs_.pop_front();
            std::uint64_t const number = taken_++;
            std::exception_ptr trouble;
            changed_.wait(lock, [&] { return begun_ == number; });
            part(lock, job.first, trouble);
            ++begun_;
            changed_.notify_all();
            part(lock, job.middle, trouble);
            changed_.wait(lock, [&] { return ended_ == number; });
            part(lock, job.last, trouble);
            if (!failure_) failure_ = trouble;
            lock.unlock();
            job = {};  // frees what it holds before another job takes its place
            lock.lock();
            ++ended_;
            changed_.notify_all();
        }
    }

    // Not after a failure of this job or of one before it that has ended.
    void part(std::unique_lock<std::mutex>& lock, std::function<void()> const& work, std::exception_ptr& trouble) {
        if (trouble || failure_) return;
        lock.unlock();
        try {
            if (work) work();
        } catch (...) {
            trouble = std::current_exception();
            failed_ = true;
        }
        lock.lock();
    }

    std::uint64_t const most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;                                         // that no thread has taken
    std::uint64_t added_ = 0, taken_ = 0, begun_ = 0, ended_ = 0;  // jobs; begun: with their first parts done
    bool closed_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::vector<std::thread> threads_;
};

}  // namespace pliant
