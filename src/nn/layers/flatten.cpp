#include "antler/nn/layers/reshaping.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, FlattenOptions& o) {
  v("data_format", o.data_format);
}

Flatten::Flatten(const FlattenOptions& options) : LayerOf(options) {
  is_channels_first(options_.data_format, "Flatten");
  set_input_spec({.min_ndim = 1});
}

Tensor Flatten::call(const Tensor& input, const CallOptions&) {
  const bool first = input.rank() > 2 && is_channels_first(options_.data_format, "Flatten");
  const Tensor x = first ? channels_to_last(input) : input;
  const Shape rest(x.shape().begin() + 1, x.shape().end());
  return ops::reshape(x, {x.shape()[0], rest.num_elements()});
}

LayerClasses flatten_layers() { return layer_classes<Flatten>(); }

}  // namespace antler
