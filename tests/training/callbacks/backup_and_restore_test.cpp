#include "antler/training/callbacks/backup_and_restore.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "antler/base/file.h"
#include "training/callbacks/fixture.h"

namespace antler {
namespace {

using callbacks::BackupAndRestore;

struct Interruption : RuntimeError {
  using RuntimeError::RuntimeError;
};

/// Throws at a batch of an epoch, as a crash would end training there; notes where training begins.
class Interrupt : public Callback {
 public:
  Interrupt(int64_t epoch, int64_t batch) : epoch_(epoch), batch_(batch) {}
  std::vector<std::pair<int64_t, int64_t>> begins;
  void on_epoch_begin(int epoch, const Logs&) override { now_ = epoch; }
  void on_train_batch_begin(int batch, const Logs&) override {
    if (now_ == epoch_ && batch >= batch_) throw Interruption("interrupted");
    begins.emplace_back(now_, batch);
  }
  void on_epoch_end(int, const Logs& logs) override { losses.push_back(*logs.find("loss")); }
  std::vector<double> losses;

 private:
  int64_t epoch_;
  int64_t batch_;
  int64_t now_ = 0;
};

constexpr int64_t kEpochs = 4;
constexpr int64_t kSteps = 5;

Model make_model() {
  set_random_seed(3);
  const Tensor inputs = Input({4});
  const Tensor h = Dropout(0.4, {.seed = 2})(Dense(8, {.activation = "relu"})(inputs));
  Model model(inputs, Dense(1)(h));
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  return model;
}

struct Outcome {
  std::vector<double> weights;
  std::vector<double> losses;
  std::vector<std::pair<int64_t, int64_t>> begins;
  bool interrupted = false;
};

Outcome train(const Callbacks& extra, int64_t stop_epoch, int64_t stop_batch, uint64_t seed) {
  Model model = make_model();
  set_random_seed(seed);  // of the order of the data
  std::vector<float> x(18 * 4);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 13) / 13.0F;
  std::vector<float> y(18);
  for (size_t i = 0; i < y.size(); ++i) y[i] = x[4 * i] - x[4 * i + 2];
  const auto interrupt = std::make_shared<Interrupt>(stop_epoch, stop_batch);
  Callbacks callbacks = extra;
  callbacks.push_back(interrupt);
  Outcome outcome;
  try {
    model.fit(Tensor::of(x, {18, 4}), Tensor::of(y, {18, 1}),
              {.batch_size = 4, .epochs = kEpochs, .verbose = 0, .callbacks = callbacks});
  } catch (const Interruption&) {
    outcome.interrupted = true;
  }
  for (const Tensor& weight : model.get_weights())
    for (const double v : weight.to_doubles()) outcome.weights.push_back(v);
  outcome.losses = interrupt->losses;
  outcome.begins = interrupt->begins;
  return outcome;
}

/// The name of a test shows the number of batches; 0 stands for "epoch".
class Backup : public ::testing::TestWithParam<int64_t> {};

TEST_P(Backup, AnInterruptedTrainingEndsWithTheSameWeights) {
  CallbackBench bench;
  const std::string folder = bench.path("backup");
  const callbacks::SaveFreq save_freq = GetParam() == 0 ? "epoch" : callbacks::SaveFreq(GetParam());
  const auto with_backup = [&] {
    return Callbacks{BackupAndRestore(folder, {.save_freq = save_freq}),
                     callbacks::ReduceLROnPlateau(
                         {.monitor = "loss", .factor = 0.5, .patience = 1, .min_delta = 0.05})};
  };
  const Outcome expected = train(with_backup(), -1, 0, 11);
  ASSERT_FALSE(expected.interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder));
  for (const auto& [epoch, batch] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 0}, {1, 2}, {2, 4}, {3, 1}}) {
    ASSERT_TRUE(train(with_backup(), epoch, batch, 11).interrupted);
    ASSERT_TRUE(std::filesystem::exists(folder + "/latest.weights.h5"));
    // Another process draws other seeds.
    const Outcome resumed = train(with_backup(), -1, 0, 99);
    EXPECT_FALSE(resumed.interrupted);
    EXPECT_EQ(resumed.weights, expected.weights) << epoch << " " << batch;
    // Epochs that it reports have the values of the whole epoch.
    const std::vector<double> tail(expected.losses.end() - std::ssize(resumed.losses),
                                   expected.losses.end());
    EXPECT_EQ(resumed.losses, tail) << epoch << " " << batch;
    EXPECT_FALSE(std::filesystem::exists(folder));
  }
}

