#include <utility>

#include "antler/nn/layers/preprocessing.h"
#include "antler/ops/elementwise.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, RescalingOptions& o) {
  v("scale", o.scale);
  v("offset", o.offset);
}

namespace {

RescalingOptions with_scale(RescalingOptions options, double scale) {
  options.scale = scale;
  return options;
}

}  // namespace

Rescaling::Rescaling(double scale, RescalingOptions options)
    : Rescaling(with_scale(std::move(options), scale)) {}

Rescaling::Rescaling(const RescalingOptions& options)
    : LayerBase("Rescaling", base_options(options)), options_(options) {
  set_supports_masking(true);
}

Tensor Rescaling::call(const Tensor& input, const CallOptions&) {
  const Tensor x = ops::cast(input, compute_dtype()) * Tensor(options_.scale);
  return options_.offset == 0 ? x : x + Tensor(options_.offset);
}

Json Rescaling::get_config() const { return config_of(*this, options_); }

LayerPtr rescaling_from_config(const Json& config) {
  return Rescaling(options_from<RescalingOptions>(config, "Rescaling")).share();
}

}  // namespace antler
