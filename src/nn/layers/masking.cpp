// Masking, Identity.
#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, MaskingOptions& o) {
  v("mask_value", o.mask_value);
}

template <class V>
void fields(V&, IdentityOptions&) {}

Masking::Masking(double mask_value, MaskingOptions options)
    : Masking(by_position<&MaskingOptions::mask_value>("Masking", std::move(options), mask_value)) {
}

Masking::Masking(const MaskingOptions& options) : LayerOf(options) { set_supports_masking(true); }

Tensor Masking::call(const Tensor& input, const CallOptions&) {
  const Tensor keep =
      ops::any(ops::not_equal(input, Tensor(options_.mask_value)), {-1}, {.keepdims = true});
  return with_keras_mask(ops::where(keep, input, Tensor(0)), ops::squeeze(keep, -1));
}

Tensor Masking::compute_mask(const Nest& inputs, const Tensor&) {
  return ops::any(ops::not_equal(inputs.tensor(), Tensor(options_.mask_value)), {-1});
}

Identity::Identity(const IdentityOptions& options) : LayerBase("Identity", base_options(options)) {
  set_supports_masking(true);
}

Nest Identity::call(const Nest& inputs, const CallOptions&) { return inputs; }

LayerClasses masking_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<Masking>(),
      layer_class<Identity, IdentityOptions>(),
  };
  return kClasses;
}

}  // namespace antler
