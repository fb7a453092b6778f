#pragma once

#include <cstdint>

namespace antler::runtime {

/// While it lives, this thread and its team take numbers too small for a normal float as 0, as
/// TensorFlow and XLA do: what decays towards 0 (moments of optimizers, weights under a penalty)
/// would otherwise make Intel's CPUs ten times slower for good.
class DenormalsAreZero {
 public:
  /// `threads` that kernels may use: those of OpenMP's team are set once and stay so.
  explicit DenormalsAreZero(int threads);
  ~DenormalsAreZero();
  DenormalsAreZero(const DenormalsAreZero&) = delete;
  DenormalsAreZero& operator=(const DenormalsAreZero&) = delete;

 private:
  uint32_t previous_;
};

}  // namespace antler::runtime
