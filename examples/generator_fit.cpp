// Training on data that is generated during training: an endless coroutine feeds fit(), a Dataset
// pipeline feeds evaluate().

#include <cmath>
#include <cstdio>
#include <random>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// Random points in [-1, 1]^2; the points inside a ring are class 1.
Batch ring(int64_t rows, std::mt19937& random) {
  std::uniform_real_distribution<float> coordinate(-1, 1);
  const Tensor x = Tensor::empty(DType::float32, {rows, 2});
  const Tensor y = Tensor::empty(DType::float32, {rows, 1});
  for (int64_t i = 0; i < rows; ++i) {
    const float a = coordinate(random);
    const float b = coordinate(random);
    const float radius = std::sqrt(a * a + b * b);
    x.mutable_data<float>()[2 * i] = a;
    x.mutable_data<float>()[2 * i + 1] = b;
    y.mutable_data<float>()[i] = radius > 0.4F && radius < 0.8F ? 1.0F : 0.0F;
  }
  return {x, y};
}

data::Coroutine<Batch> rings(int64_t rows, unsigned seed) {
  std::mt19937 random(seed);
  for (;;) co_yield ring(rows, random);
}

}  // namespace

int main(int argc, char** argv) {
  ExampleOptions options{.about = "Trains on a generator.", .epochs = 10};
  return run_example(argc, argv, options, [&] {
    Sequential model({Input({2}), Dense(32, kw::activation = "relu"),
                      Dense(32, kw::activation = "relu"), Dense(1, kw::activation = "sigmoid")});
    model.compile(kw::optimizer = optimizers::Adam(0.01), kw::loss = "binary_crossentropy",
                  kw::metrics = {"accuracy"}, kw::steps_per_execution = 20);
    model.fit(rings(64, static_cast<unsigned>(options.seed)), kw::epochs = options.epochs,
              kw::steps_per_epoch = 100, kw::verbose = 2);

    std::mt19937 random(12345);
    const Batch points = ring(1000, random);
    const auto test = data::Dataset::from_tensor_slices(points.x, points.y).batch(100);
    const HostLogs logs = model.evaluate(test, kw::verbose = 0);
    std::printf("test accuracy: %.4f\n", logs.at("accuracy"));
  });
}
