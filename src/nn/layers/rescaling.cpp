#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"
#include "nn/list_field.h"

namespace antler {

void write_field(Json& out, const PerChannel& value) {
  out = value.is_list() ? Json(value.values()) : Json(value.values()[0]);
}

void read_field(const Json& in, PerChannel& value) {
  if (in.is_number()) {
    value = in.get<double>();
    return;
  }
  std::vector<double> values;
  ListField<std::vector<double>> field{values};
  read_field(in, field);
  value = std::move(values);
}

template <class V>
void fields(V& v, RescalingOptions& o) {
  v.required("scale", o.scale);
  v("offset", o.offset);
}

namespace {

/// A number stays weakly typed, so that it takes the dtype of the input.
Tensor factor(const PerChannel& value, DType dtype) {
  if (!value.is_list()) return value.values()[0];
  return ops::cast(Tensor::of(value.values()), dtype);
}

}  // namespace

Rescaling::Rescaling(PerChannel scale, RescalingOptions options)
    : Rescaling(by_position<&RescalingOptions::scale>("Rescaling", std::move(options),
                                                      std::move(scale))) {}

Rescaling::Rescaling(const RescalingOptions& options) : LayerOf(options) {
  set_supports_masking(true);
}

Tensor Rescaling::call(const Tensor& input, const CallOptions&) {
  const Tensor x = ops::cast(input, compute_dtype()) * factor(options_.scale, compute_dtype());
  const PerChannel& offset = options_.offset;
  if (!offset.is_list() && offset.values()[0] == 0) return x;
  return x + factor(offset, compute_dtype());
}

LayerClasses rescaling_layers() { return layer_classes<Rescaling>(); }

}  // namespace antler
