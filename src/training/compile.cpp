#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/optimizers/loss_scale_optimizer.h"
#include "antler/runtime/config.h"
#include "antler/training/model.h"
#include "training/model_state.h"

namespace antler {
namespace {

void check_created_in_scope(const distribute::Strategy& strategy, const Variables& variables,
                            const std::string& owner) {
  for (const Variable& variable : variables) {
    if (strategy.variable_created_in_scope(variable)) continue;
    throw ValueError(
        "Variable `{}` of {} was created outside of the scope of the model's distribution "
        "strategy. Create the model, its metrics and its optimizer inside of the same scope.",
        variable.path(), owner);
  }
}

}  // namespace

void Model::compile(const CompileArguments& arguments) {
  if (arguments.run_eagerly.value_or(false) && arguments.jit_compile.value_or(false)) {
    throw ValueError("You cannot enable `run_eagerly` and `jit_compile` at the same time.");
  }
  if (distribute::has_strategy() && !(distribute::get_strategy() == model_->strategy)) {
    throw ValueError(
        "Model `{}` was created outside of this distribution strategy's scope. Create the model "
        "inside of the scope in which it is compiled.",
        name());
  }
  check_created_in_scope(model_->strategy, variables(), "the model");
  const training::OwnScope scope(*model_);
  OptimizerPtr optimizer = arguments.optimizer.given() ? arguments.optimizer.resolve() : nullptr;
  if (arguments.auto_scale_loss && dtype_policy().name == "mixed_float16" && optimizer != nullptr &&
      dynamic_cast<const optimizers::LossScaleOptimizer*>(optimizer.get()) == nullptr) {
    optimizer = std::make_shared<optimizers::LossScaleOptimizer>(std::move(optimizer));
  }
  CompileArguments kept = arguments;
  for (MetricSpec* spec : {&kept.metrics, &kept.weighted_metrics})
    *spec = training::dictionary_in_braces(*spec, model_->output_names);
  auto metrics = std::make_unique<training::CompiledMetrics>(kept.metrics, kept.weighted_metrics);
  metrics->check_unique();
  for (const Metric* metric : metrics->given())
    check_created_in_scope(model_->strategy, metric->variables(),
                           "the metric '" + metric->name() + "'");
  // An optimizer that is not built yet creates its slots in the model's scope.
  if (optimizer != nullptr && optimizer->built())
    check_created_in_scope(model_->strategy, optimizer->variables(), "the optimizer");
  model_->arguments = std::move(kept);
  model_->optimizer = std::move(optimizer);
  model_->loss = std::make_unique<training::CompiledLoss>(arguments.loss, arguments.loss_weights);
  model_->metrics = std::move(metrics);
  model_->run_eagerly = arguments.run_eagerly;
  model_->jit_compile = arguments.jit_compile.value_or(true);
  model_->warned_about_weights = false;
  model_->warned_about_nothing_to_train = false;
  model_->tuner.reset();
  model_->autotune = false;
  if (arguments.steps_per_execution.is_auto()) {
    set_autotune_steps_per_execution(true);  // the variable keeps its value
    if (model_->steps_per_execution.value() < 1) model_->steps_per_execution.assign(1);
  } else {
    model_->steps_per_execution.assign(arguments.steps_per_execution.steps());
  }
  model_->trainable = training::TrainableState(*this);
  model_->drop_functions();
  model_->compiled = true;
}

bool Model::compiled() const { return model_->compiled; }

void Model::require_compiled(const char* what) const {
  if (!model_->compiled) {
    throw ValueError("You must call `compile()` before calling `{}`.", what);
  }
}

Json Model::get_compile_config() const {
  if (!model_->compiled) return nullptr;
  const CompileArguments& a = model_->arguments;
  Json config = Json::object();
  config["optimizer"] = a.optimizer.to_config();
  config["loss"] = a.loss.to_config();
  config["loss_weights"] = a.loss_weights.to_config();
  config["metrics"] = a.metrics.to_config();
  config["weighted_metrics"] = a.weighted_metrics.to_config();
  config["run_eagerly"] = a.run_eagerly.value_or(false);
  if (a.steps_per_execution.is_auto()) {
    config["steps_per_execution"] = "auto";
  } else {
    config["steps_per_execution"] = a.steps_per_execution.steps();
  }
  config["jit_compile"] = a.jit_compile.value_or(!a.run_eagerly.value_or(false));
  return config;
}

void Model::compile(OptimizerSpec optimizer, LossSpec loss, CompileArguments arguments) {
  // An explicit "rmsprop" cannot be distinguished from the default.
  if (arguments.optimizer.to_config() != CompileArguments().optimizer.to_config()) {
    throw TypeError(
        "Model.compile() got multiple values for argument `optimizer`: by position and by name.");
  }
  if (arguments.loss.given()) {
    throw TypeError(
        "Model.compile() got multiple values for argument `loss`: by position and by name.");
  }
  arguments.optimizer = std::move(optimizer);
  arguments.loss = std::move(loss);
  compile(arguments);
}

void Model::compile_from_config(const Json& config) {
  if (config.empty()) return;  // null, or Keras's {}: the model was not compiled
  const auto field = [&](const char* name) -> Json {
    return config.contains(name) ? config.at(name) : Json(nullptr);
  };
  CompileArguments a;
  if (config.contains("optimizer")) a.optimizer = OptimizerSpec::from_config(field("optimizer"));
  a.loss = LossSpec::from_config(field("loss"));
  a.metrics = MetricSpec::from_config(field("metrics"));
  a.loss_weights = LossWeights::from_config(field("loss_weights"));
  a.weighted_metrics = MetricSpec::from_config(field("weighted_metrics"));
  if (const Json eager = field("run_eagerly"); eager.is_boolean())
    a.run_eagerly = eager.get<bool>();
  const Json steps = field("steps_per_execution");
  if (steps.is_string()) a.steps_per_execution = steps.get<std::string>();
  if (steps.is_number_integer()) a.steps_per_execution = steps.get<int64_t>();
  // Only `true` is used, and only without `run_eagerly`. Keras writes `false` wherever XLA was not
  // available, and `true` together with `run_eagerly`, where it has no effect.
  if (const Json jit = field("jit_compile"); jit == true && !a.run_eagerly.value_or(false))
    a.jit_compile = true;
  compile(a);
  if (built() && has_optimizer()) optimizer().build(trainable_variables());
}

Optimizer& Model::optimizer() const {
  if (model_->optimizer == nullptr) {
    throw RuntimeError("Model `{}` has no optimizer: call `compile` with one first.", name());
  }
  return *model_->optimizer;
}

bool Model::has_optimizer() const { return model_->optimizer != nullptr; }

void Model::set_steps_per_execution(int64_t n) { model_->steps_per_execution.assign(n); }
int64_t Model::steps_per_execution() const { return model_->steps_per_execution.value(); }

bool Model::autotune_steps_per_execution() const { return model_->autotune; }

void Model::set_autotune_steps_per_execution(bool on) {
  if (on && model_->tuner == nullptr)
    model_->tuner =
        std::make_unique<StepsPerExecutionTuner>(optimizer(), model_->steps_per_execution);
  model_->autotune = on;
}

void Model::set_stop_training(bool stop) { model_->stop_training = stop; }
bool Model::stop_training() const { return model_->stop_training; }

bool Model::run_eagerly() const {
  return model_->run_eagerly.value_or(config::run_functions_eagerly());
}

void Model::set_run_eagerly(bool on) {
  if (run_eagerly() != on) model_->drop_functions();
  model_->run_eagerly = on;
}

bool Model::jit_compile() const { return model_->jit_compile; }

void Model::set_jit_compile(bool on) {
  if (model_->jit_compile != on) model_->drop_functions();
  model_->jit_compile = on;
}

const distribute::Strategy& Model::distribute_strategy() const { return model_->strategy; }

const std::string& Model::distribute_reduction_method() const { return model_->reduction_method; }

void Model::set_distribute_reduction_method(const std::string& method) {
  distribute::check_reduction(method);
  if (model_->reduction_method != method) model_->drop_functions();
  model_->reduction_method = method;
}

int64_t Model::train_counter() const { return model_->train_counter; }
int64_t Model::test_counter() const { return model_->test_counter; }
int64_t Model::predict_counter() const { return model_->predict_counter; }

uint64_t Model::shuffle_seed() const { return model_->shuffle_seed; }

void Model::resume_at(int64_t epoch, int64_t step, std::optional<uint64_t> shuffle_seed) {
  model_->resume = ResumePoint{epoch, step, shuffle_seed};
}

}  // namespace antler
