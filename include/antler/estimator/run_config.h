#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/none.h"
#include "antler/distribute/cluster_spec.h"
#include "antler/distribute/strategy.h"
#include "antler/estimator/params.h"

namespace antler::distribute {
class ClusterResolver;
struct TFConfig;
}  // namespace antler::distribute

namespace antler::estimator {

/// An argument whose default differs from None: unset, None, or a value.
template <class T>
class Settable {
 public:
  Settable() = default;
  template <class U>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, NoneType> &&
           !std::same_as<std::remove_cvref_t<U>, Settable>)
      Settable(U&& value)  // NOLINT(google-explicit-constructor)
      : set_(true), value_(std::forward<U>(value)) {}
  Settable(NoneType) : set_(true) {}  // NOLINT(google-explicit-constructor)
  bool is_set() const { return set_; }
  const std::optional<T>& value() const { return value_; }

 private:
  bool set_ = false;
  std::optional<T> value_;
};

/// The arguments of RunConfig, TensorFlow's names and defaults. Durations are in seconds. Antler
/// has no sessions to configure and places no operations, so there is no session_config, device_fn
/// or protocol.
struct RunConfigOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  Settable<std::string> model_dir = {};
  /// The random seed of input_fn and model_fn, set again in each call of train() and similar
  /// functions. Not given: the seeds of the process, see set_random_seed().
  std::optional<int64_t> tf_random_seed = {};
  std::optional<int64_t> save_summary_steps = 100;  ///< 0 or None: no summaries
  /// Neither given: save_checkpoints_secs = 600. Both None: no checkpoints.
  Settable<int64_t> save_checkpoints_steps = {};
  Settable<double> save_checkpoints_secs = {};     ///< seconds between checkpoints
  std::optional<int64_t> keep_checkpoint_max = 5;  ///< 0 or None: all
  double keep_checkpoint_every_n_hours = 10000;    ///< one per this many hours is kept
  /// Steps between two logs of the speed; None: no logs.
  std::optional<int64_t> log_step_count_steps = 100;
  /// cluster::ParameterServerStrategy throws ValueError, as in TensorFlow; use
  /// cluster::ParameterServerStrategyV1.
  std::optional<distribute::Strategy> train_distribute = {};
  /// The strategy of evaluate(). Each replica evaluates its own batches. The evaluator of a cluster
  /// uses only its own replicas, and train_distribute if this is not given.
  std::optional<distribute::Strategy> eval_distribute = {};
  /// Maximum delay of a worker's start, in seconds; not given: 60.
  std::optional<double> experimental_max_worker_delay_secs = {};
  /// Maximum number of seconds that a worker waits for the chief's variables.
  double session_creation_timeout_secs = 7200;
  bool checkpoint_save_graph_def = true;  ///< write the graph with checkpoints
};

/// How an Estimator runs (tf.estimator.RunConfig). Immutable. The properties of the cluster come
/// from the environment variable TF_CONFIG.
class RunConfig {
 public:
  /// Throws ValueError for an empty model_dir, both save_checkpoints_steps and
  /// save_checkpoints_secs, negative or zero values where they make no sense, and a TF_CONFIG that
  /// does not describe a cluster with this task.
  RunConfig() : RunConfig(RunConfigOptions{}) {}
  explicit RunConfig(const RunConfigOptions& options);

