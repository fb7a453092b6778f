// Features that the cases computed by Keras do not cover: custom cells, dropout, errors, and the
// size of programs.
#include "antler/nn/layers/recurrent.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/layers.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

Tensor ramp(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) / 7.0F - 0.4F;
  return Tensor::of<float>(values, shape);
}

void expect_near(const Tensor& a, const Tensor& b, double tolerance = 1e-6) {
  ASSERT_EQ(a.shape(), b.shape());
  const std::vector<double> x = a.to_doubles();
  const std::vector<double> y = b.to_doubles();
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance) << i;
}

/// A running sum of its inputs; gives twice the sum.
class SumCell : public LayerBase<SumCell, RNNCell> {
 public:
  SumCell() : LayerBase("test>SumCell") {}
  Nest initial_state(int64_t batch) const override {
    return Nest{ops::zeros({batch, 2}, compute_dtype())};
  }
  Nest call(const Nest& inputs, const CallOptions&) override {
    const Tensor sum = inputs[0].tensor() + inputs[1][0].tensor();
    return Nest{sum * Tensor(2.0), sum};  // one state, without a list
  }
};

TEST(Recurrent, CellOfOnesOwn) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  EXPECT_EQ(RNN(SumCell())(x).to_vector<float>(), (std::vector<float>{18, 24}));
  const Nest all = RNN(SumCell(), {.return_sequences = true, .return_state = true})(Nest(x));
  EXPECT_EQ(all[0].tensor().to_vector<float>(), (std::vector<float>{2, 4, 8, 12, 18, 24}));
  EXPECT_EQ(all[1].tensor().to_vector<float>(), (std::vector<float>{9, 12}));
  // Masked steps repeat the previous output, which is not part of the state here.
  const Tensor mask = Tensor::of<bool>({true, true, false}, {1, 3});
  const Tensor masked = RNN(SumCell(), {.return_sequences = true})(x, {.mask = mask});
  EXPECT_EQ(masked.to_vector<float>(), (std::vector<float>{2, 4, 8, 12, 8, 12}));

  register_object("test>SumCell", [](const Json&) { return SumCell().share(); });
  const RNN layer(StackedRNNCells({SumCell(), SimpleRNNCell(3)}));
  const LayerPtr again = layer_from_config("RNN", layer.get_config());
  EXPECT_EQ(again->get_config()["cell"]["config"]["cells"][0]["registered_name"], "test>SumCell");
  EXPECT_EQ((*again)(Nest(x)).tensor().shape(), (Shape{1, 3}));
}

/// A cell as Keras's guide to recurrent layers has it.
class MinimalCell : public LayerBase<MinimalCell, RNNCell> {
 public:
  explicit MinimalCell(int64_t units) : units_(units) {}
  std::vector<int64_t> state_size() const override { return {units_}; }
  void build(const Shape& input_shape) override {
    kernel_ = add_weight({.shape = {input_shape[-1], units_}, .name = "kernel"});
    recurrent_ = add_weight({.shape = {units_, units_}, .name = "recurrent_kernel"});
  }
  std::pair<Tensor, Tensors> call(const Tensor& x, const Tensors& states) override {
    const Tensor h = ops::tanh(ops::matmul(x, kernel_) + ops::matmul(states[0], recurrent_));
    return {h, {h}};
  }

 private:
  int64_t units_;
  Variable kernel_, recurrent_;
};

TEST(Recurrent, CellInKerassForm) {
  EXPECT_EQ(MinimalCell(3).class_name(), "MinimalCell");
  const Tensor x = ramp({2, 5, 3});
  RNN own(MinimalCell(4), {.return_sequences = true});
  SimpleRNN expected(4, {.use_bias = false, .return_sequences = true});
  expected.ensure_built({x.shape()});
  own.ensure_built({x.shape()});
  own.set_weights(expected.get_weights());
  expect_near(own(x), expected(x));
  // A cell is a layer of {inputs, states}.
  MinimalCell cell(4);
  const Nest step = cell(Nest{ramp({2, 3}), Nest{ops::zeros({2, 4})}});
  expect_near(step[0], step[1][0]);
  EXPECT_EQ(RNN({MinimalCell(4), MinimalCell(2)})(x).shape(), (Shape{2, 2}));
}