INSTANTIATE_TEST_SUITE_P(SaveFreq, Backup, ::testing::Values(0, 1, 2, 3), [](const auto& info) {
  return info.param == 0 ? "epoch" : format("every_{}_batches", info.param);
});

TEST(BackupAndRestore, GoesOnBehindTheLastBackup) {
  CallbackBench bench;
  const auto first_of = [&](const callbacks::SaveFreq& freq, int64_t epoch, int64_t batch) {
    const std::string folder = bench.path("backup");
    std::filesystem::remove_all(folder);
    train({BackupAndRestore(folder, {.save_freq = freq})}, epoch, batch, 1);
    return train({BackupAndRestore(folder, {.save_freq = freq})}, -1, 0, 1).begins.front();
  };
  using At = std::pair<int64_t, int64_t>;
  EXPECT_EQ(first_of(1, 1, 2), (At{1, 2}));
  EXPECT_EQ(first_of("epoch", 1, 2), (At{1, 0}));
  EXPECT_EQ(first_of(kSteps, 2, 3), (At{2, 0}));  // the last batch of an epoch: the next epoch
  EXPECT_EQ(first_of("epoch", 0, 3), (At{0, 0}));
}

TEST(BackupAndRestore, SavesNowWhenItIsAskedTo) {
  CallbackBench bench;
  const std::string folder = bench.path("backup");
  const auto never = std::numeric_limits<int64_t>::max();
  int asked = 0;
  train({BackupAndRestore(folder, {.save_freq = never, .save_now = [&] { return ++asked == 3; }})},
        1, 2, 1);
  EXPECT_EQ(train({BackupAndRestore(folder, {.save_freq = never})}, -1, 0, 1).begins.front(),
            (std::pair<int64_t, int64_t>{0, 3}));
}

TEST(BackupAndRestore, KeepsItsFilesIfAsked) {
  CallbackBench bench;
  const std::string folder = bench.path("backup");
  train({BackupAndRestore(folder, {.delete_checkpoint = false})}, -1, 0, 1);
  EXPECT_EQ(bench.files("backup"),
            (std::vector<std::string>{"latest.weights.h5", "training_metadata.json"}));
  EXPECT_EQ(read_file(folder + "/training_metadata.json"), R"({"epoch":4,"batch":0})");
  // A training that was complete has nothing left to do.
  EXPECT_TRUE(train({BackupAndRestore(folder)}, -1, 0, 1).begins.empty());
}

TEST(BackupAndRestore, ADamagedBackupFallsBackToTheOneBefore) {
  CallbackBench bench;
  const std::string folder = bench.path("backup");
  const callbacks::BackupAndRestoreOptions twice = {.double_checkpoint = true};
  train({BackupAndRestore(folder, twice)}, 3, 0, 1);
  write_file_atomically(folder + "/latest.weights.h5", "no weights");
  EXPECT_EQ(train({BackupAndRestore(folder, twice)}, -1, 0, 1).begins.front(),
            (std::pair<int64_t, int64_t>{2, 0}));
  EXPECT_FALSE(std::filesystem::exists(folder));
  train({BackupAndRestore(folder)}, 1, 0, 1);
  write_file_atomically(folder + "/latest.weights.h5", "no weights");
  EXPECT_THROW(train({BackupAndRestore(folder)}, -1, 0, 1), IOError);
}

TEST(BackupAndRestore, RefusesWrongArguments) {
  EXPECT_THROW(BackupAndRestore(""), ValueError);
  EXPECT_THROW(BackupAndRestore("a", {.save_freq = "batch"}), ValueError);
  EXPECT_THROW(BackupAndRestore("a", {.save_freq = 0}), ValueError);
  CallbackBench bench;
  Sequential unbuilt({Dense(1)});
  unbuilt.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = Tensor::zeros(DType::float32, {2, 1});
  EXPECT_THROW(unbuilt.fit(x, x, {.verbose = 0, .callbacks = {BackupAndRestore(bench.path("b"))}}),
               ValueError);
}

