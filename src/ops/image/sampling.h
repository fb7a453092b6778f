#pragma once

#include <string>

#include "antler/core/tensor.h"

/// Sampling of images [batch, height, width, channels] at computed coordinates, like TensorFlow's
/// projective transform.
namespace antler::ops {

/// Output pixel (x, y) is sampled from the input at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) /
/// k), where k = c0 x + c1 y + 1. Each parameter is a number or has the shape [batch].
struct Projection {
  Tensor a0, a1, a2, b0, b1, b2;
  Tensor c0 = 0.0;
  Tensor c1 = 0.0;
};
/// The projection that moves `start` points to `end` points, [batch, 4, 2] or [1, 4, 2], with
/// columns x and y.
Projection projection_between(const Tensor& start, const Tensor& end);

struct Sampling {
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::string fill_mode = "reflect";       ///< or "wrap", "constant", "nearest", "mirror"
  double fill_value = 0;
};
/// Throws ValueError for an unknown name.
void check_sampling(const std::string& function, const Sampling& sampling);

/// Samples images through a projection.
Tensor project(const Tensor& images, const Projection& projection, const Sampling& sampling);
/// Samples images at (x, y), each [batch, height, width].
Tensor sample_at(const Tensor& images, const Tensor& x, const Tensor& y, const Sampling& sampling);

}  // namespace antler::ops
