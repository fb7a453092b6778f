#include <algorithm>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/strings.h"
#include "nn/layer_state.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, ConcatenateOptions& o) {
  v("axis", o.axis);
}

Concatenate::Concatenate(int64_t axis, ConcatenateOptions options)
    : Concatenate(by_position<&ConcatenateOptions::axis>("Concatenate", std::move(options), axis)) {
}

Concatenate::Concatenate(const ConcatenateOptions& options) : LayerOf(options) {
  set_supports_masking(true);
}

Nest Concatenate::call(const Nest& inputs, const CallOptions&) {
  const Tensors xs = inputs.flatten();
  if (!inputs.is_list() || xs.empty()) {
    throw ValueError(
        "A `Concatenate` layer should be called on a list of at least 1 input. Received: {} at "
        "layer \"{}\".",
        inputs.structure(), name());
  }
  check_all_given(*this, xs);
  const int axis = normalize_axis(options_.axis, xs[0].rank(), "Concatenate: axis");
  for (const Tensor& x : xs) {
    bool fits = x.rank() == xs[0].rank();
    for (int i = 0; fits && i < x.rank(); ++i) fits = i == axis || x.shape()[i] == xs[0].shape()[i];
    if (fits) continue;
    throw ValueError(
        "A `Concatenate` layer requires inputs with matching shapes except for the concatenation "
        "axis. Received: input_shape=[{}] at layer \"{}\".",
        join(xs, ", ", [](const Tensor& t) { return t.shape().str(); }), name());
  }
  return ops::concatenate(xs, axis);
}

Tensor Concatenate::compute_mask(const Nest& inputs, const Tensor&) {
  const Tensors xs = inputs.flatten();
  if (std::none_of(xs.begin(), xs.end(), [](const Tensor& x) { return keras_mask(x).defined(); }))
    return {};
  Tensors masks;
  for (const Tensor& x : xs) {
    Tensor mask = keras_mask(x);
    if (!mask.defined()) {
      mask = ops::ones(x.shape(), DType::boolean);
    } else if (mask.rank() < x.rank()) {
      mask = ops::broadcast_to(ops::expand_dims(mask, -1), x.shape());
    }
    masks.push_back(mask);
  }
  return ops::any(ops::concatenate(masks, options_.axis), {-1});
}

namespace layers {
Tensor concatenate(const Tensors& inputs, const ConcatenateOptions& options) {
  return Concatenate(options)(Nest(inputs)).tensor();
}
}  // namespace layers

LayerClasses concatenate_layers() { return layer_classes<Concatenate>(); }

}  // namespace antler
