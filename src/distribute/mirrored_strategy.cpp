#include "antler/distribute/mirrored_strategy.h"

#include "antler/base/error.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {
namespace {

int64_t checked(int64_t replicas) {
  if (replicas >= 1) return replicas;
  throw ValueError("MirroredStrategy: expected at least one replica. Received: {}.", replicas);
}

}  // namespace

MirroredStrategy::MirroredStrategy(int64_t replicas)
    : Strategy(std::make_shared<const ReplicatedStrategy>(checked(replicas), nullptr)) {}

}  // namespace antler::distribute
