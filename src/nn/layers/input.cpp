#include "antler/nn/layers/input.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layer_handle.h"
#include "nn/layer_state.h"
#include "nn/layers/classes.h"
#include "nn/op_layer.h"

namespace antler {

InputLayer::InputLayer(const Shape& shape, const InputOptions& options)
    : LayerBase("InputLayer",
                {.name = options.name,
                 .dtype = options.dtype == "string" ? dtype_name(kStringDType) : options.dtype}),
      takes_strings_(options.dtype == "string"),
      dtype_(takes_strings_ ? kStringDType : parse_dtype(options.dtype)),
      sparse_(options.sparse),
      ragged_(options.ragged),
      optional_(options.optional) {
  batch_shape_.push_back(options.batch_size.value_or(Shape::kUnknown));
  for (int64_t d : shape) batch_shape_.push_back(d);
  for (int64_t d : batch_shape_) {
    if (d < Shape::kUnknown) {
      throw ValueError("Input: `shape` and `batch_size` must be positive or unknown. Received: {}",
                       batch_shape_);
    }
  }
  state()->built = true;
}

Tensor InputLayer::placeholder() const {
  LayerState& state = LayerInternals::state(*this);
  for (const auto& weak : state.nodes) {
    if (const GraphNodePtr node = weak.lock()) return placeholder_of(node);
  }
  install_placeholder_handler();
  auto node = std::make_shared<GraphNode>();
  node->layer = share();
  node->outputs = {{dtype_, batch_shape_}};
  state.nodes.push_back(node);
  return placeholder_of(node);
}

Tensor InputLayer::call(const Tensor& input, const CallOptions&) { return input; }

Json InputLayer::get_config() const {
  Json config = Json::object();
  Json shape = Json::array();
  for (int64_t d : batch_shape_) shape.push_back(d < 0 ? Json(nullptr) : Json(d));
  config["batch_shape"] = std::move(shape);
  config["dtype"] = takes_strings_ ? "string" : dtype_name(dtype_);
  config["sparse"] = sparse_;
  config["ragged"] = ragged_;
  config["name"] = name();
  config["optional"] = optional_;
  return config;
}

Tensor input_of_shape(const Shape& shape, const InputOptions& options) {
  return InputLayer(shape, options).placeholder();
}
Tensor Input(const InputArguments& a) {
  InputOptions options = {.batch_size = a.batch_size,
                          .dtype = a.dtype,
                          .sparse = a.sparse,
                          .ragged = a.ragged,
                          .name = a.name,
                          .optional = a.optional};
  if (!a.batch_shape) return Input(a.shape, options);
  const Shape& batch_shape = *a.batch_shape;
  if (a.shape.rank() > 0 || a.batch_size || batch_shape.rank() == 0) {
    throw ValueError(
        "Input: a `batch_shape` has at least one dimension, and `shape` and `batch_size` are not "
        "given with it. Received: batch_shape={}, shape={}",
        batch_shape, a.shape);
  }
  if (batch_shape[0] != Shape::kUnknown) options.batch_size = batch_shape[0];
  return Input(Shape(batch_shape.begin() + 1, batch_shape.end()), options);
}

namespace {

LayerPtr input_layer_from_config(const Json& config) {
  InputOptions options;
  Shape shape;
  if (const auto it = config.find("batch_shape");
      it != config.end() && it->is_array() && !it->empty()) {
    for (const Json& d : *it) shape.push_back(d.is_null() ? Shape::kUnknown : d.get<int64_t>());
  } else {
    throw ValueError("InputLayer: the configuration must have a `batch_shape`. Received: {}",
                     config.dump());
  }
  if (shape[0] != Shape::kUnknown) options.batch_size = shape[0];
  if (config.contains("dtype") && config["dtype"].is_string())
    options.dtype = config["dtype"].get<std::string>();
  if (config.contains("name") && config["name"].is_string())
    options.name = config["name"].get<std::string>();
  const auto flag = [&](const char* key) {
    const auto it = config.find(key);
    return it != config.end() && it->is_boolean() && it->get<bool>();
  };
  options.sparse = flag("sparse");
  options.ragged = flag("ragged");
  options.optional = flag("optional");
  return InputLayer(Shape(shape.begin() + 1, shape.end()), options).share();
}

}  // namespace

LayerHandle::LayerHandle(const Tensor& input) {
  if (!input.is_placeholder() || !placeholder_source(input).node ||
      !placeholder_source(input).node->is_input()) {
    throw TypeError("A list of layers may hold layers and the result of Input(). Received: {}.",
                    input.defined() ? input.str() : std::string("None"));
  }
  layer_ = placeholder_source(input).node->layer;
}

LayerClasses input_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<InputLayer>(input_layer_from_config)};
  return kClasses;
}

}  // namespace antler
