#pragma once

#include <cstdint>
#include <memory>

#include "antler/distribute/strategy.h"
#include "antler/ops/communicator.h"

namespace antler::distribute {

/// Synchronous training on several processes (workers) that `group` connects, each with `replicas`
/// replicas. Every worker runs the same program: batch sizes are those of the global batch, of
/// which each worker has ceil(rows / workers) rows in turn while they last; variables that are made
/// in the scope start with the values of worker 0; gradients, metrics and statistics are combined
/// in each step, so that all workers have the same variables and logs at any time.
///
/// Makes `group` the communicator of the process, and its random seeds those of worker 0; so it is
/// made before anything random. With one worker it is a MirroredStrategy. Throws ValueError unless
/// replicas >= 1.
Strategy multi_worker_strategy(std::shared_ptr<ops::Communicator> group, int64_t replicas = 1,
                               UnevenBatches uneven_batches = UnevenBatches::exact);

}  // namespace antler::distribute
