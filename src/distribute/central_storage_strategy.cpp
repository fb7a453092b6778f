#include "antler/distribute/central_storage_strategy.h"

#include "antler/base/error.h"
#include "distribute/devices.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {
namespace {

int64_t at_least_one(int64_t replicas) {
  if (replicas >= 1) return replicas;
  throw ValueError("CentralStorageStrategy: expected at least one replica. Received: {}.",
                   replicas);
}

}  // namespace

CentralStorageStrategy::CentralStorageStrategy(int64_t replicas, UnevenBatches uneven_batches)
    : Strategy(std::make_shared<const ReplicatedStrategy>(at_least_one(replicas), uneven_batches)) {
}

CentralStorageStrategy::CentralStorageStrategy(const std::vector<std::string>& compute_devices,
                                               UnevenBatches uneven_batches)
    : CentralStorageStrategy(distinct_devices("CentralStorageStrategy", compute_devices),
                             uneven_batches) {}

}  // namespace antler::distribute
