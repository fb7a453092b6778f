#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/constraint.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/regularizer.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

TEST(Regularizers, Values) {
  const Tensor x = Tensor::of<float>({1, -2, 3, -4}, {2, 2});
  EXPECT_NEAR(regularizers::L1(0.1)(x).item(), 1.0, 1e-6);
  EXPECT_NEAR(regularizers::L2(0.1)(x).item(), 3.0, 1e-6);
  EXPECT_NEAR(regularizers::L1L2({.l1 = 0.1, .l2 = 0.01})(x).item(), 1.3, 1e-6);
  EXPECT_EQ(regularizers::L1L2()(x).item(), 0);
  EXPECT_NEAR(Regularizer("l1_l2")(x).item(), 0.4, 1e-6);
  // One pair of rows, with the cosine (3 + 8) / (sqrt 5 * 5).
  EXPECT_NEAR(regularizers::OrthogonalRegularizer({.factor = 0.1})(x).item(),
              0.1 * 11 / (std::sqrt(5.0) * 5), 1e-6);
  EXPECT_THROW(regularizers::OrthogonalRegularizer()(Tensor::of<float>({1, 2})), ValueError);
}

TEST(Regularizers, ConfigurationsAndNames) {
  for (const Regularizer& r : {Regularizer(regularizers::L1(0.25)),
                               Regularizer(regularizers::L1L2({.l1 = 0.5, .l2 = 0.25})),
                               Regularizer("l2"), Regularizer("OrthogonalRegularizer")}) {
    const Json json = regularizers::serialize(r);
    EXPECT_EQ(regularizers::serialize(regularizers::deserialize(json)).dump(), json.dump());
  }
  EXPECT_EQ(regularizers::serialize(Regularizer()).dump(), "null");
  EXPECT_FALSE(regularizers::deserialize(nullptr).given());
  EXPECT_THROW(Regularizer("l3"), ValueError);
  EXPECT_THROW(regularizers::L1(-1), ValueError);
  EXPECT_THROW(regularizers::OrthogonalRegularizer({.mode = "diagonals"}), ValueError);
  EXPECT_THROW(regularizers::deserialize({{"class_name", "L2"}, {"config", {{"l1", 1.0}}}}),
               TypeError);
  regularizers::register_regularizer("mean_square",
                                     [](const Tensor& x) { return ops::mean(ops::square(x)); });
  EXPECT_NEAR(Regularizer("mean_square")(Tensor::of<float>({1, 3})).item(), 5, 1e-6);
}

TEST(Constraints, Values) {
  const Tensor w = Tensor::of<float>({3, 0.1F, -4, -0.2F}, {2, 2});  // columns of norm 5 and 0.2236
  const auto close = [](const Tensor& got, std::vector<double> want) {
    const std::vector<double> values = got.to_doubles();
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(values[i], want[i], 1e-5) << i;
  };
  close(constraints::NonNeg()(w), {3, 0.1, 0, 0});
  close(constraints::MaxNorm()(w), {1.2, 0.1, -1.6, -0.2});
  close(constraints::UnitNorm()(w), {0.6, 0.44721, -0.8, -0.89443});
  close(constraints::MinMaxNorm({.min_value = 1, .max_value = 3, .rate = 0.5})(w),
        {2.4, 0.27360, -3.2, -0.54721});
  close(constraints::UnitNorm({.axis = {0, 1}})(w), {0.59940, 0.01998, -0.79920, -0.03996});
  close(constraints::UnitNorm({.axis = {}})(w), {0.59940, 0.01998, -0.79920, -0.03996});
  close(Constraint()(w), {3, 0.1, -4, -0.2});
  // Rings of a kernel of size 3: the center takes the corner's value, the ring the center's.
  close(constraints::RadialConstraint()(
            ops::reshape(ops::arange(1, 10, 1, {.dtype = DType::float32}), {3, 3, 1, 1})),
        {5, 5, 5, 5, 1, 5, 5, 5, 5});
  EXPECT_THROW(constraints::RadialConstraint()(w), ValueError);
}

TEST(Constraints, ConfigurationsAndNames) {
  for (const Constraint& c :
       {Constraint(constraints::MaxNorm({.max_value = 3, .axis = {0, 1, 2}})),
        Constraint(constraints::UnitNorm({.axis = {}})), Constraint(constraints::MinMaxNorm()),
        Constraint("non_neg"), Constraint("UnitNorm")}) {
    const Json json = constraints::serialize(c);
    EXPECT_EQ(constraints::serialize(constraints::deserialize(json)).dump(), json.dump());
  }
  EXPECT_EQ(constraints::serialize(constraints::MaxNorm())["config"]["axis"].dump(), "0");
  EXPECT_TRUE(
      constraints::serialize(constraints::UnitNorm({.axis = {}}))["config"]["axis"].is_null());
  EXPECT_THROW(Constraint("no_such_constraint"), ValueError);
}

TEST(LayerLosses, WeightsAndActivity) {
  Dense layer(2, {.kernel_initializer = "ones",
                  .kernel_regularizer = "l2",
                  .bias_regularizer = regularizers::L1(1.0),
                  .activity_regularizer = regularizers::L2(1.0)});
  layer(Tensor::of<float>({1, 1, 1, 1, 1, 1, 1, 1}, {4, 2}));  // outputs are 2
  const Tensors losses = layer.losses();
  ASSERT_EQ(losses.size(), 3U);
  EXPECT_NEAR(losses[0].item(), 8, 1e-6);  // 8 elements of square 4, by 4 samples
  EXPECT_NEAR(losses[1].item(), 0.04, 1e-6);
  EXPECT_NEAR(losses[2].item(), 0, 1e-6);
  layer.set_trainable(false);
  EXPECT_EQ(layer.losses().size(), 1U);
}

TEST(LayerLosses, ActivityRegularizerIsInTheConfigurationOfAnyLayer) {
  const Activation layer("relu", {.activity_regularizer = "l1"});
  EXPECT_EQ(layer.get_config()["activity_regularizer"]["class_name"], "L1");
  EXPECT_FALSE(Activation("relu").get_config().contains("activity_regularizer"));
}

TEST(OptimizerConstraints, HoldAfterEachUpdate) {
  Dense layer(1, {.use_bias = false, .kernel_initializer = "ones", .kernel_constraint = "non_neg"});
  const Tensor x = Tensor::of<float>({1, -1}, {1, 2});
  layer(x);
  optimizers::SGD sgd({.learning_rate = 2.0});
  GradientTape tape;
  const Tensor loss = ops::sum(layer(x));
  sgd.minimize(loss, layer.trainable_variables(), tape);
  EXPECT_EQ(layer.weights()[0].stored().to_doubles(), (std::vector<double>{0, 3}));
}

}  // namespace
}  // namespace antler
