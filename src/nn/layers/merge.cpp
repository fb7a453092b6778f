// Add, Subtract, Multiply, Average, Maximum, Minimum.
#include <algorithm>
#include <string>

#include "antler/base/error.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layer_state.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V&, MergeOptions&) {}

BaseMerge::BaseMerge(const char* class_name, const MergeOptions& options)
    : Layer(class_name, base_options(options)) {
  set_supports_masking(true);
}

Nest BaseMerge::call(const Nest& inputs, const CallOptions&) {
  Tensors xs = inputs.flatten();
  if (!inputs.is_list() || xs.empty()) {
    throw ValueError(
        "A merge layer should be called on a list of inputs. Received: {} at layer \"{}\".",
        inputs.is_tensor() ? "one tensor of shape " + inputs.tensor().shape().str()
                           : "inputs=" + inputs.structure(),
        name());
  }
  check_all_given(*this, xs);
  int rank = 0;
  for (const Tensor& x : xs) rank = std::max(rank, x.rank());
  for (Tensor& x : xs) {
    while (x.rank() < rank) x = ops::expand_dims(x, 1);
    if (x.shape()[0] != xs[0].shape()[0]) {
      throw ValueError(
          "Cannot merge tensors with different batch sizes. Received tensors with shapes {} and {} "
          "at layer \"{}\".",
          xs[0].shape(), x.shape(), name());
    }
  }
  return merge(xs);
}

Tensor BaseMerge::compute_mask(const Nest& inputs, const Tensor&) {
  Tensor result;
  for (const Tensor& x : inputs.flatten()) {
    const Tensor mask = keras_mask(x);
    if (!mask.defined()) return {};
    result = result.defined() ? ops::logical_or(result, mask) : mask;
  }
  return result;
}

Json BaseMerge::get_config() const { return Layer::get_config(); }

namespace {

template <class F>
Tensor fold(const Tensors& xs, F f) {
  Tensor result = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) result = f(result, xs[i]);
  return result;
}

/// The mask of a tensor, with an entry per element; undefined if it has none.
Tensor element_mask(const Tensor& x) {
  const Tensor mask = keras_mask(x);
  return mask.defined() ? ops::broadcast_to(ops::expand_dims(mask, -1), x.shape()) : mask;
}

/// fold() without the masked elements.
Tensor masked_fold(const Tensors& xs, Tensor (*f)(const Tensor&, const Tensor&)) {
  Tensor result = xs[0];
  Tensor mask = element_mask(xs[0]);
  for (size_t i = 1; i < xs.size(); ++i) {
    const Tensor own = element_mask(xs[i]);
    const Tensor x = own.defined() ? ops::where(own, xs[i], result) : xs[i];
    if (mask.defined()) result = ops::where(mask, result, x);
    mask = mask.defined() && own.defined() ? ops::logical_or(mask, own) : Tensor();
    result = f(result, x);
  }
  return mask.defined() ? with_keras_mask(result, ops::any(mask, {-1})) : result;
}

}  // namespace

Add::Add(const MergeOptions& options) : LayerBase("Add", options) {}
Subtract::Subtract(const MergeOptions& options) : LayerBase("Subtract", options) {}
Multiply::Multiply(const MergeOptions& options) : LayerBase("Multiply", options) {}
Average::Average(const MergeOptions& options) : LayerBase("Average", options) {}
Maximum::Maximum(const MergeOptions& options) : LayerBase("Maximum", options) {}
Minimum::Minimum(const MergeOptions& options) : LayerBase("Minimum", options) {}

Tensor Add::merge(const Tensors& xs) const { return fold(xs, ops::add); }
Tensor Subtract::merge(const Tensors& xs) const {
  if (xs.size() != 2) {
    throw ValueError(
        "A `Subtract` layer should be called on exactly 2 inputs. Received: {} at layer \"{}\".",
        xs.size(), name());
  }
  return xs[0] - xs[1];
}
Tensor Multiply::merge(const Tensors& xs) const {
  Tensors factors;
  Tensor mask;
  bool all_masked = true;
  for (const Tensor& x : xs) {
    const Tensor own = element_mask(x);
    all_masked = all_masked && own.defined();
    factors.push_back(own.defined() ? ops::where(own, x, Tensor(1.0)) : x);
    if (all_masked) mask = mask.defined() ? ops::logical_or(mask, own) : own;
  }
  Tensor product = fold(factors, ops::multiply);
  if (!all_masked) return product;
  return with_keras_mask(ops::where(mask, product, Tensor(0.0)), ops::any(mask, {-1}));
}
Tensor Average::merge(const Tensors& xs) const {
  return fold(xs, ops::add) / Tensor(static_cast<double>(xs.size()));
}
Tensor Maximum::merge(const Tensors& xs) const { return masked_fold(xs, ops::maximum); }
Tensor Minimum::merge(const Tensors& xs) const { return masked_fold(xs, ops::minimum); }

namespace layers {
Tensor add(const Tensors& inputs, const MergeOptions& options) {
  return Add(options)(Nest(inputs)).tensor();
}
Tensor subtract(const Tensors& inputs, const MergeOptions& options) {
  return Subtract(options)(Nest(inputs)).tensor();
}
Tensor multiply(const Tensors& inputs, const MergeOptions& options) {
  return Multiply(options)(Nest(inputs)).tensor();
}
Tensor average(const Tensors& inputs, const MergeOptions& options) {
  return Average(options)(Nest(inputs)).tensor();
}
Tensor maximum(const Tensors& inputs, const MergeOptions& options) {
  return Maximum(options)(Nest(inputs)).tensor();
}
Tensor minimum(const Tensors& inputs, const MergeOptions& options) {
  return Minimum(options)(Nest(inputs)).tensor();
}
}  // namespace layers

LayerClasses merge_layers() {
  return layer_classes_of<MergeOptions, Add, Subtract, Multiply, Average, Maximum, Minimum>();
}

}  // namespace antler
