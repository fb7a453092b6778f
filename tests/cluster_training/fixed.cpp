#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "antler/base/error.h"
#include "cluster_training/scenarios.h"

namespace antler::test {
namespace {

constexpr int64_t kColumns = 6;
constexpr int64_t kSaves = 20;

void tell(const std::string& phase) { std::cout << "phase " << phase << std::endl; }

/// Prints when steps and saves happen.
class Phases : public Callback {
 public:
  Phases(std::string folder, std::string pause)
      : folder_(std::move(folder)), pause_(std::move(pause)) {}
  void on_train_batch_end(int batch, const Logs&) override {
    if (batch == 2) tell("step");
    if (batch != 2 || pause_ != "save" || has_saved_) return;
    has_saved_ = true;
    if (!model->distribute_strategy().is_chief()) return tell("save");  // waits in the next step
    for (int64_t i = 0; i < kSaves; ++i) {
      model->save(folder_ + "/model.keras");
      tell("save");
    }
  }

 private:
  std::string folder_;
  std::string pause_;
  bool has_saved_ = false;
};

Sequential build() {
  Sequential model({layers::Input({kColumns}), Dense(64, {.activation = "tanh"}),
                    BatchNormalization({.synchronized = true}), Dense(32), Dense(1)});
  model.compile("adam", "mse", kw::metrics = "mae");
  return model;
}

}  // namespace

void fixed(const std::string& folder, const std::string& pause) {
  constexpr int64_t kForever = 1'000'000;
  tell("connect");
  const cluster::MultiWorkerMirroredStrategy strategy({.communication_options = communication()});
  tell("connected");
  while (pause == "connected") std::this_thread::sleep_for(std::chrono::seconds(1));
  const auto scope = strategy.scope();
  set_random_seed(5);
  Sequential model = build();
  tell("build");
  while (pause == "build") build();
  const Tensor x = pattern({240, kColumns}, 0.7);
  const Tensor y = pattern({240, 1}, 0.3);
  const bool is_long = pause == "step" || pause == "save";
  const History history = model.fit(x, y,
                                    {.batch_size = 12,
                                     .epochs = is_long ? kForever : 2,
                                     .verbose = 0,
                                     .callbacks = {std::make_shared<Phases>(folder, pause)}});
  do {
    model.evaluate(x, y, kw::batch_size = 12, kw::verbose = 0);
    tell("evaluate");
  } while (pause == "evaluate");
  std::cout << "loss " << format("{:.6f}", history.history.at("loss").back()) << std::endl;
  std::cout << digest(model) << std::endl;
}

}  // namespace antler::test
