#pragma once

#include <cmath>
#include <numbers>

#include "antler/ops/numpy/elementwise.h"

/// Interpolation weights as functions of the distance, for numbers and for tensors.
namespace antler::ops::resample_kernels {

inline double choose(bool condition, double yes, double no) { return condition ? yes : no; }
inline Tensor choose(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  return where(condition, yes, no);
}
inline bool below(double x, double limit) { return x < limit; }
inline Tensor below(const Tensor& x, double limit) { return less(x, limit); }
inline double sine(double x) { return std::sin(x); }
inline Tensor sine(const Tensor& x) { return sin(x); }

template <class T>
T triangle(const T& x) {
  return choose(below(x, 1), 1.0 - x, T(0.0));
}
/// Keys (1981) with a = -1/2.
template <class T>
T keys_cubic(const T& x) {
  const T far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0;
  return choose(below(x, 1), (1.5 * x - 2.5) * x * x + 1.0, choose(below(x, 2), far, T(0.0)));
}
template <int radius, class T>
T lanczos(const T& x) {
  const T safe = choose(below(x, 1e-3), T(1.0), x);
  const T t = std::numbers::pi * safe;
  const T wave = double{radius} * sine(t) * sine(t / double{radius}) / (t * t);
  return choose(below(x, 1e-3), T(1.0), choose(below(x, radius), wave, T(0.0)));
}

}  // namespace antler::ops::resample_kernels
