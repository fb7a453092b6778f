#pragma once

#include <string>

#include "antler/core/tensor.h"

/// Sampling of images [batch, height, width, channels] at computed places, as TensorFlow's
/// projective transform.
namespace antler::ops {

/// Where to sample: output pixel (x, y) takes input ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) /
/// k), k = c0 x + c1 y + 1. Each [batch] or a number.
struct Projection {
  Tensor a0, a1, a2, b0, b1, b2;
  Tensor c0 = 0.0;
  Tensor c1 = 0.0;
};
/// The projection that shows `start` points [batch, 4, 2] at `end` points, of the same shape or of
/// one image: columns x and y.
Projection projection_between(const Tensor& start, const Tensor& end);

struct Sampling {
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::string fill_mode = "reflect";       ///< or "wrap", "constant", "nearest", "mirror"
  double fill_value = 0;
};
/// Throws ValueError naming `function` for a name that there is not.
void check_sampling(const std::string& function, const Sampling& sampling);

/// Images sampled through a projection.
Tensor project(const Tensor& images, const Projection& projection, const Sampling& sampling);
/// Images sampled at (x, y), each [batch, height, width].
Tensor sample_at(const Tensor& images, const Tensor& x, const Tensor& y, const Sampling& sampling);

}  // namespace antler::ops
