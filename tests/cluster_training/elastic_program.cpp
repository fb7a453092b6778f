// A whole program in an elastic cluster: two trainings of a shuffled data set with validation and
// files, an evaluation and predictions.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>

#include "cluster_training/scenarios.h"
#include "cluster_training/seen.h"

namespace antler::test {
namespace {

constexpr int64_t kColumns = 4;
constexpr int64_t kSamples = 250;
constexpr int64_t kEpochs = 3;

/// Kills this process at a place of the program, such as "fit0.1.3" (epoch 1, batch 3),
/// "epoch_end0.1", "test0.1.5" (in the validation of epoch 1), "evaluate.5" or "predict.5". Prints
/// where the program is.
class Killer : public Callback {
 public:
  Killer(std::string at, int64_t worker, std::string phase, int64_t milliseconds)
      : at_(std::move(at)), worker_(worker), phase_(std::move(phase)), pause_(milliseconds) {}
  void on_epoch_begin(int epoch, const Logs&) override { epoch_ = epoch; }
  void on_train_batch_begin(int batch, const Logs&) override {
    pass(format("fit{}.{}.{}", phase_, epoch_, batch));
    std::this_thread::sleep_for(pause_);
  }
  void on_epoch_end(int epoch, const Logs& logs) override {
    std::cout << format("fit {} epoch {}", phase_, epoch) << " not once " << logs["not_once"]
              << " val " << logs["val_not_once"] << std::endl;
    pass(format("epoch_end{}.{}", phase_, epoch));
  }
  void on_test_batch_begin(int batch, const Logs&) override {
    pass(phase_ == "evaluate" ? format("evaluate.{}", batch)
                              : format("test{}.{}.{}", phase_, epoch_, batch));
  }
  void on_predict_batch_begin(int batch, const Logs&) override {
    pass(format("predict.{}", batch));
  }
  bool decides_by_logs() const override { return true; }

 private:
  void pass(const std::string& place) {
    std::cout << "at " << place << std::endl;
    if (place == at_ && model->distribute_strategy().workers()->rank() == worker_)
      std::raise(SIGKILL);
  }

  std::string at_;
  int64_t worker_;
  std::string phase_;
  std::chrono::milliseconds pause_;
  int64_t epoch_ = 0;
};

/// Of the elements whose difference is not small.
int64_t count_different(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return -1;
  const std::vector<double> first = a.to_doubles();
  const std::vector<double> second = b.to_doubles();
  int64_t count = 0;
  for (size_t i = 0; i < first.size(); ++i)
    if (std::abs(first[i] - second[i]) > 1e-5) ++count;
  return count;
}

}  // namespace

void elastic_program(const ElasticProgramOptions& options) {
  const cluster::MultiWorkerMirroredStrategy strategy = elastic_strategy(options.timeout);
  const auto scope = strategy.scope();
  std::cout << "connected" << std::endl;
  Sequential model({layers::Input({kColumns}), Dense(16, {.activation = "tanh"}), Dense(1)});
  const Tensor x = pattern({kSamples, kColumns}, 0.7);
  const Tensor y = numbered(pattern({kSamples, 1}, 0.3));
  model.compile({.optimizer = "adam",
                 .loss = loss_of_numbered,
                 .metrics = {Seen(kSamples).share()},
                 .steps_per_execution = 2});
  const std::filesystem::path folder = options.folder;
  const auto killer = [&](const std::string& phase) {
    return std::make_shared<Killer>(options.end_at, options.end_worker, phase,
                                    options.milliseconds);
  };
  for (const char* phase : {"0", "1"}) {
    const std::filesystem::path files = folder / phase;
    std::filesystem::create_directories(files);
    // The process that is to die at the end of an epoch dies before or after the files are written.
    Callbacks callbacks;
    if (!options.after_files) callbacks.push_back(killer(phase));
    callbacks.push_back(callbacks::CSVLogger(files / "log.csv"));
    callbacks.push_back(
        callbacks::ModelCheckpoint(files / "{epoch}.weights.h5", {.save_weights_only = true}));
    callbacks.push_back(
        callbacks::BackupAndRestore(files / "backup", {.delete_checkpoint = false}));
    if (options.after_files) callbacks.push_back(killer(phase));
    const auto train = data::Dataset::from_tensor_slices({x, y}).shuffle(64).batch(12).prefetch(2);
    model.fit(train, {.epochs = kEpochs,
                      .verbose = 0,
                      .callbacks = callbacks,
                      .validation_data = data::Dataset::from_tensor_slices({x, y}).batch(10)});
  }
  const HostLogs logs =
      model.evaluate(x, y, {.batch_size = 10, .verbose = 0, .callbacks = {killer("evaluate")}});
  std::cout << "evaluate not once " << *logs.find("not_once") << std::endl;
  const Nest predictions =
      model.predict(x, {.batch_size = 10, .verbose = 0, .callbacks = {killer("predict")}});
  std::cout << "predict wrong " << count_different(predictions.tensor(), model(x)) << std::endl;
  std::cout << digest(model) << std::endl;
}

}  // namespace antler::test