/// SIGTERM in the middle of an execution.
class Preempt : public Callback {
 public:
  Preempt(int64_t epoch, int64_t batch) : epoch_(epoch), batch_(batch) {}
  void on_epoch_begin(int epoch, const Logs&) override { now_ = epoch; }
  void on_train_batch_begin(int batch, const Logs&) override {
    if (now_ == epoch_ && batch == batch_) std::raise(SIGTERM);
  }

 private:
  int64_t epoch_;
  int64_t batch_;
  int64_t now_ = 0;
};

volatile std::sig_atomic_t g_terminated = 0;

TEST(BackupAndRestore, SavesBeforePreemption) {
  CallbackBench bench;
  const std::string folder = bench.path("backup");
  const auto backup = [&] {
    return BackupAndRestore(
        folder, {.save_freq = callbacks::SaveFreq::never(), .save_before_preemption = true});
  };
  const Outcome expected = train({}, -1, 0, 11);
  for (const auto& [epoch, batch] : std::vector<std::pair<int64_t, int64_t>>{{1, 2}, {1, 4}}) {
    // After the backup, SIGTERM has its previous effect: here a handler that ends training.
    g_terminated = 0;
    std::signal(SIGTERM, [](int) { g_terminated = 1; });
    const callbacks::LambdaCallback stop({.on_batch_begin = [](int64_t, const Logs&) {
      if (g_terminated != 0) throw Interruption("terminated");
    }});
    EXPECT_TRUE(train({backup(), Preempt(epoch, batch), stop}, -1, 0, 11).interrupted);
    EXPECT_TRUE(std::filesystem::exists(folder + "/latest.weights.h5"));
    const Outcome resumed = train({backup()}, -1, 0, 99);
    EXPECT_EQ(resumed.begins.front(), batch == 4 ? (std::pair<int64_t, int64_t>{2, 0})
                                                 : (std::pair<int64_t, int64_t>{1, 3}));
    EXPECT_EQ(resumed.weights, expected.weights);
    // Nothing is left of it after fit.
    g_terminated = 0;
    std::raise(SIGTERM);
    EXPECT_EQ(g_terminated, 1);
  }
  std::signal(SIGTERM, SIG_DFL);
  EXPECT_EXIT(train({backup(), Preempt(0, 1)}, -1, 0, 11), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(std::filesystem::exists(folder + "/latest.weights.h5"));
  EXPECT_THROW(BackupAndRestore(folder, {.save_freq = callbacks::SaveFreq::never()}), ValueError);
}

/// `count` batches, a number that nobody knows before.
data::Dataset of_unknown_size(int64_t count) {
  const auto every = [](const Nest&) { return Tensor(true); };
  return data::Dataset::range(count)
      .filter(every)
      .map([](const Nest& i) -> Nest {
        const Tensor x = ops::cast(i.tensor(), DType::float32);
        return std::vector<Nest>{x, x * Tensor(2.0F)};
      })
      .batch(1);
}

TEST(Backup, OfTheLastBatchOfUnknownDataIsResumedInTheNextEpoch) {
  CallbackBench bench;
  const std::string folder = bench.path("backup");
  const auto run = [&](int64_t stop_epoch) {
    Sequential model({Input({1}), Dense(1)});
    model.compile("sgd", "mse");
    const auto interrupt = std::make_shared<Interrupt>(stop_epoch, 0);
    try {
      model.fit(of_unknown_size(4),
                {.epochs = 3,
                 .verbose = 0,
                 .callbacks = {BackupAndRestore(folder, {.save_freq = 4}), interrupt}});
    } catch (const Interruption&) {
    }
    return interrupt->begins;
  };
  run(1);  // the last backup is that of batch 3 of epoch 0
  using Begins = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(run(-1), (Begins{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}, {2, 3}}));
}

}  // namespace
}  // namespace antler
