// Estimator::train.
#include <algorithm>
#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/estimator.h"
#include "antler/estimator/iteration_count.h"
#include "estimator/estimator_state.h"
#include "estimator/format_value.h"
#include "estimator/graph_seed.h"
#include "estimator/graph_state.h"
#include "estimator/monitored_session.h"
#include "estimator/session_hooks.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

void check_arguments(const EstimatorState& state, const TrainOptions& options, bool on_tpu) {
  const std::string& task = state.config.task_type();
  if (task == "evaluator" || task == "ps") {
    throw ValueError(
        "Train has been called wrong configuration. Please use train_and_evaluate "
        "which calls proper API according to given configuration. Current "
        "configuration: task type `{}`.",
        task);
  }
  if (options.steps && options.max_steps)
    throw ValueError("Can not provide both steps and max_steps.");
  check_steps(options.steps, "steps");
  check_steps(options.max_steps, "max_steps");
  check_hooks(options.hooks);
  for (const ListenerPtr& listener : options.saving_listeners) {
    if (listener == nullptr) {
      throw TypeError(
          "saving_listeners must be a list of CheckpointSaverListeners. Received a null pointer.");
    }
  }
  if (on_tpu && !options.steps && !options.max_steps) {
    throw ValueError(
        "For TPU training, one of `steps` or `max_steps` must be set. Cannot be both None.");
  }
}

CheckpointSaverHook* as_saver(const HookPtr& hook) {
  return dynamic_cast<CheckpointSaverHook*>(hook.get());
}

/// The hooks of a training, in TensorFlow's order.
Hooks make_hooks(const EstimatorState& state, const EstimatorSpec& spec,
                 const std::shared_ptr<Scaffold>& scaffold, const TrainOptions& options) {
  const RunConfig& config = state.config;
  Hooks user = options.hooks;
  if (options.steps || options.max_steps) {
    user.push_back(std::make_shared<StopAtStepHook>(
        StopAtStepHookOptions{.num_steps = options.steps, .last_step = options.max_steps}));
  }
  user.push_back(std::make_shared<NanTensorHook>(std::string(ModelTrace::kLoss)));
  // A TPUEstimator logs and counts steps by itself.
  const std::optional<int64_t> log_steps = state.tpu ? std::nullopt : config.log_step_count_steps();
  if (log_steps) {
    user.push_back(std::make_shared<LoggingTensorHook>(
        LoggedTensors{{"loss", std::string(ModelTrace::kLoss)}, {"step", "global_step"}},
        LoggingTensorHookOptions{.every_n_iter = log_steps}));
  }
  user.insert(user.end(), spec.training_hooks.begin(), spec.training_hooks.end());
  if (state.tpu) {
    if (HookPtr counter = examples_per_second_hook(*state.tpu, state.model_dir))
      user.push_back(std::move(counter));
  }

  Hooks hooks;
  if (config.is_chief()) {
    const bool user_saves = std::ranges::any_of(user, as_saver) ||
                            std::ranges::any_of(spec.training_chief_hooks, as_saver);
    if (!user_saves && (config.save_checkpoints_secs() || config.save_checkpoints_steps())) {
      hooks.push_back(std::make_shared<CheckpointSaverHook>(
          state.model_dir,
          CheckpointSaverHookOptions{.save_secs = config.save_checkpoints_secs(),
                                     .save_steps = config.save_checkpoints_steps(),
                                     .scaffold = scaffold,
                                     .save_graph_def = config.checkpoint_save_graph_def()}));
    }
    hooks.insert(hooks.end(), spec.training_chief_hooks.begin(), spec.training_chief_hooks.end());
  }
  if (writes_summaries(config)) {
    if (log_steps) {
      hooks.push_back(std::make_shared<StepCounterHook>(
          StepCounterHookOptions{.every_n_steps = log_steps, .output_dir = state.model_dir}));
    }
    if (config.save_summary_steps().value_or(0) > 0) {
      hooks.push_back(std::make_shared<SummarySaverHook>(
          SummarySaverHookOptions{.save_steps = config.save_summary_steps(),
                                  .output_dir = state.model_dir,
                                  .scaffold = scaffold}));
    }
  }
  hooks.insert(hooks.end(), user.begin(), user.end());
  for (const HookPtr& hook : hooks) {
    if (CheckpointSaverHook* saves = as_saver(hook)) saves->set_default_saver(*scaffold->saver);
  }

  if (!options.saving_listeners.empty() && config.is_chief()) {
    const auto saver = std::ranges::find_if(hooks, as_saver);
    if (saver == hooks.end()) {
      throw ValueError(
          "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
          "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs.");
    }
    as_saver(*saver)->add_listeners(options.saving_listeners);
  }
  return hooks;
}

