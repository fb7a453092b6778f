#include "antler/distribute/multi_worker.h"

#include <span>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/nn/random_seed.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {

Strategy multi_worker_strategy(std::shared_ptr<ops::Communicator> group, int64_t replicas) {
  if (group == nullptr || group->size() == 1) return MirroredStrategy(replicas);
  if (replicas < 1) {
    throw ValueError("MultiWorkerMirroredStrategy: expected at least one replica. Received: {}.",
                     replicas);
  }
  ops::set_communicator(group);
  // Workers must draw the same shuffles, also if the user sets no seed.
  SeedSequence seeds = seed_sequence();
  group->broadcast(std::as_writable_bytes(std::span(&seeds, 1)), 0);
  set_seed_sequence(seeds);
  return Strategy(
      std::make_shared<const ReplicatedStrategy>(replicas, UnevenBatches::exact, std::move(group)));
}

}  // namespace antler::distribute
