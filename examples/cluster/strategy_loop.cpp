// A custom training loop under a strategy: run(), reduce() and compute_average_loss(). The same
// program works with any number of processes.
//
//     antler launch --workers 2 -- ./strategy_loop

#include <antler/cluster/multi_worker_mirrored_strategy.h>

#include <cstdio>

#include "../example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  ExampleOptions options{.about = "A custom training loop that all workers of a cluster run.",
                         .epochs = 5};
  return run_example(argc, argv, options, [&] {
    constexpr int64_t kGlobalBatch = 64;
    const cluster::MultiWorkerMirroredStrategy strategy;  // waits for all workers
    const auto scope = strategy.scope();
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}), Flatten(), Dense(64, {.activation = "relu"}), Dense(10)});
    optimizers::Adam optimizer(5e-3);
    optimizer.build(model.trainable_variables());
    // One loss per sample: compute_average_loss() takes the mean over all replicas.
    const losses::SparseCategoricalCrossentropy loss_object(
        {.from_logits = true, .reduction = "none"});

    const auto replica_step = [&](const Nest& part) -> Nest {
      GradientTape tape;
      const Tensor logits = model(part[0].tensor(), {.training = true});
      const Tensor loss =
          distribute::compute_average_loss(loss_object(part[1].tensor(), logits), {}, kGlobalBatch);
      const Tensors gradients = tape.gradient(loss, model.trainable_variables());
      optimizer.apply(gradients, model.trainable_variables());  // sums over the replicas
      return loss;
    };
    // Each worker gets its rows of the global batches.
    const auto batches = strategy.experimental_distribute_dataset(
        data::Dataset::from_tensor_slices(Nest{train.x, train.y})
            .shuffle(2000, {.seed = 1})
            .batch(kGlobalBatch, {.drop_remainder = true}));
    for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
      double sum = 0;
      int steps = 0;
      for (const distribute::PerReplica& parts : batches) {
        const distribute::PerReplica losses = strategy.run(replica_step, parts);
        sum += strategy.reduce("SUM", losses).tensor().item();
        ++steps;
      }
      if (strategy.is_chief())
        std::printf("epoch %d: loss %.4f\n", static_cast<int>(epoch + 1), sum / steps);
    }
    const Tensor predicted = ops::argmax(model(test.x), 1);
    const Tensor right = ops::cast(predicted, DType::float32) == ops::cast(test.y, DType::float32);
    if (strategy.is_chief())
      std::printf("test accuracy: %.4f\n", ops::mean(ops::cast(right, DType::float32)).item());
  });
}
