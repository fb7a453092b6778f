#include "antler/saving/checkpoint.h"

#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "antler/nn/layers.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/optimizers.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"
#include "support/paths.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

class CheckpointFiles : public testing::Test {
 protected:
  CheckpointFiles()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_checkpoint_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CheckpointFiles() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

Tensor small_ramp(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.1F * static_cast<float>(i % 11) - 0.4F;
  return Tensor::of(values, shape);
}

/// Layers with parts, a model in a model, and a layer without weights.
Model network() {
  const Tensor x = Input({5, 3});
  Tensor y = Bidirectional(GRU(3, {.return_sequences = true}))(x);
  y = MultiHeadAttention(2, 3)({y, y});
  y = LayerNormalization()(y);
  y = TimeDistributed(Dense(3))(y);
  y = LSTM(4)(y);
  Sequential inner({Input({4}), Dense(4), Dropout(0.0), Dense(2)});
  Model model(x, BatchNormalization()(inner(y)), "network");
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  return model;
}

void expect_equal(const Tensors& a, const Tensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].to_doubles(), b[i].to_doubles()) << i;
}

TEST_F(CheckpointFiles, WeightsAndOptimizerComeBackAndTrainingGoesOn) {
  const Tensor x = small_ramp({6, 5, 3});
  const Tensor y = small_ramp({6, 2});
  Model model = network();
  model.fit(x, y, {.epochs = 2, .verbose = 0});
  model.save_weights(path("weights.ckpt"));
  EXPECT_EQ(latest_checkpoint(path("")), path("weights.ckpt"));
  EXPECT_THROW(model.save_weights(path("weights.ckpt"), {.overwrite = false}), ValueError);

  Model other = network();
  other.load_weights(path("weights.ckpt"));
  expect_equal(other.get_weights(), model.get_weights());
  EXPECT_EQ(other.optimizer().iterations().stored().item(), 2);
  model.fit(x, y, {.verbose = 0, .shuffle = false});
  other.fit(x, y, {.verbose = 0, .shuffle = false});
  expect_equal(other.get_weights(), model.get_weights());

  // Keras's keys.
  const io::TensorBundle bundle = io::TensorBundle::open(path("weights.ckpt"));
  for (const char* key : {"layer_with_weights-0/forward_layer/cell/kernel",
                          "layer_with_weights-4/cell/recurrent_kernel",
                          "layer_with_weights-5/layer_with_weights-1/bias",
                          "layer_with_weights-6/moving_mean", "optimizer/_momentums/0"}) {
    EXPECT_TRUE(bundle.contains(std::string(key) + "/.ATTRIBUTES/VARIABLE_VALUE")) << key;
  }
}

// tools/keras3_checkpoint.py: Keras 3.15.1 with tf.train.Checkpoint(model=...).
TEST(Checkpoint, OfKeras3HasTheOptimizerToo) {
  const Tensor in = Input({3});
  Sequential inner({Input({4}), Dense(3)}, "inner");
  Model model(in, inner(BatchNormalization()(Dense(4, {.activation = "tanh"})(in))));
  model.compile({.optimizer = optimizers::Adam({.amsgrad = true}), .loss = "mse"});
  model.load_weights((test::data_dir() / "checkpoints" / "keras3").string());
  std::vector<double> x;
  x.reserve(12);
  for (int i = 0; i < 12; ++i) x.push_back(i / 12.0);
  const Tensor y = model(Tensor::of<float>({x.begin(), x.end()}, {4, 3}));
  const std::vector<double> expected = {0.46947533, 1.0340344,  0.9090465,  0.40368816,
                                        1.0567225,  0.9624378,  0.36317247, 1.0744481,
                                        1.0314219,  0.34693077, 1.09188,    1.1137669};
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(y.to_doubles()[i], expected[i], 1e-6) << i;
  const std::vector<double> sums = {3,
                                    0.0625,
                                    -1.3457515216432512,
                                    0.10371014346156926,
                                    0.01388951763510704,
                                    6.715006577451277e-06,
                                    0.2551044337451458,
                                    0.002245324620162137,
                                    0.2277558771893382,
                                    0.0037221230413706508,
                                    0.17447626031935215,
                                    0.00441635586139455,
                                    -0.37243422865867615,
                                    0.002287112467456609,
                                    0.10389453043018193,
                                    6.715006577451277e-06,
                                    0.002245324620162137,
                                    0.0037221230413706508,
                                    0.00441635586139455,
                                    0.002287112467456609};
  const Variables state = model.optimizer().variables();
  ASSERT_EQ(state.size(), sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const std::vector<double> values = state[i].stored().to_doubles();
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), sums[i], 1e-7) << i;
  }
}

