#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "training/callbacks/fixture.h"

// Callbacks that watch a value: EarlyStopping, ReduceLROnPlateau, ModelCheckpoint. The values are
// made up and the hooks called as fit would.

namespace antler {
namespace {

using callbacks::EarlyStopping;
using callbacks::ModelCheckpoint;
using callbacks::ReduceLROnPlateau;

TEST(EarlyStopping, StopsAtTheFirstEpochWithoutImprovement) {
  CallbackBench bench;
  EarlyStopping stop;
  EXPECT_EQ(bench.epochs(stop, "val_loss", {3, 2, 1, 1, 0}), 4);
  EXPECT_EQ(stop.stopped_epoch(), 3);
  EXPECT_EQ(stop.best_epoch(), 2);
}

TEST(EarlyStopping, PatienceCountsEpochsWithoutImprovement) {
  CallbackBench bench;
  EarlyStopping stop({.patience = 2});
  EXPECT_EQ(bench.epochs(stop, "val_loss", {3, 2, 2.5, 1, 1.5, 1.2, 0}), 6);
}

TEST(EarlyStopping, NeverStopsAfterTheFirstEpoch) {
  CallbackBench bench;
  EarlyStopping stop({.baseline = 0.5});
  // The first value never counts as worse; the second is, and patience 0 is over.
  EXPECT_EQ(bench.epochs(stop, "val_loss", {3, 4, 5}), 2);
}

TEST(EarlyStopping, MinDeltaIsTheLeastImprovement) {
  CallbackBench bench;
  EarlyStopping stop({.min_delta = -0.5});  // its sign does not matter
  EXPECT_EQ(bench.epochs(stop, "val_loss", {3, 2, 1.6}), 3);
  EarlyStopping up({.monitor = "gain", .min_delta = 0.5, .mode = "max"});
  EXPECT_EQ(bench.epochs(up, "gain", {1, 2, 2.4, 9}), 3);
}

TEST(EarlyStopping, PatienceStartsAnewOnlyBelowTheBaseline) {
  CallbackBench bench;
  EarlyStopping stop({.patience = 3, .baseline = 1});
  EXPECT_EQ(bench.epochs(stop, "val_loss", {5, 4, 3, 3, 3}), 4);
  EarlyStopping beaten({.patience = 3, .baseline = 1});
  EXPECT_EQ(bench.epochs(beaten, "val_loss", {5, 0.9, 3, 3, 3, 3}), 5);
}

TEST(EarlyStopping, EarlierEpochsAreNotLookedAt) {
  CallbackBench bench;
  EarlyStopping stop({.start_from_epoch = 3});
  EXPECT_EQ(bench.epochs(stop, "val_loss", {1, 2, 3, 4, 5, 6}), 5);
}

TEST(EarlyStopping, RestoresTheBestWeightsHoweverTrainingEnds) {
  for (const int64_t patience : {1, 100}) {
    CallbackBench bench;
    EarlyStopping stop({.patience = patience, .verbose = 1, .restore_best_weights = true});
    bench.before_epoch_end = [&](int64_t epoch) { bench.set_weight(static_cast<float>(epoch)); };
    bench.epochs(stop, "val_loss", {3, 1, 2, 2});
    EXPECT_EQ(bench.weight(), 1);
    EXPECT_EQ(bench.printed, (patience == 1 ? "Epoch 3: early stopping\n" : std::string()) +
                                 "Restoring model weights from the end of the best epoch: 2.\n");
  }
}

TEST(EarlyStopping, MayBeUsedAgain) {
  CallbackBench bench;
  EarlyStopping stop;
  EXPECT_EQ(bench.epochs(stop, "val_loss", {1, 2, 3}), 2);
  EXPECT_EQ(bench.epochs(stop, "val_loss", {9, 8, 9}), 3);
}

TEST(EarlyStopping, WarnsWhenTheValueIsNotThere) {
  CallbackBench bench;
  EarlyStopping stop({.mode = "min"});
  bench.epochs(stop, "loss", {1, 2});
  EXPECT_NE(bench.warned.find("Early stopping conditioned on metric `val_loss` which is not "
                              "available. Available metrics are: loss"),
            std::string::npos);
  EXPECT_FALSE(bench.model.stop_training());
}

TEST(EarlyStopping, AutoModeFindsTheDirection) {
  CallbackBench bench;
  EarlyStopping accuracy({.monitor = "val_accuracy"});
  EXPECT_EQ(bench.epochs(accuracy, "val_accuracy", {0.1, 0.2, 0.2}), 3);
  EarlyStopping error({.monitor = "val_mae"});  // a compiled metric
  EXPECT_EQ(bench.epochs(error, "val_mae", {0.3, 0.2, 0.2}), 3);
  EarlyStopping output({.monitor = "val_a_loss"});
  EXPECT_EQ(bench.epochs(output, "val_a_loss", {0.3, 0.2, 0.2}), 3);
  EarlyStopping unknown({.monitor = "val_gain"});
  EXPECT_THROW(bench.epochs(unknown, "val_gain", {1, 2}), ValueError);
  EarlyStopping odd({.mode = "best"});
  EXPECT_NE(bench.warned.find("EarlyStopping mode 'best' is unknown, fallback to auto mode."),
            std::string::npos);
}

TEST(EarlyStopping, StateGoesOnInAnotherObject) {
  CallbackBench bench;
  EarlyStopping first({.patience = 3, .restore_best_weights = true});
  bench.set_weight(7);
  bench.epochs(first, "val_loss", {1, 2, 3}, /*end=*/false);
  EarlyStopping second({.patience = 3, .restore_best_weights = true});
  const HostLogs logs = {{"val_loss", 1.5}};
  second.model = &bench.model;
  second.on_train_begin(logs);
  second.set_state(Json::parse(first.get_state().dump()));
  bench.set_weight(9);
  second.on_epoch_end(3, logs);
  EXPECT_TRUE(bench.model.stop_training());
  second.on_train_end(logs);
  EXPECT_EQ(bench.weight(), 7);
}

TEST(ReduceLROnPlateau, ReducesAfterPatienceThenCoolsDown) {
  CallbackBench bench(0.5);
  ReduceLROnPlateau reduce({.monitor = "loss",
                            .factor = 0.5,
                            .patience = 1,
                            .verbose = 1,
                            .cooldown = 2,
                            .min_lr = 0.1});
  std::vector<double> rates;
  bench.after_epoch_end = [&](const Logs& logs) { rates.push_back(*logs.find("learning_rate")); };
  bench.epochs(reduce, "loss", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  // Logs have the rate that the epoch was trained with.
  const std::vector<double> expected = {.5, .5, .25, .25, .125, .125, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F};
  EXPECT_EQ(rates, expected);
  EXPECT_NE(bench.printed.find("\nEpoch 2: ReduceLROnPlateau reducing learning rate to 0.25.\n"),
            std::string::npos);
}

TEST(ReduceLROnPlateau, RefusesAFactorOfOne) {
  try {
    ReduceLROnPlateau reduce({.factor = 1.2});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "ReduceLROnPlateau does not support a factor >= 1.0. Received factor=1.2");
  }
}

TEST(ModelCheckpoint, RefusesOtherEndingsAndFrequencies) {
  const auto message = [](const std::string& path, const callbacks::ModelCheckpointOptions& o) {
    try {
      ModelCheckpoint checkpoint(path, o);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("a.ckpt", {}),
            "The filepath provided must end in `.keras` (Keras model format). Received: "
            "filepath=a.ckpt");
  EXPECT_EQ(message("a.keras", {.save_weights_only = true}),
            "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must "
            "end in `.weights.h5` (Keras weights format). Received: filepath=a.keras");
  EXPECT_EQ(message("a.keras", {.save_freq = "batch"}),
            "Unrecognized save_freq: batch. Expected save_freq are 'epoch' or integer values");
  EXPECT_EQ(message("a.keras", {.save_freq = 5}), "");
}

TEST(ModelCheckpoint, NamesFilesByTemplate) {
  CallbackBench bench;
  ModelCheckpoint checkpoint(bench.path("sub/w_{epoch:02d}_{val_loss:.2f}.weights.h5"),
                             {.save_weights_only = true});
  bench.epochs(checkpoint, "val_loss", {0.5, 0.125});
  EXPECT_EQ(bench.files("sub"),
            (std::vector<std::string>{"w_01_0.50.weights.h5", "w_02_0.12.weights.h5"}));
  ModelCheckpoint wrong(bench.path("{mape:.2f}.weights.h5"), {.save_weights_only = true});
  EXPECT_THROW(bench.epochs(wrong, "val_loss", {1}), KeyError);
}

TEST(ModelCheckpoint, KeepsOnlyWhatIsBetter) {
  CallbackBench bench;
  ModelCheckpoint checkpoint(bench.path("{epoch}.weights.h5"), {.verbose = 1,
                                                                .save_best_only = true,
                                                                .save_weights_only = true,
                                                                .initial_value_threshold = 2});
  bench.epochs(checkpoint, "val_loss", {3, 1, 2, 0.5});
  EXPECT_EQ(bench.files("."), (std::vector<std::string>{"2.weights.h5", "4.weights.h5"}));
  EXPECT_EQ(bench.printed,
            "\nEpoch 1: val_loss did not improve from 2.00000\n"
            "\nEpoch 2: val_loss improved from 2.00000 to 1.00000, saving model to " +
                bench.path("2.weights.h5") + "\n\nEpoch 2: finished saving model to " +
                bench.path("2.weights.h5") +
                "\n\nEpoch 3: val_loss did not improve from 1.00000\n"
                "\nEpoch 4: val_loss improved from 1.00000 to 0.50000, saving model "
                "to " +
                bench.path("4.weights.h5") + "\n\nEpoch 4: finished saving model to " +
                bench.path("4.weights.h5") + "\n");
}

TEST(ModelCheckpoint, SavesWithAWarningWhenTheValueIsNotThere) {
  CallbackBench bench;
  ModelCheckpoint checkpoint(bench.path("a.weights.h5"),
                             {.save_best_only = true, .save_weights_only = true});
  bench.epochs(checkpoint, "loss", {1});
  EXPECT_EQ(bench.files(".").size(), 1U);
  EXPECT_NE(bench.warned.find("Can save best model only with val_loss available."),
            std::string::npos);
}

TEST(ModelCheckpoint, MustKnowTheDirectionOfItsMetric) {
  CallbackBench bench;
  ModelCheckpoint checkpoint(bench.path("a.weights.h5"),
                             {.monitor = "val_nothing", .save_weights_only = true});
  EXPECT_THROW(bench.epochs(checkpoint, "loss", {1}), ValueError);
}

TEST(ModelCheckpoint, CountsTheBatchesOfExecutions) {
  CallbackBench bench;
  ModelCheckpoint checkpoint(bench.path("{epoch}_{batch}.weights.h5"),
                             {.save_weights_only = true, .save_freq = 4});
  const Tensor x = Tensor::zeros(DType::float32, {5, 1});
  bench.model.fit(x, x, {.batch_size = 1, .epochs = 3, .verbose = 0, .callbacks = {checkpoint}});
  EXPECT_EQ(bench.files("."),
            (std::vector<std::string>{"1_4.weights.h5", "2_3.weights.h5", "3_2.weights.h5"}));
  CallbackBench many;
  ModelCheckpoint executions(many.path("{epoch}_{batch}.weights.h5"),
                             {.save_weights_only = true, .save_freq = 4});
  many.model.set_steps_per_execution(3);
  many.model.fit(x, x, {.batch_size = 1, .epochs = 3, .verbose = 0, .callbacks = {executions}});
  // Executions end at 3 and 5 of 5: 3, 5!, 3, 5!, 3, 5!
  EXPECT_EQ(many.files("."),
            (std::vector<std::string>{"1_5.weights.h5", "2_5.weights.h5", "3_5.weights.h5"}));
}

TEST(ModelCheckpoint, CountsExecutionsOverTwoEpochsAsKeras) {
  CallbackBench bench;
  ModelCheckpoint checkpoint(bench.path("{epoch}_{batch}.weights.h5"),
                             {.save_weights_only = true, .save_freq = 6});
  bench.model.set_steps_per_execution(3);
  const Tensor x = Tensor::zeros(DType::float32, {12, 1});
  bench.model.fit(x, x, {.batch_size = 1, .epochs = 2, .verbose = 0, .callbacks = {checkpoint}});
  EXPECT_EQ(bench.files("."), (std::vector<std::string>{"1_12.weights.h5", "1_6.weights.h5",
                                                        "2_12.weights.h5", "2_6.weights.h5"}));
}

TEST(ModelCheckpoint, AFolderOfThatNameIsAnError) {
  CallbackBench bench;
  std::filesystem::create_directories(bench.path("a.weights.h5"));
  ModelCheckpoint checkpoint(bench.path("a.weights.h5"), {.save_weights_only = true});
  EXPECT_THROW(bench.epochs(checkpoint, "loss", {1}), IOError);
}

}  // namespace
}  // namespace antler
