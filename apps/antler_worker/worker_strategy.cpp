#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "training_strategy.h"

namespace antler::cli {

bool is_worker() { return true; }
distribute::Strategy training_strategy() { return cluster::MultiWorkerMirroredStrategy(); }

}  // namespace antler::cli
