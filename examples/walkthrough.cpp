// The program of the Keras Model walkthrough: Dense(1) learns to map zeros to one. The model is
// subclassed with a custom train_step and runs five steps per execution.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

class SimplifiedModel : public Model {
 public:
  Tensor call(const Tensor& x, const CallOptions& options) override { return dense_(x, options); }

  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x, kw::training = true);
    Tensor loss = loss_fn_(batch.y, y_pred);
    for (const Tensor& extra : losses()) loss = loss + extra;
    optimizer().minimize(loss, trainable_variables(), tape);
    return logs(loss, batch.y, y_pred);
  }

  Logs test_step(const Batch& batch) override {
    const Tensor y_pred = (*this)(batch.x, kw::training = false);
    return logs(loss_fn_(batch.y, y_pred), batch.y, y_pred);
  }

 private:
  Logs logs(const Tensor& loss, const Tensor& y_true, const Tensor& y_pred) {
    mape_.update_state(y_true, y_pred);
    return {{"loss", loss}, {mape_.name(), mape_.result()}};
  }

  Dense dense_ = track("dense", Dense(1));
  Loss loss_fn_ = losses::MeanSquaredError(kw::reduction = "sum");
  metrics::MeanAbsolutePercentageError mape_ =
      track("mape", metrics::MeanAbsolutePercentageError());
};

void print(const char* when, const HostLogs& logs) {
  std::printf("Metrics %s:", when);
  for (const auto& [name, value] : logs) std::printf(" %s: %.6g", name.c_str(), value);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  ExampleOptions options{.about = "The program of the Keras Model walkthrough.", .epochs = 10};
  return run_example(argc, argv, options, [&] {
    const Tensor x = ops::zeros({1000, 10});
    const Tensor y = ops::ones({1000, 1});
    SimplifiedModel model;
    model.compile(kw::optimizer = "sgd", kw::steps_per_execution = 5);
    print("before fit", model.evaluate(x, y, kw::batch_size = 10, kw::verbose = 0));
    model.fit(x, y, kw::batch_size = 10, kw::epochs = options.epochs, kw::verbose = 2);
    const Tensor y_pred = model.predict(x, kw::batch_size = 10, kw::verbose = 0);
    std::printf("Predictions shape: %s\n", y_pred.shape().str().c_str());
    const HostLogs after = model.evaluate(x, y, kw::batch_size = 10, kw::verbose = 0);
    print("after fit", after);
    std::printf("test loss: %.6g\n", after.at("loss"));
  });
}
