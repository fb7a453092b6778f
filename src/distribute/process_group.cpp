#include "distribute/process_group.h"

#include <span>
#include <utility>

#include "antler/nn/random_seed.h"
#include "antler/runtime/function.h"
#include "distribute/worker_batch.h"

namespace antler::distribution {

int64_t num_processes() {
  const auto group = ops::communicator();
  return group == nullptr ? 1 : group->size();
}

int64_t process_id() {
  const auto group = ops::communicator();
  return group == nullptr ? 0 : group->rank();
}

void set_process_group(std::shared_ptr<ops::Communicator> group) {
  SeedSequence seeds = seed_sequence();
  group->broadcast(std::as_writable_bytes(std::span(&seeds, 1)), 0);
  set_seed_sequence(seeds);
  ops::set_communicator(std::move(group));
  // The weights of the replicas depend on the rows of all workers.
  set_function_variant(distribute::worker_batch_number);
}

}  // namespace antler::distribution