class CellWithoutState : public LayerBase<CellWithoutState, RNNCell> {
 public:
  std::pair<Tensor, Tensors> call(const Tensor& x, const Tensors&) override { return {x, {}}; }
};

TEST(Recurrent, CellMustSayItsStates) {
  RNN layer{CellWithoutState()};
  EXPECT_THROW(layer(ramp({2, 5, 3})), NotImplementedError);
}

TEST(Recurrent, CellsAreLayers) {
  const Tensor x = ramp({2, 3});
  LSTMCell cell(4);
  const Nest states = Nest{ramp({2, 4}), ramp({2, 4})};
  const Nest result = cell(Nest{x, states});
  LSTM layer(4, {.return_state = true});
  layer.ensure_built({Shape{2, 1, 3}});
  layer.set_weights(cell.get_weights());
  const Nest all = layer(Nest(ops::expand_dims(x, 1)), {.initial_state = states});
  expect_near(result[0], all[0]);
  expect_near(result[1][0], all[1]);
  expect_near(result[1][1], all[2]);
  EXPECT_THROW(cell(Nest(x)), ValueError);
}

// The fused sequence, the loop and the unrolled program compute the same.
TEST(Recurrent, AllWaysAgree) {
  const Tensor x = ramp({2, 5, 3});
  const Tensor everything = ops::ones({2, 5}, DType::boolean);
  const auto check = [&](auto make) {
    auto fused = make(false);
    auto unrolled = make(true);
    const Tensor a = fused(x);
    unrolled.ensure_built({x.shape()});
    unrolled.set_weights(fused.get_weights());
    expect_near(fused(x, {.mask = everything}), a, 1e-5);
    expect_near(unrolled(x), a, 1e-5);
    expect_near(unrolled(x, {.mask = everything}), a, 1e-5);
  };
  for (bool backwards : {false, true}) {
    for (bool sequences : {false, true}) {
      check([&](bool unroll) {
        return LSTM(4,
                    {.return_sequences = sequences, .go_backwards = backwards, .unroll = unroll});
      });
      check([&](bool unroll) {
        return GRU(4, {.return_sequences = sequences, .go_backwards = backwards, .unroll = unroll});
      });
      check([&](bool unroll) {
        return SimpleRNN(
            4, {.return_sequences = sequences, .go_backwards = backwards, .unroll = unroll});
      });
    }
  }
}

size_t program_size(Layer& layer, int64_t steps, bool training) {
  ir::Tracer tracer;
  const Tensor x = tracer.input({DType::float32, Shape{2, steps, 3}});
  GradientTape tape;
  const Variables weights = layer.trainable_variables();
  const Tensor loss = ops::mean(ops::square(layer(x, {.training = training})));
  return tracer.finish(tape.gradient(loss, weights)).graph.nodes.size();
}

TEST(Recurrent, ProgramsDoNotGrowWithTheSteps) {
  const auto check = [](auto layer) {
    layer.ensure_built({Shape{2, 4, 3}});
    EXPECT_EQ(program_size(layer, 6, true), program_size(layer, 60, true)) << layer.name();
  };
  check(LSTM(4));
  check(GRU(4, {.dropout = 0.3, .recurrent_dropout = 0.2, .return_sequences = true}));
  check(SimpleRNN(4, {.go_backwards = true}));
  check(RNN({LSTMCell(4), GRUCell(3)}));
  check(Bidirectional(LSTM(4)));
  check(TimeDistributed(Dense(4)));
  check(TimeDistributed(BatchNormalization()));
  LSTM unrolled(4, {.unroll = true});
  unrolled.ensure_built({Shape{2, 4, 3}});
  EXPECT_GT(program_size(unrolled, 60, true), program_size(unrolled, 6, true));
}

