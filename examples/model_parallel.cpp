// Keras 3's distribution API: a model whose weights, gradients and optimizer slots are divided over
// a mesh of devices, while batches are divided along its other axis. The devices are virtual CPU
// devices; the results are the same as on one device.

#include <cstdio>
#include <string>
#include <vector>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

distribution::ModelParallel make_distribution(int64_t batch, int64_t model) {
  distribution::set_cpu_devices(batch * model);
  const distribution::DeviceMesh mesh({batch, model}, {"batch", "model"});
  distribution::LayoutMap layouts(mesh);
  layouts[".*wide/kernel"] = {None, "model"};  // by columns: each device computes some features
  layouts[".*wide/bias"] = {"model"};
  layouts[".*narrow/kernel"] = {"model", None};  // by rows: uses these features; sums are exchanged
  return distribution::ModelParallel({.layout_map = layouts, .batch_dim_name = "batch"});
}

/// Prints each variable's path, its shape and the shape of the part that each device holds.
void print_parts(const Variables& variables) {
  for (const Variable& v : variables) {
    const VariableShards* shards = v.shards();
    std::printf("  %-34s %-12s per device %s\n", v.path().c_str(), v.shape().str().c_str(),
                (shards == nullptr ? v : shards->parts[0]).shape().str().c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  int64_t batch_devices = 2;
  int64_t model_devices = 2;
  ExampleOptions options{
      .about = "A model divided over devices, on the UCI handwritten digits.",
      .epochs = 5,
      .extras = {{"--batch-devices", &batch_devices, "Devices along the batch"},
                 {"--model-devices", &model_devices, "Devices along the weights"}}};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();

    distribution::set_distribution(make_distribution(batch_devices, model_devices));
    Sequential model({Input({8, 8, 1}), Flatten(),
                      Dense(256, kw::activation = "relu", kw::name = "wide"),
                      Dense(64, kw::activation = "relu", kw::name = "narrow"),
                      Dense(10, kw::activation = "softmax")});
    model.compile("adam", "sparse_categorical_crossentropy", kw::metrics = "accuracy",
                  kw::steps_per_execution = 10);
    model.fit(train.x, train.y, kw::batch_size = 64, kw::epochs = options.epochs,
              kw::validation_data = {test.x, test.y}, kw::verbose = 2);

    std::printf("Weights:\n");
    print_parts(model.weights());
    std::printf("Optimizer:\n");
    print_parts(model.optimizer().variables());
  });
}