  const std::optional<std::string>& model_dir() const { return model_dir_; }
  std::optional<int64_t> tf_random_seed() const { return options_.tf_random_seed; }
  std::optional<int64_t> save_summary_steps() const { return options_.save_summary_steps; }
  std::optional<int64_t> save_checkpoints_steps() const { return save_checkpoints_steps_; }
  std::optional<double> save_checkpoints_secs() const { return save_checkpoints_secs_; }
  std::optional<int64_t> keep_checkpoint_max() const { return options_.keep_checkpoint_max; }
  double keep_checkpoint_every_n_hours() const { return options_.keep_checkpoint_every_n_hours; }
  std::optional<int64_t> log_step_count_steps() const { return options_.log_step_count_steps; }
  const std::optional<distribute::Strategy>& train_distribute() const {
    return options_.train_distribute;
  }
  const std::optional<distribute::Strategy>& eval_distribute() const {
    return options_.eval_distribute;
  }
  std::optional<double> experimental_max_worker_delay_secs() const {
    return options_.experimental_max_worker_delay_secs;
  }
  double session_creation_timeout_secs() const { return options_.session_creation_timeout_secs; }
  bool checkpoint_save_graph_def() const { return options_.checkpoint_save_graph_def; }

  /// Properties of the cluster.
  const distribute::ClusterSpec& cluster_spec() const { return cluster_spec_; }
  const std::string& task_type() const { return task_type_; }  ///< "worker" without a cluster
  int64_t task_id() const { return task_id_; }
  std::optional<int64_t> global_id_in_cluster() const { return global_id_in_cluster_; }
  const std::string& master() const { return master_; }  ///< "" for a task that trains alone
  const std::string& evaluation_master() const { return evaluation_master_; }
  int64_t num_ps_replicas() const { return num_ps_replicas_; }
  int64_t num_worker_replicas() const { return num_worker_replicas_; }
  bool is_chief() const { return is_chief_; }
  /// The value of "service" in TF_CONFIG, as JSON.
  const std::optional<std::string>& service() const { return service_; }

  /// A copy with other arguments: `config.replace([](auto& o) { o.save_checkpoints_steps = 10; })`.
  /// Setting one of the save_checkpoints_* clears the other. Throws what the constructor throws.
  template <class Change>
  RunConfig replace(Change change) const {
    RunConfigOptions options = unset_saving();
    change(options);
    return replaced(options);
  }
  /// The same by the names of the arguments: `config.replace({{"save_checkpoints_steps", 10}})`.
  /// Throws ValueError for another name ("Replacing x is not supported"), TypeError for a value of
  /// another type.
  RunConfig replace(const Params& values) const;

 protected:
  /// The options, with save_checkpoints_* unset.
  RunConfigOptions unset_saving() const;
  RunConfig replaced(const RunConfigOptions& options) const;

  /// Checks and stores the options.
  void set(const RunConfigOptions& options);
  /// Properties of the cluster.
  void read_tf_config();
  void join_cluster(const distribute::TFConfig& tf_config);

  RunConfigOptions options_;
  std::optional<std::string> model_dir_;
  std::optional<int64_t> save_checkpoints_steps_;
  std::optional<double> save_checkpoints_secs_;
  distribute::ClusterSpec cluster_spec_;
  std::string task_type_ = "worker";
  int64_t task_id_ = 0;
  std::optional<int64_t> global_id_in_cluster_;
  std::string master_;
  std::string evaluation_master_;
  int64_t num_ps_replicas_ = 0;
  int64_t num_worker_replicas_ = 1;
  bool is_chief_ = true;
  std::optional<std::string> service_;
};

