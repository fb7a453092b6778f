// Masking, Identity.
#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

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

Masking::Masking(const MaskingOptions& options)
    : LayerBase("Masking", base_options(options)), options_(options) {
  set_supports_masking(true);
}

Tensor Masking::call(const Tensor& input, const CallOptions&) {
  const Tensor keep = ops::any(ops::not_equal(input, Tensor(options_.mask_value)), {-1}, true);
  return with_keras_mask(ops::where(keep, input, Tensor(0)), ops::squeeze(keep, -1));
}

Tensor Masking::compute_mask(const Nest& inputs, const Tensor&) {
  return ops::any(ops::not_equal(inputs.tensor(), Tensor(options_.mask_value)), {-1});
}

Json Masking::get_config() const { return config_of(*this, options_); }

LayerPtr masking_from_config(const Json& config) {
  return Masking(options_from<MaskingOptions>(config, "Masking")).share();
}

Identity::Identity(const IdentityOptions& options) : LayerBase("Identity", base_options(options)) {
  set_supports_masking(true);
}

Nest Identity::call(const Nest& inputs, const CallOptions&) { return inputs; }

LayerPtr identity_layer_from_config(const Json& config) {
  return Identity(options_from<IdentityOptions>(config, "Identity")).share();
}

}  // namespace antler