TEST(Recurrent, DropoutMaskIsTheSameAtAllSteps) {
  // x is constant over time and states do not matter, so all outputs of a sequence are equal.
  SimpleRNN layer(8, {.activation = "linear",
                      .kernel_initializer = "ones",
                      .recurrent_initializer = "zeros",
                      .dropout = 0.5,
                      .return_sequences = true,
                      .seed = 3});
  const Tensor x = ops::ones({4, 6, 16});
  const Tensor y = layer(x, {.training = true});
  const std::vector<float> values = y.to_vector<float>();
  std::set<float> seen;
  for (int64_t n = 0; n < 4; ++n) {
    const float first = values[static_cast<size_t>(n * 48)];
    for (size_t i = 0; i < 48; ++i) EXPECT_EQ(values[static_cast<size_t>(n * 48) + i], first);
    EXPECT_EQ(std::fmod(first, 2.0F), 0.0F);  // kept elements count double
    seen.insert(first);
  }
  EXPECT_GT(seen.size(), 1U);
  EXPECT_NE(layer(x, {.training = true}).to_vector<float>(), values);  // another draw
  EXPECT_EQ(layer(x).to_vector<float>(), std::vector<float>(values.size(), 16.0F));
  // The same seed gives the same draws.
  SimpleRNN again(8, {.activation = "linear",
                      .kernel_initializer = "ones",
                      .recurrent_initializer = "zeros",
                      .dropout = 0.5,
                      .return_sequences = true,
                      .seed = 3});
  EXPECT_EQ(again(x, {.training = true}).to_vector<float>(), values);
}

TEST(Recurrent, RecurrentDropoutKeepsTheMean) {
  // h' = mask h: after one step from ones, the mean stays 1.
  const Tensor zeros = ops::zeros({64, 1, 1});
  const Tensor ones = ops::ones({64, 32});
  SimpleRNN layer(32, {.activation = "linear",
                       .recurrent_initializer = "identity",
                       .recurrent_dropout = 0.25,
                       .seed = 5});
  const Tensor y = layer(zeros, {.training = true, .initial_state = ones});
  EXPECT_NEAR(ops::mean(y).item(), 1, 0.1);
  for (double v : y.to_doubles()) EXPECT_TRUE(v == 0 || std::abs(v - 4.0 / 3) < 1e-5) << v;
}

template <class L>
void expect_dropout_trains(L layer) {
  const Tensor x = ramp({3, 4, 3});
  const Tensor still = layer(x);
  GradientTape tape;
  const Variables weights = layer.trainable_variables();
  const Tensor y = layer(x, {.training = true});
  EXPECT_NE(y.to_vector<float>(), still.to_vector<float>());
  for (const Tensor& g : tape.gradient(ops::mean(ops::square(y)), weights)) {
    ASSERT_TRUE(g.defined());
    for (double v : g.to_doubles()) EXPECT_TRUE(std::isfinite(v));
  }
  expect_near(layer(x), still);
}

TEST(Recurrent, DropoutOfCellsWithGates) {
  expect_dropout_trains(LSTM(4, {.dropout = 0.5}));
  expect_dropout_trains(LSTM(4, {.dropout = 0.5, .implementation = 1}));
  expect_dropout_trains(LSTM(4, {.recurrent_dropout = 0.5}));
  expect_dropout_trains(GRU(4, {.dropout = 0.5, .recurrent_dropout = 0.5}));
  expect_dropout_trains(GRU(4, {.recurrent_dropout = 0.5, .reset_after = false}));
  expect_dropout_trains(Bidirectional(LSTM(4, {.dropout = 0.5})));
  expect_dropout_trains(RNN(StackedRNNCells({LSTMCell(4, {.dropout = 0.5}), GRUCell(3)})));
}

