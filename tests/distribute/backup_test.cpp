// Trainings under a strategy are interrupted and resumed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/antler.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/distribute/multi_worker.h"
#include "support/worker_group.h"

namespace antler {
namespace {

namespace fs = std::filesystem;
using callbacks::BackupAndRestore;
using callbacks::ModelCheckpoint;
using callbacks::SaveFreq;
using test::run_in_workers;
using Place = std::pair<int64_t, int64_t>;  // epoch and batch

constexpr int64_t kEpochs = 3;
constexpr int64_t kSteps = 5;

struct Interruption : RuntimeError {
  using RuntimeError::RuntimeError;
};

/// Throws before a batch, as a crash would end training there; notes where training begins.
class Interrupt : public Callback {
 public:
  explicit Interrupt(Place at) : at_(std::move(at)) {}
  void on_epoch_begin(int epoch, const Logs&) override { epoch_ = epoch; }
  void on_train_batch_begin(int batch, const Logs&) override {
    if (Place(epoch_, batch) == at_) throw Interruption("interrupted");
    if (first.first < 0) first = {epoch_, batch};
  }
  bool decides_by_logs() const override { return true; }
  Place first = {-1, -1};

 private:
  Place at_;
  int64_t epoch_ = 0;
};

struct Outcome {
  Place first;
  std::vector<double> weights;
};

/// Trains a new model for kEpochs epochs of kSteps steps; the last step has an incomplete batch.
Outcome train(const Callbacks& given, const Place& end) {
  set_random_seed(3);
  Sequential model({layers::Input({4}), Dense(6, {.activation = "tanh"}), Dense(1)});
  model.compile("adam", "mse", kw::metrics = "mae");
  std::vector<float> values(18 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  const Tensor x = Tensor::of(values, {18, 4});
  const Tensor y = ops::slice_axis(x, 1, 0, 1) * 2.0 - ops::slice_axis(x, 1, 2, 3);
  const auto interrupt = std::make_shared<Interrupt>(end);
  Callbacks callbacks = given;
  callbacks.push_back(interrupt);
  const auto fit = [&] {
    model.fit(x, y, {.batch_size = 4, .epochs = kEpochs, .verbose = 0, .callbacks = callbacks});
  };
  if (end.first < 0)
    fit();
  else
    EXPECT_THROW(fit(), Interruption);
  Outcome outcome{.first = interrupt->first, .weights = {}};
  for (const Tensor& weight : model.get_weights())
    for (const double value : weight.to_doubles()) outcome.weights.push_back(value);
  return outcome;
}

fs::path new_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("antler_" + name);
  fs::remove_all(folder);
  return folder;
}

/// A backup each `freq`, an interruption, and where the next start has to begin.
struct Case {
  const char* name;
  SaveFreq freq;
  Place end;
  Place resumed;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"Epoch", "epoch", {1, 3}, {1, 0}},
      {"EachBatch", 1, {1, 3}, {1, 3}},
      {"SomeBatches", 3, {2, 1}, {1, 4}},     // saved after batch 3 of epoch 1
      {"LastBatch", kSteps, {1, 2}, {1, 0}},  // of an epoch: the next epoch begins
      {"FirstEpoch", "epoch", {0, 2}, {0, 0}}};
  return all;
}

/// `before_start` is called before each training; all processes call it.
void check(const Case& test, const fs::path& folder, const std::function<void()>& before_start) {
  const auto run = [&](const Place& end) {
    before_start();
    return train({BackupAndRestore(folder, {.save_freq = test.freq})}, end);
  };
  const Outcome whole = run({-1, -1});
  EXPECT_FALSE(fs::exists(folder)) << "a backup of a training that has ended";
  run(test.end);
  const Outcome resumed = run({-1, -1});
  EXPECT_EQ(resumed.first, test.resumed);
  EXPECT_EQ(resumed.weights, whole.weights);
}

class StrategyBackup : public testing::TestWithParam<Case> {};

TEST_P(StrategyBackup, MirroredGoesOn) {
  const distribute::MirroredStrategy strategy({"cpu:0", "cpu:1"});
  const auto scope = strategy.scope();
  check(GetParam(), new_folder("mirrored_backup"), [] {});
}

TEST_P(StrategyBackup, WorkersGoOn) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  // Each worker has a disk of its own: only the chief finds a backup.
  const fs::path folder = new_folder("workers_backup_" + std::to_string(group->rank()));
  check(GetParam(), folder, [&] {
    EXPECT_TRUE(group->rank() == 0 || !fs::exists(folder));
    group->barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(SaveFreq, StrategyBackup, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& test) { return test.param.name; });

/// The files of checkpoints after trainings with each `save_freq`.
std::vector<std::string> checkpoints(const SaveFreq& freq, const fs::path& folder) {
  train({ModelCheckpoint((folder / "{epoch}-{loss:.0f}.weights.h5").string(),
                         {.save_weights_only = true, .save_freq = freq})},
        {-1, -1});
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string().substr(0, 1));
  std::sort(names.begin(), names.end());
  return names;
}

TEST(StrategyCheckpoints, MirroredSavesEachTime) {
  const distribute::MirroredStrategy strategy({"cpu:0", "cpu:1"});
  const auto scope = strategy.scope();
  const std::vector<std::string> each = {"1", "2", "3"};
  EXPECT_EQ(checkpoints("epoch", new_folder("mirrored_epoch")), each);
  EXPECT_EQ(checkpoints(kSteps, new_folder("mirrored_batches")), each);
  EXPECT_EQ(checkpoints(2 * kSteps, new_folder("mirrored_rare")), std::vector<std::string>{"2"});
}

TEST(StrategyCheckpoints, OfSeveralWorkersTheChiefSaves) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  const auto expect = [&](const SaveFreq& freq, std::vector<std::string> names) {
    if (group->rank() != 0) names.clear();
    EXPECT_EQ(checkpoints(freq, new_folder("worker" + std::to_string(group->rank()))), names);
  };
  expect("epoch", {"1", "2", "3"});
  expect(2 * kSteps, {"2"});
}

}  // namespace
}  // namespace antler