namespace tpu {

/// How the input for several hosts is made (tf.estimator.tpu.InputPipelineConfig).
enum class InputPipelineConfig : uint8_t {
  per_shard_v1 = 1,  ///< one call of input_fn per replica
  per_host_v1 = 2,   ///< one per host; its batch is split among the replicas of the host
  per_host_v2 = 3,   ///< one per host; each replica takes one element in turn
  broadcast = 4,     ///< one; every replica gets all
  sliced = 5,        ///< one; sliced among all replicas (evaluation and prediction)
};

/// The arguments of TPUConfig (tf.estimator.tpu.TPUConfig).
struct TPUConfigOptions {
  /// Train steps per execution, or a duration: "30s", "2m", "1h".
  std::variant<int64_t, std::string> iterations_per_loop = 2;
  std::optional<int64_t> num_shards = {};  ///< replicas; not given: those of the system, or 1
  std::optional<int64_t> num_cores_per_replica = {};  ///< cores that share a model; not given: 1
  /// false: per_shard_v1; true: per_host_v1.
  std::variant<bool, InputPipelineConfig> per_host_input_for_training = true;
  std::optional<std::string> tpu_job_name = {};          ///< accepted; has no effect
  std::optional<double> initial_infeed_sleep_secs = {};  ///< accepted; has no effect
  /// The numbers of parts into which the dimensions of features, and of labels, are split among the
  /// cores of a replica; not given: not split.
  std::optional<std::vector<std::optional<std::vector<int64_t>>>> input_partition_dims = {};
  /// How evaluations divide their input: per_host_v1 or sliced.
  InputPipelineConfig eval_training_input_configuration = InputPipelineConfig::per_host_v1;
  int64_t experimental_host_call_every_n_steps = 1;  ///< between host calls, on accelerators
};

/// The part of a run's configuration that concerns TPUs.
class TPUConfig {
 public:
  TPUConfig() : TPUConfig(TPUConfigOptions{}) {}
  /// Throws ValueError unless iterations_per_loop is positive or a duration "<N>s", "<N>m", "<N>h",
  /// num_shards is positive, num_cores_per_replica is a power of two up to 128,
  /// initial_infeed_sleep_secs is not negative, per_host_input_for_training is not `sliced`, and
  /// eval_training_input_configuration is per_host_v1 or sliced. input_partition_dims has one or
  /// two entries and needs per_host_v2 and num_cores_per_replica.
  TPUConfig(const TPUConfigOptions&
                options);  // NOLINT(google-explicit-constructor): `.tpu_config = {...}`
  const TPUConfigOptions& options() const { return options_; }
  InputPipelineConfig per_host_input_for_training() const;
  /// Steps per execution; not given for a duration.
  std::optional<int64_t> iterations() const { return iterations_; }
  /// Seconds per execution; not given for a number of steps.
  std::optional<int64_t> iterations_seconds() const { return seconds_; }

 private:
  TPUConfigOptions options_;
  std::optional<int64_t> iterations_;
  std::optional<int64_t> seconds_;
};

/// The arguments of tpu::RunConfig, in addition to those of RunConfig.
struct RunConfigOptions {
  TPUConfig tpu_config = {};  ///< what concerns the devices
  /// The address for evaluations; not given: that of TF_CONFIG, or `master`.
  std::optional<std::string> evaluation_master = {};
  std::optional<std::string> master = {};  ///< address of the devices' system
  /// Says how many devices there are; see TPUSystem. A distribute::TPUClusterResolver also selects
  /// its devices when use_tpu runs something (distribute::initialize_tpu_system()). Not with
  /// `master`.
  std::shared_ptr<distribute::ClusterResolver> cluster = {};
  estimator::RunConfigOptions base = {};  ///< the arguments of RunConfig
};

/// tf.estimator.tpu.RunConfig.
class RunConfig : public estimator::RunConfig {
 public:
  RunConfig() : RunConfig(RunConfigOptions{}) {}
  /// Throws ValueError for both `master` and `cluster`, and what estimator::RunConfig throws.
  explicit RunConfig(const RunConfigOptions& options);
  const TPUConfig& tpu_config() const { return tpu_config_; }
  const std::shared_ptr<distribute::ClusterResolver>& cluster() const { return cluster_; }
  template <class Change>
  RunConfig replace(Change change) const {
    RunConfigOptions options{
        .tpu_config = tpu_config_, .cluster = cluster_, .base = unset_saving()};
    change(options);
    return replaced(options);
  }
  RunConfig replace(const Params& values) const;

 private:
  RunConfig replaced(const RunConfigOptions& options) const;
  TPUConfig tpu_config_;
  std::shared_ptr<distribute::ClusterResolver> cluster_;
};

}  // namespace tpu
}  // namespace antler::estimator
