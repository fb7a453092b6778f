// Pooling over a given number of windows.
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/pooling.h"
#include "antler/ops/nn/pooling.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, AdaptivePoolingOptions& o) {
  v.required("output_size", o.output_size);
  v("data_format", o.data_format);
}

BaseAdaptivePooling::BaseAdaptivePooling(bool average, int rank, const char* class_name,
                                         const AdaptivePoolingOptions& options)
    : Layer(class_name, base_options(options)), average_(average), options_(options) {
  if (!options_.output_size.given()) {
    throw ValueError("{}: `output_size` must be given.", class_name);
  }
  options_.output_size = options_.output_size.expand(rank, 1, "The `output_size` argument");
  is_channels_first(options_.data_format, class_name);
  set_input_spec({.ndim = rank + 2});
}

Tensor BaseAdaptivePooling::call(const Tensor& input, const CallOptions&) {
  const int first = is_channels_first(options_.data_format, class_name()) ? 2 : 1;
  const std::vector<int64_t>& size = options_.output_size.values();
  return average_ ? ops::adaptive_average_pool(input, size, first)
                  : ops::adaptive_max_pool(input, size, first);
}

Json BaseAdaptivePooling::get_config() const { return config_of(*this, options_); }

AdaptiveMaxPooling1D::AdaptiveMaxPooling1D(const Sizes& output_size, AdaptivePoolingOptions options)
    : AdaptiveMaxPooling1D(by_position<&AdaptivePoolingOptions::output_size>(
          "AdaptiveMaxPooling1D", std::move(options), output_size)) {}
AdaptiveMaxPooling1D::AdaptiveMaxPooling1D(const AdaptivePoolingOptions& options)
    : LayerBase(false, 1, "AdaptiveMaxPooling1D", options) {}
AdaptiveMaxPooling2D::AdaptiveMaxPooling2D(const Sizes& output_size, AdaptivePoolingOptions options)
    : AdaptiveMaxPooling2D(by_position<&AdaptivePoolingOptions::output_size>(
          "AdaptiveMaxPooling2D", std::move(options), output_size)) {}
AdaptiveMaxPooling2D::AdaptiveMaxPooling2D(const AdaptivePoolingOptions& options)
    : LayerBase(false, 2, "AdaptiveMaxPooling2D", options) {}
AdaptiveMaxPooling3D::AdaptiveMaxPooling3D(const Sizes& output_size, AdaptivePoolingOptions options)
    : AdaptiveMaxPooling3D(by_position<&AdaptivePoolingOptions::output_size>(
          "AdaptiveMaxPooling3D", std::move(options), output_size)) {}
AdaptiveMaxPooling3D::AdaptiveMaxPooling3D(const AdaptivePoolingOptions& options)
    : LayerBase(false, 3, "AdaptiveMaxPooling3D", options) {}
AdaptiveAveragePooling1D::AdaptiveAveragePooling1D(const Sizes& output_size,
                                                   AdaptivePoolingOptions options)
    : AdaptiveAveragePooling1D(by_position<&AdaptivePoolingOptions::output_size>(
          "AdaptiveAveragePooling1D", std::move(options), output_size)) {}
AdaptiveAveragePooling1D::AdaptiveAveragePooling1D(const AdaptivePoolingOptions& options)
    : LayerBase(true, 1, "AdaptiveAveragePooling1D", options) {}
AdaptiveAveragePooling2D::AdaptiveAveragePooling2D(const Sizes& output_size,
                                                   AdaptivePoolingOptions options)
    : AdaptiveAveragePooling2D(by_position<&AdaptivePoolingOptions::output_size>(
          "AdaptiveAveragePooling2D", std::move(options), output_size)) {}
AdaptiveAveragePooling2D::AdaptiveAveragePooling2D(const AdaptivePoolingOptions& options)
    : LayerBase(true, 2, "AdaptiveAveragePooling2D", options) {}
AdaptiveAveragePooling3D::AdaptiveAveragePooling3D(const Sizes& output_size,
                                                   AdaptivePoolingOptions options)
    : AdaptiveAveragePooling3D(by_position<&AdaptivePoolingOptions::output_size>(
          "AdaptiveAveragePooling3D", std::move(options), output_size)) {}
AdaptiveAveragePooling3D::AdaptiveAveragePooling3D(const AdaptivePoolingOptions& options)
    : LayerBase(true, 3, "AdaptiveAveragePooling3D", options) {}

LayerClasses adaptive_pooling_layers() {
  return layer_classes_of<AdaptivePoolingOptions, AdaptiveMaxPooling1D, AdaptiveMaxPooling2D,
                          AdaptiveMaxPooling3D, AdaptiveAveragePooling1D, AdaptiveAveragePooling2D,
                          AdaptiveAveragePooling3D>();
}

}  // namespace antler