/// The chief gives the shared variables their values; the others wait for it.
std::function<void(Session&)> shared_initializer(const distribute::SharedVariables& shared,
                                                 const RunConfig& config,
                                                 std::function<void(Session&)> initialize) {
  return [&shared, config, initialize = std::move(initialize)](Session& session) {
    shared.release();
    const auto variables = session.graph().variables(Collection::global);
    if (!config.is_chief()) return shared.find(variables, config.session_creation_timeout_secs());
    // No other process sees the variables before they have the values of the checkpoint.
    initialize(session);
    shared.create(variables);
  };
}

}  // namespace

const Estimator& Estimator::train(const InputFn& input_fn, const TrainOptions& options) const {
  const EstimatorState& state = *state_;
  const bool on_tpu = state.tpu && state.tpu->options.use_tpu;
  check_arguments(state, options, on_tpu);
  if (on_tpu && shared_variables(state.config.train_distribute()) != nullptr) {
    throw NotImplementedError(
        "TPUEstimator: parameter servers as train_distribute are for training on CPUs. Set "
        "use_tpu=false.");
  }
  if (options.max_steps) {
    const std::optional<std::string> checkpoint = latest_checkpoint();
    if (checkpoint && checkpoint_step(*checkpoint) >= *options.max_steps) {
      logging::info("Skipping training since max_steps has already saved.");
      return *this;
    }
  }

  const GraphSeed seed(state.config);
  Call call = make_call(state, ModeKeys::train, input_fn);
  ModelTrace model(call.model);
  GraphSession session(model, call.input);
  const EstimatorSpec& spec = model.spec();
  if (state.warm_start_from.given() && !latest_checkpoint())
    warm_start(model.graph(), state.warm_start_from.settings());

  const std::shared_ptr<Scaffold> scaffold = prepared_scaffold(state, spec);
  Hooks hooks = make_hooks(state, spec, scaffold, options);
  if (HookPtr host = host_call_hook(state, session)) hooks.push_back(std::move(host));
  session.watch_loss([](const Tensor& loss) { return std::isnan(loss.item()); });

  MonitoredSessionOptions monitored{.hooks = hooks};
  const distribute::SharedVariables* const shared = shared_variables(call.model.strategy);
  // Workers that train together cannot reconnect: all of them must be restarted.
  monitored.recovers = !call.model.strategy || call.model.strategy->workers() == nullptr;
  monitored.initialize = session_initializer(state.model_dir, model.graph(), scaffold);
  if (shared != nullptr)
    monitored.initialize =
        shared_initializer(*shared, state.config, std::move(monitored.initialize));
  std::optional<tpu::ExecutionSteps> executions;
  if (call.model.on_tpu) {
    executions.emplace(
        state.tpu->config.tpu_config(),
        tpu::ExecutionStepsOptions{.num_steps = options.steps, .final_step = options.max_steps});
    monitored.initialize = [&, initialize = monitored.initialize](Session& created) {
      initialize(created);
      executions->start(created.global_step());
    };
    monitored.steps_per_execution = [&] { return executions->next(session.global_step()); };
    monitored.on_execution = [&](double seconds, int64_t steps) {
      executions->update(seconds, steps);
      check_finite(model.graph());
    };
  }
  MonitoredSession loop(session, std::move(monitored));
  Tensor loss;
  bool ran = false;
  bool ended = false;  // whether the data has ended
  while (!loop.should_stop()) {
    std::optional<RunResult> result = loop.run();
    ended = !result;
    if (ended) break;
    ran = true;
    loss = result->loss;
  }
  loop.close();
  if (!ran && !ended) {
    logging::warning(
        "Training with estimator made no steps. Perhaps input is empty or misspecified.");
  }
  logging::info(format("Loss for final step: {}.", ran ? value_string(loss) : std::string("None")));
  return *this;
}

}  // namespace antler::estimator
