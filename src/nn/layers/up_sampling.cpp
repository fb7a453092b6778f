#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "ops/image/resample.h"

namespace antler {

template <class V>
void fields(V& v, UpSamplingOptions& o) {
  v("size", o.size);
  v("data_format", o.data_format);
  v("interpolation", o.interpolation);
}

BaseUpSampling::BaseUpSampling(int rank, const char* class_name, const UpSamplingOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  options_.size = options_.size.expand(rank, 2, "The `size` argument");
  is_channels_first(options_.data_format, class_name);
  if (rank == 1) options_.data_format = "channels_last";
  if (rank == 2) {
    options_.interpolation = to_lower(options_.interpolation);
    ops::check_resize_interpolation(options_.interpolation, class_name);
  } else {
    options_.interpolation = "nearest";
  }
  set_input_spec({.ndim = rank + 2});
}

Tensor BaseUpSampling::call(const Tensor& input, const CallOptions&) {
  const int first = is_channels_first(options_.data_format, class_name()) ? 2 : 1;
  Tensor x = input;
  for (int i = 0; i < rank_; ++i) {
    const int64_t factor = options_.size.values()[static_cast<size_t>(i)];
    const int axis = first + i;
    x = options_.interpolation == "nearest"
            ? ops::repeat(x, factor, axis)
            : ops::resize_axis(x, axis, x.shape()[axis] * factor, options_.interpolation, false);
  }
  return x;
}

Json BaseUpSampling::get_config() const {
  Json config = Layer::get_config();
  if (rank_ == 1) {
    config["size"] = options_.size.values()[0];
    return config;
  }
  write_field(config["size"], options_.size);
  config["data_format"] = options_.data_format;
  if (rank_ == 2) config["interpolation"] = options_.interpolation;
  return config;
}

UpSampling1D::UpSampling1D(int64_t size, UpSamplingOptions options)
    : UpSampling1D(
          by_position<&UpSamplingOptions::size>("UpSampling1D", std::move(options), size)) {}
UpSampling1D::UpSampling1D(const UpSamplingOptions& options)
    : LayerBase(1, "UpSampling1D", options) {}
UpSampling2D::UpSampling2D(int64_t size, UpSamplingOptions options)
    : UpSampling2D(
          by_position<&UpSamplingOptions::size>("UpSampling2D", std::move(options), size)) {}
UpSampling2D::UpSampling2D(const std::array<int64_t, 2>& size, UpSamplingOptions options)
    : UpSampling2D(by_position<&UpSamplingOptions::size>(
          "UpSampling2D", std::move(options), std::vector<int64_t>(size.begin(), size.end()))) {}
UpSampling2D::UpSampling2D(const UpSamplingOptions& options)
    : LayerBase(2, "UpSampling2D", options) {}
UpSampling3D::UpSampling3D(int64_t size, UpSamplingOptions options)
    : UpSampling3D(
          by_position<&UpSamplingOptions::size>("UpSampling3D", std::move(options), size)) {}
UpSampling3D::UpSampling3D(const std::array<int64_t, 3>& size, UpSamplingOptions options)
    : UpSampling3D(by_position<&UpSamplingOptions::size>(
          "UpSampling3D", std::move(options), std::vector<int64_t>(size.begin(), size.end()))) {}
UpSampling3D::UpSampling3D(const UpSamplingOptions& options)
    : LayerBase(3, "UpSampling3D", options) {}

LayerClasses up_sampling_layers() {
  return layer_classes_of<UpSamplingOptions, UpSampling1D, UpSampling2D, UpSampling3D>();
}

}  // namespace antler
