#include "runtime/cpu/denormals.h"

#include <omp.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace antler::runtime {
namespace {

#if defined(__SSE2__)
/// Results become 0 (FTZ, bit 15), arguments count as 0 (DAZ, bit 6).
constexpr uint32_t kFlush = 0x8040;

uint32_t control() { return _mm_getcsr(); }
void set_control(uint32_t bits) { _mm_setcsr(bits); }
#else
constexpr uint32_t kFlush = 0;

uint32_t control() { return 0; }
void set_control(uint32_t) {}
#endif

/// A thread that OpenMP starts later inherits the mode of the one that starts it.
void set_team(int threads) {
  thread_local int set = 1;
  if (threads <= set) return;
#pragma omp parallel num_threads(threads)
  set_control(control() | kFlush);
  set = threads;
}

}  // namespace

DenormalsAreZero::DenormalsAreZero(int threads) : previous_(control()) {
  set_control(previous_ | kFlush);
  set_team(threads);
}

DenormalsAreZero::~DenormalsAreZero() { set_control(previous_); }

}  // namespace antler::runtime
