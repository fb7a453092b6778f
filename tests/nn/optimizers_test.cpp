#include "antler/nn/optimizers.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/clip.h"
#include "antler/nn/constraint.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

Variable weight(const std::vector<float>& values, const std::string& name = "w") {
  return Variable(Tensor::of(values), {.name = name});
}

TEST(Optimizers, NamesInAnyCase) {
  EXPECT_EQ(optimizers::get("adam")->class_name(), "Adam");
  EXPECT_EQ(optimizers::get("SGD")->name(), "sgd");
  EXPECT_EQ(optimizers::get("RMSprop")->name(), "rm_sprop");
  EXPECT_EQ(optimizers::get("adamw")->name(), "adam_w");
  try {
    optimizers::get("adma");
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("'adam'"), std::string::npos) << error.what();
  }
}

TEST(Optimizers, BadOptions) {
  EXPECT_THROW(optimizers::SGD({.clipnorm = 1.0, .clipvalue = 1.0}), ValueError);
  EXPECT_THROW(optimizers::SGD({.momentum = 1.5}), ValueError);
  EXPECT_THROW(optimizers::Adam({.use_ema = true, .ema_momentum = 2.0}), ValueError);
  EXPECT_THROW(optimizers::Adam({.use_ema = true, .ema_overwrite_frequency = 0}), ValueError);
  EXPECT_THROW(optimizers::Adam({.gradient_accumulation_steps = 1}), ValueError);
  EXPECT_THROW(optimizers::AdamW({.weight_decay = std::nullopt}), ValueError);
}

TEST(Optimizers, GradientsAndVariablesMustFit) {
  optimizers::SGD sgd;
  const Variable a = weight({1});
  const Variable b = weight({1}, "b");
  EXPECT_THROW(sgd.apply({Tensor()}, {a}), ValueError);
  EXPECT_THROW(sgd.apply({Tensor::of<float>({1})}, {a, b}), ValueError);
  sgd.apply({Tensor::of<float>({1})}, {a});
  EXPECT_THROW(sgd.apply({Tensor::of<float>({1})}, {b}), ValueError);
  EXPECT_THROW(sgd.exclude_from_weight_decay({a}), ValueError);
}

TEST(Optimizers, LearningRateOfAScheduleCannotBeSet) {
  optimizers::SGD sgd({.learning_rate = optimizers::schedules::ExponentialDecay(0.1, 10, 0.5)});
  EXPECT_THROW(sgd.set_learning_rate(0.2), TypeError);
  EXPECT_NEAR(sgd.learning_rate().item(), 0.1, 1e-7);
  EXPECT_EQ(sgd.variables().size(), 1U);
}

TEST(Optimizers, CopiesShareTheirState) {
  optimizers::Adam adam({.learning_rate = 0.1});
  optimizers::Adam copy = adam;
  const OptimizerPtr shared = adam.share();
  const Variable w = weight({1, 2});
  adam.apply({Tensor::of<float>({1, 1})}, {w});
  copy.apply({Tensor::of<float>({1, 1})}, {w});
  shared->apply({Tensor::of<float>({1, 1})}, {w});
  EXPECT_EQ(adam.iterations().value().item(), 3.0);
  EXPECT_EQ(adam.variables().size(), 4U);
}

TEST(Optimizers, MinimizeUsesTheTape) {
  optimizers::SGD sgd({.learning_rate = 0.1, .loss_scale_factor = 64.0});
  const Variable w = weight({1, -2});
  GradientTape tape;
  const Tensor loss = ops::sum(ops::square(w.value()));
  sgd.minimize(loss, {w}, tape);
  EXPECT_NEAR(w.value().to_doubles()[0], 0.8, 1e-6);
  EXPECT_NEAR(w.value().to_doubles()[1], -1.6, 1e-6);
}

TEST(Optimizers, ConfigurationRoundTrip) {
  optimizers::Adam adam({.learning_rate = 0.5, .beta_1 = 0.8, .amsgrad = true, .clipnorm = 2.0});
  adam.set_learning_rate(0.25);
  const Json json = optimizers::serialize(adam);
  EXPECT_EQ(json["class_name"], "Adam");
  EXPECT_EQ(json["config"]["learning_rate"], 0.25);
  EXPECT_EQ(json["config"]["amsgrad"], true);
  EXPECT_TRUE(json["config"]["clipvalue"].is_null());
  EXPECT_EQ(optimizers::serialize(*optimizers::deserialize(json)), json);
  const optimizers::AdamW decayed({.learning_rate = optimizers::schedules::CosineDecay(0.1, 100)});
  const Json with_schedule = optimizers::serialize(decayed);
  EXPECT_EQ(with_schedule["config"]["learning_rate"]["class_name"], "CosineDecay");
  EXPECT_EQ(with_schedule["config"]["weight_decay"], 0.004);
  EXPECT_EQ(optimizers::serialize(*optimizers::deserialize(with_schedule)), with_schedule);
}

