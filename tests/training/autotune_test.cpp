#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

Tensor ramp(const Shape& shape) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < t.size(); ++i) {
    t.mutable_data<float>()[i] = static_cast<float>(i % 13) * 0.1F - 0.6F;
  }
  return t;
}

/// The weights after a fit, an evaluation and a prediction with these steps per execution.
Tensors train(const StepsPerExecutionSpec& steps) {
  set_random_seed(3);
  Sequential model({Input({4}), Dense(3, {.activation = "tanh"}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = steps});
  EXPECT_EQ(model.autotune_steps_per_execution(), steps.is_auto());
  const Tensor x = ramp({50, 4});
  const Tensor y = ramp({50, 1});
  const History history =
      model.fit(x, y, {.batch_size = 5, .epochs = 4, .verbose = 0, .validation_data = {x, y}});
  EXPECT_EQ(history.epoch.size(), 4U);
  model.evaluate(x, y, {.verbose = 0});
  EXPECT_EQ(model.predict(x, {.verbose = 0}).tensor().shape()[0], 50);
  return model.get_weights();
}

TEST(Autotune, TrainsToTheSameWeightsAsOneStepPerExecution) {
  const Tensors tuned = train("auto");
  const Tensors plain = train(1);
  ASSERT_EQ(tuned.size(), plain.size());
  for (size_t i = 0; i < tuned.size(); ++i) {
    EXPECT_EQ(tuned[i].to_doubles(), plain[i].to_doubles());
  }
}

TEST(Autotune, CanBeSwitched) {
  Sequential model({Input({2}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_FALSE(model.autotune_steps_per_execution());
  model.set_autotune_steps_per_execution(true);
  EXPECT_TRUE(model.autotune_steps_per_execution());
  // A number takes it back.
  model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = 2});
  EXPECT_FALSE(model.autotune_steps_per_execution());
  EXPECT_EQ(model.steps_per_execution(), 2);
}

}  // namespace
}  // namespace antler
