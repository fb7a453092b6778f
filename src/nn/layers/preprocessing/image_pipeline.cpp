#include "antler/nn/layers/image_mixing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "antler/nn/by_position.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"

namespace antler {

template <class V>
void fields(V& v, MaxNumBoundingBoxesOptions& o) {
  format_fields(v, o);
  v.required("max_number", o.max_number);
  v("fill_value", o.fill_value);
}

MaxNumBoundingBoxes::MaxNumBoundingBoxes(int64_t max_number, MaxNumBoundingBoxesOptions options)
    : MaxNumBoundingBoxes(by_position<&MaxNumBoundingBoxesOptions::max_number>(
          "MaxNumBoundingBoxes", std::move(options), max_number)) {}

MaxNumBoundingBoxes::MaxNumBoundingBoxes(const MaxNumBoundingBoxesOptions& options)
    : LayerOf(with_format(options), image_formats(options), When::always) {
  keep_integers(/*in_training=*/true);
}

ImageBatch MaxNumBoundingBoxes::transform_all(ImageBatch batch) {
  if (!batch.boxes.defined()) return batch;
  const auto limited = [&](const Tensor& x) {
    const int64_t there = std::min(x.dim(1), options_.max_number);
    std::vector<int64_t> low(static_cast<size_t>(x.rank()), 0);
    std::vector<int64_t> high = low;
    high[1] = options_.max_number - there;
    return ops::pad(ops::slice_axis(x, 1, 0, there), low, high, {},
                    Tensor::full(x.dtype(), {}, static_cast<double>(options_.fill_value)));
  };
  batch.boxes = limited(batch.boxes);
  batch.box_labels = limited(batch.box_labels);
  return batch;
}

Pipeline::Pipeline(std::vector<LayerPtr> layers, const PipelineOptions& options)
    : LayerBase("Pipeline", base_options(options)), layers_(std::move(layers)) {
  for (const LayerPtr& layer : layers_) track_layer(layer->name(), layer);
}

Tensor Pipeline::call(const Tensor& input, const CallOptions& options) {
  return call(Nest(input), options).tensor();
}

Nest Pipeline::call(const Nest& inputs, const CallOptions& options) {
  Nest x = inputs;
  for (const LayerPtr& layer : layers_) x = (*layer)(x, {.training = options.training});
  return x;
}

Json Pipeline::get_config() const {
  Json json = Json::object();
  json["layers"] = Json::array();
  for (const LayerPtr& layer : layers_) {
    json["layers"].push_back(
        keras_object("keras.layers", layer->class_name(), layer->get_config()));
  }
  json["name"] = name();
  return json;
}

namespace {

LayerPtr pipeline_from_config(const Json& config) {
  if (!config.contains("layers") || !config["layers"].is_array()) {
    throw ValueError(
        "`Pipeline` config must contain a `layers` key mapping to a list of serialized layers.");
  }
  std::vector<LayerPtr> layers;
  for (const Json& layer : config["layers"]) {
    layers.push_back(layer_from_config(layer["class_name"].get<std::string>(), layer["config"]));
  }
  PipelineOptions options;
  if (config.contains("name") && config["name"].is_string()) {
    options.name = config["name"].get<std::string>();
  }
  return Pipeline(std::move(layers), options).share();
}

}  // namespace

LayerClasses image_pipeline_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<MaxNumBoundingBoxes>(),
      layer_class<Pipeline>(pipeline_from_config),
  };
  return kClasses;
}

}  // namespace antler
