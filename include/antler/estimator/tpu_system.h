#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/mode_keys.h"
#include "antler/estimator/run_config.h"

/// How a TPUEstimator spreads its work over an accelerator system.
namespace antler::estimator::tpu {

/// The cores of a system, divided equally among its hosts. With CPU replicas, a core is a replica
/// of this process.
struct System {
  int64_t cores = 1;
  int64_t hosts = 1;
  std::string master = {};  ///< its address, for messages
  int64_t cores_per_host() const { return hosts > 0 ? cores / hosts : 0; }
};

/// The system of a configuration. With `cluster`: one host per worker of the cluster (at least 1),
/// each with the accelerators that it reports. Without: one host with the shards that the
/// configuration asks for, or as many cores as a replica needs.
System system_of(const RunConfig& config, ModeKeys mode = ModeKeys::train);

/// Global batch sizes of TPUEstimator.
struct BatchSizes {
  std::optional<int64_t> train = {};
  std::optional<int64_t> eval = {};
  std::optional<int64_t> predict = {};
};

/// The checks of TPUEstimator's constructor with use_tpu. Throws ValueError for a missing training
/// batch size, sizes that are not positive, and model parallelism with one input per shard.
void check_batch_sizes(const TPUConfig& config, const BatchSizes& sizes);

/// A call of input_fn.
struct InputCall {
  int64_t index = 0;  ///< of this call
  int64_t host = 0;
  int64_t first_replica = 0;  ///< the first replica that it is for
  int64_t num_replicas = 1;
};

/// How one call of train, evaluate, predict or export runs.
struct Placement {
  bool on_cpu = true;  ///< on one plain device
  /// params["batch_size"] of input_fn and of model_fn; not given: no such key.
  std::optional<int64_t> input_batch_size = {};
  std::optional<int64_t> model_batch_size = {};
  int64_t num_replicas = 1;
  int64_t num_hosts = 1;
  int64_t replicas_per_host = 1;  ///< 0 if a replica spans hosts
  /// How batches are divided among the replicas. `sliced` is for evaluation and prediction only.
  InputPipelineConfig input = InputPipelineConfig::per_host_v1;
  std::vector<InputCall> input_calls = {InputCall{}};
};

/// Options of place().
struct PlacementOptions {
  ModeKeys mode = ModeKeys::train;  ///< train, eval or predict
  bool is_export = false;           ///< for a SavedModel: one replica, no params["batch_size"]
  bool use_tpu = true;              ///< false: one replica
  bool eval_on_tpu = true;          ///< evaluate on the replicas, too
  BatchSizes batch_sizes = {};      ///< global ones
};

/// Throws RuntimeError for a system without cores. Throws ValueError for a wrong num_shards,
/// replicas that are larger than the system or (except with per_host_v2) than a host, a batch size
/// that is missing or cannot be divided among the replicas, evaluation and prediction on several
/// hosts with per_host_v1, and sliced input on one plain device.
Placement place(const TPUConfig& config, const PlacementOptions& options, const System& system);

}  // namespace antler::estimator::tpu
