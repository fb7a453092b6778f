#include "antler/estimator/early_stopping.h"

#include <map>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/timer.h"
#include "antler/io/event_reader.h"
#include "antler/ops/communicator.h"
#include "base/strings.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

/// Metrics of evaluations, by step.
using EvaluationHistory = std::map<int64_t, std::map<std::string, double>>;

EvaluationHistory read_evaluations(const std::string& directory) {
  EvaluationHistory history;
  for (const std::string& path : io::event_files(directory)) {
    for (const io::Event& event : io::read_event_file(path)) {
      for (const io::SummaryValue& value : event.values) {
        if (value.number) history[event.step][value.tag] = *value.number;
      }
    }
  }
  return history;
}

double metric_at(const std::map<std::string, double>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found != metrics.end()) return found->second;
  throw KeyError("Early stopping: no metric '{}'. The metrics are: {}.", name,
                 join(metrics, ", ", [](const auto& metric) { return metric.first; }));
}

/// If several workers train together, all of them stop when one asks for it.
bool any_worker(bool stop, const RunConfig& config) {
  if (!config.train_distribute()) return stop;
  ops::Communicator* workers = config.train_distribute()->workers();
  if (workers == nullptr) return stop;
  int32_t votes = stop ? 1 : 0;
  workers->all_reduce(&votes, 1, DType::int32, ops::ReduceOp::sum);
  return votes > 0;
}

/// Whether the chief decides for all. False if the workers decide together.
bool decides_alone(const RunConfig& config) {
  return !config.train_distribute() || shared_variables(config.train_distribute()) != nullptr;
}

class EarlyStoppingHook final : public SessionRunHook {
 public:
  EarlyStoppingHook(RunConfig config, std::function<bool()> should_stop_fn,
                    std::optional<double> run_every_secs, std::optional<int64_t> run_every_steps)
      : config_(std::move(config)),
        should_stop_fn_(std::move(should_stop_fn)),
        timer_(run_every_secs, run_every_steps) {}

  void begin() override {
    const DType dtype = decides_alone(config_) ? DType::boolean : DType::int32;
    stop_ = get_variable("signal_early_stopping/STOP", Tensor::zeros(dtype, {}), false);
  }

  SessionRunArgs before_run(SessionRunContext& context) override {
    step_ = context.session().global_step();
    return {};
  }

  void after_run(SessionRunContext& context, const SessionRunValues& values) override {
    // TensorFlow reads the step before its run of one step: here, the one before the last step.
    const int64_t step = step_ + values.steps - 1;
    if (!timer_.should_trigger_for_step(step)) return;
    timer_.update_last_triggered_step(step);
    if (!any_worker(should_stop_fn_(), config_)) return;
    logging::info(format("Requesting early stopping at global step {}", step));
    stop_.store(Tensor::full(stop_.dtype(), {}, 1));
    context.request_stop();
  }

  int64_t steps_until_run(int64_t global_step) const override {
    const int64_t steps = timer_.steps_until_trigger(global_step);
    if (is_timed()) return steps == 0 ? 1 : kNever;
    return steps == kNever ? kNever : steps + 1;
  }
  bool is_timed() const override { return timer_.every_secs().has_value(); }

 private:
  RunConfig config_;
  std::function<bool()> should_stop_fn_;
  SecondOrStepTimer timer_;
  Variable stop_;
  int64_t step_ = 0;
};

/// A worker other than the chief reads the chief's decision.
class StopSignalHook final : public SessionRunHook {
 public:
  void begin() override {
    stop_ = get_variable("signal_early_stopping/STOP", Tensor::zeros(DType::boolean, {}), false);
  }
  void after_run(SessionRunContext& context, const SessionRunValues& /*values*/) override {
    if (stop_.stored().item() == 0) return;
    logging::info("Early stopping requested, suspending run.");
    context.request_stop();
  }

 private:
  Variable stop_;
};

/// Whether `a` is better than `b`.
using Better = bool (*)(double a, double b);
bool is_higher(double a, double b) { return a > b; }
bool is_lower(double a, double b) { return a < b; }

