#include <algorithm>
#include <mutex>
#include <utility>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/distribute/strategy.h"
#include "antler/training/model.h"
#include "distribute/worker_batch.h"
#include "training/model_state.h"
#include "training/structure.h"

namespace antler {
namespace {

std::vector<std::string> names_of_outputs(const ModelState& state, const Nest& y_pred) {
  return state.output_names.empty() ? training::pseudo_output_names(y_pred) : state.output_names;
}

/// Runs a step on every replica of the model's strategy and reduces the results.
Function::Body distributed(ModelState* state, std::function<Nest(const Nest& batch)> step,
                           bool is_predict) {
  return [state, step = std::move(step), is_predict](const Nest& batch) {
    const distribute::Strategy& strategy = state->strategy;
    if (strategy.num_replicas_in_sync() == 1) return step(strategy.split(batch)[0]);
    const auto accumulates = [state](const Variable& variable) {
      const std::vector<MetricPtr> metrics = state->self.load()->metrics();
      return std::any_of(metrics.begin(), metrics.end(), [&](const MetricPtr& metric) {
        const Variables variables = metric->variables();
        return std::find(variables.begin(), variables.end(), variable) != variables.end();
      });
    };
    const distribute::PerReplica results =
        strategy.run(step, strategy.split(batch), {.accumulates = accumulates});
    if (is_predict && strategy.workers() != nullptr)
      return distribute::gather_rows(results, strategy);
    return state->self.load()->reduce_per_replica(results, strategy,
                                                  is_predict ? "concat" : state->reduction_method);
  };
}

}  // namespace

Batch unpack_x_y_sample_weight(const Nest& data) {
  if (!data.is_list()) return Batch(data);
  switch (data.size()) {
    case 1:
      return Batch(data[0]);
    case 2:
      return {data[0], data[1]};
    case 3:
      return {data[0], data[1], data[2]};
    default:
      throw ValueError(
          "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`. "
          "Received a list of {}.",
          data.size());
  }
}

Nest pack_x_y_sample_weight(const Nest& x, const Nest& y, const Nest& sample_weight) {
  if (y.is_none()) return x.is_list() ? Nest(std::vector<Nest>{x}) : x;
  if (sample_weight.is_none()) return Nest(std::vector<Nest>{x, y});
  return Nest(std::vector<Nest>{x, y, sample_weight});
}

Tensor Model::compute_loss(const Nest&, const Nest& y, const Nest& y_pred,
                           const Nest& sample_weight) {
  if (model_->loss == nullptr) {
    throw RuntimeError("Model `{}` has no loss: call `compile` first.", name());
  }
  const auto names = names_of_outputs(*model_, y_pred);
  if (model_->loss->given() && y.is_none()) {
    throw ValueError(
        "Target data is missing. Your model was compiled with a loss, and therefore expects target "
        "data to be provided in `fit()` or `evaluate()`.");
  }
  return (*model_->loss)(names, model_->loss->targets(y, names, y_pred), y_pred.flatten(),
                         training::align_weights(sample_weight, names, y_pred), losses());
}

Tensor Model::compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                           const Nest& sample_weight, bool) {
  return compute_loss(x, y, y_pred, sample_weight);
}

Logs Model::compute_metrics(const Nest&, const Nest& y, const Nest& y_pred,
                            const Nest& sample_weight) {
  if (!y.is_none() && model_->metrics != nullptr) {
    const auto names = names_of_outputs(*model_, y_pred);
    model_->metrics->update(names, model_->loss->targets(y, names, y_pred), y_pred.flatten(),
                            training::align_weights(sample_weight, names, y_pred));
  }
  return get_metrics_result();
}

Logs Model::get_metrics_result() const {
  Logs logs;
  for (const MetricPtr& metric : metrics()) {
    const Nest result = metric->result();
    if (result.is_dict()) {
      for (const auto& [name, value] : result.items()) logs[name] = value;
    } else {
      logs[metric->name()] = result;
    }
  }
  return logs;
}

Logs Model::train_step(const Batch& batch) {
  GradientTape tape;
  const Nest y_pred = (*this)(batch.x, {.training = true});
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight, true);
  if (!loss.defined()) {
    throw ValueError(
        "No loss to compute. Provide a `loss` argument in `compile()`, or add losses in layers.");
  }
  if (model_->loss != nullptr) model_->loss->track_other(loss, batch.x, metrics());
  const Variables variables = trainable_variables();
  if (!variables.empty()) {
    optimizer().minimize(loss, variables, tape);
  } else if (!std::exchange(model_->warned_about_nothing_to_train, true)) {
    logging::warning("The model does not have any trainable weights.");
  }
  return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
}

Logs Model::test_step(const Batch& batch) {
  const Nest y_pred = (*this)(batch.x, {.training = false});
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight, false);
  if (model_->loss != nullptr) model_->loss->track_other(loss, batch.x, metrics());
  return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
}

Nest Model::predict_step(const Batch& batch) { return (*this)(batch.x, {.training = false}); }

Nest Model::reduce_per_replica(const std::vector<Nest>& values,
                               const distribute::Strategy& strategy, const std::string& reduction) {
  return distribute::reduce_per_replica(values, strategy, reduction);
}

Function Model::make_train_function(bool force) {
  const std::lock_guard lock(model_->function_mutex);
  model_->self = this;
  if (force || !model_->train_function.defined()) {
    // A raw pointer: the state owns the function.
    const auto step = [state = model_.get()](const Nest& batch) -> Nest {
      return state->self.load()->train_step(unpack_x_y_sample_weight(batch));
    };
    model_->train_function =
        tf::function(distributed(model_.get(), step, false), function_options("train_step"));
  }
  return model_->train_function;
}

Function Model::make_test_function(bool force) {
  const std::lock_guard lock(model_->function_mutex);
  model_->self = this;
  if (force || !model_->test_function.defined()) {
    const auto step = [state = model_.get()](const Nest& batch) -> Nest {
      return state->self.load()->test_step(unpack_x_y_sample_weight(batch));
    };
    model_->test_function =
        tf::function(distributed(model_.get(), step, false), function_options("test_step"));
  }
  return model_->test_function;
}

Function Model::make_predict_function(bool force) {
  const std::lock_guard lock(model_->function_mutex);
  model_->self = this;
  if (force || !model_->predict_function.defined()) {
    const auto step = [state = model_.get()](const Nest& batch) {
      return state->self.load()->predict_step(unpack_x_y_sample_weight(batch));
    };
    model_->predict_function =
        tf::function(distributed(model_.get(), step, true), function_options("predict_step"));
  }
  return model_->predict_function;
}

FunctionOptions Model::function_options(const char* name) const {
  return {.name = name, .jit_compile = model_->jit_compile, .run_eagerly = run_eagerly()};
}

}  // namespace antler
