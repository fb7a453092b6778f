// Add, Subtract, Multiply, Average, Maximum, Minimum.
#include <algorithm>
#include <string>

#include "antler/base/error.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/mask.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

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
    throw ValueError("A merge layer should be called on a list of inputs. Received: inputs=" +
                     inputs.structure() + " at layer \"" + name() + "\".");
  }
  int rank = 0;
  for (const Tensor& x : xs) rank = std::max(rank, x.rank());
  for (Tensor& x : xs) {
    while (x.rank() < rank) x = ops::expand_dims(x, 1);
    if (x.shape()[0] != xs[0].shape()[0]) {
      throw ValueError(
          "Cannot merge tensors with different batch sizes. Received tensors with shapes " +
          xs[0].shape().str() + " and " + x.shape().str() + " at layer \"" + name() + "\".");
    }
  }
  return merge(xs);
}

Tensor BaseMerge::compute_mask(const Nest& inputs, const Tensor&) {
  Tensor mask;
  for (const Tensor& x : inputs.flatten()) {
    const Tensor m = keras_mask(x);
    if (m.defined()) mask = mask.defined() ? ops::logical_and(mask, m) : m;
  }
  return mask;
}

Json BaseMerge::get_config() const { return Layer::get_config(); }

namespace {

template <class F>
Tensor fold(const Tensors& xs, F f) {
  Tensor result = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) result = f(result, xs[i]);
  return result;
}

template <class L>
LayerPtr merge_from_config(const Json& config, const char* class_name) {
  return L(options_from<MergeOptions>(config, class_name)).share();
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
    throw ValueError("A `Subtract` layer should be called on exactly 2 inputs. Received: " +
                     std::to_string(xs.size()) + " at layer \"" + name() + "\".");
  }
  return xs[0] - xs[1];
}
Tensor Multiply::merge(const Tensors& xs) const { return fold(xs, ops::multiply); }
Tensor Average::merge(const Tensors& xs) const {
  return fold(xs, ops::add) / Tensor(static_cast<double>(xs.size()));
}
Tensor Maximum::merge(const Tensors& xs) const { return fold(xs, ops::maximum); }
Tensor Minimum::merge(const Tensors& xs) const { return fold(xs, ops::minimum); }

LayerPtr add_from_config(const Json& config) { return merge_from_config<Add>(config, "Add"); }
LayerPtr subtract_from_config(const Json& config) {
  return merge_from_config<Subtract>(config, "Subtract");
}
LayerPtr multiply_from_config(const Json& config) {
  return merge_from_config<Multiply>(config, "Multiply");
}
LayerPtr average_from_config(const Json& config) {
  return merge_from_config<Average>(config, "Average");
}
LayerPtr maximum_from_config(const Json& config) {
  return merge_from_config<Maximum>(config, "Maximum");
}
LayerPtr minimum_from_config(const Json& config) {
  return merge_from_config<Minimum>(config, "Minimum");
}

}  // namespace antler
