#include "runtime/cpu/team.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>

namespace antler::runtime {
namespace {

constexpr int kInvolvedBits = 16;
constexpr uint64_t kInvolvedMask = (uint64_t{1} << kInvolvedBits) - 1;
// Looks at the turn before a thread goes to sleep, about a millisecond.
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
      publish(size_);
    } else {
      stand_by(omp_get_thread_num());
    }
  }
  if (error) std::rethrow_exception(error);
}

void Team::publish(int involved) {
  const uint64_t count = (turn_.load(std::memory_order_relaxed) >> kInvolvedBits) + 1;
  turn_.store(count << kInvolvedBits | static_cast<uint64_t>(involved));
  if (sleepers_.load() > 0) turn_.notify_all();
}

void Team::hand_out(const Job& job) {
  const int involved = std::min(job.parts, size_);
  job_ = job;
  working_.store(involved - 1, std::memory_order_relaxed);
  if (involved > 1) publish(involved);
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
  uint64_t seen = 0;
  for (;;) {
    uint64_t turn = turn_.load(std::memory_order_acquire);
    for (int looks = 0; turn == seen; ++looks) {
      if (looks < kLooks && waits_busily()) {
        look_away();
      } else {
        ++sleepers_;
        turn_.wait(seen);
        --sleepers_;
      }
      turn = turn_.load(std::memory_order_acquire);
    }
    seen = turn;
    if (thread >= static_cast<int>(turn & kInvolvedMask)) continue;
    const Job job = job_;
    if (job.body == nullptr) return;
    for (int part = thread; part < job.parts; part += size_) job.body(job.context, part);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace antler::runtime
