#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/preprocessing/image_support.h"

namespace antler {

Tensor project_boxes(const Tensor& boxes, const ops::Projection& p) {
  const auto per_image = [](const Tensor& t) {
    return t.rank() == 0 ? t : ops::reshape(ops::cast(t, DType::float32), Shape{-1, 1, 1});
  };
  const Tensor a0 = per_image(p.a0), a1 = per_image(p.a1), a2 = per_image(p.a2);
  const Tensor b0 = per_image(p.b0), b1 = per_image(p.b1), b2 = per_image(p.b2);
  const Tensor c0 = per_image(p.c0), c1 = per_image(p.c1);
  // The projection maps output to input, but boxes are mapped from input to output. The cofactors
  // give the inverse; their common factor cancels in the quotients.
  const auto x_at = [&](const Tensor& x, const Tensor& y) {
    return (b1 - b2 * c1) * x + (a2 * c1 - a1) * y + (a1 * b2 - a2 * b1);
  };
  const auto y_at = [&](const Tensor& x, const Tensor& y) {
    return (b2 * c0 - b0) * x + (a0 - a2 * c0) * y + (a2 * b0 - a0 * b2);
  };
  const auto k_at = [&](const Tensor& x, const Tensor& y) {
    return (b0 * c1 - b1 * c0) * x + (a1 * c0 - a0 * c1) * y + (a0 * b1 - a1 * b0);
  };
  const auto column = [&](int64_t i) { return ops::slice_axis(boxes, -1, i, i + 1); };
  const Tensor left = column(0), top = column(1), right = column(2), bottom = column(3);
  const auto corners = [&](const auto& f) {
    return ops::concatenate({f(left, top), f(right, top), f(left, bottom), f(right, bottom)}, -1);
  };
  const Tensor k = corners(k_at);
  const Tensor x = corners(x_at) / k;
  const Tensor y = corners(y_at) / k;
  return ops::concatenate(
      {ops::min(x, {-1}, {.keepdims = true}), ops::min(y, {-1}, {.keepdims = true}),
       ops::max(x, {-1}, {.keepdims = true}), ops::max(y, {-1}, {.keepdims = true})},
      -1);
}

}  // namespace antler
