#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <optional>

namespace antler::runtime {

/// A thread pool inside one OpenMP region that stays open across the kernels of a program.
/// Dispatching a kernel to it takes 0.2 us, and opening an OpenMP region 1 us, which matters if a
/// step consists of many small kernels. It uses OpenMP's threads instead of a std::thread pool
/// because oneDNN uses the same threads.
///
/// Code that opens OpenMP regions itself (parallel oneDNN primitives) must not run under a team:
/// it would get a single thread.
class Team {
 public:
  /// Calls body(part) for each part in [0, parts). Part 0 runs on the calling thread, and each part
  /// on the same thread every time. Uses the open team, or else an OpenMP region. `body` must not
  /// throw.
  template <class Body>
  static void run(int parts, const Body& body) {
    if (Team* const team = current_; team != nullptr) {
      current_ = nullptr;  // `body` must not dispatch to this team again
      team->dispatch(
          {[](const void* context, int part) { (*static_cast<const Body*>(context))(part); }, &body,
           parts});
      current_ = team;
      return;
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) body(part);
  }

  /// Calls work() with a team of `threads` open. No team is opened for one thread, under another
  /// team, or inside an OpenMP region. Returns how many kernels the team divided among threads;
  /// nothing if no team was opened.
  template <class Work>
  static std::optional<int> open(int threads, const Work& work) {
    if (threads < 2 || current_ != nullptr || omp_in_parallel() != 0) {
      work();
      return {};
    }
    Team team;
    team.open([](const void* context) { (*static_cast<const Work*>(context))(); }, &work, threads);
    return team.divided_;
  }

 private:
  struct Job {
    void (*body)(const void* context, int part) = nullptr;
    const void* context = nullptr;
    int parts = 0;
  };

  /// What a thread waits on. One per thread: threads without a part in a job are not woken.
  struct alignas(64) WaitSlot {
    std::atomic<uint32_t> jobs{0};  ///< jobs given to this thread so far
    std::atomic<bool> is_asleep{false};
  };

  void open(void (*work)(const void*), const void* context, int threads);
  void dispatch(const Job& job);
  void worker_loop(int thread);
  /// Gives job_ to the threads [1, threads).
  void wake(int threads);

  static thread_local Team* current_;

  int size_ = 1;
  int divided_ = 0;            // jobs of several parts
  WaitSlot* slots_ = nullptr;  // one per thread
  Job job_;
  alignas(64) std::atomic<int> pending_{0};  // threads that have not finished job_
};

}  // namespace antler::runtime
