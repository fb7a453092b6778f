// Configurations: rows of tf_config, and properties that tables ask for.
#include <algorithm>

#include "estimator/objects.h"
#include "estimator/tables.h"

namespace antler::conformance::estimators {
namespace {

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Seconds as JSON; whole numbers are integers.
Json seconds_json(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (*value == static_cast<double>(static_cast<int64_t>(*value))) {
    return static_cast<int64_t>(*value);
  }
  return *value;
}

}  // namespace

Json config_property(const Scenario& scenario, const est::RunConfig& config,
                     const std::string& name) {
  if (name == "model_dir") {
    return config.model_dir() ? Json(scenario.portable(*config.model_dir())) : Json(nullptr);
  }
  if (name == "tf_random_seed") return json_of(config.tf_random_seed());
  if (name == "save_summary_steps") return json_of(config.save_summary_steps());
  if (name == "save_checkpoints_steps") return json_of(config.save_checkpoints_steps());
  if (name == "save_checkpoints_secs") return seconds_json(config.save_checkpoints_secs());
  if (name == "keep_checkpoint_max") return json_of(config.keep_checkpoint_max());
  if (name == "keep_checkpoint_every_n_hours") {
    return seconds_json(config.keep_checkpoint_every_n_hours());
  }
  if (name == "log_step_count_steps") return json_of(config.log_step_count_steps());
  if (name == "session_creation_timeout_secs") {
    return seconds_json(config.session_creation_timeout_secs());
  }
  if (name == "experimental_max_worker_delay_secs") {
    return seconds_json(config.experimental_max_worker_delay_secs());
  }
  if (name == "checkpoint_save_graph_def") return config.checkpoint_save_graph_def();
  if (name == "cluster_spec") return config.cluster_spec().as_dict();
  if (name == "task_type") return config.task_type();
  if (name == "task_id") return config.task_id();
  if (name == "global_id_in_cluster") return json_of(config.global_id_in_cluster());
  if (name == "master") return config.master();
  if (name == "evaluation_master") return config.evaluation_master();
  if (name == "num_ps_replicas") return config.num_ps_replicas();
  if (name == "num_worker_replicas") return config.num_worker_replicas();
  if (name == "is_chief") return config.is_chief();
  if (name == "service") {
    return config.service() ? Json::parse(*config.service()) : Json(nullptr);
  }
  throw Unsupported{"the property '" + name + "'"};
}

Json tpu_config_property(const est::tpu::TPUConfig& config, const std::string& name) {
  const est::tpu::TPUConfigOptions& options = config.options();
  if (name == "iterations_per_loop") {
    return std::visit([](const auto& value) { return Json(value); }, options.iterations_per_loop);
  }
  if (name == "num_shards") return json_of(options.num_shards);
  if (name == "num_cores_per_replica") return json_of(options.num_cores_per_replica);
  if (name == "per_host_input_for_training") {
    const char* const kNames[] = {"",          "PER_SHARD_V1", "PER_HOST_V1", "PER_HOST_V2",
                                  "BROADCAST", "SLICED"};
    return kNames[static_cast<size_t>(config.per_host_input_for_training())];
  }
  throw Unsupported{"the property '" + name + "'"};
}

Json tf_config_row(Scenario& scenario, const Json& row) {
  const bool tpu = row.at("class") == "tpu.RunConfig";
  const Json& args = row.at("args");
  const est::RunConfig config =
      tpu ? static_cast<const est::RunConfig&>(tpu_run_config(scenario, args))
          : est::RunConfig(run_config_options(scenario, args));
  Json values = Json::object();
  for (const Json& name : member(row, "get")) {
    values[name.get<std::string>()] = config_property(scenario, config, name.get<std::string>());
  }
  return {{"accepted", true}, {"values", values}};
}

}  // namespace antler::conformance::estimators
