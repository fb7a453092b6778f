#include "runtime/cpu/denormals.h"

#include <omp.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace antler::runtime {
namespace {

#if defined(__SSE2__)
constexpr uint32_t kFlush = 0x8040;  // FTZ (bit 15) and DAZ (bit 6)

uint32_t control() { return _mm_getcsr(); }
void set_control(uint32_t bits) { _mm_setcsr(bits); }
#else
constexpr uint32_t kFlush = 0;

uint32_t control() { return 0; }
void set_control(uint32_t) {}
#endif

/// Threads that OpenMP starts later inherit the mode of this thread.
void set_omp_threads(int threads) {
  thread_local int set = 1;
  if (threads <= set) return;
#pragma omp parallel num_threads(threads)
  set_control(control() | kFlush);
  set = threads;
}

}  // namespace

ScopedFlushDenormals::ScopedFlushDenormals(int threads) : previous_(control()) {
  set_control(previous_ | kFlush);
  set_omp_threads(threads);
}

ScopedFlushDenormals::~ScopedFlushDenormals() { set_control(previous_); }

}  // namespace antler::runtime