std::string directory_of(const Estimator& estimator, const EarlyStoppingOptions& options) {
  return options.eval_dir.value_or(estimator.eval_dir());
}

HookPtr stop_if_crossed(const Estimator& estimator, const std::string& metric_name,
                        double threshold, const EarlyStoppingOptions& options, Better better) {
  const auto should_stop = [=, directory = directory_of(estimator, options)] {
    for (const auto& [step, metrics] : read_evaluations(directory)) {
      if (step < options.min_steps) continue;
      const double value = metric_at(metrics, metric_name);
      if (!better(value, threshold)) continue;
      logging::info(format(
          "At step {}, metric \"{}\" has value {} which is {} the configured threshold ({}) for "
          "early stopping.",
          step, metric_name, value, better == is_higher ? "greater than" : "less than", threshold));
      return true;
    }
    return false;
  };
  return make_early_stopping_hook(estimator, should_stop, options.run_every_secs,
                                  options.run_every_steps);
}

HookPtr stop_if_stuck(const Estimator& estimator, const std::string& metric_name,
                      int64_t max_steps_without_improvement, const EarlyStoppingOptions& options,
                      Better better) {
  const auto should_stop = [=, directory = directory_of(estimator, options)] {
    std::optional<double> best;
    int64_t best_step = 0;
    for (const auto& [step, metrics] : read_evaluations(directory)) {
      if (step < options.min_steps) continue;
      const double value = metric_at(metrics, metric_name);
      if (!best || better(value, *best)) {
        best = value;
        best_step = step;
      }
      if (step - best_step < max_steps_without_improvement) continue;
      logging::info(format(
          "No {} in metric \"{}\" for {} steps, which is greater than or equal to max steps ({}) "
          "configured for early stopping.",
          better == is_higher ? "increase" : "decrease", metric_name, step - best_step,
          max_steps_without_improvement));
      return true;
    }
    return false;
  };
  return make_early_stopping_hook(estimator, should_stop, options.run_every_secs,
                                  options.run_every_steps);
}

}  // namespace

HookPtr make_early_stopping_hook(const Estimator& estimator, std::function<bool()> should_stop_fn,
                                 std::optional<double> run_every_secs,
                                 std::optional<int64_t> run_every_steps) {
  if (!should_stop_fn) throw TypeError("`should_stop_fn` must be callable.");
  if (run_every_secs && run_every_steps)
    throw ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.");
  const RunConfig& config = estimator.config();
  if (!decides_alone(config) && run_every_secs) {
    throw ValueError(
        "run_every_secs should not be set with train_distribute: all workers must decide at the "
        "same step. Set run_every_steps.");
  }
  if (!config.is_chief() && decides_alone(config)) return std::make_shared<StopSignalHook>();
  return std::make_shared<EarlyStoppingHook>(config, std::move(should_stop_fn), run_every_secs,
                                             run_every_steps);
}

HookPtr stop_if_higher_hook(const Estimator& estimator, const std::string& metric_name,
                            double threshold, const EarlyStoppingOptions& options) {
  return stop_if_crossed(estimator, metric_name, threshold, options, is_higher);
}

HookPtr stop_if_lower_hook(const Estimator& estimator, const std::string& metric_name,
                           double threshold, const EarlyStoppingOptions& options) {
  return stop_if_crossed(estimator, metric_name, threshold, options, is_lower);
}

HookPtr stop_if_no_increase_hook(const Estimator& estimator, const std::string& metric_name,
                                 int64_t max_steps_without_increase,
                                 const EarlyStoppingOptions& options) {
  return stop_if_stuck(estimator, metric_name, max_steps_without_increase, options, is_higher);
}

HookPtr stop_if_no_decrease_hook(const Estimator& estimator, const std::string& metric_name,
                                 int64_t max_steps_without_decrease,
                                 const EarlyStoppingOptions& options) {
  return stop_if_stuck(estimator, metric_name, max_steps_without_decrease, options, is_lower);
}

}  // namespace antler::estimator
