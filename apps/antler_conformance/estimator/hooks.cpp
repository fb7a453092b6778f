#include "estimator/hooks.h"

#include <algorithm>

#include "estimator/early_stopping_hooks.h"
#include "estimator/recording_hooks.h"

namespace antler::conformance::estimators {
namespace {

/// The logged tensors by tag; in a list the names of graph tensors are the tags. They are sorted by
/// tag unless `keep_order`, for a formatter that gets them in the given order.
est::LoggedTensors logged_tensors(const Json& tensors, bool keep_order) {
  est::LoggedTensors logged;
  if (tensors.is_array()) {
    for (const Json& name : tensors) {
      const auto text = name.get<std::string>();
      logged.emplace_back(text + ":0", est::Fetch(text));
    }
    return logged;
  }
  for (const auto& [tag, name] : tensors.items()) {
    logged.emplace_back(tag, est::Fetch(name.get<std::string>()));
  }
  if (!keep_order) {
    std::sort(logged.begin(), logged.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return logged;
}

est::HookPtr logging_hook(const Json& args) {
  est::LoggingTensorHookOptions options;
  read_member(args, "every_n_iter", options.every_n_iter);
  read_member(args, "every_n_secs", options.every_n_secs);
  read_member(args, "at_end", options.at_end);
  const bool custom = member(args, "formatter") == "custom";
  if (custom) {
    options.formatter = [](const std::vector<std::pair<std::string, Tensor>>& values) {
      std::string line;
      for (const auto& [tag, value] : values) line += (line.empty() ? "" : "|") + tag;
      return "custom = " + line;
    };
  }
  return std::make_shared<est::LoggingTensorHook>(logged_tensors(args.at("tensors"), custom),
                                                  options);
}

est::HookPtr saver_hook(Scenario& scenario, const Json& args) {
  est::CheckpointSaverHookOptions options;
  read_member(args, "save_secs", options.save_secs);
  read_member(args, "save_steps", options.save_steps);
  read_member(args, "checkpoint_basename", options.checkpoint_basename);
  read_member(args, "save_graph_def", options.save_graph_def);
  options.listeners = listeners_of(scenario, member(args, "listeners"));
  if (args.contains("saver")) options.saver = est::Saver();
  if (args.contains("scaffold")) options.scaffold = std::make_shared<est::Scaffold>();
  return std::make_shared<est::CheckpointSaverHook>(scenario.path(args.at("checkpoint_dir")),
                                                    options);
}

est::StepCounterHookOptions counter_options(const Scenario& scenario, const Json& args) {
  est::StepCounterHookOptions options;
  read_member(args, "every_n_steps", options.every_n_steps);
  read_member(args, "every_n_secs", options.every_n_secs);
  if (args.contains("output_dir")) options.output_dir = scenario.path(args["output_dir"]);
  return options;
}

est::HookPtr summary_hook(const Scenario& scenario, const Json& args) {
  est::SummarySaverHookOptions options;
  read_member(args, "save_steps", options.save_steps);
  read_member(args, "save_secs", options.save_secs);
  if (args.contains("output_dir")) options.output_dir = scenario.path(args["output_dir"]);
  if (const Json& op = member(args, "summary_op"); op.is_object() && op.contains("tag")) {
    options.summary_op = {{op["tag"].get<std::string>(), op.at("tensor").get<std::string>()}};
  } else if (!op.is_null()) {
    options.summary_op = {{"summary", std::string("summary")}};
  }
  return std::make_shared<est::SummarySaverHook>(options);
}

est::HookPtr profiler_hook(const Scenario& scenario, const Json& args) {
  est::ProfilerHookOptions options;
  read_member(args, "save_steps", options.save_steps);
  read_member(args, "save_secs", options.save_secs);
  read_member(args, "show_dataflow", options.show_dataflow);
  read_member(args, "show_memory", options.show_memory);
  if (args.contains("output_dir")) options.output_dir = scenario.path(args["output_dir"]);
  return std::make_shared<est::ProfilerHook>(options);
}

est::HookPtr final_ops_hook(Scenario& scenario, const Json& args) {
  const auto hook = std::make_shared<est::FinalOpsHook>(logged_tensors(args.at("final_ops"), true));
  scenario.watch(hook);
  return hook;
}

est::HookPtr stop_hook(const Json& args) {
  est::StopAtStepHookOptions options;
  read_member(args, "num_steps", options.num_steps);
  read_member(args, "last_step", options.last_step);
  return std::make_shared<est::StopAtStepHook>(options);
}

est::HookPtr nan_hook(const Json& args) {
  bool fail = true;
  read_member(args, "fail_on_nan_loss", fail);
  return std::make_shared<est::NanTensorHook>(est::Fetch(args.at("loss").get<std::string>()), fail);
}

est::HookPtr feed_hook(const Json& args) {
  const Json& feed = args.at("feed");
  const est::Feeds feeds = {{feed.at("tensor").get<std::string>(),
                             Tensor::full(DType::float32, {}, number(feed.at("value")))}};
  return std::make_shared<est::FeedFnHook>([feeds] { return feeds; });
}

}  // namespace

est::HookPtr hook_of(Scenario& scenario, const Json& hook) {
  static const Json none = Json::object();
  const auto name = hook.at("class").get<std::string>();
  const Json& args = hook.contains("args") ? hook["args"] : none;
  if (name == "Recorder") return std::make_shared<RecordingHook>(scenario, args);
  if (name == "StopAtStepHook") return stop_hook(args);
  if (name == "CheckpointSaverHook") return saver_hook(scenario, args);
  if (name == "LoggingTensorHook") return logging_hook(args);
  if (name == "StepCounterHook") {
    return std::make_shared<est::StepCounterHook>(counter_options(scenario, args));
  }
  if (name == "ExamplesPerSecondHook") {
    return std::make_shared<est::ExamplesPerSecondHook>(args.at("batch_size").get<int64_t>(),
                                                        counter_options(scenario, args));
  }
  if (name == "SummarySaverHook") return summary_hook(scenario, args);
  if (name == "NanTensorHook") return nan_hook(args);
  if (name == "GlobalStepWaiterHook") {
    return std::make_shared<est::GlobalStepWaiterHook>(args.at("wait_until_step").get<int64_t>());
  }
  if (name == "FinalOpsHook") return final_ops_hook(scenario, args);
  if (name == "FeedFnHook") return feed_hook(args);
  if (name == "ProfilerHook") return profiler_hook(scenario, args);
  return early_stopping_hook(scenario, name, args);
}

est::Hooks hooks_of(Scenario& scenario, const Json& hooks) {
  est::Hooks made;
  for (const Json& hook : hooks) made.push_back(hook_of(scenario, hook));
  return made;
}

std::vector<est::ListenerPtr> listeners_of(Scenario& scenario, const Json& listeners) {
  std::vector<est::ListenerPtr> made;
  for (const Json& listener : listeners) {
    if (listener.at("class") != "Listener") throw Unsupported{"a listener " + listener.dump()};
    made.push_back(std::make_shared<RecordingListener>(scenario, listener.at("args")));
  }
  return made;
}

}  // namespace antler::conformance::estimators
