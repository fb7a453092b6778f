#include "antler/distribute/mirrored_strategy.h"

#include "antler/base/error.h"
#include "distribute/devices.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {
namespace {

int64_t checked(int64_t replicas) {
  if (replicas >= 1) return replicas;
  throw ValueError("MirroredStrategy: expected at least one replica. Received: {}.", replicas);
}

}  // namespace

MirroredStrategy::MirroredStrategy(const MirroredOptions& options)
    : MirroredStrategy(int64_t{1}, options) {}

MirroredStrategy::MirroredStrategy(int64_t replicas, const MirroredOptions& options)
    : Strategy(
          std::make_shared<const ReplicatedStrategy>(checked(replicas), options.uneven_batches)) {
  options.cross_device_ops.check();
}

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices,
                                   const MirroredOptions& options)
    : MirroredStrategy(distinct_devices("MirroredStrategy", devices), options) {}

}  // namespace antler::distribute
