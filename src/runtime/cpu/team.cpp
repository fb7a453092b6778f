#include "runtime/cpu/team.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

namespace antler::runtime {
namespace {

// Spins before a thread sleeps: about a millisecond.
constexpr int kSpins = 1 << 14;

void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// False if OMP_WAIT_POLICY, OpenMP's setting for machines shared with other programs, is passive.
bool may_spin() {
  static const bool spin = [] {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy == nullptr ||
           (std::string_view(policy) != "passive" && std::string_view(policy) != "PASSIVE");
  }();
  return spin;
}

}  // namespace

thread_local Team* Team::current_ = nullptr;

void Team::open(void (*work)(const void*), const void* context, int threads) {
  std::exception_ptr error;
  // Each step opens a team, so the slots are kept for the next step of this host thread.
  static thread_local std::vector<WaitSlot> slots;
  if (slots.size() < static_cast<size_t>(threads)) {
    slots = std::vector<WaitSlot>(static_cast<size_t>(threads));
  }
  for (WaitSlot& slot : slots) slot.jobs.store(0, std::memory_order_relaxed);
  slots_ = slots.data();
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
      wake(size_);
    } else {
      worker_loop(omp_get_thread_num());
    }
  }
  if (error) std::rethrow_exception(error);
}

void Team::wake(int threads) {
  for (int thread = 1; thread < threads; ++thread) {
    WaitSlot& slot = slots_[thread];
    // Sequentially consistent, as in worker_loop(): either the thread sees the new job, or we see
    // that it is asleep.
    slot.jobs.fetch_add(1);
    if (slot.is_asleep.load()) slot.jobs.notify_one();
  }
}

void Team::dispatch(const Job& job) {
  const int threads = std::min(job.parts, size_);
  if (threads > 1) ++divided_;
  job_ = job;
  pending_.store(threads - 1, std::memory_order_relaxed);
  wake(threads);
  for (int part = 0; part < job.parts; part += size_) job.body(job.context, part);
  for (int spins = 0; pending_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < kSpins && may_spin()) {
      cpu_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void Team::worker_loop(int thread) {
  WaitSlot& slot = slots_[thread];
  for (uint32_t done = 0;; ++done) {
    for (int spins = 0; slot.jobs.load(std::memory_order_acquire) == done; ++spins) {
      if (spins < kSpins && may_spin()) {
        cpu_pause();
      } else {
        slot.is_asleep.store(true);
        slot.jobs.wait(done);
        slot.is_asleep.store(false);
      }
    }
    const Job job = job_;
    if (job.body == nullptr) return;
    for (int part = thread; part < job.parts; part += size_) job.body(job.context, part);
    pending_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace antler::runtime
