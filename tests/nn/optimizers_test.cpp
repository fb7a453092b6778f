#include "antler/nn/optimizers.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/constraint.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
#include "nn/golden.h"

namespace antler {
namespace {

/// The optimizer of a case, or null where the class is not there.
OptimizerPtr make_optimizer(const golden::Case& c) {
  try {
    return optimizers::deserialize(c.json["optimizer"]);
  } catch (const ValueError& error) {
    if (std::string(error.what()).starts_with("Could not interpret optimizer identifier"))
      return {};
    throw;
  }
}

/// Element t of the first axis.
Tensor at(const Tensor& x, int64_t t) {
  Shape shape(x.shape().begin() + 1, x.shape().end());
  return ops::reshape(ops::slice_axis(x, 0, t, t + 1), shape);
}

bool has_gradient(const golden::Case& c, size_t variable, int64_t step) {
  if (!c.json.contains("none_gradients")) return true;
  const auto found = c.json["none_gradients"].find(std::to_string(variable));
  if (found == c.json["none_gradients"].end()) return true;
  return std::find(found->begin(), found->end(), Json(step)) == found->end();
}

/// What the arrays of a trajectory hold at step t, as a case of its own.
void expect_step(const golden::Case& c, const std::string& name, int64_t t, const Tensor& got) {
  golden::Case one{c.id + " step " + std::to_string(t), c.json, {{name, at(c.array(name), t)}}};
  golden::expect_close(one, name, got);
}

void check_slots(const golden::Case& c, const Optimizer& optimizer) {
  const Json& paths = c.json["expected"]["slot_paths"];
  const Variables variables = optimizer.variables();
  ASSERT_EQ(variables.size(), paths.size()) << c.id;
  for (size_t j = 0; j < variables.size(); ++j) {
    // Adafactor's factors bear the weight's bare name in Keras.
    if (c.json["optimizer"]["class_name"] != "Adafactor") {
      // An optimizer may hold others: the owner's name is not compared.
      const std::string& path = variables[j].path();
      EXPECT_EQ(path.substr(path.rfind('/') + 1), paths[j].get<std::string>()) << c.id;
    }
    const std::string name = "slot" + std::to_string(j);
    if (c.has(name)) golden::expect_close(c, name, variables[j].value());
  }
}

bool run_schedule(const golden::Case& c) {
  const LearningRateSchedule schedule = optimizers::schedules::deserialize(c.json["schedule"]);
  golden::expect_close(c, "values", schedule(c.array("steps")));
  return true;
}

bool run_optimizer(const golden::Case& c) {
  if (c.json.contains("schedule")) return run_schedule(c);
  const OptimizerPtr optimizer = make_optimizer(c);
  if (optimizer == nullptr) return false;
  Variables variables;
  const Json& names = c.json["variables"];
  for (size_t j = 0; j < names.size(); ++j) {
    variables.emplace_back(c.array("v" + std::to_string(j)),
                           VariableOptions{.name = names[j].get<std::string>()});
  }
  if (c.json.contains("constraints")) {
    for (Variable& variable : variables) {
      const auto found = c.json["constraints"].find(variable.name());
      if (found == c.json["constraints"].end()) continue;
      variable.set_constraint(constraints::deserialize(*found));
    }
  }
  if (c.json.contains("exclude_from_weight_decay")) {
    optimizer->exclude_from_weight_decay(
        {}, c.json["exclude_from_weight_decay"].get<std::vector<std::string>>());
  }
  optimizer->build(variables);
  const int64_t steps = c.json["steps"].get<int64_t>();
  for (int64_t t = 0; t < steps; ++t) {
    if (c.json.contains("set_learning_rate") &&
        c.json["set_learning_rate"].contains(std::to_string(t))) {
      optimizer->set_learning_rate(c.json["set_learning_rate"][std::to_string(t)].get<double>());
    }
    expect_step(c, "learning_rate_before_step", t, optimizer->learning_rate());
    Tensors gradients;
    for (size_t j = 0; j < variables.size(); ++j) {
      gradients.push_back(has_gradient(c, j, t) ? at(c.array("g" + std::to_string(j)), t)
                                                : Tensor());
    }
    optimizer->apply(gradients, variables);
    for (size_t j = 0; j < variables.size(); ++j) {
      expect_step(c, "trajectory_v" + std::to_string(j), t, variables[j].value());
    }
    if (testing::Test::HasFatalFailure()) return true;
  }
  check_slots(c, *optimizer);
  EXPECT_EQ(optimizer->update_count().item(), c.json["expected"]["iterations"].get<double>())
      << c.id;
  if (c.json.value("finalize", false)) {
    optimizer->finalize_variable_values(variables);
    for (size_t j = 0; j < variables.size(); ++j) {
      golden::expect_close(c, "final_v" + std::to_string(j), variables[j].value());
    }
  }
  return true;
}

TEST(Optimizers, AgreeWithKeras) {
  const auto cases = golden::packed_cases("optimizer");
  EXPECT_EQ(golden::run_cases(cases, run_optimizer), cases.size());
}

TEST(Optimizers, AgreeWithAllOfKerasCases) {
  const auto cases = golden::shared_cases("optimizer");
  if (cases.empty()) GTEST_SKIP() << "the reference set is not there";
  EXPECT_EQ(golden::run_cases(cases, run_optimizer), cases.size());
}

Variable weight(std::vector<float> values, const std::string& name = "w") {
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

TEST(Optimizers, SchedulesRefuseBadArguments) {
  namespace schedules = optimizers::schedules;
  EXPECT_THROW(schedules::ExponentialDecay(0.1, 0, 0.5), ValueError);
  EXPECT_THROW(schedules::PiecewiseConstantDecay({1, 2}, {1, 2}), ValueError);
  EXPECT_THROW(schedules::deserialize({{"class_name", "Sawtooth"}, {"config", Json::object()}}),
               ValueError);
}

}  // namespace
}  // namespace antler
