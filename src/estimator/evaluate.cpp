// Estimator::evaluate.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <map>
#include <span>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/estimator.h"
#include "antler/estimator/summary_writer.h"
#include "antler/io/tensor_bundle.h"
#include "antler/ops/communicator.h"
#include "base/strings.h"
#include "estimator/estimator_state.h"
#include "estimator/format_value.h"
#include "estimator/graph_seed.h"
#include "estimator/monitored_session.h"
#include "estimator/session_hooks.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

/// Stops after `steps` runs and logs the progress: each step if there are fewer than 20, otherwise
/// every tenth step and the last one.
class EvaluationSteps final : public SessionRunHook {
 public:
  explicit EvaluationSteps(int64_t steps)
      : steps_(steps), log_every_(steps < 20 ? 1 : std::max<int64_t>(steps / 10, 1)) {}

  void after_create_session(Session& /*session*/) override { done_ = 0; }
  void after_run(SessionRunContext& context, const SessionRunValues& values) override {
    done_ += values.steps;
    if (done_ % log_every_ == 0 || done_ == steps_)
      logging::info(format("Evaluation [{}/{}]", done_, steps_));
    if (done_ >= steps_) context.request_stop();
  }
  int64_t steps_until_run(int64_t /*global_step*/) const override {
    return std::min(log_every_ - done_ % log_every_, steps_ - done_);
  }

 private:
  int64_t steps_;
  int64_t log_every_;
  int64_t done_ = 0;
};

std::string time_string() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void check_metric_names(const EvalMetricOps& metrics) {
  if (metrics.contains("global_step")) {
    throw ValueError(
        "Metric with name `global_step` is not allowed, because Estimator already defines a "
        "default metric with the same name.");
  }
}

}  // namespace

void write_evaluation(const std::string& directory, const EvalResult& result,
                      const std::optional<std::string>& checkpoint) {
  const auto step = static_cast<int64_t>(result.at("global_step").item());
  std::map<std::string, Tensor> sorted;
  for (const auto& [name, value] : result) sorted.emplace(name, value);
  logging::info(
      format("Saving dict for global step {}: {}", step, join(sorted, ", ", [](const auto& item) {
               return item.first + " = " + value_string(item.second);
             })));
  const std::shared_ptr<SummaryWriter> writer = SummaryWriter::of(directory);
  // All metrics in one event, because exporters compare whole events.
  SummaryBuilder summary;
  for (const auto& [name, value] : sorted) {
    if (name == "global_step") continue;
    if (value.rank() == 0) {
      summary.scalar(name, value.item());
    } else {
      summary.tensor(name, value);
    }
  }
  writer->summary(summary.bytes(), step);
  if (checkpoint) {
    logging::info(
        format("Saving 'checkpoint_path' summary for global step {}: {}", step, *checkpoint));
    writer->text("checkpoint_path", *checkpoint, step);
  }
  writer->flush();
}

