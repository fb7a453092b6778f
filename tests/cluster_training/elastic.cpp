#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <utility>

#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "cluster_training/scenarios.h"

namespace antler::test {
namespace {

constexpr int64_t kColumns = 4;

/// Counts how often each sample was trained on; y is [value, number of the sample].
class Seen : public MetricBase<Seen> {
 public:
  explicit Seen(int64_t samples)
      : MetricBase("seen"), counts_(add_variable("counts", {samples})), samples_(samples) {}
  void update_state(const Tensor& y_true, const Tensor&, const Tensor&) override {
    const Tensor numbers = ops::cast(ops::slice_axis(y_true, 1, 1, 2), "int32");
    counts_.assign_add(
        ops::sum(ops::one_hot(ops::reshape(numbers, {numbers.dim(0)}), samples_), {0}));
  }
  Nest result() const override {
    const Tensor wrong = ops::sum(ops::absolute(counts_.value() - 1.0));
    return Nest::dict({{"seen", ops::sum(counts_.value())}, {"not_once", wrong}});
  }
  std::shared_ptr<Metric> fresh() const override { return std::make_shared<Seen>(samples_); }

 private:
  Variable counts_;
  int64_t samples_;
};

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

Tensor numbered(const Tensor& values) {
  std::vector<float> numbers(static_cast<size_t>(values.dim(0)));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return ops::concatenate({values, Tensor::of<float>(numbers).reshape({values.dim(0), 1})}, 1);
}

}  // namespace

void elastic(const ElasticOptions& options) {
  cluster::CommunicationOptions settings = communication();
  settings.timeout_seconds = options.timeout;
  const cluster::MultiWorkerMirroredStrategy strategy(
      {.communication_options = settings, .elastic = true});
  const auto scope = strategy.scope();
  std::cout << "connected" << std::endl;
  set_random_seed(5);
  Sequential model({layers::Input({kColumns}), Dense(16, {.activation = "tanh"}), Dense(1)});
  const Tensor x = pattern({options.samples, kColumns}, 0.7);
  const Tensor y = numbered(pattern({options.samples, 1}, 0.3));
  const auto loss = [](const Tensor& y_true, const Tensor& y_pred) {
    return ops::square(ops::slice_axis(y_true, 1, 0, 1) - y_pred);
  };
  model.compile({.optimizer = "adam",
                 .loss = loss,
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
