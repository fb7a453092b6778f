#pragma once

#include <cstdint>
#include <memory>

#include "antler/distribute/strategy.h"
#include "antler/ops/communicator.h"
#include "antler/ops/worker_collectives.h"

namespace antler::distribute {

/// Synchronous training on several processes (workers) that `group` connects, each with `replicas`
/// replicas. Every worker runs the same program. Batch sizes are those of the global batch: each
/// worker in turn takes ceil(rows / workers) of the remaining rows. Variables created in the scope
/// start with the values of worker 0. Gradients, metrics and statistics are combined in each step,
/// so all workers have the same variables and logs at any time.
///
/// Makes `group` the communicator of the process and gives the process the random seeds of worker
/// 0, so create it before random numbers are drawn. With one worker it is a MirroredStrategy.
/// `messages` says how gradients are sent; it must be the same in all workers. Throws ValueError
/// unless replicas >= 1, and for messages that ops::validate() rejects.
Strategy multi_worker_strategy(std::shared_ptr<ops::Communicator> group, int64_t replicas = 1,
                               UnevenBatches uneven_batches = UnevenBatches::exact,
                               const ops::GradientMessages& messages = {});

}  // namespace antler::distribute
