#pragma once

#include <cstdint>

namespace antler::data {

/// Describes the worker that will read a data set, for the function of a DatasetCreator.
struct InputContext {
  int64_t num_input_pipelines = 1;
  int64_t input_pipeline_id = 0;
  int64_t num_replicas_in_sync = 1;
  /// Throws ValueError if the batch cannot be divided evenly among the replicas.
  int64_t get_per_replica_batch_size(int64_t global_batch_size) const;
};

}  // namespace antler::data
