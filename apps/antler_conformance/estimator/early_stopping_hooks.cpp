#include "estimator/early_stopping_hooks.h"

#include "estimator/hooks.h"
#include "estimator/inputs.h"

namespace antler::conformance::estimators {
namespace {

est::HookPtr hook_by_function(Scenario& scenario, const est::Estimator& estimator,
                              const Json& args) {
  std::optional<double> secs = 60;
  std::optional<int64_t> steps;
  read_member(args, "run_every_secs", secs);
  read_member(args, "run_every_steps", steps);
  int64_t from = INT64_MAX;
  read_member(args, "true_from_call", from);
  auto should_stop = [&scenario, from, calls = int64_t{0}]() mutable {
    const bool stop = ++calls >= from;
    scenario.note({"should_stop_fn", "call", stop});
    return stop;
  };
  return est::make_early_stopping_hook(estimator, should_stop, secs, steps);
}

est::HookPtr in_memory_hook(Scenario& scenario, const est::Estimator& estimator, const Json& args) {
  est::InMemoryEvaluatorHookOptions options;
  read_member(args, "steps", options.steps);
  read_member(args, "name", options.name);
  read_member(args, "every_n_iter", options.every_n_iter);
  options.hooks = hooks_of(scenario, member(args, "hooks"));
  return est::in_memory_evaluator_hook(estimator, input_fn(scenario, args.at("input")), options);
}

}  // namespace

est::HookPtr early_stopping_hook(Scenario& scenario, const std::string& name, const Json& args) {
  if (!args.contains("estimator")) throw Unsupported{"the hook '" + name + "'"};
  const est::Estimator& estimator = scenario.estimator(args["estimator"].get<std::string>());
  if (name == "make_early_stopping_hook") return hook_by_function(scenario, estimator, args);
  if (name == "InMemoryEvaluatorHook") return in_memory_hook(scenario, estimator, args);
  est::EarlyStoppingOptions options;
  if (args.contains("eval_dir")) options.eval_dir = scenario.path(args["eval_dir"]);
  read_member(args, "min_steps", options.min_steps);
  read_member(args, "run_every_secs", options.run_every_secs);
  read_member(args, "run_every_steps", options.run_every_steps);
  const auto metric = args.at("metric_name").get<std::string>();
  if (name == "stop_if_higher_hook") {
    return est::stop_if_higher_hook(estimator, metric, number(args.at("threshold")), options);
  }
  if (name == "stop_if_lower_hook") {
    return est::stop_if_lower_hook(estimator, metric, number(args.at("threshold")), options);
  }
  if (name == "stop_if_no_increase_hook") {
    return est::stop_if_no_increase_hook(
        estimator, metric, args.at("max_steps_without_increase").get<int64_t>(), options);
  }
  if (name == "stop_if_no_decrease_hook") {
    return est::stop_if_no_decrease_hook(
        estimator, metric, args.at("max_steps_without_decrease").get<int64_t>(), options);
  }
  throw Unsupported{"the hook '" + name + "'"};
}

}  // namespace antler::conformance::estimators
