#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>
#include <utility>

#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "cluster_training/scenarios.h"
#include "cluster_training/seen.h"

namespace antler::test {
namespace {

constexpr int64_t kColumns = 4;

/// Reports the progress of training, and slows it down.
class Progress : public Callback {
 public:
  explicit Progress(ElasticOptions options) : options_(std::move(options)) {}
  void on_epoch_begin(int epoch, const Logs&) override {
    epoch_ = epoch;
    std::cout << "epoch " << epoch << " begins" << std::endl;
  }
  void on_train_batch_begin(int batch, const Logs&) override {
    if (options_.end_at == format("{}.{}", epoch_, batch) &&
        model->distribute_strategy().workers()->rank() == options_.end_worker)
      std::raise(SIGKILL);
  }
  void on_train_batch_end(int batch, const Logs& logs) override {
    const ops::Communicator* workers = model->distribute_strategy().workers();
    std::cout << "at " << epoch_ << "." << batch << " workers "
              << (workers == nullptr ? 1 : workers->size()) << " seen " << logs["seen"]
              << std::endl;
    std::this_thread::sleep_for(std::chrono::milliseconds(options_.milliseconds));
  }
  void on_epoch_end(int epoch, const Logs& logs) override {
    std::cout << "epoch " << epoch << " seen " << logs["seen"] << " not once " << logs["not_once"]
              << std::endl;
  }
  bool decides_by_logs() const override { return true; }

 private:
  ElasticOptions options_;
  int64_t epoch_ = 0;
};

}  // namespace

void elastic(const ElasticOptions& options) {
  const cluster::MultiWorkerMirroredStrategy strategy = elastic_strategy(options.timeout);
  const auto scope = strategy.scope();
  std::cout << "connected" << std::endl;
  set_random_seed(5);
  Sequential model({layers::Input({kColumns}), Dense(16, {.activation = "tanh"}), Dense(1)});
  const Tensor x = pattern({options.samples, kColumns}, 0.7);
  const Tensor y = numbered(pattern({options.samples, 1}, 0.3));
  model.compile({.optimizer = "adam",
                 .loss =
                     [&](const Tensor& y_true, const Tensor& y_pred) {
                       if (options.end_at == "trace" &&
                           strategy.workers()->rank() == options.end_worker)
                         std::raise(SIGKILL);
                       return loss_of_numbered(y_true, y_pred);
                     },
                 .metrics = {Seen(options.samples).share()},
                 .steps_per_execution = options.steps_per_execution});
  model.fit(x, y,
            {.batch_size = options.batch,
             .epochs = options.epochs,
             .verbose = 0,
             .callbacks = {std::make_shared<Progress>(options)}});
  double sum = 0;
  for (const Tensor& weight : model.get_weights())
    for (const double value : weight.to_doubles()) sum += value;
  std::cout << "weights " << format("{:.4f}", sum) << std::endl;
  std::cout << digest(model) << std::endl;
}

}  // namespace antler::test
