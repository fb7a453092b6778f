#include "antler/estimator/train_and_evaluate.h"

#include <chrono>
#include <memory>
#include <thread>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ops/communicator.h"
#include "estimator/shared_training.h"
#include "estimator/train_and_evaluate/checkpoint_evaluator.h"

namespace antler::estimator {
namespace {

using Part = TaskPlan::Part;

std::string or_none(const auto& value) { return value ? format("{}", *value) : "None"; }

void wait_before(double secs, const char* what) {
  if (secs <= 0) return;
  logging::info(format("Waiting {} secs before starting {}.", secs, what));
  std::this_thread::sleep_for(std::chrono::duration<double>(secs));
}

void run_training(const Estimator& estimator, const TrainSpec& spec,
                  const ListenerPtr& listener = {}) {
  TrainOptions options{
      .hooks = spec.hooks, .max_steps = spec.max_steps, .saving_listeners = spec.saving_listeners};
  if (listener != nullptr) options.saving_listeners.push_back(listener);
  estimator.train(spec.input_fn, options);
}

TrainAndEvaluateResult train_with_evaluation(const Estimator& estimator,
                                             const TrainSpec& train_spec,
                                             const EvalSpec& eval_spec) {
  CheckpointEvaluator evaluator(estimator, eval_spec, train_spec.max_steps);
  run_training(estimator, train_spec,
               std::make_shared<EvaluationListener>(evaluator, eval_spec.throttle_secs));
  return evaluator.result();
}

TrainAndEvaluateResult run_locally(const Estimator& estimator, const TrainSpec& train_spec,
                                   const EvalSpec& eval_spec) {
  logging::info("Running training and evaluation locally (non-distributed).");
  const RunConfig& config = estimator.config();
  logging::info(format(
      "Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint "
      "frequency is determined based on RunConfig arguments: save_checkpoints_steps {} or "
      "save_checkpoints_secs {}.",
      or_none(config.save_checkpoints_steps()), or_none(config.save_checkpoints_secs())));
  return train_with_evaluation(estimator, train_spec, eval_spec);
}

/// Evaluates checkpoints that other tasks write, until they have reached max_steps.
void evaluate_continuously(const Estimator& estimator, const TrainSpec& train_spec,
                           const EvalSpec& eval_spec) {
  wait_before(static_cast<double>(eval_spec.start_delay_secs), "eval");
  CheckpointEvaluator evaluator(estimator, eval_spec, train_spec.max_steps);
  const auto throttle = static_cast<double>(eval_spec.throttle_secs);
  for (;;) {
    const auto start = std::chrono::steady_clock::now();
    const bool evaluated = evaluator.evaluate_and_export();
    if (train_spec.max_steps && evaluator.last_step().value_or(0) >= *train_spec.max_steps) {
      logging::info(format("Exiting evaluation, global_step={} >= train max_steps={}",
                           *evaluator.last_step(), *train_spec.max_steps));
      return;
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!evaluated && throttle == 0) {
      logging::warning(
          "EvalSpec.throttle_secs is set as 0. This might overload the job before finding (next) "
          "new checkpoint. Please consider to increase it.");
    }
    wait_before(throttle - elapsed.count(), "next eval run");
  }
}

/// Tasks can only train one model together if a strategy connects them.
void check_connected(const RunConfig& config) {
  if (config.num_ps_replicas() > 0) {
    if (shared_variables(config.train_distribute()) != nullptr) return;
    throw NotImplementedError(
        "train_and_evaluate: the cluster has {} parameter servers (`ps`), but RunConfig has no "
        "train_distribute that uses them. Give a cluster::ParameterServerStrategyV1.",
        config.num_ps_replicas());
  }
  if (config.num_worker_replicas() <= 1 || config.train_distribute()) return;
  throw NotImplementedError(
      "train_and_evaluate: the cluster has {} tasks that train, but RunConfig has no "
      "train_distribute that connects them. Give a cluster::MultiWorkerMirroredStrategy, or "
      "parameter servers and a cluster::ParameterServerStrategyV1.",
      config.num_worker_replicas());
}

/// The task that evaluates between two checkpoints cannot wait for others, which continue to train.
void check_evaluates_alone(const RunConfig& config) {
  const std::optional<distribute::Strategy>& strategy = config.eval_distribute();
  if (!strategy || strategy->workers() == nullptr) return;
  throw ValueError(
      "train_and_evaluate: eval_distribute connects {} tasks, but only this one evaluates. "
      "Expected a strategy for the replicas of one process, such as MirroredStrategy.",
      strategy->workers()->size());
}

}  // namespace

TrainAndEvaluateResult train_and_evaluate(const Estimator& estimator, const TrainSpec& train_spec,
                                          const EvalSpec& eval_spec) {
  // An empty spec stands for None.
  if (!train_spec.input_fn.defined()) {
    throw TypeError("`train_spec` must have type `tf.estimator.TrainSpec`. It has no input_fn.");
  }
  if (!eval_spec.input_fn.defined()) {
    throw TypeError("`eval_spec` must have type `tf.estimator.EvalSpec`. It has no input_fn.");
  }
  train_spec.check();
  eval_spec.check();
  const RunConfig& config = estimator.config();
  const TaskPlan plan = plan_task(config);
  if (plan.starts_server || plan.part == Part::ps) check_connected(config);
  if (plan.part == Part::local || plan.part == Part::master) check_evaluates_alone(config);
  const distribute::SharedVariables* const shared = shared_variables(config.train_distribute());
  // With other strategies, the workers wait for each other.
  if (!config.train_distribute() || shared != nullptr)
    wait_before(plan.start_delay_secs, "training");
  switch (plan.part) {
    case Part::local:
      return run_locally(estimator, train_spec, eval_spec);
    case Part::master:
      return train_with_evaluation(estimator, train_spec, eval_spec);
    case Part::chief:
      run_training(estimator, train_spec);
      return {};
    case Part::worker: {
      TrainSpec without_listeners = train_spec;
      without_listeners.saving_listeners.clear();
      run_training(estimator, without_listeners);
      return {};
    }
    case Part::evaluator:
      evaluate_continuously(estimator, train_spec, eval_spec);
      return {};
    case Part::ps:
      shared->serve();
      return {};
  }
  throw InternalError("train_and_evaluate: unknown part.");
}

}  // namespace antler::estimator
