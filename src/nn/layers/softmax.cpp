#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, SoftmaxOptions& o) {
  v("axis", o.axis);
}

namespace {

/// Replaces minus infinity for masked elements, so that exp() gives 0. It is finite, so that a
/// fully masked row does not become NaN.
double large_negative(DType dtype) { return dtype == DType::float16 ? -3e4 : -1e9; }

}  // namespace

Softmax::Softmax(int64_t axis, SoftmaxOptions options)
    : Softmax(by_position<&SoftmaxOptions::axis>("Softmax", std::move(options), axis)) {}

Softmax::Softmax(const SoftmaxOptions& options) : LayerOf(options) { set_supports_masking(true); }

Tensor Softmax::call(const Tensor& input, const CallOptions& options) {
  const std::vector<int64_t>& axes = options_.axis.values();
  const auto normal = [&](const Tensor& x) {
    return axes.size() == 1 ? activations::softmax(x, axes[0])
                            : ops::exp(x - ops::logsumexp(x, axes, {.keepdims = true}));
  };
  if (!options.mask.defined()) return normal(input);
  const Shape& mask = options.mask.shape();
  bool fits = mask.rank() <= input.rank();
  for (int i = 1; fits && i <= mask.rank(); ++i) {
    fits = mask.dim(-i) == 1 || mask.dim(-i) == input.dim(-i);
  }
  if (!fits) {
    throw ValueError(
        "The `mask` must be broadcastable to `inputs` and must not have more dimensions. Each mask "
        "dimension must be 1 or match the corresponding input dimension. Received: "
        "inputs.shape={}, mask.shape={}",
        input.shape(), mask);
  }
  const Tensor keep = options.mask.dtype() == DType::boolean
                          ? options.mask
                          : ops::greater(options.mask, Tensor(0.5));
  const Tensor kept = ops::where(keep, input, Tensor(large_negative(input.dtype())));
  return ops::where(keep, normal(kept), Tensor(0.0));
}

LayerClasses softmax_layers() { return layer_classes<Softmax>(); }

}  // namespace antler
