#include "runtime/cpu/team.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

namespace antler::runtime {
namespace {

// Looks before a thread goes to sleep, about a millisecond.
constexpr int kLooks = 1 << 14;

void look_away() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// OpenMP's own switch for machines that have more to do than this program.
bool waits_busily() {
  static const bool busily = [] {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy == nullptr ||
           (std::string_view(policy) != "passive" && std::string_view(policy) != "PASSIVE");
  }();
  return busily;
}

}  // namespace

thread_local Team* Team::current_ = nullptr;

void Team::open(void (*work)(const void*), const void* context, int threads) {
  std::exception_ptr error;
  // Teams of a host thread follow one another in every step: their doors are made once.
  static thread_local std::vector<Door> doors;
  if (doors.size() < static_cast<size_t>(threads)) {
    doors = std::vector<Door>(static_cast<size_t>(threads));
  }
  for (Door& door : doors) door.jobs.store(0, std::memory_order_relaxed);
  doors_ = doors.data();
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 0) {
      size_ = omp_get_num_threads();
      current_ = this;
      try {
        work(context);
      } catch (...) {
        error = std::current_exception();
      }
      current_ = nullptr;
      job_ = {};
      call(size_);
    } else {
      stand_by(omp_get_thread_num());
    }
  }
  if (error) std::rethrow_exception(error);
}

void Team::call(int threads) {
  for (int thread = 1; thread < threads; ++thread) {
    Door& door = doors_[thread];
    // Both in one order with stand_by: the thread sees the job, or this sees that it sleeps.
    door.jobs.fetch_add(1);
    if (door.is_asleep.load()) door.jobs.notify_one();
  }
}

void Team::hand_out(const Job& job) {
  const int threads = std::min(job.parts, size_);
  job_ = job;
  working_.store(threads - 1, std::memory_order_relaxed);
  call(threads);
  for (int part = 0; part < job.parts; part += size_) job.body(job.context, part);
  for (int looks = 0; working_.load(std::memory_order_acquire) != 0; ++looks) {
    if (looks < kLooks && waits_busily()) {
      look_away();
    } else {
      std::this_thread::yield();
    }
  }
}

void Team::stand_by(int thread) {
  Door& door = doors_[thread];
  for (uint32_t done = 0;; ++done) {
    for (int looks = 0; door.jobs.load(std::memory_order_acquire) == done; ++looks) {
      if (looks < kLooks && waits_busily()) {
        look_away();
      } else {
        door.is_asleep.store(true);
        door.jobs.wait(done);
        door.is_asleep.store(false);
      }
    }
    const Job job = job_;
    if (job.body == nullptr) return;
    for (int part = thread; part < job.parts; part += size_) job.body(job.context, part);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace antler::runtime
