// Compiled training of recurrent and attention layers gives the same results as op-by-op execution,
// for any number of steps per call.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

Tensor ramp(const Shape& shape, int64_t period) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] =
        static_cast<float>(static_cast<int64_t>(i) % period) / static_cast<float>(period) - 0.4F;
  }
  return Tensor::of<float>(values, shape);
}

struct Trained {
  Tensors weights;
  Tensor prediction;
};

/// Two epochs of three steps; the start values are formulas.
Trained train(const std::function<Sequential()>& make, const Tensor& x, bool eagerly,
              int64_t steps) {
  Sequential model = make();
  Tensors start;
  for (const Variable& v : model.weights()) {
    const bool variance = v.name() == "moving_variance";
    start.push_back(ramp(v.shape(), 7) + Tensor(variance ? 1.0 : 0.0));
  }
  model.set_weights(start);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = "mse",
                 .run_eagerly = eagerly,
                 .steps_per_execution = steps});
  const Tensor y = ramp({6, 1}, 5);
  model.fit(x, y, {.batch_size = 2, .epochs = 2, .verbose = 0, .shuffle = false});
  return {model.get_weights(), model.predict(x, {.batch_size = 2, .verbose = 0})};
}

void expect_same(const Trained& a, const Trained& b, const std::string& what) {
  ASSERT_EQ(a.weights.size(), b.weights.size());
  const auto close = [&](const Tensor& p, const Tensor& q, const std::string& which) {
    const std::vector<double> u = p.to_doubles();
    const std::vector<double> v = q.to_doubles();
    ASSERT_EQ(u.size(), v.size());
    for (size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], v[i], 1e-5) << what << ", " << which;
  };
  for (size_t i = 0; i < a.weights.size(); ++i) {
    close(a.weights[i], b.weights[i], "weight " + std::to_string(i));
  }
  close(a.prediction, b.prediction, "prediction");
}

/// `layers` between an input of `shape` and a Dense(1).
void check(const std::string& what, const Shape& shape,
           const std::function<std::vector<LayerHandle>()>& layers, bool fixed_batch = false) {
  const auto make = [&] {
    InputOptions input;
    if (fixed_batch) input.batch_size = 2;
    std::vector<LayerHandle> all{Input(shape, input)};
    for (const LayerHandle& layer : layers()) all.push_back(layer);
    all.emplace_back(Flatten());
    all.emplace_back(Dense(1));
    return Sequential(all);
  };
  Shape batch{6};
  for (int64_t d : shape) batch.push_back(d);
  const Tensor x = ramp(batch, 11);
  const Trained eager = train(make, x, true, 1);
  expect_same(train(make, x, false, 1), eager, what);
  expect_same(train(make, x, false, 3), eager, what + ", 3 steps per execution");
}

TEST(SequenceLayersInFit, Recurrent) {
  check("LSTM", {5, 3}, [] { return std::vector<LayerHandle>{LSTM(4)}; });
  check("GRU", {5, 3}, [] {
    return std::vector<LayerHandle>{GRU(4, {.return_sequences = true, .reset_after = false}),
                                    SimpleRNN(3, {.go_backwards = true})};
  });
  check("stacked", {5, 3}, [] {
    return std::vector<LayerHandle>{RNN(StackedRNNCells({LSTMCell(3), GRUCell(2)}))};
  });
  check("unrolled", {3, 2}, [] { return std::vector<LayerHandle>{LSTM(3, {.unroll = true})}; });
  check("bidirectional", {5, 3}, [] {
    return std::vector<LayerHandle>{Bidirectional(LSTM(3, {.return_sequences = true}))};
  });
}

TEST(SequenceLayersInFit, StatesGoOnFromBatchToBatch) {
  check(
      "stateful LSTM", {4, 3}, [] { return std::vector<LayerHandle>{LSTM(3, {.stateful = true})}; },
      true);
}

TEST(SequenceLayersInFit, DropoutDrawsTheSame) {
  check("dropout", {4, 3}, [] {
    return std::vector<LayerHandle>{GRU(4, {.dropout = 0.3, .recurrent_dropout = 0.2, .seed = 7})};
  });
}

TEST(SequenceLayersInFit, OtherLayers) {
  check("TimeDistributed", {3, 4}, [] {
    return std::vector<LayerHandle>{TimeDistributed(BatchNormalization()),
                                    TimeDistributed(Dense(2, {.activation = "relu"}))};
  });
  check("ConvLSTM2D", {3, 3, 4, 1},
        [] { return std::vector<LayerHandle>{ConvLSTM2D(2, 2, {.return_sequences = true})}; });
}

TEST(SequenceLayersInFit, MaskedFunctionalModelWithAttention) {
  const auto make = [](bool by_blocks) {
    const Tensor x = Input({5}, {.dtype = "int32"});
    const Tensor e = Embedding(7, 4, {.mask_zero = true})(x);
    const Tensor a = MultiHeadAttention(2, 3, {.flash_attention = by_blocks})(
        {e, e}, {.arguments = {{"use_causal_mask", true}}});
    const Tensor g = GroupQueryAttention(3, 4, 2, {.flash_attention = by_blocks})({a, e});
    const Tensor h = LSTM(3, {.return_sequences = true})(g);
    const Tensor b = Attention()({h, h});
    return Model(x, Dense(1)(GlobalAveragePooling1D()(b)));
  };
  std::vector<int32_t> ids(30);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 3 % 7);
  const Tensor x = Tensor::of<int32_t>(ids, {6, 5});
  const auto run = [&](bool eagerly, bool by_blocks) {
    Model model = make(by_blocks);
    Tensors start;
    for (const Variable& v : model.weights()) start.push_back(ramp(v.shape(), 7));
    model.set_weights(start);
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                   .loss = "mse",
                   .run_eagerly = eagerly});
    model.fit(x, ramp({6, 1}, 5), {.batch_size = 3, .epochs = 2, .verbose = 0, .shuffle = false});
    return Trained{model.get_weights(), model.predict(x, {.verbose = 0})};
  };
  const Trained eager = run(true, false);
  expect_same(run(false, false), eager, "attention in one piece");
  expect_same(run(false, true), eager, "attention by blocks");
}

// The order of the axes only reorders the scores.
TEST(SequenceLayers, AttentionAxesInAnyOrder) {
  const Tensor x = ramp({2, 2, 3, 4}, 7);
  const Tensor keys = ramp({2, 4, 5, 4}, 5);
  MultiHeadAttention ascending(2, 2, {.attention_axes = {1, 2}});
  MultiHeadAttention descending(2, 2, {.attention_axes = {2, 1}});
  ascending(x, keys);
  const Nest outputs =
      descending(Nest{x, keys}, {.arguments = {{"return_attention_scores", true}}});
  EXPECT_EQ(outputs[1].tensor().shape(), Shape({2, 2, 3, 2, 5, 4}));
  descending.set_weights(ascending.get_weights());
  const Tensor difference = ops::abs(descending(x, keys) - ascending(x, keys));
  EXPECT_LT(ops::max(difference).item<float>(), 1e-6F);
}

}  // namespace
}  // namespace antler
