#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>

namespace antler::runtime {

/// Threads that stand by for the kernels of a program, inside one OpenMP region. Handing them work
/// takes a fifth of a microsecond where a region of its own takes one: a step of many small kernels
/// is made of these. While a team is open its threads wait busily, a millisecond at most.
///
/// What starts OpenMP threads itself (a primitive of oneDNN that shares out its work) must not run
/// under a team: it would get one thread.
class Team {
 public:
  /// Calls body(part) for the parts [0, parts), each on a thread of its own where there are so
  /// many; part 0 runs here, and a part runs on the same thread each time. Under an open team by
  /// its threads, otherwise in a region. Bodies do not throw.
  template <class Body>
  static void run(int parts, const Body& body) {
    if (Team* const team = current_; team != nullptr) {
      current_ = nullptr;  // what a part starts is its own affair
      team->hand_out(
          {[](const void* context, int part) { (*static_cast<const Body*>(context))(part); }, &body,
           parts});
      current_ = team;
      return;
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) body(part);
  }

  /// Calls work() with a team of `threads` open. Without one where `threads` is 1, where one is
  /// open already and in a region of OpenMP.
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

  /// Where a thread waits: one that has no part in a job is not woken for it.
  struct alignas(64) Door {
    std::atomic<uint32_t> jobs{0};  ///< how many this thread has been given
    std::atomic<bool> is_asleep{false};
  };

  void open(void (*work)(const void*), const void* context, int threads);
  void hand_out(const Job& job);
  void stand_by(int thread);
  /// Gives job_ to the threads [1, threads).
  void call(int threads);

  static thread_local Team* current_;

  int size_ = 1;
  Door* doors_ = nullptr;  // one for each thread
  Job job_;
  alignas(64) std::atomic<int> working_{0};
};

}  // namespace antler::runtime
