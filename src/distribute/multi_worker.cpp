#include "antler/distribute/multi_worker.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/mirrored_strategy.h"
#include "distribute/process_group.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {
Strategy multi_worker_strategy(std::shared_ptr<ops::Communicator> group, int64_t replicas,
                               UnevenBatches uneven_batches,
                               const ops::GradientMessages& messages) {
  ops::validate(messages);
  if (group == nullptr || group->size() == 1)
    return MirroredStrategy(replicas, {.uneven_batches = uneven_batches});
  if (replicas < 1) {
    throw ValueError("MultiWorkerMirroredStrategy: expected at least one replica. Received: {}.",
                     replicas);
  }
  distribution::set_process_group(group);
  return Strategy(std::make_shared<const ReplicatedStrategy>(replicas, uneven_batches,
                                                             std::move(group), messages));
}

}  // namespace antler::distribute