TEST(Recurrent, MixedPrecision) {
  const Tensor x = ramp({2, 4, 3});
  const auto check = [&](auto layer) {
    const Nest all = layer(Nest(x), {.training = true});
    for (const Tensor& t : all.flatten()) EXPECT_EQ(t.dtype(), DType::bfloat16) << layer.name();
    for (const Variable& v : layer.weights()) EXPECT_EQ(v.dtype(), DType::float32) << v.path();
  };
  check(LSTM(4, {.return_state = true, .dtype = "mixed_bfloat16"}));
  check(GRU(4, {.recurrent_dropout = 0.3, .return_sequences = true, .dtype = "mixed_bfloat16"}));
  check(SimpleRNN(4, {.unroll = true, .dtype = "mixed_bfloat16"}));
}

TEST(Recurrent, Errors) {
  EXPECT_THROW(LSTM(0), ValueError);
  EXPECT_THROW(GRUCell(-1), ValueError);
  EXPECT_THROW(RNN(Dense(3)), ValueError);
  EXPECT_THROW(StackedRNNCells(StackedRNNCellsOptions{}), ValueError);
  EXPECT_THROW(LSTM(3)(ramp({2, 3})), ValueError);
  EXPECT_THROW(LSTM(3, {.unroll = true})(Input({Shape::kUnknown, 3})), ValueError);
  EXPECT_THROW(LSTM(3, {.stateful = true})(Input({4, 3})), ValueError);
  LSTM stateful(3, {.stateful = true});
  stateful(ramp({2, 4, 3}));
  EXPECT_THROW(stateful(ramp({3, 4, 3})), ValueError);
  LSTM layer(3);
  EXPECT_THROW(layer(ramp({2, 4, 3}), {.initial_state = ramp({2, 3})}), ValueError);
  EXPECT_THROW(Bidirectional(Dense(3)), TypeError);
  EXPECT_THROW(Bidirectional(LSTM(3), {.merge_mode = "max"}), ValueError);
  EXPECT_THROW(Bidirectional(LSTM(3), {.backward_layer = LSTM(3).share()}), ValueError);
  const Bidirectional both(LSTM(3), {.backward_layer = LSTM(3, {.go_backwards = true})});
  EXPECT_EQ(both(ops::ones({2, 4, 5})).shape(), Shape({2, 6}));
  EXPECT_THROW(
      Bidirectional(
          LSTM(3),
          {.backward_layer = LSTM(3, {.return_sequences = true, .go_backwards = true}).share()}),
      ValueError);
  EXPECT_THROW(TimeDistributed(Dense(3))(ramp({2, 3})), ValueError);
  EXPECT_THROW(TimeDistributed(Dense(3))(ramp({2, 3, 4}), {.mask = ops::ones({2, 2})}), ValueError);
}

TEST(Recurrent, StatesAreNoWeights) {
  LSTM layer(3, {.stateful = true});
  layer(ramp({2, 4, 3}));
  EXPECT_EQ(layer.weights().size(), 3U);
  EXPECT_EQ(layer.states().size(), 2U);
  EXPECT_NE(ops::max(ops::absolute(layer.states()[0].stored())).item(), 0);
  layer.reset_state();
  EXPECT_EQ(ops::max(ops::absolute(layer.states()[0].stored())).item(), 0);
}

TEST(Recurrent, OptionsThatKerasTakesButDoesNotWrite) {
  const Json config = LSTM(3).get_config();
  EXPECT_FALSE(config.contains("implementation"));
  EXPECT_FALSE(config.contains("use_cudnn"));
  Json more = config;
  more["implementation"] = 1;
  more["use_cudnn"] = "auto";
  EXPECT_NO_THROW(layer_from_config("LSTM", more));
  more["use_cudnn"] = "never";
  EXPECT_THROW(layer_from_config("LSTM", more), ValueError);
}

}  // namespace
}  // namespace antler