namespace {

/// The workers that evaluate together; null for a process that evaluates alone. Throws ValueError
/// for tasks that share variables.
ops::Communicator* evaluating_workers(const std::optional<distribute::Strategy>& strategy) {
  if (shared_variables(strategy) != nullptr) {
    throw ValueError(
        "`Estimator.evaluate` is not supported for ParameterServerStrategyV1 as eval_distribute. "
        "Evaluate in the evaluator of `train_and_evaluate`, or without eval_distribute.");
  }
  return strategy ? strategy->workers() : nullptr;
}

/// The checkpoint to evaluate: workers use that of their chief, and may not have its files. Empty
/// in workers other than the chief. Throws ValueError in all of them if the chief has none.
std::string joint_checkpoint(const EstimatorState& state, const std::optional<std::string>& given,
                             ops::Communicator* workers) {
  if (workers == nullptr) return chosen_checkpoint(state, given);
  const bool is_chief = workers->rank() == 0;
  int32_t found = is_chief && (given || latest_checkpoint(state.model_dir)) ? 1 : 0;
  workers->broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
  if (is_chief) return chosen_checkpoint(state, given);
  if (found == 0) throw ValueError("The chief could not find a trained model in its model_dir.");
  return "";
}

/// The chief restores the checkpoint; the others get its values.
std::function<void(Session&)> joint_initializer(std::function<void(Session&)> restore,
                                                ops::Communicator* workers) {
  if (workers == nullptr) return restore;
  return [restore = std::move(restore), workers](Session& session) {
    if (workers->rank() == 0) restore(session);
    for (const auto& [name, variable] : session.graph().variables()) {
      const Tensor value = Tensor::empty(variable.dtype(), variable.shape());
      if (workers->rank() == 0)
        std::memcpy(value.mutable_data(), variable.stored().data(), value.bytes());
      workers->broadcast({static_cast<std::byte*>(value.mutable_data()), value.bytes()}, 0);
      variable.store(value);
    }
  };
}

}  // namespace

EvalResult evaluate_session(GraphSession& session, const EvaluateOptions& options,
                            const std::function<void(Session&)>& initialize,
                            const std::string& directory,
                            const std::optional<std::string>& checkpoint) {
  const std::optional<distribute::Strategy>& strategy = session.model().strategy();
  const EstimatorSpec& spec = session.model().spec();
  check_metric_names(spec.eval_metric_ops);
  MonitoredSessionOptions monitored{.hooks = options.hooks};
  monitored.hooks.insert(monitored.hooks.end(), spec.evaluation_hooks.begin(),
                         spec.evaluation_hooks.end());
  if (options.steps) monitored.hooks.push_back(std::make_shared<EvaluationSteps>(*options.steps));
  monitored.initialize = initialize;
  logging::info("Starting evaluation at " + time_string());
  MonitoredSession loop(session, std::move(monitored));
  while (!loop.should_stop() && loop.run()) {
  }
  EvalResult result;
  for (const auto& [name, metric] : spec.eval_metric_ops) {
    if (name != "loss") result[name] = metric.value();
  }
  result["loss"] = spec.eval_metric_ops.at("loss").value();
  result["global_step"] =
      Tensor::full(DType::int64, {}, static_cast<double>(session.global_step()));
  loop.close();
  logging::info("Finished evaluation at " + time_string());
  if (!strategy || strategy->is_chief()) write_evaluation(directory, result, checkpoint);
  return result;
}

EvalResult Estimator::evaluate(const InputFn& input_fn, const EvaluateOptions& options) const {
  const EstimatorState& state = *state_;
  check_steps(options.steps, "steps");
  check_hooks(options.hooks);
  check_placement(state, ModeKeys::eval);
  ops::Communicator* const workers = evaluating_workers(model_of(state, ModeKeys::eval).strategy);
  const std::string checkpoint = joint_checkpoint(state, options.checkpoint_path, workers);
  const GraphSeed seed(state.config);
  Call call = make_call(state, ModeKeys::eval, input_fn);
  if (call.model.on_tpu && !options.steps)
    throw ValueError("Evaluate `steps` must be set on TPU. Cannot be `None`.");
  ModelTrace model(call.model);
  GraphSession session(model, call.input);
  const EstimatorSpec& spec = model.spec();
  EvaluateOptions with_host = options;
  if (HookPtr host = host_call_hook(state, session)) with_host.hooks.push_back(std::move(host));
  const auto restore =
      joint_initializer(checkpoint_initializer(checkpoint, model.graph(), spec.scaffold), workers);
  // A session that replaces one that was lost evaluates from the start.
  const auto initialize = [restore, reset = local_initializer(model.graph())](Session& created) {
    reset();
    restore(created);
  };
  return evaluate_session(session, with_host, initialize, eval_dir(options.name), checkpoint);
}

}  // namespace antler::estimator
