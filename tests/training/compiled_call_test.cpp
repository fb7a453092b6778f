#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/nn/mask.h"
#include "antler/nn/registry.h"
#include "antler/runtime/config.h"

// Calls of a functional model are compiled if this is not observable; these tests try to observe
// it.
namespace antler {
namespace {

const Tensor kX = ops::reshape(ops::arange(0.0, 12.0) * 0.1, {3, 4});

/// Under a tape a call goes layer by layer.
Tensor layer_by_layer(const Model& given, const Tensor& x, bool training) {
  Model model = given;
  GradientTape tape;
  return model(x, {.training = training});
}

void expect_same(const Tensor& got, const Tensor& want) {
  const auto a = got.to_doubles();
  const auto b = want.to_doubles();
  ASSERT_EQ(a.size(), b.size());
  // Weights are random; a compiled program sums in another order.
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 2e-6 * std::max(1.0, std::abs(b[i])));
  }
}

TEST(CompiledCall, FollowsWeightsFlagsAndSizes) {
  const Tensor in = Input({4});
  BatchNormalization norm;
  Dense dense(2);
  Model model(in, dense(norm(in) + 1.0));
  for (const bool training : {false, true, false}) {
    // Each call in training moves the statistics, so the two calls see different ones.
    const Tensors before = norm.get_weights();
    const Tensor got = model(kX, {.training = training});
    norm.set_weights(before);
    expect_same(got, layer_by_layer(model, kX, training));
  }
  const Tensor first = model(kX);
  norm.set_trainable(false);
  expect_same(model(kX, {.training = true}), first);
  dense.set_weights({ops::ones({4, 2}), ops::ones({2})});
  expect_same(model(kX), layer_by_layer(model, kX, false));
  const Tensor row = ops::slice_axis(kX, 0, 1, 2);
  expect_same(model(row), ops::slice_axis(model(kX), 0, 1, 2));
}

TEST(CompiledCall, RandomNumbersGoOn) {
  Sequential model({Input({4}), Dropout(0.5, {.seed = 1})});
  const Tensor x = ops::ones({8, 4});
  const auto first = model(x, {.training = true}).to_doubles();
  EXPECT_NE(model(x, {.training = true}).to_doubles(), first);
  EXPECT_EQ(model(x).to_doubles(), x.to_doubles());
}

TEST(CompiledCall, GrownModelsAreNotTheOldOnes) {
  Sequential model({Input({4})});
  model.add(Rescaling(2.0));
  expect_same(model(kX), kX * 2.0);
  model.add(Rescaling(3.0));
  expect_same(model(kX), kX * 6.0);
  model.pop();
  expect_same(model(kX), kX * 2.0);
}

TEST(CompiledCall, AUsersCodeRunsInEachCall) {
  int calls = 0;
  Sequential model({Input({4}), Lambda("counted", [&](const Nest& x, const CallOptions&) -> Nest {
                      ++calls;
                      return x.tensor() + 1.0;
                    })});
  const int before = calls;
  model(kX);
  model(kX);
  EXPECT_EQ(calls, before + 2);
}

TEST(CompiledCall, MasksLossesAndGradientsComeOut) {
  Sequential masked({Input({3, 4}), Masking()});
  EXPECT_TRUE(keras_mask(masked(ops::ones({2, 3, 4}))).defined());
  Sequential penalized({Input({4}), Dense(2, {.activity_regularizer = "l2"})});
  penalized(kX);
  EXPECT_EQ(penalized.losses().size(), 1U);
  EXPECT_TRUE(penalized.losses()[0].is_value());

  Sequential model({Input({4}), Dense(2)});
  model(kX);
  GradientTape tape;
  const Tensor y = ops::sum(model(kX));
  const Tensors grads = tape.gradient(y, model.trainable_variables());
  ASSERT_EQ(grads.size(), 2U);
  EXPECT_EQ(grads[1].to_doubles(), (std::vector<double>{3, 3}));
}

TEST(CompiledCall, BadInputsFailWithTheWordsOfTheLayers) {
  Sequential model({Input({4}), Dense(2)});
  model(kX);
  EXPECT_THROW(model(ops::ones({3, 5})), ValueError);
  EXPECT_EQ(model(kX).shape(), Shape({3, 2}));
}

/// Whether a call with this many rows makes a program.
bool compiles(Model& model, int64_t rows) {
  bool made = false;
  config::set_dump_sink([&](const std::string& function, const std::string&, const std::string&) {
    made = made || function == "call";
  });
  model(ops::ones({rows, 4}));
  config::set_dump_sink({});
  return made;
}

TEST(CompiledCall, BadInputsDoNotTurnItOff) {
  Sequential model({Input({4}), Dense(2)});
  for (int i = 0; i < 6; ++i) EXPECT_THROW(model(ops::ones({3, 5})), ValueError);
  EXPECT_TRUE(compiles(model, 5));
  for (int i = 0; i < 6; ++i) EXPECT_THROW(model(ops::ones({3, 5})), ValueError);
  EXPECT_TRUE(compiles(model, 7));
}

int g_calls = 0;

/// A user's class that has the name of one of the library's.
class UsersDense : public LayerBase<UsersDense, Layer> {
 public:
  UsersDense() : LayerBase("Dense", LayerOptions{}) {}
  Tensor call(const Tensor& x, const CallOptions&) override {
    ++g_calls;
    return x + 1.0;
  }
};

/// A subclass that changes the behavior of the library's layer.
class CountingDense : public LayerBase<CountingDense, Dense> {
 public:
  CountingDense() : LayerBase(4) {}
  Tensor call(const Tensor& x, const CallOptions& options) override {
    ++g_calls;
    return Dense::call(x, options);
  }
};

TEST(CompiledCall, AUsersClassIsNotTakenForTheLibrarysOfItsName) {
  EXPECT_TRUE(is_built_in_layer(Dense(1)));
  EXPECT_FALSE(is_built_in_layer(UsersDense()));
  EXPECT_FALSE(is_built_in_layer(CountingDense()));
  for (Sequential model :
       {Sequential({Input({4}), UsersDense()}), Sequential({Input({4}), CountingDense()})}) {
    const int before = g_calls;
    model(kX);
    model(kX);
    EXPECT_EQ(g_calls, before + 2);
    EXPECT_FALSE(compiles(model, 6));
  }
}

}  // namespace
}  // namespace antler
