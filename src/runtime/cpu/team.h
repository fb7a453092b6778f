#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>

namespace antler::runtime {

/// A thread pool inside one OpenMP region, which stays open across the kernels of a program.
/// Dispatching to it takes 0.2 us, a region of its own 1 us, and steps of small models are mostly
/// dispatch. Threads spin for at most a millisecond before they sleep.
///
/// Code that starts OpenMP threads itself (parallel oneDNN primitives) must not run under a team:
/// it would get a single thread.
class Team {
 public:
  /// Calls body(part) for each part in [0, parts). Part 0 runs on the calling thread, and a part
  /// runs on the same thread each time. Uses the open team, or else an OpenMP region. `body` must
  /// not throw.
  template <class Body>
  static void run(int parts, const Body& body) {
    if (Team* const team = current_; team != nullptr) {
      current_ = nullptr;  // bodies do not nest into this team
      team->hand_out(
          {[](const void* context, int part) { (*static_cast<const Body*>(context))(part); }, &body,
           parts});
      current_ = team;
      return;
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) body(part);
  }

  /// Calls work() with a team of `threads` open. No team is opened for one thread, under another
  /// team, or inside an OpenMP region.
  template <class Work>
  static void open(int threads, const Work& work) {
    if (threads < 2 || current_ != nullptr || omp_in_parallel() != 0) {
      work();
      return;
    }
    Team team;
    team.open([](const void* context) { (*static_cast<const Work*>(context))(); }, &work, threads);
  }

 private:
  struct Job {
    void (*body)(const void* context, int part) = nullptr;
    const void* context = nullptr;
    int parts = 0;
  };

  /// What a thread waits on. One per thread: threads without a part in a job are not woken.
  struct alignas(64) WaitSlot {
    std::atomic<uint32_t> jobs{0};  ///< jobs handed to this thread so far
    std::atomic<bool> is_asleep{false};
  };

  void open(void (*work)(const void*), const void* context, int threads);
  void hand_out(const Job& job);
  void stand_by(int thread);
  /// Wakes the threads [1, threads) for job_.
  void wake(int threads);

  static thread_local Team* current_;

  int size_ = 1;
  WaitSlot* slots_ = nullptr;  // one per thread
  Job job_;
  alignas(64) std::atomic<int> working_{0};
};

}  // namespace antler::runtime
