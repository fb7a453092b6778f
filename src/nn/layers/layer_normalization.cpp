#include <algorithm>
#include <string>

#include "antler/base/error.h"
#include "antler/nn/layers/normalization.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/nn.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, LayerNormalizationOptions& o) {
  v.integer_or_list("axis", o.axis);
  v("epsilon", o.epsilon);
  v("center", o.center);
  v("scale", o.scale);
  v.constant("rms_scaling", false);
  v("beta_initializer", o.beta_initializer);
  v("gamma_initializer", o.gamma_initializer);
  v("beta_regularizer", o.beta_regularizer);
  v("gamma_regularizer", o.gamma_regularizer);
  v("beta_constraint", o.beta_constraint);
  v("gamma_constraint", o.gamma_constraint);
}

namespace {

std::vector<int64_t> sorted_axes(const std::vector<int64_t>& axes, int rank) {
  std::vector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(normalize_axis(axis, rank, "LayerNormalization: axis"));
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

LayerNormalization::LayerNormalization(const LayerNormalizationOptions& options)
    : LayerBase("LayerNormalization", base_options(options)), options_(options) {
  if (options_.axis.empty())
    throw ValueError("LayerNormalization: `axis` must name at least one axis.");
  set_supports_masking(true);
}

void LayerNormalization::build(const Shape& input_shape) {
  Shape shape;
  for (int64_t axis : sorted_axes(options_.axis, input_shape.rank())) {
    shape.push_back(input_shape[static_cast<int>(axis)]);
    if (shape.back() == Shape::kUnknown) {
      throw ValueError(
          "LayerNormalization: the sizes of the normalised axes must be known. Received: "
          "input_shape=" +
          input_shape.str());
    }
  }
  if (options_.scale) {
    gamma_ = add_weight({.name = "gamma",
                         .shape = shape,
                         .initializer = options_.gamma_initializer,
                         .regularizer = options_.gamma_regularizer,
                         .constraint = options_.gamma_constraint});
  }
  if (options_.center) {
    beta_ = add_weight({.name = "beta",
                        .shape = shape,
                        .initializer = options_.beta_initializer,
                        .regularizer = options_.beta_regularizer,
                        .constraint = options_.beta_constraint});
  }
}

Tensor LayerNormalization::call(const Tensor& input, const CallOptions&) {
  const std::vector<int64_t> axes = sorted_axes(options_.axis, input.rank());
  // Sums of half-precision numbers overflow, so at least float32.
  const DType dtype = promote_types(input.dtype(), DType::float32);
  const Tensor x = ops::cast(input, dtype);
  const auto value = [&](const Variable& v) {
    return v.defined() ? ops::cast(v, dtype) : Tensor();
  };
  Tensor y;
  if (axes.size() == 1 && axes[0] == x.rank() - 1) {
    y = ops::layer_normalization(x, value(gamma_), value(beta_), options_.epsilon);
  } else {
    Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
    for (int64_t axis : axes) shape[static_cast<int>(axis)] = x.shape()[static_cast<int>(axis)];
    const ops::Moments stats = ops::moments(x, axes, true);
    y = (x - stats.mean) * ops::rsqrt(stats.variance + Tensor(options_.epsilon));
    if (options_.scale) y = y * ops::reshape(value(gamma_), shape);
    if (options_.center) y = y + ops::reshape(value(beta_), shape);
  }
  return ops::cast(y, compute_dtype());
}

Json LayerNormalization::get_config() const { return config_of(*this, options_); }

LayerPtr layer_normalization_from_config(const Json& config) {
  return LayerNormalization(options_from<LayerNormalizationOptions>(config, "LayerNormalization"))
      .share();
}

}  // namespace antler
