// The quick start of the README: a classifier of handwritten digits.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  ExampleOptions options{.about = "A dense network on the UCI handwritten digits.", .epochs = 20};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}), Flatten(), Dense(64, kw::activation = "relu"), Dense(10)});
    model.compile(kw::optimizer = "adam",
                  kw::loss = losses::SparseCategoricalCrossentropy(kw::from_logits = true),
                  kw::metrics = {"accuracy"}, kw::steps_per_execution = 8);
    model.fit(train.x, train.y, kw::epochs = options.epochs, kw::validation_split = 0.1,
              kw::verbose = 2);
    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    std::printf("test accuracy: %.4f\n", result.at("accuracy"));
  });
}
