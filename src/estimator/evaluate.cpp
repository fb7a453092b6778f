// Estimator::evaluate.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/estimator.h"
#include "antler/estimator/summary_writer.h"
#include "antler/io/tensor_bundle.h"
#include "base/strings.h"
#include "estimator/estimator_state.h"
#include "estimator/format_value.h"
#include "estimator/monitored_session.h"
#include "estimator/session_hooks.h"

namespace antler::estimator {
namespace {

/// Stops after `steps` runs and logs the progress: each step of fewer than 20, else each tenth and
/// the last.
class EvaluationSteps final : public SessionRunHook {
 public:
  explicit EvaluationSteps(int64_t steps)
      : steps_(steps), log_every_(steps < 20 ? 1 : std::max<int64_t>(steps / 10, 1)) {}

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
  // All in one event, which is what exporters compare.
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

EvalResult evaluate_session(GraphSession& session, const EvaluateOptions& options,
                            const std::function<void(Session&)>& initialize,
                            const std::string& directory,
                            const std::optional<std::string>& checkpoint) {
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
  write_evaluation(directory, result, checkpoint);
  return result;
}

EvalResult Estimator::evaluate(const InputFn& input_fn, const EvaluateOptions& options) const {
  const EstimatorState& state = *state_;
  check_steps(options.steps, "steps");
  check_hooks(options.hooks);
  check_placement(state, ModeKeys::eval);
  const std::string checkpoint = chosen_checkpoint(state, options.checkpoint_path);
  Call call = make_call(state, ModeKeys::eval, input_fn);
  if (call.model.on_tpu && !options.steps)
    throw ValueError("Evaluate `steps` must be set on TPU. Cannot be `None`.");
  ModelTrace model(call.model);
  GraphSession session(model, call.input);
  const EstimatorSpec& spec = model.spec();
  EvaluateOptions with_host = options;
  if (HookPtr host = host_call_hook(state, session)) with_host.hooks.push_back(std::move(host));
  return evaluate_session(session, with_host,
                          checkpoint_initializer(checkpoint, model.graph(), spec.scaffold),
                          eval_dir(options.name), checkpoint);
}

}  // namespace antler::estimator
