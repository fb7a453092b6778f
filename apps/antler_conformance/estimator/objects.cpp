#include "estimator/objects.h"

#include <algorithm>

#include "antler/distribute/cluster_resolver.h"
#include "estimator/hooks.h"
#include "estimator/inputs.h"

namespace antler::conformance::estimators {
namespace {

template <class T>
void read_settable(const Json& args, const char* key, est::Settable<T>& field) {
  if (!args.contains(key)) return;
  field = args[key].is_null() ? est::Settable<T>(None) : est::Settable<T>(args[key].get<T>());
}

est::tpu::InputPipelineConfig input_pipeline(const std::string& name) {
  using enum est::tpu::InputPipelineConfig;
  if (name == "PER_SHARD_V1") return per_shard_v1;
  if (name == "PER_HOST_V1") return per_host_v1;
  if (name == "PER_HOST_V2") return per_host_v2;
  if (name == "BROADCAST") return broadcast;
  if (name == "SLICED") return sliced;
  throw Unsupported{"the input configuration " + name};
}

est::VocabInfo vocabulary_of(Scenario& scenario, const Json& info) {
  const auto words = [&](const char* key) {
    std::string text;
    for (const Json& word : info.at(key)) text += word.get<std::string>() + "\n";
    return scenario.file_with(text);
  };
  est::VocabInfo vocabulary{.new_vocab = words("new_vocab"), .old_vocab = words("old_vocab")};
  read_member(info, "new_vocab_size", vocabulary.new_vocab_size);
  read_member(info, "num_oov_buckets", vocabulary.num_oov_buckets);
  read_member(info, "old_vocab_size", vocabulary.old_vocab_size);
  read_member(info, "axis", vocabulary.axis);
  if (const Json& initializer = member(info, "backup_initializer"); !initializer.is_null()) {
    vocabulary.backup_initializer = initializer.get<std::string>();
  }
  return vocabulary;
}

std::optional<std::string> folder_of(const Scenario& scenario, const Json& args) {
  const Json& folder = member(args, "model_dir");
  return folder.is_null() ? std::optional<std::string>() : scenario.path(folder);
}

est::Estimator tpu_estimator(Scenario& scenario, const Json& args, const est::ModelFn& model_fn) {
  est::TPUEstimatorOptions options{.model_dir = folder_of(scenario, args)};
  if (const Json& config = member(args, "config"); !config.is_null()) {
    options.config = tpu_run_config(scenario, arguments_of(config));
  }
  options.params = params_of(member(args, "params"));
  read_member(args, "use_tpu", options.use_tpu);
  read_member(args, "train_batch_size", options.train_batch_size);
  read_member(args, "eval_batch_size", options.eval_batch_size);
  read_member(args, "predict_batch_size", options.predict_batch_size);
  read_member(args, "batch_axis", options.batch_axis);
  read_member(args, "eval_on_tpu", options.eval_on_tpu);
  read_member(args, "export_to_tpu", options.export_to_tpu);
  read_member(args, "export_to_cpu", options.export_to_cpu);
  read_member(args, "export_saved_model_api_version", options.export_saved_model_api_version);
  options.warm_start_from = warm_start_of(scenario, member(args, "warm_start_from"));
  return est::TPUEstimator(model_fn, options);
}

est::CompareFn compare_fn(const Json& compare) {
  const auto metric = compare.at(0).get<std::string>();
  const bool higher = compare.at(1) == "higher";
  return [metric, higher](const est::EvalResult& best, const est::EvalResult& current) {
    const double a = best.at(metric).item();
    const double b = current.at(metric).item();
    return higher ? b > a : b < a;
  };
}

}  // namespace

const Json& arguments_of(const Json& object) {
  static const Json none = Json::object();
  return object.contains("args") ? object["args"] : none;
}

est::RunConfigOptions run_config_options(const Scenario& scenario, const Json& args) {
  est::RunConfigOptions options;
  read_settable(args, "model_dir", options.model_dir);
  if (options.model_dir.value()) options.model_dir = scenario.path(args["model_dir"]);
  read_member(args, "tf_random_seed", options.tf_random_seed);
  read_member(args, "save_summary_steps", options.save_summary_steps);
  read_settable(args, "save_checkpoints_steps", options.save_checkpoints_steps);
  read_settable(args, "save_checkpoints_secs", options.save_checkpoints_secs);
  read_member(args, "keep_checkpoint_max", options.keep_checkpoint_max);
  read_member(args, "keep_checkpoint_every_n_hours", options.keep_checkpoint_every_n_hours);
  read_member(args, "log_step_count_steps", options.log_step_count_steps);
  read_member(args, "experimental_max_worker_delay_secs",
              options.experimental_max_worker_delay_secs);
  read_member(args, "session_creation_timeout_secs", options.session_creation_timeout_secs);
  read_member(args, "checkpoint_save_graph_def", options.checkpoint_save_graph_def);
  return options;
}

est::tpu::TPUConfigOptions tpu_config_options(const Json& args) {
  est::tpu::TPUConfigOptions options;
  if (const Json& iterations = member(args, "iterations_per_loop"); iterations.is_string()) {
    options.iterations_per_loop = iterations.get<std::string>();
  } else if (!iterations.is_null()) {
    options.iterations_per_loop = iterations.get<int64_t>();
  }
  read_member(args, "num_shards", options.num_shards);
  read_member(args, "num_cores_per_replica", options.num_cores_per_replica);
  if (const Json& input = member(args, "per_host_input_for_training"); input.is_string()) {
    options.per_host_input_for_training = input_pipeline(input.get<std::string>());
  } else if (!input.is_null()) {
    options.per_host_input_for_training = input.get<bool>();
  }
  read_member(args, "tpu_job_name", options.tpu_job_name);
  read_member(args, "initial_infeed_sleep_secs", options.initial_infeed_sleep_secs);
  if (const Json& dims = member(args, "input_partition_dims"); !dims.is_null()) {
    options.input_partition_dims.emplace();
    for (const Json& entry : dims) {
      options.input_partition_dims->push_back(optional_of<std::vector<int64_t>>(entry));
    }
  }
  if (const Json& input = member(args, "eval_training_input_configuration"); !input.is_null()) {
    options.eval_training_input_configuration = input_pipeline(input.get<std::string>());
  }
  read_member(args, "experimental_host_call_every_n_steps",
              options.experimental_host_call_every_n_steps);
  return options;
}

est::tpu::RunConfig tpu_run_config(const Scenario& scenario, const Json& args) {
  est::tpu::RunConfigOptions options{.base = run_config_options(scenario, args)};
  if (const Json& config = member(args, "tpu_config"); !config.is_null()) {
    const Json& fields = config.contains("@make") ? arguments_of(config) : config;
    options.tpu_config = est::tpu::TPUConfig(tpu_config_options(fields));
  }
  read_member(args, "master", options.master);
  read_member(args, "evaluation_master", options.evaluation_master);
  if (!member(args, "cluster").is_null()) {
    options.cluster =
        std::make_shared<distribute::SimpleClusterResolver>(distribute::ClusterSpec());
  }
  return est::tpu::RunConfig(options);
}

est::WarmStart warm_start_of(Scenario& scenario, const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return scenario.path(value);
  const Json& args = arguments_of(value);
  est::WarmStartSettings settings{.ckpt_to_initialize_from =
                                      scenario.path(args.at("ckpt_to_initialize_from"))};
  if (args.contains("vars_to_warm_start")) {
    const Json& vars = args["vars_to_warm_start"];
    settings.vars_to_warm_start.reset();
    if (vars.is_string()) settings.vars_to_warm_start = vars.get<std::string>();
    if (vars.is_array()) settings.vars_to_warm_start = vars.get<std::vector<std::string>>();
  }
  for (const auto& [name, info] : member(args, "var_name_to_vocab_info").items()) {
    const Json& fields = info.contains("args") ? info["args"] : info;
    settings.var_name_to_vocab_info[name] = vocabulary_of(scenario, fields);
  }
  for (const auto& [name, previous] : member(args, "var_name_to_prev_var_name").items()) {
    settings.var_name_to_prev_var_name[name] = previous.get<std::string>();
  }
  return settings;
}

est::Estimator estimator_of(Scenario& scenario, const std::string& name, const Json& args,
                            const est::ModelFn& model_fn) {
  if (name == "TPUEstimator") return tpu_estimator(scenario, args, model_fn);
  if (name != "Estimator") throw Unsupported{"the class '" + name + "'"};
  est::EstimatorOptions options{.model_dir = folder_of(scenario, args)};
  if (const Json& config = member(args, "config"); !config.is_null()) {
    options.config = est::RunConfig(run_config_options(scenario, arguments_of(config)));
  }
  options.params = params_of(member(args, "params"));
  options.warm_start_from = warm_start_of(scenario, member(args, "warm_start_from"));
  return est::Estimator(model_fn, options);
}

est::ExporterPtr exporter_of(Scenario& scenario, const std::string& name, const Json& args,
                             const est::ServingInputReceiverFn& receiver) {
  if (name == "BestExporter") {
    est::BestExporterOptions options{.serving_input_receiver_fn = receiver};
    read_member(args, "name", options.name);
    read_member(args, "event_file_pattern", options.event_file_pattern);
    if (args.contains("compare")) options.compare_fn = compare_fn(args["compare"]);
    options.assets_extra = assets_of(scenario, member(args, "assets_extra"));
    read_member(args, "as_text", options.as_text);
    read_member(args, "exports_to_keep", options.exports_to_keep);
    return est::BestExporter(options);
  }
  est::ExporterOptions options{.assets_extra = assets_of(scenario, member(args, "assets_extra"))};
  read_member(args, "as_text", options.as_text);
  read_member(args, "exports_to_keep", options.exports_to_keep);
  const auto title = args.at("name").get<std::string>();
  if (name == "LatestExporter") return est::LatestExporter(title, receiver, options);
  if (name == "FinalExporter") return est::FinalExporter(title, receiver, options);
  throw Unsupported{"the exporter '" + name + "'"};
}

est::TrainSpec train_spec_of(Scenario& scenario, const Json& args) {
  est::TrainSpec spec{.input_fn = input_fn(scenario, args.at("input"))};
  read_member(args, "max_steps", spec.max_steps);
  spec.hooks = hooks_of(scenario, member(args, "hooks"));
  spec.saving_listeners = listeners_of(scenario, member(args, "saving_listeners"));
  return spec;
}

est::EvalSpec eval_spec_of(Scenario& scenario, const Json& args) {
  est::EvalSpec spec{.input_fn = input_fn(scenario, args.at("input"))};
  read_member(args, "steps", spec.steps);
  read_member(args, "name", spec.name);
  spec.hooks = hooks_of(scenario, member(args, "hooks"));
  const Json& exporters = member(args, "exporters");
  const auto add = [&](const Json& exporter) {
    const Json& fields = arguments_of(exporter);
    spec.exporters.push_back(exporter_of(scenario, exporter.at("class").get<std::string>(), fields,
                                         receiver_fn(scenario, member(fields, "receiver"))));
  };
  if (exporters.is_object()) {
    add(exporters);
  } else {
    std::for_each(exporters.begin(), exporters.end(), add);
  }
  read_member(args, "start_delay_secs", spec.start_delay_secs);
  read_member(args, "throttle_secs", spec.throttle_secs);
  return spec;
}

}  // namespace antler::conformance::estimators
