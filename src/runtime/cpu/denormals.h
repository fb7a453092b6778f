#pragma once

#include <cstdint>

namespace antler::runtime {

/// Sets FTZ and DAZ on this thread and the OpenMP threads, as TensorFlow and XLA do. Values that
/// decay towards 0 (optimizer moments, regularized weights) become subnormal, and Intel CPUs are up
/// to ten times slower on subnormal numbers.
class ScopedFlushDenormals {
 public:
  /// `threads`: OpenMP threads that kernels may use. They stay in this mode.
  explicit ScopedFlushDenormals(int threads);
  ~ScopedFlushDenormals();
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

 private:
  uint32_t previous_;
};

}  // namespace antler::runtime
