// Max and average over all spatial dimensions.
#include <string>

#include "antler/nn/layers/pooling.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, GlobalPoolingOptions& o) {
  v("data_format", o.data_format);
  v("keepdims", o.keepdims);
}

BaseGlobalPooling::BaseGlobalPooling(bool average, int rank, const char* class_name,
                                     const GlobalPoolingOptions& options)
    : Layer(class_name, base_options(options)), average_(average), rank_(rank), options_(options) {
  is_channels_first(options_.data_format, class_name);
  set_input_spec({.ndim = rank_ + 2});
  set_supports_masking(average_ && rank_ == 1);
}

Tensor BaseGlobalPooling::call(const Tensor& input, const CallOptions& options) {
  ops::Axes axes;
  const bool first = is_channels_first(options_.data_format, class_name());
  for (int i = 0; i < rank_; ++i) axes.push_back(i + (first ? 2 : 1));
  if (!average_) return ops::max(input, axes, {.keepdims = options_.keepdims});
  if (rank_ == 1 && options.mask.defined()) {
    const Tensor kept = ops::expand_dims(ops::cast(options.mask, DType::boolean), first ? 1 : 2);
    // where() instead of a product, because a masked value and its gradient may be NaN.
    const Tensor x = ops::where(kept, input, ops::cast(Tensor(0.0), input.dtype()));
    return ops::sum(x, axes, {.keepdims = options_.keepdims}) /
           ops::sum(ops::cast(kept, input.dtype()), axes, {.keepdims = options_.keepdims});
  }
  return ops::mean(input, axes, {.keepdims = options_.keepdims});
}

Tensor BaseGlobalPooling::compute_mask(const Nest&, const Tensor&) { return {}; }

Json BaseGlobalPooling::get_config() const { return config_of(*this, options_); }

GlobalMaxPooling1D::GlobalMaxPooling1D(const GlobalPoolingOptions& o)
    : LayerBase(false, 1, "GlobalMaxPooling1D", o) {}
GlobalMaxPooling2D::GlobalMaxPooling2D(const GlobalPoolingOptions& o)
    : LayerBase(false, 2, "GlobalMaxPooling2D", o) {}
GlobalMaxPooling3D::GlobalMaxPooling3D(const GlobalPoolingOptions& o)
    : LayerBase(false, 3, "GlobalMaxPooling3D", o) {}
GlobalAveragePooling1D::GlobalAveragePooling1D(const GlobalPoolingOptions& o)
    : LayerBase(true, 1, "GlobalAveragePooling1D", o) {}
GlobalAveragePooling2D::GlobalAveragePooling2D(const GlobalPoolingOptions& o)
    : LayerBase(true, 2, "GlobalAveragePooling2D", o) {}
GlobalAveragePooling3D::GlobalAveragePooling3D(const GlobalPoolingOptions& o)
    : LayerBase(true, 3, "GlobalAveragePooling3D", o) {}

LayerClasses global_pooling_layers() {
  return layer_classes_of<GlobalPoolingOptions, GlobalMaxPooling1D, GlobalMaxPooling2D,
                          GlobalMaxPooling3D, GlobalAveragePooling1D, GlobalAveragePooling2D,
                          GlobalAveragePooling3D>();
}

}  // namespace antler
