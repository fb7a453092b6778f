#include <utility>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/training/model.h"
#include "training/model_state.h"
#include "training/structure.h"

// The step functions of the loop and what traces them.

namespace antler {
namespace {

/// [x, y, sample_weight] as one tree, the argument of the traced functions.
Batch unpack(const Nest& arguments) { return {arguments[0], arguments[1], arguments[2]}; }

std::vector<std::string> names_of_outputs(const ModelState& state, const Nest& y_pred) {
  return state.output_names.empty() ? training::pseudo_output_names(y_pred) : state.output_names;
}

Nest to_nest(const Logs& logs) {
  Nest::Items items;
  for (const auto& [name, value] : logs) items.emplace_back(name, value);
  return Nest::dict(std::move(items));
}

}  // namespace

Tensor Model::compute_loss(const Nest&, const Nest& y, const Nest& y_pred,
                           const Nest& sample_weight) {
  const auto names = names_of_outputs(*model_, y_pred);
  if (model_->loss->given() && y.is_none()) {
    throw ValueError(
        "Target data is missing. Your model was compiled with a loss, and therefore expects target "
        "data to "
        "be provided in `fit()` or `evaluate()`.");
  }
  Tensors weights(names.size());
  if (sample_weight.is_tensor() && !sample_weight.is_none()) {
    weights.assign(names.size(), sample_weight.tensor());
  } else {
    weights = training::align(sample_weight, names, "sample_weight");
  }
  return (*model_->loss)(names, training::align(y, names, "y"),
                         training::align(y_pred, names, "y_pred"), weights, losses());
}

Logs Model::compute_metrics(const Nest&, const Nest& y, const Nest& y_pred,
                            const Nest& sample_weight) {
  if (!y.is_none()) {
    const auto names = names_of_outputs(*model_, y_pred);
    Tensors weights(names.size());
    if (sample_weight.is_tensor() && !sample_weight.is_none()) {
      weights.assign(names.size(), sample_weight.tensor());
    } else {
      weights = training::align(sample_weight, names, "sample_weight");
    }
    model_->metrics->update(names, training::align(y, names, "y"),
                            training::align(y_pred, names, "y_pred"), weights);
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
  const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  if (!loss.defined()) {
    throw ValueError(
        "No loss to compute. Provide a `loss` argument in `compile()`, or add losses in layers.");
  }
  optimizer().minimize(loss, trainable_variables(), tape);
  return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
}

Logs Model::test_step(const Batch& batch) {
  const Nest y_pred = (*this)(batch.x, {.training = false});
  compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
}

Nest Model::predict_step(const Batch& batch) { return (*this)(batch.x, {.training = false}); }

Function Model::make_train_function(bool force) {
  model_->self = this;
  if (force || !model_->train_function.defined()) {
    // The function lives in the state and must not own it.
    model_->train_function = function(Function::Body([state = model_.get()](const Nest& batch) {
                                        return to_nest(state->self->train_step(unpack(batch)));
                                      }),
                                      {.name = "train_step",
                                       .jit_compile = model_->arguments.jit_compile.value_or(true),
                                       .run_eagerly = run_eagerly()});
  }
  return model_->train_function;
}

Function Model::make_test_function(bool force) {
  model_->self = this;
  if (force || !model_->test_function.defined()) {
    model_->test_function = function(Function::Body([state = model_.get()](const Nest& batch) {
                                       return to_nest(state->self->test_step(unpack(batch)));
                                     }),
                                     {.name = "test_step",
                                      .jit_compile = model_->arguments.jit_compile.value_or(true),
                                      .run_eagerly = run_eagerly()});
  }
  return model_->test_function;
}

Function Model::make_predict_function(bool force) {
  model_->self = this;
  if (force || !model_->predict_function.defined()) {
    model_->predict_function =
        function(Function::Body([state = model_.get()](const Nest& batch) {
                   return state->self->predict_step(unpack(batch));
                 }),
                 {.name = "predict_step",
                  .jit_compile = model_->arguments.jit_compile.value_or(true),
                  .run_eagerly = run_eagerly()});
  }
  return model_->predict_function;
}

}  // namespace antler
