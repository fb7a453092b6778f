#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/training/premade_models.h"
#include "nn/fields.h"
#include "training/premade/list.h"
#include "training/structure.h"

namespace antler {

template <class V>
void fields(V& v, LinearModelOptions& o) {
  v("units", o.units);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
}

/// Shared by all copies of a model.
struct LinearModel::Parts {
  std::vector<Dense> layers;
  Variable bias;
  std::vector<std::string> keys;  ///< sorted keys of the first call's dictionary, if it was one
};

LinearModel::LinearModel(const LinearModelOptions& options)
    : LayerBase("LinearModel", base_options(options)),
      options_(options),
      parts_(std::make_shared<Parts>()) {
  if (options_.units <= 0) {
    throw ValueError(
        "LinearModel: expected a positive integer for the argument `units`. Received: units={}",
        options_.units);
  }
}

LinearModel::LinearModel(int64_t units, LinearModelOptions options)
    : LinearModel(
          by_position<&LinearModelOptions::units>("LinearModel", std::move(options), units)) {}

void LinearModel::build(const std::vector<Shape>& input_shapes) {
  for (const Shape& shape : input_shapes) {
    // Paths as in the files of Keras 2.
    const size_t index = parts_->layers.size();
    parts_->layers.push_back(
        track("layers/dense" + (index > 0 ? "_" + std::to_string(index) : std::string()),
              Dense(options_.units, {.use_bias = false,
                                     .kernel_initializer = options_.kernel_initializer,
                                     .kernel_regularizer = options_.kernel_regularizer,
                                     .dtype = dtype_policy().text()})));
    parts_->layers.back().ensure_built({shape});
  }
  if (!options_.use_bias) return;
  parts_->bias = add_weight({.shape = {options_.units},
                             .initializer = options_.bias_initializer,
                             .regularizer = options_.bias_regularizer,
                             .name = "bias"});
}

Tensor LinearModel::call(const Tensor& input, const CallOptions& options) {
  return call(Nest(input), options).tensor();
}

Nest LinearModel::call(const Nest& inputs, const CallOptions&) {
  Parts& parts = *parts_;
  Tensors tensors = inputs.flatten();
  if (inputs.is_dict()) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : inputs.items()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    if (parts.keys.empty() && keys.size() == parts.layers.size()) parts.keys = keys;
    std::vector<std::string> missing;
    for (const std::string& key : parts.keys) {
      if (!inputs.contains(key)) missing.push_back(key);
    }
    if (parts.keys.empty() || !missing.empty()) {
      throw ValueError(
          "The `inputs` dictionary does not match the structure expected by the model `{}`. "
          "Expected keys: {{{}}}. Received keys: {{{}}}. Missing keys: {{{}}}",
          name(), training::quoted(parts.keys), training::quoted(keys), training::quoted(missing));
    }
    tensors.clear();
    for (const std::string& key : parts.keys) tensors.push_back(inputs.at(key).tensor());
  }
  if (tensors.size() < parts.layers.size()) {
    throw ValueError("The model `{}` was built for {} inputs. Received: {}.", name(),
                     parts.layers.size(), tensors.size());
  }
  Tensor sum;
  for (size_t i = 0; i < parts.layers.size(); ++i) {
    const Tensor term = parts.layers[i](tensors[i]);
    sum = sum.defined() ? sum + term : term;
  }
  if (parts.bias.defined()) sum = sum + value_of(parts.bias);
  return options_.activation(sum);
}

Json LinearModel::get_config() const { return config_of(*this, options_); }

LayerPtr linear_model_from_config(const Json& config) {
  return LinearModel(options_from<LinearModelOptions>(config, "LinearModel")).share();
}

}  // namespace antler