TEST(Optimizers, ScaleOfTheLossAdapts) {
  optimizers::LossScaleOptimizer scaled(optimizers::SGD({.learning_rate = 0.5}),
                                        {.initial_scale = 8, .dynamic_growth_steps = 2});
  const Variable w = weight({1});
  EXPECT_EQ(scaled.scale_loss(Tensor::of<float>({2}, {})).item(), 16.0);
  scaled.apply({Tensor::of<float>({8})}, {w});  // the gradient of the scaled loss
  EXPECT_NEAR(w.value().item(), 0.5, 1e-7);
  scaled.apply({Tensor::of<float>({std::numeric_limits<float>::infinity()})}, {w});
  EXPECT_NEAR(w.value().item(), 0.5, 1e-7);
  EXPECT_EQ(scaled.dynamic_scale().item(), 4.0);
  EXPECT_EQ(scaled.iterations().value().item(), 1.0);
  scaled.apply({Tensor::of<float>({4})}, {w});
  scaled.apply({Tensor::of<float>({4})}, {w});
  EXPECT_EQ(scaled.dynamic_scale().item(), 8.0);
  scaled.set_learning_rate(0.25);
  EXPECT_EQ(scaled.inner_optimizer()->learning_rate().item(), 0.25);
  const Json json = optimizers::serialize(scaled);
  EXPECT_EQ(optimizers::serialize(*optimizers::deserialize(json)), json);
}

TEST(Optimizers, SeveralByPath) {
  optimizers::OptimizerMap map(optimizers::SGD({.learning_rate = 1.0}));
  map.set(".*bias", optimizers::SGD({.learning_rate = 0.1, .name = "slow"}));
  EXPECT_THROW(map.set(".*bias", optimizers::SGD()), ValueError);
  EXPECT_THROW(map.set("(", optimizers::SGD()), ValueError);
  optimizers::MultiOptimizer both(map);
  const Variable kernel = weight({1}, "dense/kernel");
  const Variable bias = weight({1}, "dense/bias");
  both.apply({Tensor::of<float>({1}), Tensor::of<float>({1})}, {kernel, bias});
  EXPECT_NEAR(kernel.value().item(), 0.0, 1e-7);
  EXPECT_NEAR(bias.value().item(), 0.9, 1e-7);
  EXPECT_EQ(both.iterations().value().item(), 1.0);
  EXPECT_THROW(both.learning_rate(), AttributeError);
  const Json json = optimizers::serialize(both);
  EXPECT_EQ(optimizers::serialize(*optimizers::deserialize(json)), json);
}

TEST(Optimizers, StepsOfSchedulesNeedNotBeWhole) {
  namespace schedules = optimizers::schedules;
  const schedules::InverseTimeDecay inverse(0.1, 2.5, 0.5);
  EXPECT_NEAR(inverse(Tensor(5)).item(), 0.05, 1e-8);
  const schedules::CosineDecay warm(0.0,
                                    {.decay_steps = 10, .warmup_target = 1.0, .warmup_steps = 2.5});
  EXPECT_NEAR(warm(Tensor(2)).item(), 0.8, 1e-6);
  // Configurations keep the kind of number.
  EXPECT_EQ(schedules::serialize(inverse)["config"]["decay_steps"].dump(), "2.5");
  const Json config = schedules::serialize(warm)["config"];
  EXPECT_EQ(config["decay_steps"].dump(), "10");
  EXPECT_EQ(config["warmup_steps"].dump(), "2.5");
  for (const LearningRateSchedule& schedule :
       {LearningRateSchedule(inverse), LearningRateSchedule(warm),
        LearningRateSchedule(schedules::CosineDecayRestarts(0.1, 2.0))}) {
    const Json json = schedules::serialize(schedule);
    EXPECT_EQ(schedules::serialize(schedules::deserialize(json)).dump(), json.dump());
  }
  EXPECT_THROW(schedules::PolynomialDecay(0.1, -0.5), ValueError);
}

TEST(Optimizers, SchedulesRefuseBadArguments) {
  namespace schedules = optimizers::schedules;
  EXPECT_THROW(schedules::ExponentialDecay(0.1, 0, 0.5), ValueError);
  EXPECT_THROW(schedules::PiecewiseConstantDecay({1, 2}, {1, 2}), ValueError);
  EXPECT_THROW(schedules::deserialize({{"class_name", "Sawtooth"}, {"config", Json::object()}}),
               ValueError);
}

TEST(Optimizers, LoopsOfOnesOwnClipGradients) {
  const Tensors gradients = {Tensor({3.0, 0.0}), Tensor(), Tensor({{4.0}})};
  EXPECT_EQ(tf::global_norm(gradients).item(), 5);
  const auto [clipped, norm] = tf::clip_by_global_norm(gradients, 1.0);
  EXPECT_EQ(norm.item(), 5);
  EXPECT_EQ(clipped[0].to_vector<float>(), (std::vector<float>{0.6F, 0}));
  EXPECT_FALSE(clipped[1].defined());
  EXPECT_EQ(clipped[2].to_vector<float>(), (std::vector<float>{0.8F}));
  EXPECT_EQ(tf::clip_by_global_norm(gradients, 10.0).first[0].to_vector<float>(),
            (std::vector<float>{3, 0}));
  EXPECT_EQ(tf::clip_by_norm(Tensor({3.0, 4.0}), 2.5).to_vector<float>(),
            (std::vector<float>{1.5, 2}));
}

}  // namespace
}  // namespace antler
