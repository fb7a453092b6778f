// Tables for the computations of TPU mode and for the timer.
#include "antler/estimator/iteration_count.h"
#include "antler/estimator/timer.h"
#include "antler/estimator/tpu_system.h"
#include "estimator/objects.h"
#include "estimator/tables.h"

namespace antler::conformance::estimators {
namespace {

est::ModeKeys mode_of(const std::string& name) {
  if (name == "train") return est::ModeKeys::train;
  return name == "eval" ? est::ModeKeys::eval : est::ModeKeys::predict;
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Appends to a run-length encoded list.
void add_execution(Json& executions, int64_t steps) {
  if (!executions.empty() && executions.back().at(0) == steps) {
    executions.back().at(1) = executions.back().at(1).get<int64_t>() + 1;
  } else {
    executions.push_back({steps, 1});
  }
}

}  // namespace

Json batch_sizes_row(const Json& row) {
  const est::tpu::TPUConfig config(tpu_config_options(member(row, "tpu_config")));
  est::tpu::PlacementOptions options{.mode = mode_of(row.at("mode").get<std::string>())};
  read_member(row, "export", options.is_export);
  read_member(row, "use_tpu", options.use_tpu);
  read_member(row, "eval_on_tpu", options.eval_on_tpu);
  read_member(row, "train_batch_size", options.batch_sizes.train);
  read_member(row, "eval_batch_size", options.batch_sizes.eval);
  read_member(row, "predict_batch_size", options.batch_sizes.predict);
  if (options.use_tpu) est::tpu::check_batch_sizes(config, options.batch_sizes);
  const est::tpu::Placement placement = est::tpu::place(config, options,
                                                        {.cores = row.at("cores").get<int64_t>(),
                                                         .hosts = row.at("hosts").get<int64_t>(),
                                                         .master = "m"});
  Json calls = Json::array();
  for (const est::tpu::InputCall& call : placement.input_calls) {
    calls.push_back(
        {{"batch_size", optional_json(placement.input_batch_size)}, {"host", call.host}});
  }
  const Json rows = optional_json(placement.model_batch_size);
  return {{"on_cpu", placement.on_cpu},
          {"input_fn", optional_json(placement.input_batch_size)},
          {"model_fn", rows},
          {"num_replicas", placement.num_replicas},
          {"num_hosts", placement.num_hosts},
          {"replicas_per_host", placement.replicas_per_host},
          {"input_fn_calls", calls},
          {"replica_features", {{"x", Json::array({rows, 2})}}},
          {"replica_labels", Json::array({rows})}};
}

Json iterations_row(const Json& row) {
  const est::tpu::TPUConfig config(
      tpu_config_options({{"iterations_per_loop", row.at("iterations_per_loop")}}));
  est::tpu::ExecutionStepsOptions options;
  read_member(row, "steps", options.num_steps);
  read_member(row, "max_steps", options.final_step);
  est::tpu::ExecutionSteps steps(config, options);
  double overhead = 0;
  double step_time = 1;
  read_member(row, "overhead", overhead);
  read_member(row, "step_time", step_time);
  const Json& step_times = member(row, "step_times");
  int64_t step = row.at("start").get<int64_t>();
  size_t count = 0;
  Json executions = Json::array();
  steps.start(step);
  double clock = 0;
  while (const int64_t n = steps.next(step)) {
    if (!step_times.empty()) step_time = number(step_times[count % step_times.size()]);
    const double before = clock;
    clock += overhead + static_cast<double>(n) * step_time;
    steps.update(clock - before, n);
    step += n;
    ++count;
    add_execution(executions, n);
  }
  const auto seconds = config.iterations_seconds();
  return {{"parsed", seconds ? Json::array({*seconds, "seconds"})
                             : Json::array({config.iterations().value(), "count"})},
          {"executions", executions},
          {"count", count},
          {"final_global_step", step}};
}

Json iteration_estimator_row(const Json& row) {
  int64_t capacity = 20;
  read_member(row, "capacity", capacity);
  est::tpu::IterationCountEstimator estimator(capacity);
  const double target = number(row.at("target_secs"));
  Json counts = Json::array({estimator.get(target)});
  for (const Json& update : row.at("updates")) {
    estimator.update(number(update.at(0)), update.at(1).get<int64_t>());
    counts.push_back(estimator.get(target));
  }
  return {{"get", counts}};
}

Json timer_row(const Json& row) {
  double now = 0;
  est::SecondOrStepTimer timer(optional_of<double>(member(row, "every_secs")),
                               optional_of<int64_t>(member(row, "every_steps")),
                               [&now] { return now; });
  Json results = Json::array();
  for (const Json& call : row.at("calls")) {
    now = number(call.at(0));
    const int64_t step = call.at(1).get<int64_t>();
    const bool triggered = timer.should_trigger_for_step(step);
    Json seconds;
    Json steps;
    if (triggered) {
      if (const auto elapsed = timer.update_last_triggered_step(step)) {
        seconds = elapsed->secs;
        steps = elapsed->steps;
      }
    }
    results.push_back({triggered, seconds, steps, optional_json(timer.last_triggered_step())});
  }
  return {{"result", results}};
}

}  // namespace antler::conformance::estimators
