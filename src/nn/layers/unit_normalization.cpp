// UnitNormalization, RMSNormalization.
#include <algorithm>

#include "antler/nn/layers/normalization.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"
#include "nn/layers/norm_axes.h"

namespace antler {

template <class V>
void fields(V& v, UnitNormalizationOptions& o) {
  v("axis", o.axis);
}

template <class V>
void fields(V& v, RMSNormalizationOptions& o) {
  v("axis", o.axis);
  v("epsilon", o.epsilon);
}

NormAxes norm_axes(const AxisList& axis, const Shape& input_shape, const char* what) {
  NormAxes result;
  result.aligned = Shape(std::vector<int64_t>(static_cast<size_t>(input_shape.rank()), 1));
  std::vector<int64_t> sorted = axis.values();
  std::sort(sorted.begin(), sorted.end());
  for (int64_t a : sorted) {
    const int at = normalize_axis(a, input_shape.rank(), what);
    result.axes.push_back(at);
    result.sizes.push_back(input_shape[at]);
    result.aligned[at] = input_shape[at];
  }
  return result;
}

UnitNormalization::UnitNormalization(const UnitNormalizationOptions& options) : LayerOf(options) {
  set_supports_masking(true);
}

Tensor UnitNormalization::call(const Tensor& input, const CallOptions&) {
  return ops::normalize(
      input, norm_axes(options_.axis, input.shape(), "UnitNormalization: axis").axes, 2, 1e-12);
}

RMSNormalization::RMSNormalization(const RMSNormalizationOptions& options) : LayerOf(options) {}

void RMSNormalization::build(const Shape& input_shape) {
  scale_ =
      add_weight({.shape = norm_axes(options_.axis, input_shape, "RMSNormalization: axis").sizes,
                  .initializer = "ones",
                  .name = "scale"});
}

Tensor RMSNormalization::call(const Tensor& input, const CallOptions&) {
  // Sums of half-precision numbers could overflow, so the dtype is at least float32.
  const DType dtype = promote_types(input.dtype(), DType::float32);
  const Tensor x = ops::cast(input, dtype);
  const NormAxes axes = norm_axes(options_.axis, x.shape(), "RMSNormalization: axis");
  const Tensor mean = ops::mean(ops::square(x), axes.axes, {.keepdims = true});
  // As in Keras: the scale is aligned with the last dimensions, regardless of the axes.
  const Tensor y = x * ops::rsqrt(mean + Tensor(options_.epsilon)) * ops::cast(scale_, dtype);
  return ops::cast(y, input.dtype());
}

Json RMSNormalization::get_config() const {
  RMSNormalizationOptions options = options_;
  // Keras turns the axis into a list when the layer is built.
  if (built()) options.axis = AxisList(options_.axis.values());
  return config_of(*this, options);
}

LayerClasses unit_normalization_layers() {
  return layer_classes<UnitNormalization, RMSNormalization>();
}

}  // namespace antler
