#include "antler/training/sharpness_aware_minimization.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/fields.h"
#include "training/model_config.h"
#include "training/model_state.h"
#include "training/premade/list.h"
#include "training/structure.h"

namespace antler {
namespace {

/// Avoids division by zero.
constexpr double kEpsilon = 1e-12;

/// A field that is read as JSON.
struct JsonField {
  Json& value;
};
void read_field(const Json& in, JsonField& field) { field.value = in; }

LayerOptions with_name(const std::optional<std::string>& name) { return {.name = name}; }

/// Splits each leaf into equal parts along axis 0; undefined leaves stay undefined.
std::vector<Nest> split_batch(const Nest& values, int64_t parts) {
  std::vector<Tensors> leaves(static_cast<size_t>(parts));
  for (const Tensor& t : values.flatten()) {
    if (t.defined() && (t.rank() == 0 || t.dim(0) % parts != 0)) {
      throw ValueError(
          "SharpnessAwareMinimization: `num_batch_splits` must divide the batch size. Received: "
          "num_batch_splits={} and an array of shape {}",
          parts, t.shape());
    }
    const Tensors split = t.defined() ? ops::split(t, parts, 0) : Tensors(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) leaves[i].push_back(split[i]);
  }
  std::vector<Nest> result;
  for (const Tensors& part : leaves) result.push_back(values.pack(part));
  return result;
}

Nest join_batch(const std::vector<Nest>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Tensors> leaves;
  for (const Nest& part : parts) leaves.push_back(part.flatten());
  Tensors joined;
  for (size_t k = 0; k < leaves[0].size(); ++k) {
    Tensors rows;
    for (const Tensors& part : leaves) rows.push_back(part[k]);
    joined.push_back(ops::concatenate(rows, 0));
  }
  return parts[0].pack(joined);
}

/// The global L2 norm.
Tensor norm_of(const Tensors& gradients) {
  Tensor sum;
  for (const Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const Tensor square = ops::sum(ops::square(ops::cast(gradient, DType::float32)));
    sum = sum.defined() ? sum + square : square;
  }
  return ops::sqrt(sum);
}

}  // namespace

SharpnessAwareMinimization::SharpnessAwareMinimization(
    const LayerHandle& model, const SharpnessAwareMinimizationOptions& options)
    : LayerBase("SharpnessAwareMinimization", with_name(options.name)),
      options_(options),
      model_(model.layer()) {
  if (dynamic_cast<const Model*>(model_.get()) == nullptr) {
    throw TypeError(
        "SharpnessAwareMinimization: `model` must be a model. Received: layer '{}' of class {}.",
        model_->name(), model_->class_name());
  }
  if (options_.num_batch_splits.value_or(1) < 1) {
    throw ValueError(
        "SharpnessAwareMinimization: `num_batch_splits` must be positive. Received: "
        "num_batch_splits={}",
        *options_.num_batch_splits);
  }
  track_layer("model", model_);
}

Tensor SharpnessAwareMinimization::call(const Tensor& input, const CallOptions& options) {
  return (*model_)(input, options);
}

Nest SharpnessAwareMinimization::call(const Nest& inputs, const CallOptions& options) {
  return (*model_)(inputs, options);
}

Tensor SharpnessAwareMinimization::loss_of(const Batch& part, const Nest& y_pred) const {
  const auto names = training::pseudo_output_names(y_pred);
  const Tensor loss = (*model_state()->loss)(
      names, model_state()->loss->targets(part.y, names, y_pred), y_pred.flatten(),
      training::align_weights(part.sample_weight, names, y_pred), {});
  if (!loss.defined()) {
    throw ValueError("SharpnessAwareMinimization: provide a `loss` argument in `compile()`.");
  }
  return loss;
}

Logs SharpnessAwareMinimization::train_step(const Batch& batch) {
  const int64_t count = options_.num_batch_splits.value_or(1);
  const std::vector<Nest> x = split_batch(batch.x, count);
  const std::vector<Nest> y = split_batch(batch.y, count);
  const std::vector<Nest> weights = split_batch(batch.sample_weight, count);
  std::vector<Nest> predictions;
  Variables variables;
  Tensors total;
  for (size_t i = 0; i < x.size(); ++i) {
    const Batch part{x[i], y[i], weights[i]};
    Tensors uphill;
    {
      GradientTape tape;
      predictions.push_back((*this)(part.x));
      const Tensor loss = loss_of(part, predictions.back());
      variables = model_->trainable_variables();
      uphill = tape.gradient(loss, variables);
    }
    const Tensor scale = Tensor(options_.rho) / (norm_of(uphill) + Tensor(kEpsilon));
    const JointUpdate together;  // every replica moves the weights and puts them back
    Tensors before;
    for (size_t k = 0; k < variables.size(); ++k) {
      before.push_back(variables[k].value());
      if (uphill[k].defined()) {
        variables[k].assign(before[k] + uphill[k] * ops::cast(scale, variables[k].dtype()));
      }
    }
    GradientTape tape;
    const Tensor loss = loss_of(part, (*this)(part.x, {.training = true}));
    const Tensors gradients = tape.gradient(loss, variables);
    for (size_t k = 0; k < variables.size(); ++k) {
      if (uphill[k].defined()) variables[k].assign(before[k]);
      if (i == 0) {
        total.push_back(gradients[k]);
      } else if (gradients[k].defined()) {
        total[k] = total[k].defined() ? total[k] + gradients[k] : gradients[k];
      }
    }
  }
  optimizer().apply(total, variables);
  return compute_metrics(batch.x, batch.y, join_batch(predictions), batch.sample_weight);
}

Json SharpnessAwareMinimization::get_config() const {
  Json config = Json::object();
  config["name"] = name();
  config["model"] = training::with_build_config(*model_);
  config["rho"] = options_.rho;
  write_field(config["num_batch_splits"], options_.num_batch_splits);
  return config;
}

LayerPtr sharpness_aware_minimization_from_config(const Json& config) {
  SharpnessAwareMinimizationOptions options;
  Json model;
  FieldReader reader(config, "SharpnessAwareMinimization");
  reader("name", options.name);
  JsonField field{model};
  reader("model", field);
  reader("rho", options.rho);
  reader("num_batch_splits", options.num_batch_splits);
  reader.finish();
  if (!model.is_object()) {
    throw ValueError(
        "SharpnessAwareMinimization: the configuration must have a `model`. Received: {}",
        config.dump());
  }
  return SharpnessAwareMinimization(training::layer_with_build_config(model), options).share();
}

}  // namespace antler
