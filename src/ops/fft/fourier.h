#include "antler/ops/numpy/complex.h"

#pragma once

namespace antler::ops {

/// The unscaled discrete Fourier transform along the last axis: the sum over k of x_k exp(-2 pi i j
/// k / n), or exp(+...) if `inverse`.
Complex fourier(const Complex& x, bool inverse);

}  // namespace antler::ops
