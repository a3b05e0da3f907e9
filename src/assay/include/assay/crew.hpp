// A crew: one leader who knows the work, and helpers who share it for as long as they are there.
//
// The leader calls each(tasks, f): f(task, who) is called once for every task, by whoever is free. A helper calls
// help() and stays until the leader calls close(). Helpers may come late or never: the leader then does all of it
// alone, so nobody ever waits for somebody who has not come. Threads come from assay.core.parallel; here they only
// meet. Waiting is passive, after a moment of looking out: the next job often comes within microseconds, and waking
// a sleeper takes longer than that.
//
// who is 0 for the leader and below `places` for everybody, for tasks that need memory of their own. Results must
// not depend on who did which task: tasks write to places of their own, or add whole numbers. Tasks do not throw.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "assay/compiler.hpp"

namespace assay {

constexpr int LOOKS = 600;  // before falling asleep: about 20 microseconds

class Crew {
    std::mutex lock_;
    std::condition_variable wake_, rest_;
    struct Job {
        void (*work)(void *, int64_t, int) = nullptr;  // null between jobs
        void *what = nullptr;
        int64_t tasks = 0, number = 0;
    };
    Job job_;                                          // read and written under the lock
    std::atomic<int64_t> next_{0}, news_{0};           // news: changes with every job, and at the end
    std::atomic<int> busy_{0};                         // changed under the lock, looked at without it
    int places_, helpers_ = 0;
    bool closed_ = false;

    template <class F>
    static void look_out(F &&until) {
        for (int i = 0; i < LOOKS && !until(); ++i) pause();
    }

    void share(const Job job, int who) {               // a copy: the leader may end the job while the last tasks run
        for (int64_t t; (t = next_.fetch_add(1, std::memory_order_relaxed)) < job.tasks;) job.work(job.what, t, who);
    }

  public:
    explicit Crew(int places) : places_(places) {}

    int places() const { return places_; }

    template <class F>
    void each(int64_t tasks, F &&f) {
        auto call = [](void *what, int64_t t, int who) { (*static_cast<std::remove_reference_t<F> *>(what))(t, who); };
        Job job;
        {
            std::unique_lock<std::mutex> guard(lock_);
            if (places_ == 1 || tasks <= 1) {  // also before a helper is there: he joins when he comes
                guard.unlock();
                for (int64_t t = 0; t < tasks; ++t) f(t, 0);
                return;
            }
            job_ = job = {call, &f, tasks, job_.number + 1};
            next_.store(0, std::memory_order_relaxed);
            news_.fetch_add(1, std::memory_order_release);
        }
        wake_.notify_all();
        share(job, 0);
        {
            std::lock_guard<std::mutex> guard(lock_);
            job_.work = nullptr;  // whoever comes now comes too late for this job
        }
        const auto done = [this] { return busy_.load(std::memory_order_acquire) == 0; };
        look_out(done);
        std::unique_lock<std::mutex> guard(lock_);
        rest_.wait(guard, done);
    }

    void help() {
        std::unique_lock<std::mutex> guard(lock_);
        if (helpers_ + 1 >= places_) return;
        const int who = ++helpers_;
        int64_t seen = 0;
        while (!closed_) {
            if (job_.work != nullptr && job_.number != seen) {
                const Job job = job_;
                seen = job.number, ++busy_;
                guard.unlock();
                share(job, who);
                guard.lock();
                if (--busy_ == 0) rest_.notify_one();
            } else {
                const int64_t old = news_.load(std::memory_order_relaxed);
                guard.unlock();
                look_out([&] { return news_.load(std::memory_order_acquire) != old; });
                guard.lock();
                wake_.wait(guard, [&] { return closed_ || news_.load(std::memory_order_relaxed) != old; });
            }
        }
    }

    void close() {
        std::lock_guard<std::mutex> guard(lock_);
        closed_ = true;
        news_.fetch_add(1, std::memory_order_release);
        wake_.notify_all();
    }
};

}  // namespace assay
