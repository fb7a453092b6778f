#include <string>

#include "antler/base/error.h"
#include "antler/nn/layers/normalization.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/layers/norm_axes.h"
#include "nn/layers/weight_fields.h"

namespace antler {

template <class V>
void fields(V& v, LayerNormalizationOptions& o) {
  v("axis", o.axis);
  v("epsilon", o.epsilon);
  v("center", o.center);
  v("scale", o.scale);
  v("rms_scaling", o.rms_scaling);
  v("beta_initializer", o.beta_initializer);
  v("gamma_initializer", o.gamma_initializer);
  v("beta_regularizer", o.beta_regularizer);
  v("gamma_regularizer", o.gamma_regularizer);
  v("beta_constraint", o.beta_constraint);
  v("gamma_constraint", o.gamma_constraint);
}

LayerNormalization::LayerNormalization(const LayerNormalizationOptions& options)
    : LayerOf(options) {
  if (options_.axis.values().empty())
    throw ValueError("LayerNormalization: `axis` must name at least one axis.");
  set_supports_masking(true);
  set_autocast(false);
}

void LayerNormalization::build(const Shape& input_shape) {
  const Shape shape = norm_axes(options_.axis, input_shape, "LayerNormalization: axis").sizes;
  if (!shape.is_known()) {
    throw ValueError(
        "LayerNormalization: the sizes of the normalized axes must be known. Received: "
        "input_shape={}",
        input_shape);
  }
  if (options_.scale || options_.rms_scaling) gamma_ = add_weight(gamma_weight(options_, shape));
  if (options_.center && !options_.rms_scaling) beta_ = add_weight(beta_weight(options_, shape));
}

Tensor LayerNormalization::call(const Tensor& input, const CallOptions&) {
  // Sums of half-precision numbers could overflow, so the dtype is at least float32.
  const DType dtype = promote_types(input.dtype(), DType::float32);
  const Tensor x = ops::cast(input, dtype);
  const NormAxes axes = norm_axes(options_.axis, x.shape(), "LayerNormalization: axis");
  const auto value = [&](const Variable& v) {
    return v.defined() ? ops::cast(v, dtype) : Tensor();
  };
  Tensor y;
  if (axes.axes.size() == 1 && axes.axes[0] == x.rank() - 1 && !options_.rms_scaling) {
    y = ops::layer_normalization(x, value(gamma_), value(beta_), {-1}, options_.epsilon);
  } else {
    const ops::Moments stats = ops::moments(x, axes.axes, {.keepdims = true});
    y = (options_.rms_scaling ? x : x - stats.mean) *
        ops::rsqrt(stats.variance + Tensor(options_.epsilon));
    if (gamma_.defined()) y = y * ops::reshape(value(gamma_), axes.aligned);
    if (beta_.defined()) y = y + ops::reshape(value(beta_), axes.aligned);
  }
  return ops::cast(y, compute_dtype());
}

Json LayerNormalization::get_config() const {
  LayerNormalizationOptions options = options_;
  // Keras turns the axis into a list when the layer is built.
  if (built()) options.axis = AxisList(options_.axis.values());
  return config_of(*this, options);
}

LayerClasses layer_normalization_layers() { return layer_classes<LayerNormalization>(); }

}  // namespace antler