// Keras 2 and Keras 3 number the variables of an optimizer differently, but have the same lists of
// slots.
TEST_F(CheckpointFiles, StateOfEveryOptimizerComesBack) {
  for (const char* name : {"sgd", "rmsprop", "adam", "adamw", "adadelta", "adagrad", "adamax",
                           "nadam", "ftrl", "lion", "lamb", "adafactor"}) {
    const auto made = [&] {
      Sequential model({Input({3}), Dense(2), Dense(1)}, "m");
      model.compile({.optimizer = name, .loss = "mse"});
      return model;
    };
    Sequential model = made();
    model.fit(small_ramp({4, 3}), small_ramp({4, 1}), {.epochs = 2, .verbose = 0});
    model.save_weights(path("o.ckpt"));
    Sequential other = made();
    other.load_weights(path("o.ckpt"));
    Tensors was;
    Tensors now;
    for (const Variable& v : model.optimizer().variables()) was.push_back(v.stored());
    for (const Variable& v : other.optimizer().variables()) now.push_back(v.stored());
    SCOPED_TRACE(name);
    expect_equal(now, was);
  }
}

TEST_F(CheckpointFiles, WhatDoesNotFitChangesNothing) {
  const auto model = [](int64_t units) {
    return Sequential({Input({3}), Dense(4), Dense(units)}, "m");
  };
  Sequential saved = model(2);
  saved.save_weights(path("a.ckpt"));
  Sequential wider = model(3);
  const Tensors before = wider.get_weights();
  EXPECT_THROW(wider.load_weights(path("a.ckpt")), ValueError);
  expect_equal(wider.get_weights(), before);
  wider.load_weights(path("a.ckpt"), {.skip_mismatch = true});
  expect_equal({wider.get_weights()[0]}, {saved.get_weights()[0]});
  expect_equal({wider.get_weights()[2]}, {before[2]});
  Sequential longer({Input({3}), Dense(4), Dense(2), Dense(1)}, "m");
  EXPECT_THROW(longer.load_weights(path("a.ckpt")), ValueError);
}

TEST_F(CheckpointFiles, CheckpointHoldsAnyObjects) {
  const auto objects = [](Model& model, const Variable& step) {
    return Checkpoint(
        {{"net", model.share()}, {"optimizer", model.optimizer().share()}, {"step", step}});
  };
  Model model = network();
  model.fit(small_ramp({4, 5, 3}), small_ramp({4, 2}), {.verbose = 0});
  const Variable step(Tensor::full(DType::int64, {}, 17), {.name = "step"});
  Checkpoint checkpoint = objects(model, step);
  const std::string saved = checkpoint.save(path("run"));
  EXPECT_EQ(saved, path("run-1"));
  EXPECT_EQ(checkpoint.save(path("run")), path("run-2"));

  Model other = network();
  other.optimizer().build(other.trainable_variables());
  const Variable other_step(Tensor::zeros(DType::int64, {}), {.name = "step"});
  Checkpoint again = objects(other, other_step);
  again.restore(saved);
  expect_equal(other.get_weights(), model.get_weights());
  EXPECT_EQ(other_step.stored().item(), 17);
  EXPECT_EQ(other.optimizer().iterations().stored().item(), 1);
  EXPECT_EQ(again.save(path("run")), path("run-2"));

  Checkpoint more({{"net", other.share()}, {"absent", other_step}});
  EXPECT_THROW(more.restore(saved), ValueError);
  more.restore(saved, {.expect_partial = true});
}

TEST_F(CheckpointFiles, ManagerKeepsTheLastFew) {
  const Variable step(Tensor::zeros(DType::float32, {}), {.name = "step"});
  CheckpointManager manager(Checkpoint({{"step", step}}), path("run"), {.max_to_keep = 2});
  EXPECT_FALSE(manager.restore_latest());
  for (int i = 1; i <= 4; ++i) {
    step.store(Tensor::full(DType::float32, {}, i));
    manager.save();
  }
  EXPECT_EQ(manager.checkpoints(),
            (std::vector<std::string>{path("run/ckpt-3"), path("run/ckpt-4")}));
  EXPECT_FALSE(fs::exists(path("run/ckpt-2.index")));
  EXPECT_FALSE(fs::exists(path("run/ckpt-2.data-00000-of-00001")));
  step.store(Tensor::zeros(DType::float32, {}));
  CheckpointManager next(Checkpoint({{"step", step}}), path("run"), {.max_to_keep = 2});
  EXPECT_EQ(next.restore_latest(), path("run/ckpt-4"));
  EXPECT_EQ(step.stored().item(), 4);
  EXPECT_EQ(next.save(), path("run/ckpt-5"));
  // A folder that was moved still finds its files; one without them has none.
  fs::rename(path("run"), path("moved"));
  EXPECT_EQ(latest_checkpoint(path("moved")), path("moved/ckpt-5"));
  fs::remove(path("moved/ckpt-5.index"));
  EXPECT_FALSE(latest_checkpoint(path("moved")));
  EXPECT_THROW(CheckpointManager(Checkpoint({{"step", step}}), path("x"), {.max_to_keep = 0}),
               ValueError);
}

}  // namespace
}  // namespace antler
