// Max and average pooling over windows.
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
void fields(V& v, PoolingOptions& o) {
  v("pool_size", o.pool_size);
  v("padding", o.padding);
  v("strides", o.strides);
  v("data_format", o.data_format);
}

BasePooling::BasePooling(bool average, int rank, const char* class_name,
                         const PoolingOptions& options)
    : Layer(class_name, base_options(options)), average_(average), rank_(rank), options_(options) {
  options_.pool_size = options_.pool_size.expand(rank, 2, "The `pool_size` argument");
  options_.strides = options_.strides.given()
                         ? options_.strides.expand(rank, 1, "The `strides` argument")
                         : options_.pool_size;
  options_.padding = standardize_padding(options_.padding, false, class_name);
  is_channels_first(options_.data_format, class_name);
  set_input_spec({.ndim = rank_ + 2});
}

Tensor BasePooling::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  const Tensor x = first ? channels_to_last(input) : input;
  const auto& size = options_.pool_size.values();
  const auto& strides = options_.strides.values();
  for (size_t i = 0; options_.padding == "valid" && i < size.size(); ++i) {
    const int64_t extent = x.shape()[static_cast<int>(i) + 1];
    if (extent == Shape::kUnknown || extent >= size[i]) continue;
    throw ValueError(
        "Computed output size would be negative. Received `inputs shape={}`, `pool_size={}` at "
        "layer \"{}\".",
        input.shape(), Shape(size), name());
  }
  const ops::PoolOptions pool{.strides = strides, .padding = options_.padding};
  const Tensor y = average_ ? ops::average_pool(x, size, pool) : ops::max_pool(x, size, pool);
  return first ? channels_to_first(y) : y;
}

Json BasePooling::get_config() const { return config_of(*this, options_); }

MaxPooling1D::MaxPooling1D(const PoolingOptions& o) : LayerBase(false, 1, "MaxPooling1D", o) {}
MaxPooling1D::MaxPooling1D(int64_t pool_size, PoolingOptions o)
    : MaxPooling1D(
          by_position<&PoolingOptions::pool_size>("MaxPooling1D", std::move(o), pool_size)) {}
MaxPooling2D::MaxPooling2D(const PoolingOptions& o) : LayerBase(false, 2, "MaxPooling2D", o) {}
MaxPooling2D::MaxPooling2D(int64_t pool_size, PoolingOptions o)
    : MaxPooling2D(
          by_position<&PoolingOptions::pool_size>("MaxPooling2D", std::move(o), pool_size)) {}
MaxPooling3D::MaxPooling3D(const PoolingOptions& o) : LayerBase(false, 3, "MaxPooling3D", o) {}
MaxPooling3D::MaxPooling3D(int64_t pool_size, PoolingOptions o)
    : MaxPooling3D(
          by_position<&PoolingOptions::pool_size>("MaxPooling3D", std::move(o), pool_size)) {}
AveragePooling1D::AveragePooling1D(const PoolingOptions& o)
    : LayerBase(true, 1, "AveragePooling1D", o) {}
AveragePooling1D::AveragePooling1D(int64_t pool_size, PoolingOptions o)
    : AveragePooling1D(
          by_position<&PoolingOptions::pool_size>("AveragePooling1D", std::move(o), pool_size)) {}
AveragePooling2D::AveragePooling2D(const PoolingOptions& o)
    : LayerBase(true, 2, "AveragePooling2D", o) {}
AveragePooling2D::AveragePooling2D(int64_t pool_size, PoolingOptions o)
    : AveragePooling2D(
          by_position<&PoolingOptions::pool_size>("AveragePooling2D", std::move(o), pool_size)) {}
AveragePooling3D::AveragePooling3D(const PoolingOptions& o)
    : LayerBase(true, 3, "AveragePooling3D", o) {}
AveragePooling3D::AveragePooling3D(int64_t pool_size, PoolingOptions o)
    : AveragePooling3D(
          by_position<&PoolingOptions::pool_size>("AveragePooling3D", std::move(o), pool_size)) {}

LayerClasses pooling_layers() {
  return layer_classes_of<PoolingOptions, MaxPooling1D, MaxPooling2D, MaxPooling3D,
                          AveragePooling1D, AveragePooling2D, AveragePooling3D>();
}

}  // namespace antler
