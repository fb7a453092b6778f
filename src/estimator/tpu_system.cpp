#include "antler/estimator/tpu_system.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/distribute/cluster_resolver.h"

namespace antler::estimator::tpu {
namespace {

using enum InputPipelineConfig;

void require_positive(const char* name, const std::optional<int64_t>& value) {
  if (value && *value <= 0) throw ValueError("{} must be positive, got {}", name, *value);
}

std::optional<int64_t> global_batch_size(const PlacementOptions& options) {
  switch (options.mode) {
    case ModeKeys::train:
      return options.batch_sizes.train;
    case ModeKeys::eval:
      return options.batch_sizes.eval;
    case ModeKeys::predict:
      break;
  }
  return options.batch_sizes.predict;
}

InputPipelineConfig input_of(const TPUConfig& config, ModeKeys mode) {
  const InputPipelineConfig input = config.per_host_input_for_training();
  if (mode == ModeKeys::train) return input;
  if (config.options().eval_training_input_configuration == sliced) return sliced;
  return input == per_shard_v1 ? per_host_v1 : input;
}

/// Without model parallelism one shard means one core of one host.
System used_part(const TPUConfig& config, const System& system) {
  if (config.options().num_shards != 1 || config.options().num_cores_per_replica) return system;
  logging::warning(
      "Setting TPUConfig.num_shards==1 is an unsupported behavior. Please fix as soon as possible "
      "(leaving num_shards as None.)");
  return {.cores = 1, .hosts = 1, .master = system.master};
}

int64_t replicas_of(const TPUConfig& config, const System& system) {
  if (system.cores <= 0) {
    throw RuntimeError(
        "Cannot find any TPU cores in the system. Please double check Tensorflow master address "
        "and TPU worker(s). The master is '{}'.",
        system.master);
  }
  const int64_t per_replica = config.options().num_cores_per_replica.value_or(1);
  if (per_replica > system.cores) {
    throw ValueError(
        "The num of cores required by the model parallelism, specified by "
        "TPUConfig.num_cores_per_replica, is larger than the total num of TPU cores in the system. "
        "num_cores_per_replica: {}, num cores in the system: {}",
        per_replica, system.cores);
  }
  if (system.cores % per_replica != 0) {
    throw RuntimeError(
        "The num of cores in the system ({}) is not divisible by the num of cores ({}) required by "
        "the model parallelism, specified by TPUConfig.num_cores_per_replica.",
        system.cores, per_replica);
  }
  const int64_t replicas = system.cores / per_replica;
  const auto& shards = config.options().num_shards;
  if (shards && *shards != replicas) {
    throw ValueError(
        "TPUConfig.num_shards is not set correctly. According to TPU system metadata for "
        "Tensorflow master ({}): num_replicas should be ({}), got ({}). For non-model-parallelism, "
        "num_replicas should be the total num of TPU cores in the system. For model-parallelism, "
        "the total number of TPU cores should be num_cores_per_replica * num_replicas. Please set "
        "it accordingly or leave it as `None`",
        system.master, replicas, *shards);
  }
  if (config.per_host_input_for_training() != per_host_v2 &&
      per_replica > system.cores_per_host()) {
    throw ValueError(
        "Except the PER_HOST_V2 mode, the num of cores required by model parallelism specified by "
        "TPUConfig.num_cores_per_replica should be less than or equal to the num_cores_per_host. "
        "num_cores_per_replica: {}, num_cores_per_host: {}",
        per_replica, system.cores_per_host());
  }
  return replicas;
}

struct ModeWords {
  const char* batch_size;
  const char* method;
  const char* last_condition;
};

ModeWords words_of(ModeKeys mode) {
  if (mode == ModeKeys::train) return {"train", "train", ""};
  if (mode == ModeKeys::eval) return {"eval", "evaluate", "3. PER_HOST_V2 mode."};
  return {"predict", "predict", "3. PER_HOST_V2 mode with num_replicas=1."};
}

/// Checks the global batch size, and that all hosts get input.
void check_input(const Placement& placement, const TPUConfig& config, ModeKeys mode,
                 const std::optional<int64_t>& batch_size) {
  const ModeWords words = words_of(mode);
  if (!batch_size) {
    throw ValueError(
        "{}_batch_size in TPUEstimator constructor cannot be `None` if .{} is running on TPU.",
        words.batch_size, words.method);
  }
  const bool to_all = placement.input == broadcast || placement.input == sliced;
  if (*batch_size % placement.num_replicas != 0 && !to_all) {
    throw ValueError("{} batch size {} must be divisible by number of replicas {}",
                     words.batch_size, *batch_size, placement.num_replicas);
  }
  if (mode == ModeKeys::train || placement.num_hosts == 1 || to_all) return;
  const bool v2 = placement.input == per_host_v2;
  if (v2 && (mode == ModeKeys::eval || placement.num_replicas == 1)) return;
  throw ValueError(
      "TPUEstimator.{} is only supported under three conditions: 1. num_hosts=1; 2. BROADCAST "
      "mode; {} mode: {}; num_hosts: {}; num_replicas=1:{}",
      words.method, words.last_condition, static_cast<int>(config.per_host_input_for_training()),
      placement.num_hosts, placement.num_replicas);
}

std::vector<InputCall> input_calls(const Placement& placement, bool across_hosts,
                                   int64_t hosts_per_replica) {
  const int64_t replicas = placement.num_replicas;
  if (placement.input == broadcast || placement.input == sliced) {
    return {{.num_replicas = replicas}};
  }
  std::vector<InputCall> calls;
  if (across_hosts || placement.input == per_shard_v1) {
    for (int64_t i = 0; i < replicas; ++i) {
      const int64_t host = across_hosts ? i * hosts_per_replica
                                        : i / std::max<int64_t>(placement.replicas_per_host, 1);
      calls.push_back({.index = i, .host = host, .first_replica = i});
    }
    return calls;
  }
  for (int64_t host = 0; host < placement.num_hosts; ++host) {
    calls.push_back({.index = host,
                     .host = host,
                     .first_replica = host * placement.replicas_per_host,
                     .num_replicas = placement.replicas_per_host});
  }
  return calls;
}

}  // namespace

System system_of(const RunConfig& config, ModeKeys mode) {
  System system{.master = mode == ModeKeys::eval ? config.evaluation_master() : config.master()};
  const auto& resolver = config.cluster();
  if (resolver == nullptr) {
    const TPUConfigOptions& options = config.tpu_config().options();
    system.cores = options.num_shards.value_or(1) * options.num_cores_per_replica.value_or(1);
    return system;
  }
  int64_t per_host = 0;
  for (const auto& [kind, count] : resolver->num_accelerators()) per_host += count;
  const distribute::ClusterSpec cluster = resolver->cluster_spec();
  if (cluster.has_job("worker")) system.hosts = std::max<int64_t>(cluster.num_tasks("worker"), 1);
  system.cores = per_host * system.hosts;
  return system;
}

void check_batch_sizes(const TPUConfig& config, const BatchSizes& sizes) {
  if (!sizes.train) throw ValueError("`train_batch_size` cannot be `None`");
  require_positive("train_batch_size", sizes.train);
  if (config.per_host_input_for_training() == per_shard_v1 &&
      config.options().num_cores_per_replica) {
    throw ValueError(
        "Model parallelism only supports per host input for training. Please adjust "
        "TPURunconfig.per_host_input_for_training.");
  }
  require_positive("eval_batch_size", sizes.eval);
  require_positive("predict_batch_size", sizes.predict);
}

Placement place(const TPUConfig& config, const PlacementOptions& options, const System& system) {
  const std::optional<int64_t> batch_size = global_batch_size(options);
  Placement placement{.input = input_of(config, options.mode)};
  const bool eval_elsewhere = options.mode == ModeKeys::eval && !options.eval_on_tpu;
  if (!options.use_tpu || options.is_export || eval_elsewhere) {
    if (!options.use_tpu && placement.input == sliced) {
      throw ValueError(
          "Invalid TPUConfig `eval_training_input_configuration` value. SLICED mode only works on "
          "use_tpu = True.");
    }
    if (options.is_export) return placement;
    placement.input_batch_size = placement.model_batch_size = batch_size;
    return placement;
  }
  const System part = used_part(config, system);
  placement.on_cpu = false;
  placement.num_replicas = replicas_of(config, part);
  placement.num_hosts = part.hosts;
  placement.replicas_per_host = placement.num_replicas / part.hosts;
  check_input(placement, config, options.mode, batch_size);

  const int64_t cores_per_replica = config.options().num_cores_per_replica.value_or(1);
  const bool across_hosts = cores_per_replica > part.cores_per_host();
  const int64_t per_replica = *batch_size / placement.num_replicas;
  placement.model_batch_size = placement.input == broadcast ? *batch_size : per_replica;
  if (placement.input == broadcast || placement.input == sliced) {
    placement.input_batch_size = *batch_size;
  } else if (placement.input == per_host_v1 && !across_hosts) {
    placement.input_batch_size = *batch_size / placement.num_hosts;
  } else {
    placement.input_batch_size = per_replica;
  }
  placement.input_calls = input_calls(
      placement, across_hosts, cores_per_replica / std::max<int64_t>(part.cores_per_host(), 1));
  return placement;
}

}  // namespace antler::estimator::tpu
