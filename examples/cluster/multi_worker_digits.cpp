// The same program works with any number of processes: alone, or as the workers of a cluster.
//
//     antler launch --workers 2 -- ./multi_worker_digits

#include <antler/cluster/multi_worker_mirrored_strategy.h>

#include <cstdio>

#include "../example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  ExampleOptions options{.about = "Handwritten digits, trained by all workers of a cluster.",
                         .epochs = 5};
  return run_example(argc, argv, options, [&] {
    const cluster::MultiWorkerMirroredStrategy strategy;  // waits for all workers
    const auto scope = strategy.scope();
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}), Conv2D(32, {3, 3}, {.activation = "relu"}),
                      MaxPooling2D({.pool_size = {2, 2}}), Flatten(),
                      Dense(64, {.activation = "relu"}), Dense(10, {.activation = "softmax"})});
    model.compile(kw::optimizer = optimizers::Adam(5e-3),
                  kw::loss = "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    // The batch size is the global one, over all workers. Only the chief prints.
    const int verbose = strategy.is_chief() ? 2 : 0;
    model.fit(train.x, train.y, kw::batch_size = 64, kw::epochs = options.epochs,
              kw::verbose = verbose);
    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    if (strategy.is_chief())
      std::printf("%d replicas, test accuracy: %.4f\n",
                  static_cast<int>(strategy.num_replicas_in_sync()), result.at("accuracy"));
  });
}
