// Keras's "Simple MNIST convnet": Conv32, Pool, Conv64, Pool, Dropout, Dense; Adam, batch 128.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  CLI::App app("A convolutional network on MNIST.");
  ExampleOptions options{.epochs = 5};
  app.add_option(
      "--data", options.data,
      "Folder with the four IDX files; default: $ANTLER_DATASETS, the cache, or a download");
  add_run_options(app, options);
  CLI11_PARSE(app, argc, argv);
  return run_example([&] {
    apply(options);
    auto [train, test] = data::mnist({.directory = options.data});
    Sequential model({Input({28, 28, 1}), Conv2D(32, {3, 3}, {.activation = "relu"}),
                      MaxPooling2D({.pool_size = {2, 2}}),
                      Conv2D(64, {3, 3}, {.activation = "relu"}),
                      MaxPooling2D({.pool_size = {2, 2}}), Flatten(), Dropout(0.5),
                      Dense(10, {.activation = "softmax"})});
    model.summary();
    // The learning rate decays to zero over the run.
    constexpr int64_t kBatch = 128;
    const int64_t steps = (train.x.shape()[0] + kBatch - 1) / kBatch * options.epochs;
    model.compile(kw::optimizer = optimizers::Adam(optimizers::schedules::CosineDecay(5e-3, steps)),
                  kw::loss = "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.x, train.y, kw::batch_size = kBatch, kw::epochs = options.epochs);
    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    std::printf("test accuracy: %.4f\n", result.at("accuracy"));
  });
}
