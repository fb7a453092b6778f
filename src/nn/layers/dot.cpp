#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/merging.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/layer_state.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, DotOptions& o) {
  v.required("axes", o.axes);
  v("normalize", o.normalize);
}

Dot::Dot(const AxisList& axes, DotOptions options)
    : Dot(by_position<&DotOptions::axes>("Dot", std::move(options), axes)) {}

Dot::Dot(const DotOptions& options) : LayerOf(options) {
  const size_t count = options_.axes.values().size();
  if (count != 2 && !(count == 1 && options_.axes.single())) {
    throw ValueError(
        "Invalid format for argument `axes`: it should contain two elements. Received: axes={}",
        Shape(options_.axes.values()));
  }
  set_supports_masking(true);
}

Nest Dot::call(const Nest& inputs, const CallOptions&) {
  const Tensors xs = inputs.flatten();
  if (!inputs.is_list() || xs.size() != 2) {
    throw ValueError(
        "A `Dot` layer should be called on a list of 2 inputs. Received: inputs={} at layer "
        "\"{}\".",
        inputs.structure(), name());
  }
  check_all_given(*this, xs);
  const std::vector<int64_t>& given = options_.axes.values();
  const int a = normalize_axis(given.front(), xs[0].rank(), "Dot: axes");
  const int b = normalize_axis(given.back(), xs[1].rank(), "Dot: axes");
  if (xs[0].shape()[a] != xs[1].shape()[b]) {
    throw ValueError(
        "Incompatible input shapes: axis values {} (at axis {}) != {} (at axis {}). Full input "
        "shapes: {}, {}",
        xs[0].shape()[a], a, xs[1].shape()[b], b, xs[0].shape(), xs[1].shape());
  }
  if (a == 0 || b == 0) {
    throw ValueError("Dot: cannot sum over axis 0, the batch. Received: axes={}", Shape(given));
  }
  const Tensor x = options_.normalize ? ops::normalize(xs[0], {a}) : xs[0];
  const Tensor y = options_.normalize ? ops::normalize(xs[1], {b}) : xs[1];
  const Tensor product = ops::dot_general(
      x, y, {.lhs_contract = {a}, .rhs_contract = {b}, .lhs_batch = {0}, .rhs_batch = {0}});
  return product.rank() == 1 ? ops::expand_dims(product, -1) : product;
}

Tensor Dot::compute_mask(const Nest&, const Tensor&) { return {}; }

namespace layers {
Tensor dot(const Tensors& inputs, const DotOptions& options) {
  return Dot(options)(Nest(inputs)).tensor();
}
}  // namespace layers

LayerClasses dot_layers() { return layer_classes<Dot>(); }

}  // namespace antler
