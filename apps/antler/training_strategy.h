#pragma once

#include "antler/distribute/strategy.h"

/// The strategy of the commands that train. `antler` is linked with local_strategy.cpp,
/// `antler-worker` (a worker of `antler fit --workers N`) with worker_strategy.cpp.
namespace antler::cli {

/// Whether this process is a worker of a group.
bool is_worker();
/// The strategy under which models are made. In a worker, waits for the other workers.
distribute::Strategy training_strategy();

}  // namespace antler::cli
