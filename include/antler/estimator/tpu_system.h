#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/mode_keys.h"
#include "antler/estimator/run_config.h"

/// How a TPUEstimator spreads its work over an accelerator system.
namespace antler::estimator::tpu {

/// The cores of a system, and the hosts to which they belong in equal parts. With CPU replicas a
/// core is a replica of this process.
struct System {
  int64_t cores = 1;
  int64_t hosts = 1;
  std::string master = {};  ///< its address, for messages
  int64_t cores_per_host() const { return hosts > 0 ? cores / hosts : 0; }
};

/// The system of a configuration: with `cluster`, as many hosts as its cluster has workers (at
/// least 1) with the accelerators that it reports each. Without: the shards that the configuration
/// asks for, or as many cores as a replica needs, on one host.
System system_of(const RunConfig& config, ModeKeys mode = ModeKeys::train);

/// Global batch sizes of TPUEstimator.
struct BatchSizes {
  std::optional<int64_t> train = {};
  std::optional<int64_t> eval = {};
  std::optional<int64_t> predict = {};
};

/// What TPUEstimator's constructor checks with use_tpu. Throws ValueError for a missing train batch
/// size, sizes that are not positive, and model parallelism with input per shard.
void check_batch_sizes(const TPUConfig& config, const BatchSizes& sizes);

/// A call of input_fn.
struct InputCall {
  int64_t index = 0;  ///< of this call
  int64_t host = 0;
  int64_t first_replica = 0;  ///< whom its batches are for
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
  /// How batches become those of the replicas. Sliced is for evaluation and prediction only.
  InputPipelineConfig input = InputPipelineConfig::per_host_v1;
  std::vector<InputCall> input_calls = {InputCall{}};
};

/// Options of Placement.
struct PlacementOptions {
  ModeKeys mode = ModeKeys::train;  ///< train, eval or predict
  bool is_export = false;           ///< for a SavedModel: one replica, no batch size
  bool use_tpu = true;              ///< false: one replica
  bool eval_on_tpu = true;          ///< evaluate on the replicas, too
  BatchSizes batch_sizes = {};      ///< global ones
};

/// Throws RuntimeError for a system without cores; ValueError for a wrong num_shards, replicas
/// larger than the system or (except with per_host_v2) than a host, a batch size that is missing or
/// that the replicas cannot share, evaluation and prediction on several hosts with per_host_v1, and
/// sliced input on one plain device.
Placement place(const TPUConfig& config, const PlacementOptions& options, const System& system);

}  // namespace antler::estimator::tpu
