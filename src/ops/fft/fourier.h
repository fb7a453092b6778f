#include "antler/ops/numpy/complex.h"

#pragma once

namespace antler::ops {

/// Sums of x_k exp(-+ 2 pi i j k / n) along the last axis, + where `inverse`; not divided by n.
Complex fourier(const Complex& x, bool inverse);

}  // namespace antler::ops
