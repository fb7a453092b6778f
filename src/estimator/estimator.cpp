#include "antler/estimator/estimator.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/io/tensor_bundle.h"
#include "base/temporary_folder.h"
#include "estimator/estimator_state.h"

namespace antler::estimator {
namespace {

/// model_dir from one of the two places where it may be given; otherwise a new temporary folder.
std::string chosen_model_dir(const std::optional<std::string>& given, const RunConfig& config) {
  // An empty string counts as not given, as in TensorFlow 2.15.
  const bool is_given = given && !given->empty();
  if (is_given && config.model_dir() && *given != *config.model_dir()) {
    throw ValueError(
        "`model_dir` are set both in constructor and `RunConfig`, but with different values. In "
        "constructor: '{}', in `RunConfig`: '{}'",
        *given, *config.model_dir());
  }
  if (is_given) return *given;
  if (config.model_dir()) return *config.model_dir();
  std::string made = make_temporary_folder("antler_estimator");
  logging::warning("Using temporary folder as model directory: " + made);
  return made;
}

std::string require_checkpoint(const EstimatorState& state) {
  if (const std::optional<std::string> found = latest_checkpoint(state.model_dir)) return *found;
  throw ValueError("Could not find trained model in model_dir: {}.", state.model_dir);
}

}  // namespace

Estimator::Estimator(ModelFn model_fn, const EstimatorOptions& options)
    : state_(std::make_shared<EstimatorState>()) {
  if (!model_fn.defined()) throw ValueError("model_fn must be provided to Estimator.");
  state_->model_fn = std::move(model_fn);
  const RunConfig config = options.config.value_or(RunConfig());
  state_->model_dir = chosen_model_dir(options.model_dir, config);
  state_->config = config.replace([&](auto& o) { o.model_dir = state_->model_dir; });
  state_->params = options.params;
  state_->warm_start_from = options.warm_start_from;
}

const RunConfig& Estimator::config() const { return state_->config; }
const std::string& Estimator::model_dir() const { return state_->model_dir; }
Params Estimator::params() const { return state_->params; }

std::string Estimator::eval_dir(const std::optional<std::string>& name) const {
  return state_->model_dir + (name && !name->empty() ? "/eval_" + *name : std::string("/eval"));
}

std::optional<std::string> Estimator::latest_checkpoint() const {
  return estimator::latest_checkpoint(state_->model_dir);
}

std::vector<std::string> Estimator::get_variable_names() const {
  return io::TensorBundle::open(require_checkpoint(*state_)).keys();
}

Tensor Estimator::get_variable_value(const std::string& name) const {
  const io::TensorBundle bundle = io::TensorBundle::open(require_checkpoint(*state_));
  if (!bundle.contains(name))
    throw NotFoundError("Key {} not found in checkpoint of {}.", name, state_->model_dir);
  return bundle.read(name);
}

ModelTraceOptions model_of(const EstimatorState& state, ModeKeys mode) {
  ModelTraceOptions options{.model_fn = state.model_fn,
                            .mode = mode,
                            .params = state.params,
                            .config = state.config,
                            .is_tpu_estimator = state.tpu.has_value()};
  switch (mode) {
    case ModeKeys::train:
      options.strategy = state.config.train_distribute();
      break;
    case ModeKeys::eval:
      options.strategy = state.config.eval_distribute();
      // As in TensorFlow, an evaluator uses the strategy of the training if it is given no other.
      if (!options.strategy && state.config.task_type() == "evaluator")
        options.strategy = state.config.train_distribute();
      break;
    case ModeKeys::predict:
      break;
  }
  return options;
}

void check_steps(const std::optional<int64_t>& steps, const char* name) {
  if (steps && *steps <= 0) throw ValueError("Must specify {} > 0, given: {}", name, *steps);
}

void check_hooks(const Hooks& hooks) {
  for (const HookPtr& hook : hooks) {
    if (hook == nullptr)
      throw TypeError("All hooks must be SessionRunHook instances, given: a null pointer");
  }
}

std::string chosen_checkpoint(const EstimatorState& state,
                              const std::optional<std::string>& given) {
  return given ? *given : require_checkpoint(state);
}

int64_t checkpoint_step(const std::string& checkpoint) {
  const io::TensorBundle bundle = io::TensorBundle::open(checkpoint);
  return bundle.contains("global_step") ? static_cast<int64_t>(bundle.read("global_step").item())
                                        : 0;
}

}  // namespace antler::estimator
