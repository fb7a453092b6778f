#include <unistd.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "cluster_training/scenarios.h"

namespace antler::test {

void preemption(const std::string& folder, int64_t steps) {
  const cluster::MultiWorkerMirroredStrategy strategy;
  const auto scope = strategy.scope();
  set_random_seed(3);
  Sequential model({layers::Input({4}), Dense(8, {.activation = "tanh"}), Dense(1)});
  model.compile("adam", "mse");
  const ops::Communicator* const workers = strategy.workers();
  const int64_t rank = workers == nullptr ? 0 : workers->rank();
  const int64_t size = workers == nullptr ? 1 : workers->size();
  const int64_t rows = 4;
  const auto batch_of = [&](const Tensor& data, int64_t step) {
    const int64_t at = (step * size + rank) * rows;
    return ops::slice_axis(data, 0, at, at + rows);
  };
  const Tensor x = pattern({size * steps * rows, 4}, 0.7);
  const Tensor y = pattern({size * steps * rows, 1}, 0.3);
  model.optimizer().build(model.trainable_variables());
  Checkpoint checkpoint({{"model", model.share()}, {"optimizer", model.optimizer().share()}});
  distribute::PreemptionCheckpointHandler handler(distribute::resolver_from_environment(),
                                                  checkpoint, {.checkpoint_dir = folder});
  std::cout << "process " << ::getpid() << " starts at " << handler.total_run_calls() << std::endl;
  for (int64_t step = handler.total_run_calls(); step < steps; ++step) {
    handler.run([&] {
      std::cout << "step " << step << std::endl;
      model.train_on_batch(batch_of(x, step), batch_of(y, step));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
  }
  std::cout << digest(model) << std::endl;
}

}  // namespace antler::test
