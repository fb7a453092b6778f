#include "antler/base/error.h"
#include "antler/nn/layers/activations.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/nn.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, SoftmaxOptions& o) {
  v("axis", o.axis);
}

namespace {

/// Stands for minus infinity where exp() must give 0, finite so that a row without elements gives
/// no NaN.
double large_negative(DType dtype) { return dtype == DType::float16 ? -3e4 : -1e9; }

}  // namespace

Softmax::Softmax(const SoftmaxOptions& options)
    : LayerBase("Softmax", base_options(options)), options_(options) {
  set_supports_masking(true);
}

Tensor Softmax::call(const Tensor& input, const CallOptions& options) {
  if (!options.mask.defined()) return ops::softmax(input, options_.axis);
  if (options.mask.rank() > input.rank()) {
    throw ValueError(
        "The `mask` must be broadcastable to `inputs` and must not have more dimensions. Received: "
        "inputs.shape=" +
        input.shape().str() + ", mask.shape=" + options.mask.shape().str());
  }
  const Tensor keep = options.mask.dtype() == DType::boolean
                          ? options.mask
                          : ops::greater(options.mask, Tensor(0.5));
  const Tensor kept = ops::where(keep, input, Tensor(large_negative(input.dtype())));
  return ops::where(keep, ops::softmax(kept, options_.axis), Tensor(0.0));
}

Json Softmax::get_config() const { return config_of(*this, options_); }

LayerPtr softmax_from_config(const Json& config) {
  return Softmax(options_from<SoftmaxOptions>(config, "Softmax")).share();
}

}  // namespace antler
