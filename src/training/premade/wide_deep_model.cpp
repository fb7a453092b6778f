#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/optimizers/multi_optimizer.h"
#include "antler/nn/registry.h"
#include "antler/training/premade_models.h"
#include "nn/fields.h"
#include "training/model_config.h"
#include "training/model_state.h"
#include "training/premade/list.h"

namespace antler {
namespace {

/// A model in a configuration.
struct ModelField {
  LayerPtr model;
};

void write_field(Json& out, const ModelField& field) {
  out = training::with_build_config(*field.model);
}
void read_field(const Json& in, ModelField& field) {
  field.model = training::layer_with_build_config(in);
}

/// The contents of a configuration.
struct WideDeepConfig : WideDeepModelOptions {
  ModelField linear_model;
  ModelField dnn_model;
};

LayerPtr checked_model(const LayerHandle& handle, const char* argument) {
  if (dynamic_cast<const Model*>(handle.layer().get()) == nullptr) {
    throw TypeError("WideDeepModel: `{}` must be a model. Received: layer '{}' of class {}.",
                    argument, handle->name(), handle->class_name());
  }
  return handle.layer();
}

/// A regular expression that matches only this string.
std::string regex_escaped(const std::string& literal) {
  std::string result;
  for (const char c : literal) {
    if (std::string_view("^$\\.*+?()[]{}|").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

template <class V>
void fields(V& v, WideDeepConfig& o) {
  v("linear_model", o.linear_model);
  v("dnn_model", o.dnn_model);
  v("activation", o.activation);
}

WideDeepModel::WideDeepModel(const LayerHandle& linear_model, const LayerHandle& dnn_model,
                             const WideDeepModelOptions& options)
    : LayerBase("WideDeepModel", base_options(options)),
      options_(options),
      linear_model_(checked_model(linear_model, "linear_model")),
      dnn_model_(checked_model(dnn_model, "dnn_model")) {
  // The paths of Keras 2's files.
  track_layer("linear_model", linear_model_);
  track_layer("layers/" + to_snake_case(dnn_model_->class_name()), dnn_model_);
}

Tensor WideDeepModel::call(const Tensor& input, const CallOptions& options) {
  return call(Nest(input), options).tensor();
}

Nest WideDeepModel::call(const Nest& inputs, const CallOptions&) {
  const bool two = inputs.is_list() && inputs.size() == 2;
  const Nest linear = (*linear_model_)(two ? inputs[0] : inputs);
  const Nest deep = (*dnn_model_)(two ? inputs[1] : inputs);
  if (linear.structure() != deep.structure()) {
    throw ValueError(
        "WideDeepModel: the models must have outputs of the same structure. Received: {} of "
        "`linear_model` and {} of `dnn_model`.",
        linear.structure(), deep.structure());
  }
  const Tensors left = linear.flatten();
  const Tensors right = deep.flatten();
  Tensors sums;
  for (size_t i = 0; i < left.size(); ++i) {
    sums.push_back(options_.activation(left[i] + right[i]));
  }
  return linear.pack(sums);
}

void WideDeepModel::compile(const OptimizerSpec& linear_optimizer,
                            const OptimizerSpec& dnn_optimizer, CompileArguments arguments) {
  // The paths of the linear model's weights start with its name, possibly below this model's.
  const std::string linear_weights =
      "(" + regex_escaped(name()) + "/)?" + regex_escaped(linear_model_->name()) + "/.*";
  arguments.optimizer = optimizers::MultiOptimizer(optimizers::OptimizerMap(
      dnn_optimizer.resolve(), {{linear_weights, linear_optimizer.resolve()}}));
  compile(arguments);
}

void WideDeepModel::compile_from_config(const Json& config) {
  const auto given = config.is_object() ? config.find("optimizer") : config.end();
  if (given == config.end() || !given->is_array()) return Model::compile_from_config(config);
  if (given->size() != 2) {
    throw ValueError("WideDeepModel: expected a list of two optimizers. Received: optimizer={}",
                     given->dump());
  }
  Json rest = config;
  rest["optimizer"] = nullptr;
  Model::compile_from_config(rest);
  compile(OptimizerSpec::from_config((*given)[0]), OptimizerSpec::from_config((*given)[1]),
          model_state()->arguments);
  if (built()) optimizer().build(trainable_variables());
}

Json WideDeepModel::get_config() const {
  WideDeepConfig all{options_, {linear_model_}, {dnn_model_}};
  return config_of(*this, all);
}

LayerPtr wide_deep_model_from_config(const Json& config) {
  const auto all = options_from<WideDeepConfig>(config, "WideDeepModel");
  if (all.linear_model.model == nullptr || all.dnn_model.model == nullptr) {
    throw ValueError(
        "WideDeepModel: the configuration must have `linear_model` and `dnn_model`. Received: {}",
        config.dump());
  }
  return WideDeepModel(all.linear_model.model, all.dnn_model.model, all).share();
}

}  // namespace antler
