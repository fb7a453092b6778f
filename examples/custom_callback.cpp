// A custom callback next to built-in ones. It stops training when a target is reached, and adds a
// value to the logs, which History and CSVLogger then record too.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

class ReachTarget : public Callback {
 public:
  explicit ReachTarget(double accuracy) : target_(accuracy) {}

  void on_train_begin(const Logs&) override { batches_ = 0; }
  void on_train_batch_end(int, const Logs&) override { ++batches_; }
  void on_epoch_end(int epoch, const Logs& logs) override {
    add_log("executions", static_cast<double>(batches_));
    if (logs.at("val_accuracy") < target_) return;
    std::printf("val_accuracy %.4f reached in epoch %lld\n", logs.at("val_accuracy"),
                static_cast<long long>(epoch + 1));
    model->set_stop_training(true);
  }

 private:
  double target_;
  int64_t batches_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  double target = 0.97;
  ExampleOptions options{
      .about = "A custom callback on the UCI handwritten digits.",
      .epochs = 50,
      .extras = {{"--target", &target, "Validation accuracy that ends training"}}};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}), Flatten(), Dense(64, kw::activation = "relu"),
                      Dense(10, kw::activation = "softmax")});
    model.compile(kw::optimizer = optimizers::Adam(0.01),
                  kw::loss = "sparse_categorical_crossentropy", kw::metrics = {"accuracy"},
                  kw::steps_per_execution = 10);
    const History history = model.fit(
        train.x, train.y, kw::epochs = options.epochs, kw::validation_data = {test.x, test.y},
        kw::callbacks = {ReachTarget(target),
                         callbacks::ReduceLROnPlateau(kw::factor = 0.5, kw::patience = 3),
                         callbacks::EarlyStopping(kw::patience = 10)},
        kw::verbose = 0);
    std::printf("%zu epochs, %.0f executions\n", history.epoch.size(),
                history.history.at("executions").back());
  });
}
