#include "nn/resize_axis.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"

namespace antler {
namespace {

/// Weight of an element at a distance, as a function of that distance.
struct ResizeKernel {
  const char* name;
  double radius;
  double (*weight)(double x);
};

double lanczos(double x, double radius) {
  if (x < 1e-8) return 1;
  const double t = std::numbers::pi * x;
  return radius * std::sin(t) * std::sin(t / radius) / (t * t);
}

/// Keys (1981) with a = -1/2.
double keys_cubic(double x) {
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

constexpr ResizeKernel kKernels[] = {
    {"bilinear", 1, [](double x) { return 1 - x; }},
    {"bicubic", 2, keys_cubic},
    {"lanczos3", 3, [](double x) { return lanczos(x, 3); }},
    {"lanczos5", 5, [](double x) { return lanczos(x, 5); }},
    {"gaussian", 1.5, [](double x) { return std::exp(-2 * x * x); }},
    // Mitchell and Netravali (1988) with B = C = 1/3.
    {"mitchellcubic", 2,
     [](double x) {
       return x < 1 ? ((7 * x - 12) * x * x + 16.0 / 3) / 6
                    : (((-7.0 / 3 * x + 12) * x - 20) * x + 32.0 / 3) / 6;
     }},
};

/// Weights [in, out], columns of sum 1.
std::vector<double> kernel_weights(const ResizeKernel& kernel, int64_t in, int64_t out,
                                   bool antialias) {
  std::vector<double> weights(static_cast<size_t>(in * out), 0.0);
  const double step = static_cast<double>(in) / static_cast<double>(out);
  const double width = antialias ? std::max(step, 1.0) : 1.0;
  // TensorFlow takes the cubic weights from a table of so many steps per element.
  constexpr double kTableSteps = 1024;
  const bool table = kernel.weight == &keys_cubic && !antialias;
  for (int64_t o = 0; o < out; ++o) {
    double centre = (static_cast<double>(o) + 0.5) * step;
    if (table) {
      const double below = std::floor(centre - 0.5);
      centre = below + std::nearbyint((centre - 0.5 - below) * kTableSteps) / kTableSteps + 0.5;
    }
    double total = 0;
    for (int64_t i = 0; i < in; ++i) {
      const double distance = std::abs(static_cast<double>(i) + 0.5 - centre) / width;
      if (distance >= kernel.radius) continue;
      const double w = kernel.weight(distance);
      weights[static_cast<size_t>(i * out + o)] = w;
      total += w;
    }
    for (int64_t i = 0; total != 0 && i < in; ++i)
      weights[static_cast<size_t>(i * out + o)] /= total;
  }
  return weights;
}

/// Weights [in, out] of means over equal stretches.
std::vector<double> area_weights(int64_t in, int64_t out) {
  std::vector<double> weights(static_cast<size_t>(in * out), 0.0);
  const double step = static_cast<double>(in) / static_cast<double>(out);
  for (int64_t o = 0; o < out; ++o) {
    const double low = static_cast<double>(o) * step;
    for (int64_t i = 0; i < in; ++i) {
      const auto at = static_cast<double>(i);
      const double overlap = std::min(at + 1, low + step) - std::max(at, low);
      if (overlap > 0) weights[static_cast<size_t>(i * out + o)] = overlap / step;
    }
  }
  return weights;
}

std::vector<double> nearest_weights(int64_t in, int64_t out) {
  std::vector<double> weights(static_cast<size_t>(in * out), 0.0);
  for (int64_t o = 0; o < out; ++o) {
    const int64_t i = std::min((2 * o + 1) * in / (2 * out), in - 1);
    weights[static_cast<size_t>(i * out + o)] = 1;
  }
  return weights;
}

}  // namespace

void check_interpolation(const std::string& interpolation, const std::string& layer) {
  std::string names = "'nearest', 'area'";
  if (interpolation == "nearest" || interpolation == "area") return;
  for (const ResizeKernel& kernel : kKernels) {
    if (interpolation == kernel.name) return;
    names += ", '" + std::string(kernel.name) + "'";
  }
  throw ValueError(layer + ": the `interpolation` argument must be one of " + names +
                   ". Received: interpolation=" + interpolation);
}

Tensor resize_axis(const Tensor& x, int axis, int64_t size, const std::string& interpolation,
                   bool antialias) {
  const int64_t in = x.shape()[axis];
  std::vector<double> weights;
  if (interpolation == "area") weights = area_weights(in, size);
  if (interpolation == "nearest") weights = nearest_weights(in, size);
  for (const ResizeKernel& kernel : kKernels) {
    if (interpolation == kernel.name) weights = kernel_weights(kernel, in, size, antialias);
  }
  const DType dtype = promote_types(x.dtype(), DType::float32);
  const Tensor matrix = Tensor::of<float>({weights.begin(), weights.end()}, {in, size});
  const Tensor y = ops::dot_general(ops::cast(x, dtype), ops::cast(matrix, dtype),
                                    {.lhs_contract = {axis}, .rhs_contract = {0}});
  return ops::cast(ops::moveaxis(y, -1, axis), x.dtype());
}

}  // namespace antler
